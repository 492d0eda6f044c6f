"""Is every outcome of the programs after a change one of the programs before it, over a whole family at once?

What goes in: a skeleton's pairs of programs, the models of both sides. What comes out: `Holds`; or `Suspect`s, pairs of
programs with an execution after the change that its direct counterpart before does not follow; or `Undecided`. A
suspect is no counterexample yet: another execution before the change may have the outcome, so the caller judges it, and
asks for the next. `Holds` is certain, for an execution that follows is one that has the outcome, with undef in more
places perhaps.

*A change* is sound if every outcome after it is matched before it. Let E be a consistent execution after the change.
Look for an execution E′ before it that follows E: the same coherence, and every read takes the value that it takes in
E, unless the model makes it undef. A removed operation does what the rule says. If E′ is consistent, and leaves undef
every read that is undef in E, its outcome matches that of E, since undef is above every value.

- *E′ exists* where the undef rules leave no fewer reads undef with fewer reads-from pairs (`axmem/refinement/proofs/`
  says why). axmem reads off the model's text that they are of this kind; if not, the answer is `unknown`. A removed
  plain load whose value nobody uses reads from a write that it may see; if there is none, this counts as a failure.
- *What is asked.* The solver searches for a program, E and E′ such that an axiom fails in E′, or a read is defined in
  E′ that is undef in E. If there is none, the change is sound for the family. Where all facts of a term in E′ are
  facts of its counterpart in E, an axiom on it needs no question. An unproved step is not used.
- *A suspect* is what the solver finds: another execution before the change may have the outcome. The engine for
  single tests judges it. If its outcome is new it is a counterexample, else it is excluded; after 200 exclusions the
  family is `unknown`. What is not proved of two models is decided by their game, for each kind of memory that
  locations may be.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import assert_axiom, truth_of
from axmem.encoder.solver import Session
from axmem.front.records import dataclass
from axmem.model.model import Model
from axmem.model.terms import AxiomKind
from axmem.refinement.bounded.changes import ProgramPair
from axmem.refinement.bounded.decoding import literals_of, litmus_text, suffixes_of, wishes
from axmem.refinement.bounded.execution import execution, followed, is_read
from axmem.refinement.bounded.lemmas import TermComparison, antitone_undef
from axmem.refinement.bounded.query import CircuitQuery, Unanswered

PROOF_STEPS = 40_000_000
"""How many steps of the solver one step of a proof may take before it is given up: a few seconds."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """Texts of a program before and after a change."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """A limit was reached; `reason` says which. `capped`: that of how many suspects are tried, and no other."""

    reason: str
    capped: bool = False


Search = Generator[Suspect | Undecided, bool, None]
"""Yields suspects; it is told of each whether it is a counterexample, and then offers simpler ones."""


TRIED = 200
"""How many suspects are offered of each way in which an execution may fail to follow, before it is left undecided."""


class FailedSteps:
    """Which steps of a proof failed in programs of how many operations.

    What fails in small programs fails in larger ones, which contain them, so that asking again would waste time. Not to
    ask is sound in any case: a step that is not proved is not used.
    """

    def __init__(self) -> None:
        self._failed: dict[tuple[int, int], int] = {}

    def lost(self, operations: int) -> frozenset[tuple[int, int]]:
        """Return the steps that failed in programs of fewer operations."""
        return frozenset(step for step, n in self._failed.items() if n < operations)

    def clear(self) -> None:
        """Forget everything."""
        self._failed.clear()

    def note(self, steps: Iterable[tuple[int, int]], operations: int) -> None:
        """Note steps that failed in programs of so many operations."""
        for step in steps:
            self._failed.setdefault(step, operations)


NOT_ANTITONE = "it is not plain from the model's undef rules that fewer reads-from pairs leave no fewer reads undef"


def suspects(
    pair: ProgramPair,
    models: tuple[Model, Model],
    session: Session,
    seconds: float | None,
    alike: Mapping[str, str],
    failed: FailedSteps,
) -> Search:
    """Return the search for pairs of programs for which the change may be unsound; none if it holds for the whole
    family.

    `models` are those before and after the change. `alike` names definitions of the first that correspond to
    definitions of the second though they are made otherwise. `failed` are of this change and these models.
    """
    if not antitone_undef(models[0], pair.before.skeleton.bound.without):
        yield Undecided(NOT_ANTITONE)
        return
    question, broken = _broken(pair, models, session, alike, failed)
    yield from _found(pair, question, broken, seconds)


def follows(
    pair: ProgramPair,
    models: tuple[Model, Model],
    session: Session,
    seconds: float | None,
    alike: Mapping[str, str],
    failed: FailedSteps,
) -> bool:
    """Tell whether the direct counterpart of every execution follows it, so that the change holds for the family."""
    if not antitone_undef(models[0], pair.before.skeleton.bound.without):
        return False
    question, broken = _broken(pair, models, session, alike, failed)
    try:
        return not any(question.possible(literal, seconds) for literal in broken)
    except Unanswered:
        return False


def _broken(
    pair: ProgramPair, models: tuple[Model, Model], session: Session, alike: Mapping[str, str], failed: FailedSteps
) -> tuple[CircuitQuery, list[int]]:
    """Return the literals of the ways in which an execution before may fail to follow, and whom to ask about them."""
    old, new = models
    circuit = pair.after.circuit
    programs = CircuitQuery(circuit, session, frozen=True)
    leader = execution(pair.after, new)
    leader.literals.assert_axioms()
    follower = followed(leader, pair.before, old, pair.substitution)
    question = CircuitQuery(circuit, session)

    def proof(pairs: list[tuple[int, int]], *, fixed: bool) -> bool | None:
        return (programs if fixed else question).implied(pairs, PROOF_STEPS)

    operations = len(pair.after.slots)
    comparison = TermComparison(leader, follower, proof, alike, failed.lost(operations))
    failed.note(comparison.failed, operations)
    broken = [
        -truth_of(follower.literals, a) for a in old.axioms if not a.flag and not comparison.axiom_follows(a.term)
    ]
    substitution, events = pair.substitution, pair.before.skeleton.events
    if not comparison.undef_follows() or substitution.reading or substitution.forwarded:
        for r, undef in follower.undef.items():
            other = substitution.reading.get(r, r)
            if other in leader.undef:
                broken.append(circuit.conjunction((is_read(pair.before, events[r]), -undef, leader.undef[other])))
    broken.append(follower.lost)
    return question, [x for x in broken if x != FALSE]


def _found(pair: ProgramPair, question: CircuitQuery, broken: list[int], seconds: float | None) -> Search:
    """Yield the suspects for each way in which the follower may fail, each program once; of the first that is a
    counterexample then simpler ones."""
    decoder = Suspects(pair, question)
    left: Undecided | None = None
    for literal in broken:
        tried = 0
        try:
            while tried < TRIED and question.possible(literal, seconds):
                tried += 1
                truth, suspect = decoder.solution()
                if (yield suspect):
                    yield from _simpler(decoder, literal, truth, seconds)
                    return
                pair.after.circuit.add(*[-x if truth[x] else x for x in decoder.wanted])
        except Unanswered as limit:
            left = Undecided(str(limit))
        if tried == TRIED:
            left = left or Undecided(f"{TRIED} suspects were no counterexamples", capped=True)
    if left:
        yield left


class Suspects:
    """The suspects that the solutions of a question are."""

    def __init__(self, pair: ProgramPair, question: CircuitQuery) -> None:
        self.pair, self.question = pair, question
        self.wanted = list(dict.fromkeys([*literals_of(pair.before), *literals_of(pair.after)]))
        question.mention([*self.wanted, *wishes(pair.before)])
        events, gone = pair.before.skeleton.events, pair.substitution
        self.substitutes = {events[r].slot: events[e].slot for r, e in (*gone.reading.items(), *gone.forwarded.items())}

    def solution(self) -> tuple[dict[int, bool], Suspect]:
        """Return the truth of the programs' literals in the last solution, and the programs."""
        truth = self.question.truth(self.wanted)
        suffixes = suffixes_of([self.pair.before, self.pair.after], truth)
        after = litmus_text(self.pair.after, truth, "after", self.substitutes, suffixes)
        return truth, Suspect(litmus_text(self.pair.before, truth, "before", suffixes=suffixes), after)


