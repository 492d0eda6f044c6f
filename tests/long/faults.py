"""`python -m tests.long.faults`: every command on every bad input, with every output; exit 1 if one ends badly."""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import islice
from pathlib import Path

from tests.faults import cases, end, folder


def main(arguments: list[str] | None = None) -> int:
    """Run the cases; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.faults", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth case (default 1)")
    options = parser.parse_args(arguments)
    chosen = list(islice(cases(), None, None, options.every))
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        with folder(Path(directory) / "cases"):
            for done, case in enumerate(chosen, 1):
                if problem := end(case):
                    failed += 1
                    print(f"\n{case.name}: {' '.join(case.arguments)}: {problem}", flush=True)
                print(f"\r{done} of {len(chosen)} cases", end="", file=sys.stderr)
    print(f"\n{len(chosen)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
