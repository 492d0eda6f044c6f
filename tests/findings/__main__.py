"""`python -m tests.findings`: run the LLVM commands of the pages of findings, and verify what they say of versions.

Commands of LLVM 24 are run with `--next`, the path of an llc-24. Exit 1 if anything printed is not what a page shows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from axmem.formats.reading import parse_file
from axmem.mapping.verification import verify
from tests.findings.pages import FINDINGS, Claim, Shown, claims, pages, shown
from tests.paths import ROOT
from tests.spread import spread

NEXT = "llc-24"


def main(arguments: list[str] | None = None) -> int:
    """Run and compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.findings", description=__doc__)
    parser.add_argument("--next", default="", metavar="LLC", help=f"the path of an {NEXT}; without it LLVM 22 alone")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    options = parser.parse_args(arguments)
    if options.next:
        os.environ["PATH"] = f"{Path(options.next).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    known = [(name, text) for name, text in pages() if name != "README"]
    commands = [each for page in known for each in shown(*page) if options.next or NEXT not in each.command]
    said = [each for page in known for each in claims(*page) if options.next or each.compiler != NEXT]
    wrong = [problem for each in commands for problem in differing(each)]
    wrong += [problem for found in spread(mistaken, said, options.jobs) for problem in found]
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(f"{len(known)} findings: {len(commands)} commands run, {len(said)} verdicts, {len(wrong)} not as shown")
    return 1 if wrong else 0


def differing(one: Shown) -> list[str]:
    """Return what a command prints, if that is not what the page shows; tabs are blanks on pages."""
    done = subprocess.run(["bash", "-c", one.command], cwd=ROOT, capture_output=True, text=True, check=False)
    printed = done.stdout.expandtabs(8)
    if printed == one.output and printed:
        return []
    return [f"{one.page}: $ {one.command}\n{printed}{done.stderr}shown:\n{one.output}"]


def mistaken(claim: Claim) -> list[str]:
    """Return the verdict on a test, if it is not the page's."""
    test = parse_file(FINDINGS / claim.test)
    verdict = verify(test, claim.target, llc=claim.compiler, robust=False).verdict
    where = f"{claim.page}: {claim.test} on {claim.target} with {claim.compiler}"
    return [] if verdict == claim.verdict else [f"{where}: {verdict}, shown: {claim.verdict}"]


if __name__ == "__main__":
    sys.exit(main())