def _simpler(decoder: Suspects, literal: int, truth: Mapping[int, bool], seconds: float | None) -> Search:
    """Grant one wish after the other that makes a counterexample simpler, as long as it stays one."""
    question = decoder.question
    granted = [literal]
    for wish in wishes(decoder.pair.before):
        if truth[wish]:
            granted.append(wish)
        elif question.possible(question.circuit.conjunction((*granted, wish)), seconds):
            other, suspect = decoder.solution()
            if (yield suspect):
                truth = other
                granted.append(wish)


def violations(pair: ProgramPair, model: Model, session: Session, seconds: float | None) -> Search:
    """Return the search for programs that have an execution of a model: for a model with an axiom that denies a
    property."""
    leader = execution(pair.after, model)
    circuit, literals = pair.after.circuit, leader.literals
    axioms = [a for a in model.axioms if not a.flag]
    # That the orders which a model names have no cycle proves most properties; the other axioms follow if it does not.
    named = {d.term for d in model.definitions}
    first = [a for a in axioms if a.negated or (a.kind is AxiomKind.ACYCLIC and a.term in named)]
    for axiom in first:
        assert_axiom(literals, axiom)
    question = CircuitQuery(circuit, session)
    try:
        if not question.possible(TRUE, seconds):
            return
    except Unanswered as limit:
        yield Undecided(str(limit))
        return
    for axiom in axioms:
        if axiom not in first:
            assert_axiom(literals, axiom)
    yield from _found(ProgramPair(pair.after, pair.after), question, [TRUE], seconds)
