"""`python -m tests.opencl`: compile the kernels with clang 22, verify all, and compare with what is expected."""

from __future__ import annotations

import argparse
import sys

from tests.opencl.record import make, read
from tests.opencl.test_opencl import wrong


def main() -> int:
    """Ask, print what is wrong, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recorded", action="store_true", help="take the record, and compile nothing")
    options = parser.parse_args()
    found = read() if options.recorded else make()
    bad = [said for (target, kernel), both in found.items() if (said := wrong(target, kernel, both))]
    print(f"{len(found)} pieces of code: {len(bad)} not judged as they should be", *bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
