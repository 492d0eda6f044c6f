"""Static instances with convergence tokens whose convergence does not depend on the hierarchy: controlled m-converged.

What goes in: a `FlowFunction`, and which of its blocks are m-converged or not as if it had no tokens. What comes out:
the same with tokens ([ConvergenceAndUniformity], "Controlled Convergence"). Two executions in the convergence region
of a token are converged only if those of its definition are; so a block with an instruction in the region of a
definition that is not m-converged is not m-converged either. Invariant: no block becomes m-converged by a token.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Set

from axmem.convergence.controlled import regions
from axmem.convergence.function import FlowFunction
from axmem.convergence.graph import FlowGraph
from axmem.convergence.mconverged import PathDisagreement


def still_reported(function: FlowFunction, good: Set[str]) -> frozenset[str]:
    """Return the blocks that are reported as m-converged with tokens, of those that are without."""
    found = set(good)
    around = _around(function)
    while wrong := {block for block in found if not around[block] <= found}:
        found -= wrong
    return frozenset(found)


def with_regions(function: FlowFunction, dependent: Mapping[str, PathDisagreement]) -> dict[str, PathDisagreement]:
    """Return the blocks that are not m-converged with tokens, each with a witness; `dependent` are those without.

    The witness of a definition goes on, the same way in both lanes, to each block in the region of its token.
    """
    found = dict(dependent)
    waiting = deque(found)
    around = _around(function)
    while waiting:
        home = waiting.popleft()
        for block, homes in around.items():
            if home in homes and block not in found:
                further = _path(function.graph, home, block)
                one, two = found[home].paths
                found[block] = PathDisagreement(((*one, *further), (*two, *further)), found[home].converged_in)
                waiting.append(block)
    return {block: found[block] for block in function.graph.successors if block in found}


def _around(function: FlowFunction) -> dict[str, set[str]]:
    """Return for each block where the tokens are defined in whose regions it has an instruction or its end."""
    home = {i.register: place.block for place, i in function.instructions() if i.control.role.defines}
    found: dict[str, set[str]] = {block: set() for block in function.graph.successors}
    for place, tokens in regions(function).items():
        found[place.block] |= {home[token] for token in tokens}
    return found


def _path(graph: FlowGraph, start: str, end: str) -> tuple[str, ...]:
    """Return the blocks after one on a shortest path to another, on which the first does not come again."""
    before = {start: ""}
    waiting = deque([start])
    while end not in before:
        block = waiting.popleft()
        for after in graph.successors[block]:
            if after not in before:
                before[after] = block
                waiting.append(after)
    path = [end]
    while before[path[-1]] != start:
        path.append(before[path[-1]])
    return tuple(reversed(path))
