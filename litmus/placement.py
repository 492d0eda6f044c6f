"""Places of threads and the threads of barriers: what the text leaves out.

What goes in: a tree whose names are resolved. What comes out: the tree in which every place has all its numbers and
every barrier statement belongs to exactly one barrier object; and the diagnostics. A missing number is 0 at a level
that is shared (`axmem.litmus.words.Level`: agents and clusters); else the smallest that no thread beside it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from axmem.front.source import NOWHERE, Diagnostic, did_you_mean
from axmem.litmus import walk
from axmem.litmus.launch import lanes
from axmem.litmus.spelling import ARRIVE
from axmem.litmus.syntax import (
    Barrier,
    BarrierObject,
    If,
    Kernel,
    LitmusTest,
    Placement,
    Statement,
    Thread,
    Track,
    Transfer,
)
from axmem.litmus.walk import changed
from axmem.litmus.words import AMDGPU, Hierarchy, Scope, placed_levels


def placed(places: Sequence[Placement], levels: Hierarchy) -> tuple[Placement, ...]:
    """Return the places with every gap filled."""
    return _placed(tuple(places), levels)


@lru_cache(maxsize=256)
def _placed(places: tuple[Placement, ...], levels: Hierarchy) -> tuple[Placement, ...]:
    filled = [list(place.numbers) for place in places]
    for at, level in enumerate(placed_levels(levels)):
        for row in filled:
            if row[at] is None and level.shared:
                row[at] = 0
            elif row[at] is None:
                beside = {other[at] for other in filled if other[:at] == row[:at]}
                row[at] = next(number for number in range(len(filled) + 1) if number not in beside)
    return tuple(Placement(tuple(row)) for row in filled)


def single_lanes(test: LitmusTest) -> list[Thread | Kernel]:
    """Return the threads, those with control flow last."""
    return [*test.threads, *(kernel for kernel in test.kernels if kernel.lane_of_thread)]


def fill(test: LitmusTest) -> tuple[LitmusTest, list[Diagnostic]]:
    """Fill in the places and the barrier objects, and return what is wrong with them."""
    diagnostics: list[Diagnostic] = []
    singles = single_lanes(test)
    places = placed([unit.placement for unit in singles], test.levels)
    seen: dict[Placement, str] = {}
    for unit, place in zip(singles, places, strict=True):
        if place in seen:
            hint = "two threads differ at least in their thread number"
            message = f"thread {unit.name} has the same place as thread {seen[place]}"
            diagnostics.append(Diagnostic(test.source, unit.span, message, hint))
        seen.setdefault(place, unit.name)
    threads = tuple(changed(t, placement=p) for t, p in zip(test.threads, places, strict=False))
    test = changed(test, threads=threads, kernels=_launched(test, seen, iter(places[len(threads) :]), diagnostics))
    diagnostics += _misplaced_barriers(test)
    objects = _declared(test, diagnostics)
    implied = implied_barriers(test, objects)
    order = {thread.name: number for number, thread in enumerate(threads)}
    every = sorted((*objects, *implied), key=lambda o: (order.get(o.participants[0], 0), o.name))
    test = changed(test, barriers=tuple(every))
    return test, [*diagnostics, *_uneven(test), *_lost_dma(test)]


def _launched(
    test: LitmusTest, seen: dict[Placement, str], places: Iterator[Placement], diagnostics: list[Diagnostic]
) -> tuple[Kernel, ...]:
    """Return the kernels with their places: a launch without one begins at the first workgroups that are free."""
    found = []
    for kernel in test.kernels:
        if kernel.lane_of_thread:
            found.append(changed(kernel, placement=next(places)))
            continue
        if test.levels != AMDGPU:
            message = "a kernel is launched on the levels of AMDGPU alone"
            diagnostics.append(Diagnostic(test.source, kernel.span, message))
            return test.kernels
        agent, cluster, group, *inside = kernel.placement.numbers
        if any(inside):
            message = "the place of a launch is that of its first workgroup"
            diagnostics.append(Diagnostic(test.source, kernel.span, message, "leave wavefront and thread out"))
        around = (agent or 0, cluster or 0)
        taken = {place.numbers[2] for place in seen if place.numbers[:2] == around}
        count = kernel.launch.workgroups
        free = (n for n in range(len(seen) + 1) if taken.isdisjoint(range(n, n + count)))
        first = next(free, max((n or 0 for n in taken), default=-1) + 1) if group is None else group
        kernel = changed(kernel, placement=Placement((*around, first, 0, 0)))
        clash = next((lane for lane in lanes(kernel) if lane.placement in seen), None)
        if clash is not None:
            other = seen[clash.placement].split(".")[0]
            message = f"kernel {kernel.name} is launched at the place of {other}"
            diagnostics.append(Diagnostic(test.source, kernel.span, message, "give one of them another workgroup"))
        seen.update((lane.placement, lane.name) for lane in lanes(kernel))
        found.append(kernel)
    return tuple(found)


def unknown_to(test: LitmusTest, engine: str) -> Iterator[Diagnostic]:
    """Yield an error for what an engine does not know: DMA operations, and levels other than AMDGPU's."""
    for _, statement in walk.located(test):
        if isinstance(statement, Transfer | Track):
            yield Diagnostic(test.source, statement.span, f"{engine} knows no DMA operations")
    if test.levels != AMDGPU:
        words = " ".join(level.word for level in test.levels)
        message = f"{engine} knows the levels of AMDGPU alone; this test has the levels {words}"
        yield Diagnostic(test.source, test.threads[0].span if test.threads else NOWHERE, message)


