"""Controlled m-converged: what stands in the region of a token whose definition depends on the hierarchy does, too."""

from __future__ import annotations

from axmem.convergence.controlled import END, given_around
from axmem.convergence.cycles import hierarchies
from axmem.convergence.function import FlowFunction
from axmem.convergence.kernels import function_of
from axmem.convergence.keys import keys
from axmem.convergence.mcontrolled import still_reported, with_regions
from axmem.convergence.mconverged import disagreements, reported
from axmem.litmus.parser import parse

ANCHORED = """
litmus an-anchor-in-an-irreducible-cycle
kernel K(i32 %n = 1, i32 %m = 0) lanes 2 {
Entry:
  %e = icmp eq i32 %m, 2
  br i1 %e, label %B, label %A
A:
  %q = icmp eq i32 lane.id, 0
  br i1 %q, label %C, label %B
B:
  br label %C
C:
  %a = call token @llvm.experimental.convergence.anchor()
  %s = icmp eq i32 %n, 0
  br i1 %s, label %A, label %After
After:
  br label %Use
Use:
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %a) ]
  br label %Last
Last:
  ret void
}
"""


def asked(function: FlowFunction) -> tuple[set[str], set[str]]:
    """Return the blocks that are not m-converged, and those that the criterion does not report."""
    graph, found = function.graph, hierarchies(function.graph)
    divergent = {block for block, after in graph.successors.items() if len(set(after)) > 1}
    dependent = with_regions(function, disagreements(graph, found, divergent, 2))
    good = still_reported(function, reported(graph, found.found[0], divergent))
    for block, witness in dependent.items():
        assert all(path[-1] == block for path in witness.paths)
        equal = []
        for hierarchy in found.found:
            headers = hierarchy.all_headers()
            last = [keys(path, headers)[-1] for path in witness.paths]
            around = [list(given_around(function, path, headers))[-1] for path in witness.paths]
            places = [*range(len(function.blocks[block].instructions)), END]
            equal.append(last[0] == last[1] and all(around[0][place] == around[1][place] for place in places))
        assert tuple(k for k, same in enumerate(equal) if same) == witness.converged_in
        assert 0 < len(witness.converged_in) < len(found.found)
    return set(dependent), set(graph.successors) - good


def test_a_region_is_not_m_converged_if_its_definition_is_not() -> None:
    """Without the token, only the cycle depends on the hierarchy; what the last use has behind it is in no region."""
    (kernel,) = parse(ANCHORED).kernels
    assert asked(function_of(kernel)) == ({"A", "B", "C", "After", "Use"}, {"A", "B", "C", "After", "Use"})
    bare = "\n".join(line for line in ANCHORED.split("\n") if "token @" not in line)
    bare = bare.replace(' [ "convergencectrl"(token %a) ]', "")
    (kernel,) = parse(bare).kernels
    assert asked(function_of(kernel)) == ({"A", "B", "C"}, {"A", "B", "C"})
