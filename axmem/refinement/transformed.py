"""Is a change of a test sound, in every context?

What goes in: a test before and after a change of its threads or kernels, how instances of registers correspond, a
model, a number of operations. What comes out: a `Finding` (`axmem.refinement.contexts`): every outcome after the change
is matched by one before it, for the test as it is and with further threads of up to so many operations on its memory,
wherever they stand; or there is a context in which one is not. Compared are registers, and memory at last. Straight
tests are decided by families of programs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from axmem.check.selection import loaded
from axmem.encoder.branching import candidates
from axmem.encoder.engines import Engine
from axmem.encoder.instances import Noting
from axmem.encoder.solve import UNLIMITED, Limits
from axmem.encoder.solver import Session
from axmem.encoder.unroll import event_graph
from axmem.encoder.values import Constant
from axmem.families.bound import Bound
from axmem.families.inclusion import FailedSteps, Undecided, suspects
from axmem.families.literals import UnsupportedModel
from axmem.families.printed import program_text
from axmem.families.skeleton import shapes
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.front.typing import override
from axmem.litmus import syntax as ast
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.resolution import resolve
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.changed import Change, within
from axmem.refinement.contexts import HOLDS, REFUTED, UNKNOWN, Counterexample, Finding
from axmem.refinement.enumerated import contexts
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.paired import PairedRows, paired
from axmem.refinement.pairs import refine
from axmem.refinement.paths import paths
from axmem.refinement.rows import Place, Winding, pieces, rows, wholes
from axmem.refinement.surroundings import Surroundings, Write


def paired_rows(change: Change) -> PairedRows:
    """Return the rows of both tests side by side; raise Winding if there are none."""
    return paired(rows(change.before, Noting(change.first)), rows(change.after, Noting(change.second)))


def sound_in_families(
    both: PairedRows,
    model: ModelChoice,
    events: int,
    space: Bound,
    seconds: float | None = None,
    change: Change | None = None,
) -> Finding:
    """Return whether a change of rows is sound in every context of up to so many operations of a space.

    `change` is what the rows are of; without it what they store is constant. Raises Winding for what families of
    programs do not have.
    """
    begun = time.perf_counter()
    judge = _judge_of(both, model, change)
    failed = FailedSteps()
    reasons: list[str] = []
    decided = 0
    unknown = events
    for size in range(events + 1):
        for context in _contexts(size):
            found = _family(both, judge, context, space, failed, seconds)
            if isinstance(found, Counterexample):
                reasons += judge.confirmed(found)
                spent = time.perf_counter() - begun
                return Finding(REFUTED, size, found, tuple(reasons), decided, spent)
            if found:
                reasons.append(found)
                unknown = min(unknown, size)
            else:
                decided += 1
    spent = time.perf_counter() - begun
    status, bound = (UNKNOWN, unknown) if reasons else (HOLDS, events)
    return Finding(status, bound, reasons=tuple(reasons), families=decided, seconds=spent)


def sound_on_paths(
    change: Change, model: ModelChoice, events: int, space: Bound, seconds: float | None = None
) -> Finding | None:
    """Return whether a change is sound in every context of up to so many operations, whichever way it goes.

    Of straight tests that is known, of those with compare-exchanges only if it is sound; None where nothing is known.
    """
    try:
        straight = paired_rows(change)
        return sound_in_families(straight, model, events, space, seconds, change)
    except Winding:
        decided, spent = 0, 0.0
    try:
        for both in paths(change, loaded(model)):
            found = sound_in_families(both, model, events, space, seconds)
            if found.status != HOLDS:
                return None
            decided, spent = decided + found.families, spent + found.seconds
    except Winding:
        return None
    return Finding(HOLDS, events, families=decided, seconds=spent)


def _contexts(size: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share operations of a context among threads."""
    return shapes(size) if size else iter(((),))


def _family(
    both: PairedRows, judge: Judge, context: tuple[int, ...], space: Bound, failed: FailedSteps, seconds: float | None
) -> Counterexample | str:
    """Return a counterexample with a context of this shape, or why it is not known whether there is one, or nothing."""
    meaning = loaded(judge.model)
    name = f"contexts of {'+'.join(map(str, context)) or 'no'} operations"
    best: Counterexample | None = None
    try:
        pair = Surroundings(both, context, space, judge.write).pair(space)
        found = suspects(pair, (meaning, meaning), Session(), seconds, alike={}, failed=failed)
        suspect = next(found, None)
        while suspect is not None:
            if isinstance(suspect, Undecided):
                return best or f"{name}: {suspect.reason}"
            judged = judge.judged(suspect.before, suspect.after)
            best = judged or best
            try:
                suspect = found.send(judged is not None)
            except StopIteration:
                break
    except UnsupportedModel as reason:
        return f"{name}: {reason}"
    return best or ""


# ---------------------------------------------------------------- what single tests say


