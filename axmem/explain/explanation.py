"""Why a test may, or may not, end as a condition says.

What goes in: a test, a model, and the condition asked about. What comes out: an `Explanation`: an execution as asked,
or a minimal set of rules that excludes it with the execution that breaks the fewest; each relation and chain in it is
evaluated on that execution, not taken from the solver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from axmem.decide import Asker
from axmem.encoder.constraints import DEFINED, Rule
from axmem.encoder.events import EventGraph, Kind
from axmem.encoder.solver import Session
from axmem.encoder.unroll import event_graph
from axmem.encoder.values import UNDEF
from axmem.encoder.witness import Excluded, Execution, witness
from axmem.explain.derivation import Chain, Derivations
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import Condition, LitmusTest, Quantifier, Truth
from axmem.model.relation import bits
from axmem.model.terms import AxiomKind, Doc, Model, Op
from axmem.source import NOWHERE, Diagnostic, InputError, Source, Span

OPTION = "--outcome"
_QUESTION = re.compile(r"^exists \(true\)$", re.MULTILINE)
_PAIRS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Break:
    """A rule that an execution breaks, and where: chains of pairs (a cycle, or pairs that should not be), events."""

    rule: Rule
    kind: str
    chains: tuple[Chain, ...] = ()
    events: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class UndefRead:
    """A read that returns undef: the rules that say so, and the writes that it may see."""

    event: int
    rules: tuple[Rule, ...]
    competing: tuple[int, ...]


@dataclass(frozen=True)
class Explanation:
    """An answer. `rules` is empty if the condition may hold; then `execution` is an example.

    Else `execution` breaks few rules, shown in `breaks`; it is None where the program cannot compute such values.
    `unknown` names the limit that kept the question open.
    """

    test: LitmusTest
    model: Model
    condition: Condition
    execution: Execution | None
    rules: tuple[Rule, ...]
    breaks: tuple[Break, ...] = ()
    undef: tuple[UndefRead, ...] = ()
    unknown: str = ""

    @property
    def permitted(self) -> bool:
        """Whether the condition may hold."""
        return not self.rules and not self.unknown


def explain(
    test: LitmusTest, model: Model, session: Session | None = None, seconds: float | None = None
) -> Explanation:
    """Explain whether a test's condition may hold under a model.

    An execution with numbers is preferred to one in which undef stands for any number.
    """
    graph = event_graph(test, undef_memory=not model.undefs)
    milliseconds = 0 if seconds is None else max(1, int(seconds * 1000))
    wanted = test.condition
    exact = _witness(graph, model, wanted, "literal", session, milliseconds)
    if not isinstance(exact, Execution) and model.choice.get("undef.exists", "wild") != "literal":
        loose = _witness(graph, model, wanted, "wild", session, milliseconds)
        exact = loose if isinstance(loose, Execution | str) else exact
    if isinstance(exact, str):
        return Explanation(test, model, wanted, None, (), unknown=exact)
    if isinstance(exact, Execution):
        return Explanation(test, model, wanted, exact, (), undef=tuple(undef_reads(exact)))
    breaks = () if exact.closest is None else tuple(_breaks(exact.closest))
    undef = () if exact.closest is None else tuple(undef_reads(exact.closest))
    return Explanation(test, model, wanted, exact.closest, exact.rules, breaks, undef)


def _witness(
    graph: EventGraph, model: Model, condition: Condition, undef: str, session: Session | None, milliseconds: int
) -> Execution | Excluded | str:
    return witness(graph, model, lambda e: Asker(e, graph, undef).ask(condition)[0], session, milliseconds)


def asked(test: LitmusTest, outcome: str) -> LitmusTest:
    """Return the test with another condition. Raises InputError, located in the option, if it cannot be read."""
    anything = Truth(True, NOWHERE)
    bare = replace(test, condition=anything, quantifier=Quantifier.EXISTS, expectations=(), outcome_sets=())
    text = print_test(bare)
    question = list(_QUESTION.finditer(text))[-1]
    changed = text[: question.start()] + f"exists ({outcome})" + text[question.end() :]
    line = text.count("\n", 0, question.start()) + 1
    try:
        if "\n" in outcome:
            raise InputError([Diagnostic(Source(OPTION, outcome), Span(1, 1), "a condition is on one line")])
        return replace(parse(changed, test.source.name), source=test.source)
    except InputError as error:
        raise InputError([_moved(d, outcome, line) for d in error.diagnostics]) from None


def _moved(diagnostic: Diagnostic, outcome: str, line: int) -> Diagnostic:
    """Return a diagnostic of the changed text as one of the option."""
    column = diagnostic.span.column - len("exists (") if diagnostic.span.line == line else 1
    column = min(max(1, column), len(outcome) + 1)
    length = max(1, min(diagnostic.span.length, len(outcome) + 1 - column))
    return replace(diagnostic, source=Source(OPTION, outcome), span=Span(1, column, length))


# ---------------------------------------------------------------- what is broken, what is undef


def _breaks(execution: Execution) -> Iterator[Break]:
    """Yield what an inconsistent execution breaks."""
    derivations = Derivations(execution)
    broken = execution.broken()
    for axiom in execution.model.axioms:
        if axiom.name not in broken or axiom.flag:
            continue
        rule = Rule(axiom.name, axiom.doc)
        value = execution.terms[axiom.term]
        if axiom.negated:
            yield Break(rule, f"not {axiom.kind.value}")
        elif isinstance(value, int):
            yield Break(rule, axiom.kind.value, events=tuple(bits(value)))
        elif axiom.kind is AxiomKind.ACYCLIC:
            yield Break(rule, "a cycle", (derivations.cycle(axiom.term),))
        elif axiom.kind is AxiomKind.IRREFLEXIVE:
            points = [e for e, row in enumerate(value) if row >> e & 1]
            chains = [derivations.chain(axiom.term, e, e) for e in points]
            yield Break(rule, "a cycle", (min(chains, key=len),), tuple(points[:1]))
        else:
            pairs = [(a, b) for a, row in enumerate(value) for b in bits(row)][:_PAIRS_SHOWN]
            yield Break(rule, "a pair that may not be", tuple(_unwanted(derivations, axiom.term, *p) for p in pairs))
    for undef in execution.model.undefs:
        members = execution.terms[undef.term]
        assert isinstance(members, int)
        if undef.name in broken:
            reads = tuple(e for e in bits(members) if execution.rf and any(r >> e & 1 for r in execution.rf))
            yield Break(Rule(undef.name, undef.doc), "a read that must return undef", events=reads)
    if DEFINED.name in broken:
        yield Break(DEFINED, "a read that may not return undef", events=tuple(r.event for r in undef_reads(execution)))


def _unwanted(derivations: Derivations, term: int, first: int, second: int) -> Chain:
    """Return how a pair comes about that must not be: for a difference, why it is not in what is taken away."""
    node = derivations.model.terms[term]
    while node.op is Op.DIFFERENCE:
        taken = node.arguments[1]
        allowed = derivations.model.terms[taken]
        if allowed.op is not Op.DIFFERENCE:
            break
        # In none of what the definition leaves: follow what it takes away.
        if derivations.holds(allowed.arguments[1], first, second):
            return derivations.chain(allowed.arguments[1], first, second)
        node, term = derivations.model.terms[allowed.arguments[0]], allowed.arguments[0]
        if node.op is Op.DIFFERENCE and derivations.holds(node.arguments[1], first, second):
            return derivations.chain(node.arguments[1], first, second)
        break
    return derivations.chain(term, first, second)


def undef_reads(execution: Execution) -> Iterator[UndefRead]:
    """Yield the reads that return undef without reading any write."""
    seen = execution.relation("may-see")
    for event in execution.graph.events:
        read = event.kind is Kind.READ and execution.executed >> event.index & 1
        if read and not any(row >> event.index & 1 for row in execution.rf) and execution.model.undefs:
            if execution.values.get(event.index) is not UNDEF:
                continue
            rules = [
                Rule(u.name, u.doc) for u in execution.model.undefs if execution.terms[u.term] >> event.index & 1  # type: ignore[operator]
            ]
            competing = tuple(w for w, row in enumerate(seen) if row >> event.index & 1)
            yield UndefRead(event.index, tuple(rules), competing)


def sentence(doc: Doc) -> str:
    """Return a rule's sentence and where it is from."""
    place = " ".join(p for p in (f"[{doc.key}]" if doc.key else "", f'"{doc.section}"' if doc.section else "") if p)
    return doc.text + (f" ({place})" if place else "")