def kernels_in(test: LitmusTest, engine: str, instead: str = "") -> Iterator[Diagnostic]:
    """Yield an error for each kernel of a test, for an engine of straight threads; `instead` is the hint."""
    from axmem.litmus.nesting import nested  # noqa: PLC0415 -- asked by engines that know no kernels

    for kernel in test.kernels:
        reason = nested(kernel) if kernel.lane_of_thread else "is a kernel"
        if isinstance(reason, Thread):
            reason = "has labels, and its branches could be written as 'if'"
        message = f"{engine} knows no kernels and no loops; '{kernel.name}' {reason}"
        yield Diagnostic(test.source, kernel.span, message, instead)


def _misplaced_barriers(test: LitmusTest) -> list[Diagnostic]:
    """Refuse a barrier that only some executions of its thread reach."""
    found = []
    for _, statement in walk.located(test):
        if not isinstance(statement, If):
            continue
        for inner in (*statement.then, *statement.otherwise):
            message = "a barrier under a condition: every participant must reach it" * isinstance(inner, Barrier)
            if isinstance(inner, Track):
                message = f"'{inner.word}' under a condition: what it tells of must not depend on a branch"
            if message:
                found.append(Diagnostic(test.source, inner.span, message, "move it out of the 'if'"))
    return found


def barrier_object(test: LitmusTest, name: str, thread: int) -> int | None:
    """Return the number of the barrier object of this name at which a thread arrives: its own, or else the only one."""
    named = [number for number, barrier in enumerate(test.barriers) if barrier.name == name]
    own = [number for number in named if test.threads[thread].name in test.barriers[number].participants]
    return (own or named)[0] if own or len(named) == 1 else None


def _lost_dma(test: LitmusTest) -> Iterator[Diagnostic]:
    """Refuse DMA operations where the levels are not AMDGPU's, and arrivals at no barrier or at one of several."""
    for path, statement in walk.located(test):
        if not isinstance(statement, Transfer | Track):
            continue
        if test.levels != AMDGPU:
            message = "DMA operations are AMDGPU's: the test has levels of its own"
            yield Diagnostic(test.source, statement.span, message)
        if path[0] >= len(test.threads):
            message = "a kernel initiates no DMA operations and waits for none: only threads do"
            yield Diagnostic(test.source, statement.span, message)
        elif isinstance(statement, Transfer) or statement.word != ARRIVE:
            continue
        elif barrier_object(test, statement.barrier, path[0]) is None:
            several = any(barrier.name == statement.barrier for barrier in test.barriers)
            message = f"{'several barriers are' if several else 'no barrier is'} named '{statement.barrier}'"
            hint = "declare it with the threads that wait at it: barrier b (P1)"
            yield Diagnostic(test.source, statement.span, message, hint)


def barriers_of(body: tuple[Statement, ...], name: str) -> int:
    """Count the barriers of this name that a thread executes."""
    return sum(isinstance(s, Barrier) and s.name == name for s in body)


def _declared(test: LitmusTest, diagnostics: list[Diagnostic]) -> tuple[BarrierObject, ...]:
    """Check the declared barrier objects against the threads."""
    names = [thread.name for thread in test.threads]
    taken: set[tuple[str, str]] = set()
    for barrier in test.barriers:
        for name in barrier.participants:
            if name not in names:
                message, hint = f"no thread is named '{name}'", did_you_mean(name, names)
                diagnostics.append(Diagnostic(test.source, barrier.span, message, hint))
            elif (barrier.name, name) in taken:
                message = f"thread {name} takes part in two barriers named '{barrier.name}'"
                diagnostics.append(Diagnostic(test.source, barrier.span, message))
            taken.add((barrier.name, name))
    declared = {barrier.name for barrier in test.barriers}
    for thread in test.threads:
        for statement in walk.statements(thread.body):
            if not isinstance(statement, Barrier) or (statement.name not in declared and test.levels == AMDGPU):
                continue
            if (statement.name, thread.name) not in taken:
                message = f"thread {thread.name} takes no part in barrier '{statement.name}'"
                hint = "add it to the barrier's declaration"
                diagnostics.append(Diagnostic(test.source, statement.span, message, hint))
    return test.barriers


def implied_barriers(test: LitmusTest, declared: Sequence[BarrierObject]) -> tuple[BarrierObject, ...]:
    """Return the barrier objects of undeclared names: one per workgroup, of its threads that execute it.

    In other hierarchies than AMDGPU's every barrier is declared.
    """
    if test.levels != AMDGPU:
        return ()
    known = {barrier.name for barrier in declared}
    found: dict[tuple[object, ...], list[str]] = {}
    for thread in test.threads:
        for statement in walk.statements(thread.body):
            if isinstance(statement, Barrier) and statement.name not in known:
                names = found.setdefault((statement.name, *thread.placement.instance(Scope.WORKGROUP)), [])
                if thread.name not in names:
                    names.append(thread.name)
    return tuple(BarrierObject(str(key[0]), tuple(names)) for key, names in found.items())


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _uneven(test: LitmusTest) -> list[Diagnostic]:
    """Refuse a barrier at which some participants would wait for ever."""
    found = []
    bodies = {thread.name: thread for thread in test.threads}
    for barrier in test.barriers:
        known = [bodies[name] for name in barrier.participants if name in bodies]
        counts = {thread.name: barriers_of(thread.body, barrier.name) for thread in known}
        if len(set(counts.values())) > 1:
            least = min(known, key=lambda t: counts[t.name])
            most = max(known, key=lambda t: counts[t.name])
            shown = f"barrier '{barrier.name}'" if barrier.name else "the barrier"
            message = (
                f"thread {most.name} waits at {shown} for ever: it executes it {_times(counts[most.name])}, "
                f"thread {least.name} {_times(counts[least.name])}"
            )
            found.append(Diagnostic(test.source, most.span, message, "every participant executes it equally often"))
    return found
