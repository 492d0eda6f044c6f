"""Every outcome of a machine program in which each instruction takes effect at once: the simplest memory there is.

What goes in: a machine program. What comes out: its outcomes. It shares nothing with the machine's forms; what a
compiler made of a test must have, even there, only outcomes that the test has under LLVM's model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from axmem.codegen.machine.program import Access, BarrierStep, MachineInstruction, MachineProgram
from axmem.events.values import UNDEF, Expr, Value, evaluate

Row = tuple[tuple[Value, ...], ...]
_State = tuple[tuple[int, ...], tuple[Value, ...], tuple[tuple[int, Value], ...], tuple[int, ...]]
"""The next instruction of each stream, the cells, what reads returned, and at how many barriers each stream arrived."""


def interleavings(program: MachineProgram) -> set[Row]:
    """Return the outcomes of all interleavings.

    An instruction that touches no cell which another stream writes, and writes none which another touches, commutes
    with all others: where there is one, it alone goes on.
    """
    outcomes: set[Row] = set()
    shared = _shared(program)
    start: _State = ((0,) * len(program.streams), program.initial, (), (0,) * len(program.streams))
    seen, stack = {start}, [start]
    while stack:
        state = stack.pop()
        followers = list(_followers(program, state, shared))
        if not followers:
            assert all(n == len(s.instructions) for n, s in zip(state[0], program.streams, strict=True)), "deadlock"
            row = _outcome(program, state)
            if row is not None:
                outcomes.add(row)
        for follower in followers:
            if follower not in seen:
                seen.add(follower)
                stack.append(follower)
    return outcomes


def _evaluator(
    program: MachineProgram, reads: Mapping[int, Value]
) -> tuple[Callable[[Expr], Value], Callable[[int], int]]:
    def arm(choice: int) -> int:
        made = program.choices[choice]
        assert made.expr is not None
        value = evaluate(made.expr, lambda r: reads[r], arm)
        if value in made.values:
            return made.values.index(value)
        return made.values.index(None) if None in made.values else 0

    return (lambda expr: evaluate(expr, lambda r: reads[r], arm)), arm


def _shared(program: MachineProgram) -> frozenset[int]:
    """Return the cells that one stream writes and another touches."""
    touched, written = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for k, stream in enumerate(program.streams):
        for instruction in stream.instructions:
            if isinstance(instruction.operation, Access):
                for footprint in instruction.operation.footprints:
                    for read in footprint.reads:
                        touched[read.cell].add(k)
                    for write in footprint.writes:
                        touched[write.cell].add(k)
                        written[write.cell].add(k)
    return frozenset(cell for cell in written if len(touched[cell]) > 1)


def _is_alone(instruction: MachineInstruction, shared: frozenset[int]) -> bool:
    """Tell whether an instruction commutes with those of all other streams."""
    operation = instruction.operation
    if isinstance(operation, BarrierStep):
        return False
    if not isinstance(operation, Access):
        return True
    cells = {cell for f in operation.footprints for cell in (*(r.cell for r in f.reads), *(w.cell for w in f.writes))}
    return not cells & shared


def _followers(program: MachineProgram, state: _State, shared: frozenset[int]):  # type: ignore[no-untyped-def]
    nexts, memory, returned, arrived = state
    reads = dict(returned)
    _, arm = _evaluator(program, reads)
    under_way = [k for k, stream in enumerate(program.streams) if nexts[k] < len(stream.instructions)]
    alone = next((k for k in under_way if _is_alone(program.streams[k].instructions[nexts[k]], shared)), None)
    for k in under_way if alone is None else [alone]:
        instruction = program.streams[k].instructions[nexts[k]]
        after, cells, counts = dict(reads), list(memory), list(arrived)
        going = list(nexts)
        going[k] += 1
        if all(arm(choice) == wanted for choice, wanted in instruction.guard):
            operation = instruction.operation
            if isinstance(operation, BarrierStep):
                step = _barrier(program, operation, k, counts)
                if step is None:
                    continue
                going[k] += step
            elif isinstance(operation, Access):
                for footprint in operation.footprints:
                    if all(arm(choice) == wanted for choice, wanted in footprint.guard):
                        for read in footprint.reads:
                            after.update(dict.fromkeys(read.reads, memory[read.cell]))
                        now, _ = _evaluator(program, after)
                        for write in footprint.writes:
                            if write.when is None or now(write.when) != 0:
                                cells[write.cell] = now(write.value)
        yield tuple(going), tuple(cells), tuple(sorted(after.items())), tuple(counts)


def _barrier(program: MachineProgram, step: BarrierStep, stream: int, counts: list[int]) -> int | None:
    """Take a step of a barrier; arrivals make counts odd. None if others are missing, -1 to stay for the passing."""
    if step.arrive and counts[stream] % 2 == 0:
        counts[stream] += 1
        return -1 if step.passing else 0
    if any(counts[other] < counts[stream] for other in program.barriers[step.name]):
        return None
    counts[stream] += 1
    return 0


def _outcome(program: MachineProgram, state: _State) -> Row | None:
    reads = dict(state[2])
    reads.update({read: state[1][cell] for read, cell in program.finals.items()})
    value, arm = _evaluator(program, reads)
    for require in program.requires:
        if all(arm(choice) == wanted for choice, wanted in require.guard) and value(require.expr) == 0:
            return None
    return tuple(tuple(value(lane) for lane in lanes) for lanes in program.observed)


def matched(row: Row, outcomes: tuple[Row, ...]) -> bool:
    """Say whether one of some outcomes permits a row: it is equal wherever that outcome is not undef."""
    return any(
        all(y is UNDEF or x == y for a, b in zip(row, other, strict=True) for x, y in zip(a, b, strict=True))
        for other in outcomes
    )
