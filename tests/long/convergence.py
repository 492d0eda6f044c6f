"""Keys against the document's definition of converged instances: `python -m tests.long.convergence --count 12000`.

What goes in: how many triples of a random graph, one of its hierarchies and paths of two to four lanes. What comes out:
a line with the numbers; the first triple on which the two differ is an assertion with its paths.
"""

from __future__ import annotations

import argparse
from random import Random

from tests.convergence.test_keys import compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=12000, help="how many triples")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    several = compared(Random(options.seed), options.count)
    print(f"{options.count} (graph, hierarchy, paths), {several} graphs with several hierarchies: no difference")


if __name__ == "__main__":
    main()
