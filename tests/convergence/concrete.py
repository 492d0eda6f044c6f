"""Random functions executed lane by lane: what the analyses of uniformity must not contradict.

What goes in: a program, a lane's number, arguments. What comes out: the blocks that the lane executes, with the values
that they define. Memory does not change; what is uniform whatever its operands are is the same number everywhere.
Invariant: undef is None and makes whatever uses it None; a branch on it ends the execution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from axmem.convergence.function import FlowInstruction
from axmem.convergence.keys import Headers, Key, keys
from tests.convergence.programs import Program

Values = dict[str, int | None]
Trace = list[tuple[str, Values]]
"""The blocks that a lane executes, each with the values of all registers at its end."""


def trace(program: Program, lane: int, arguments: Mapping[str, int], most: int = 24) -> Trace:
    """Execute a function in one lane, for at most so many blocks."""
    known: Values = dict(arguments)
    found: Trace = []
    before, block = "", program.graph.entry
    while len(found) < most:
        at_start = dict(known)
        for number, instruction in enumerate(program.blocks[block].instructions):
            if instruction.incoming:
                known[instruction.register] = _chosen(instruction, before, at_start)
            else:
                pattern, operands = program.computes[instruction.register]
                known[instruction.register] = _computed(pattern, [known[o] for o in operands], lane, number)
        found.append((block, dict(known)))
        target = _target(program, block, known)
        if target is None:
            break
        before, block = block, target
    return found


def _chosen(phi: FlowInstruction, before: str, known: Values) -> int | None:
    (source,) = (i for i in phi.incoming if i.block == before)
    if source.register:
        return known[source.register]
    return int(source.constant) if source.constant else None


def _computed(pattern: str, operands: Sequence[int | None], lane: int, number: int) -> int | None:
    if "workitem" in pattern:
        return lane
    if "readfirstlane" in pattern or "load" in pattern:
        return 1
    if "atomicrmw" in pattern:
        return lane * 3 + number
    if any(operand is None for operand in operands):
        return None
    first, *rest = (operand for operand in operands if operand is not None)
    if "icmp" in pattern:
        return int(first == (rest[0] if rest else int(pattern.split()[-1])))
    if not rest:
        return (first + int(pattern.split()[-1])) % 4
    return {"add": first + sum(rest), "xor": first ^ sum(rest), "mul": first * sum(rest)}[pattern.split()[0]] % 4


def _target(program: Program, block: str, known: Values) -> str | None:
    """Return where a lane goes, None at the end and at a branch on undef."""
    after = program.graph.successors[block]
    if len(after) < 2:
        return after[0] if after else None
    value = known[program.blocks[block].condition[0]]
    if value is None:
        return None
    if len(after) == 2:
        return after[0] if value else after[1]
    return after[value + 1] if value + 1 < len(after) else after[0]


def refuted(program: Program, headers: Headers, arguments: Sequence[Mapping[str, int]], lanes: int = 4) -> set[str]:
    """Return the registers that differ between converged instances of two lanes in some execution."""
    found: set[str] = set()
    for given in arguments:
        traces = [trace(program, lane, given) for lane in range(lanes)]
        by_key: list[dict[Key, Values]] = [
            {k: v for k, (_, v) in zip(keys((b for b, _ in t), headers), t, strict=True)} for t in traces
        ]
        for one, two in combinations(by_key, 2):
            for key in one.keys() & two.keys():
                for instruction in program.blocks[key.block].instructions:
                    a, b = one[key][instruction.register], two[key][instruction.register]
                    if a is not None and b is not None and a != b:
                        found.add(instruction.register)
    return found
