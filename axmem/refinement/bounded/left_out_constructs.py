"""What two models say of constructs that a space of programs leaves out.

What goes in: models, and the constructs (`Primitive.needs`) that no program of a space has. What comes out: what is
left of a model there, and the primitives of which two models say different things although what is left of them there
is the same. Invariant: a search that finds no difference says so only if there are none of these (`refuse_difference`),
for otherwise the difference may lie in what was left out.

A primitive of a construct that is left out is empty in every program of the space. A term *vanishes* if that makes it
empty. A term of one model that the other does not have, one of whose parts vanishes, and that without the part is a
term of the other, is where the first says more of the construct; so is a rule that vanishes and that the other does
not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from axmem.events.conventions import conventions
from axmem.front.source import Diagnostic, InputError, mistake
from axmem.model.model import Model
from axmem.model.primitives import PRIMITIVES
from axmem.model.relation import bits
from axmem.model.terms import Axiom, Op, Term, UndefRule
from axmem.model.vocabulary import needs, rules_of
from axmem.refinement.bounded.sharing import TermNames


@lru_cache(maxsize=64)
def vanishing(model: Model, without: frozenset[str]) -> frozenset[int]:
    """Return the terms of a model that hold of nothing in programs without some constructs."""
    primitives = (Op.BASE, Op.TAGGED)
    empty = [i for i, term in enumerate(model.terms) if term.op in primitives and needs(term) in without]
    inner = {member for fixpoint in model.fixpoints for member in fixpoint.members}
    gone = model.analyses.emptiness.emptied(empty, [i for i in range(len(model.terms)) if i not in inner])
    return frozenset(i for i in bits(gone) if model.terms[i].op is not Op.EMPTY)


@lru_cache(maxsize=64)
def kept(model: Model, without: frozenset[str]) -> frozenset[int]:
    """Return the terms that a model's rules need in programs without some constructs."""
    gone = vanishing(model, without)
    stack = [rule.term for rule in rules_of(model)]
    seen: set[int] = set()
    while stack:
        index = stack.pop()
        if index not in seen and index not in gone:
            seen.add(index)
            term = model.terms[index]
            stack.extend(term.arguments)
            if term.op in (Op.FIX, Op.RECVAR):
                stack.extend((*model.fixpoints[term.fixpoint].bodies, *model.fixpoints[term.fixpoint].variables))
    return frozenset(seen)


def spoken(model: Model, without: frozenset[str]) -> frozenset[str]:
    """Return the primitives of which a model speaks in programs without some constructs."""
    return frozenset(model.terms[i].name for i in kept(model, without) if model.terms[i].op is Op.BASE)


def refuse_tearing(model: Model, engine: str) -> None:
    """Raise InputError for a model whose atomics tear: the accesses of a family have one value each, not bytes."""
    if conventions(model).tearing:
        message = f"{engine} has no meaning for bytes.notear=off, under which the bytes of an access have a write each"
        raise mistake("--model", message, text=_label(model))


def refuse_difference(first: Model, second: Model, without: frozenset[str], engine: str, hint: str) -> None:
    """Raise InputError if two models say different things of what a space leaves out, at the rules that do."""
    if first is second:
        return
    found: dict[str, Diagnostic] = {}
    for one, other in ((first, second), (second, first)):
        for index, place in _more(one, other, without):
            for left in _left_out(one, index, without):
                text = PRIMITIVES[left.name].text if left.op is Op.BASE else "the events with this MMRA tag"
                message = (
                    f"{engine} cannot say that the models agree: {_label(one)} and {_label(other)} say different "
                    f"things of `{left.name}` ({text}), and no program of the bound has {needs(left)}"
                )
                found.setdefault(left.name, Diagnostic(place.source, place.span, message, hint))
    if found:
        raise InputError(found.values())


def _label(model: Model) -> str:
    """Return a model's name with the variants that are not the default."""
    defaults = {v.name: v.default for v in model.variants}
    changed = ",".join(f"{name}={value}" for name, value in model.chosen if defaults[name] != value)
    return f"{model.name}[{changed}]" if changed else model.name


def _more(one: Model, other: Model, without: frozenset[str]) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the terms with which one model says more of what is left out, each with the first rule that needs it."""
    names, rest = TermNames(), TermNames()
    mine, theirs = names.of(one), {names.of(other)[i] for i in other.reached}
    left = {rest.of(other, vanishing(other, without))[i] for i in kept(other, without)}
    gone, here = vanishing(one, without), kept(one, without)
    rules = {_asks(rule, names.of(other)) for rule in rules_of(other)}
    stated = {_place(rule) for rule in rules_of(other) if rule.term in vanishing(other, without)}
    for rule in rules_of(one):
        root, place = rule.term, Diagnostic(rule.source, rule.span, "")
        if root in gone and _asks(rule, mine) not in rules and _place(rule) not in stated:
            yield root, place
        for index in one.needed((root,)) & here:
            remainder = rest.of(one, gone)[index]
            parts = [a for a in one.terms[index].arguments if a in gone]
            if parts and mine[index] not in theirs and remainder in left:
                yield from ((part, place) for part in parts)


def _place(rule: Axiom | UndefRule) -> tuple[object, ...]:
    """Return where a rule stands: one that vanishes from both models is one rule there, whatever else it builds on."""
    return (rule.source.name, rule.span.line, rule.span.column)


def _asks(rule: Axiom | UndefRule, numbers: list[int]) -> tuple[object, ...]:
    """Return what a rule asks of which term, as the same for rules of any model that ask the same."""
    if isinstance(rule, UndefRule):
        return ("undef", numbers[rule.term])
    return (rule.kind, rule.negated, rule.flag, numbers[rule.term])


def _left_out(model: Model, root: int, without: frozenset[str]) -> list[Term]:
    """Return the primitives and tags of what is left out that a term needs, each as its term."""
    terms = (model.terms[index] for index in sorted(model.needed((root,))))
    return [t for t in terms if t.op in (Op.BASE, Op.TAGGED) and needs(t) in without]
