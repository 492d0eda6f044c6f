"""Who takes part in operations with tokens: the walk of all lanes against the keys of each lane's path."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from axmem.convergence.controlled import ControlledKey, controlled_keys
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.function import ConvergenceRole, FlowFunction
from axmem.convergence.tokens import faults
from axmem.events.unroll import event_graph
from axmem.events.values import UNDEF, evaluate
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from tests.convergence.programs import Program, token_program

LANES, STEPS = 3, 25
BITS = (1 << 32) - 1


def path(of: FlowFunction, lane: int) -> list[str] | None:
    """Return the path that a lane takes by its number alone, None if it is long."""
    block, value = of.graph.entry, lane
    found: list[str] = []
    while len(found) < STEPS:
        found.append(block)
        value = (value * 1103515245 + 12345) & BITS
        after = of.graph.successors[block]
        if not after:
            return found
        case = value >> 9 & 3
        block = after[case + 1] if case + 1 < len(after) else after[0]
    return None


def text(program: Program) -> str:
    """Return a kernel whose lanes take these paths; `acc` sums up which lanes were at each of a lane's operations."""
    of = program.function
    lines = [f"litmus t\nkernel K() lanes {LANES} {{"]
    for label in of.graph.successors:
        lines.append(f"{label}:")
        if label == of.graph.entry:
            lines += ["  acc = zext i32 0 to i64", "  w = lane.id"]
        for written, instruction in zip(program.lines[label], of.blocks[label].instructions, strict=False):
            if instruction.control.role is not ConvergenceRole.CALL:
                lines.append(written)
            elif instruction.control.convergent:
                bundle = written.partition("()")[2]
                lines += [f"  b = call i64 @llvm.amdgcn.ballot.i64(i1 true){bundle}", "  acc = acc * 31 + b"]
        lines += ["  w = w * 1103515245 + 12345", "  v = (w >> 9) & 3"]
        lines.append("  " + program.lines[label][-1].strip().replace("%a", "%v"))
    return "\n".join([*lines, "}", "observe K.0.0:acc", ""])


def sums(of: FlowFunction, paths: list[list[str]], alone: bool) -> list[int]:
    """Return `acc` of each lane, where every anchor divides its lanes in the same way: all together, or each alone."""
    headers = llvm_hierarchy(of.graph).all_headers()
    keys = [list(controlled_keys(of, p, headers)) for p in paths]
    there: dict[ControlledKey, set[int]] = {}
    for lane, executions in enumerate(keys):
        for _, key in executions:
            there.setdefault(key, set()).add(lane)

    def summed(lane: int) -> int:
        found = 0
        for execution, key in keys[lane]:
            control = of.blocks[paths[lane][execution.step]].instructions[execution.number].control
            if control.role is ConvergenceRole.CALL and control.convergent:
                lanes = {lane} if alone and key.anchors else there[key]
                found = found * 31 + sum(1 << n for n in lanes)
        return found & ((1 << 64) - 1)

    return [summed(lane) for lane in range(len(paths))]


def programs(random: Random) -> Iterator[tuple[Program, list[list[str]]]]:
    while True:
        program = token_program(random)
        of = program.function
        paths = [path(of, lane) for lane in range(LANES)]
        known = [p for p in paths if p is not None]
        controlled = any(i.control.token and i.control.convergent for _, i in of.instructions())
        if controlled and len(known) == LANES and not faults(of):
            yield program, known


def test_who_is_together_follows_from_the_keys_of_each_path() -> None:
    random, refused, apart = Random(3), 0, 0
    for _, (program, paths) in zip(range(80), programs(random), strict=False):
        try:
            graph = event_graph(parse(text(program)))
        except InputError as error:
            assert "by different cycles" in str(error), text(program)
            refused += 1
            continue
        (observed,) = graph.observed
        for alone in (False, True):
            arms = {c.index: (len(c.values) - 1) * alone for c in graph.choices}
            found = [evaluate(lane, lambda _: UNDEF, arms.get) for lane in observed.lanes]
            assert found == sums(program.function, paths, alone), text(program)
            apart += len(set(found)) > 1
    assert refused < 15 and apart > 50