class Judge:
    """What the engine for single tests says of rows with a context, as straight threads that store constants."""

    write: Write | None = None

    def __init__(self, model: ModelChoice) -> None:
        self.model = model

    def judged(self, before: str, after: str) -> Counterexample | None:
        """Return the counterexample that two tests are, if they are one."""
        found = refine(before, after, self.model, explained=False)
        if found.verdict != UNSOUND:
            return None
        return Counterexample(before, after, (found.new or found.undefined)[0])

    def confirmed(self, shown: Counterexample) -> tuple[str, ...]:
        """Ask the second engine, too; return what keeps it from being asked, if something does.

        Where registers alone show it, memory is not asked for. Raises Disagreement.
        """
        tests = parse(shown.before, "before"), parse(shown.after, "after")
        finals = tuple(ast.FinalValue(x.name) for x in tests[0].locations)
        for memory in (False, True):
            if why := _too_many(*(replace(test, observe=finals) if memory else test for test in tests)):
                return (why,)
            if refine(*tests, self.model, engine=Engine.ORACLE, explained=False, memory=memory).verdict == UNSOUND:
                return ()
        raise Disagreement(f"{shown.before}\n{shown.after}")


class _JudgeOfChange(Judge):
    """The same of the tests that the rows are of, beside the threads of the context."""

    def __init__(self, model: ModelChoice, change: Change) -> None:
        super().__init__(model)
        graphs = [event_graph(test) for test in (change.before, change.after)]
        self.change = replace(change, memory=pieces(*graphs))
        self.write = self._written

    def _written(self, threads: Sequence[ast.Thread], name: str, after: bool) -> str:
        test = (self.change.after if after else self.change.before)
        found, diagnostics = resolve(replace(test, name=name, threads=(*test.threads, *threads)))
        if diagnostics:
            raise InputError(diagnostics)
        return print_test(found)

    def _tests(self, before: str, after: str) -> Change:
        return replace(self.change, before=parse(before, "before"), after=parse(after, "after"))

    @override
    def judged(self, before: str, after: str) -> Counterexample | None:
        found, _, new = within(self._tests(before, after), (), loaded(self.model))
        return Counterexample(before, after, new) if found.verdict == UNSOUND else None

    @override
    def confirmed(self, shown: Counterexample) -> tuple[str, ...]:
        return _confirm(self._tests(shown.before, shown.after), (), self.model)


def _judge_of(both: PairedRows, model: ModelChoice, change: Change | None) -> Judge:
    """Return who judges rows: as straight threads where they store constants, else as the tests that they are of."""
    if both.constant:
        return Judge(model)
    if change is None or {p.location for p in both.places} - {x.name for x in change.before.locations}:
        raise Winding("what is stored depends on what is read")
    return _JudgeOfChange(model, change)


# ---------------------------------------------------------------- one context after the other


def sound_in_contexts(
    change: Change, model: ModelChoice, events: int, space: Bound, limits: Limits = UNLIMITED
) -> Finding:
    """Return whether a change is sound in every context of up to so many operations, each judged as a test."""
    begun = time.perf_counter()
    meaning, session = loaded(model), Session()
    memory, larger, fixed, fresh = _scene(change)
    change = replace(change, memory=memory)
    judged = 0
    for size in range(events + 1):
        reasons: dict[str, None] = {}
        for threads in contexts(space, size, (*memory, *larger), fixed, fresh):
            judged += 1
            found, tests, new = within(change, threads, meaning, limits=limits, session=session)
            if found.verdict == UNSOUND:
                reasons |= dict.fromkeys(_confirm(change, threads, model))
                shown = Counterexample(program_text(tests.before), program_text(tests.after), new)
                return Finding(REFUTED, size, shown, tuple(reasons), judged, time.perf_counter() - begun)
            reasons |= dict.fromkeys(found.reasons if found.verdict != SOUND else ())
        if reasons:
            return Finding(UNKNOWN, size, None, tuple(reasons), judged, time.perf_counter() - begun)
    return Finding(HOLDS, events, None, (), judged, time.perf_counter() - begun)


class Disagreement(Exception):
    """The two engines do not agree on a counterexample: one of them is wrong. Has the tests' texts."""


BRUTE = 200_000
"""Of how many executions the second engine, which tries all, is asked."""


def _confirm(change: Change, threads: Sequence[ast.Thread], model: ModelChoice) -> tuple[str, ...]:
    """Do the same (`Judge.confirmed`) with a change beside some threads."""
    for memory in ((), change.memory):
        change = replace(change, memory=memory)
        beside = change.with_threads(threads)
        if why := _too_many(beside.before, beside.after):
            return (why,)
        found, _, _ = within(change, threads, loaded(model), oracle=True)
        if found.verdict == UNSOUND:
            return ()
    raise Disagreement(f"{print_test(beside.before)}\n{print_test(beside.after)}")


def _too_many(*tests: ast.LitmusTest) -> str:
    """Return why the second engine is not asked of tests, if it is not."""
    count = max(candidates(event_graph(test), BRUTE) for test in tests)
    return f"the second engine was not asked: {count} executions are more than {BRUTE}" if count > BRUTE else ""


def _scene(
    change: Change,
) -> tuple[tuple[Place, ...], tuple[Place, ...], tuple[ast.Placement, ...], int]:
    """Return the memory that the tests access, by its pieces and as large as they do, where their threads stand, and a
    number that nothing writes."""
    graphs = [event_graph(test) for test in (change.before, change.after)]
    known = {location.name for location in change.before.locations}
    memory = tuple(place for place in pieces(*graphs) if place.location in known)
    larger = tuple(place for place in wholes(*graphs) if place.location in known)
    written = {e.value.value for g in graphs for e in g.events if isinstance(e.value, Constant)}
    numbers = [v for v in written if isinstance(v, int) and v < ADDRESSES]
    return memory, larger, graphs[0].placements, max(numbers, default=0) + 1


ADDRESSES = 1 << 16
"""Addresses are above it."""
