"""Keys against the document's definition and graphs unrolled, and the sound rules of uniformity against what happens.

`python -m tests.long.convergence --count 12000 --unrolled 2400 --kernels 6000 --across 400`. What goes in: how many
triples of a random graph, one of its hierarchies and paths of two to four lanes; how many graphs, unrolled, with five
paths each; how many random kernels, executed in four lanes with six pairs of arguments; and how many of two waves
beside a writer, of which the solver is asked. What comes out: a line with the numbers; the first difference is an
assertion with the paths or the kernel.
"""

from __future__ import annotations

import argparse
from random import Random

from tests.check.across import compared as across
from tests.convergence.test_keys import compared
from tests.convergence.test_mconverged import unrolled_as_paths
from tests.convergence.test_uniformity import observed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=12000, help="how many triples")
    parser.add_argument("--unrolled", type=int, default=2400, help="how many graphs, unrolled")
    parser.add_argument("--kernels", type=int, default=6000, help="how many kernels")
    parser.add_argument("--across", type=int, default=400, help="how many kernels of two waves beside a writer")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    several = compared(Random(options.seed), options.count)
    print(f"{options.count} (graph, hierarchy, paths), {several} graphs with several hierarchies: no difference")
    unrolled_as_paths(Random(options.seed), options.unrolled)
    print(f"{options.unrolled} graphs, unrolled: acyclic, and their nodes are the keys of paths")
    random, kinds = Random(options.seed), dict.fromkeys(("own", "other"), 0)
    for _ in range(options.kernels):
        for kind in observed(random, 9):
            kinds[kind] += 1
    print(
        f"{options.kernels} kernels: nothing that the sound rules call uniform differs in any hierarchy; what LLVM 22 "
        f"calls uniform differs in its own hierarchy in {kinds['own']}, in another in {kinds['other']}"
    )
    answers = across(Random(options.seed), options.across)
    print(f"{options.across} kernels of two waves: none of {answers} uniform across a wave or workgroup differs")


if __name__ == "__main__":
    main()
