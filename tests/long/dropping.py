"""Tags dropped from every test of the corpus: all of them, and those of each statement alone.

`python -m tests.long.dropping`. What comes out: how many tests were asked, and where an outcome is new, which gives
exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from tests.spread import ended, spread
from tests.transform.test_dropping import TAGGED, verdicts


def main() -> int:
    """Ask, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    found = [word for words in spread(partial(verdicts, everything=True), TAGGED, options.jobs) for word in words]
    print(f"{len(TAGGED)} tests with tags: {len(found)} new outcomes", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(ended(main))
