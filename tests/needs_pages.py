"""`python -m tests.needs_pages`: make results/needs, what the outcomes of twenty tests of the documents need.

What goes in: tests of the corpus whose descriptions name a section of the founding documents, from the families `base`,
`scopes` and `amdgpu`: messages, store buffering, coherence, chains, hops, locks, at every scope; lowered as LLVM 24
does. What comes out: a page for each target, with a matrix for each test. IRIW is none of them: a walk of its four
threads takes minutes.
"""

from __future__ import annotations

import argparse
import sys

from axmem.cli import main as axmem
from axmem.codegen.targets import NEWEST_LLVM
from axmem.front.exits import MISMATCH, OK
from tests.digests import NEEDS
from tests.origins import TARGETS
from tests.paths import CORPUS, RESULTS


def main(arguments: list[str] | None = None) -> int:
    """Make the pages; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.needs_pages", description=__doc__)
    parser.add_argument("--jobs", default="1", help="processes (default 1)")
    options = parser.parse_args(arguments)
    paths = [str(CORPUS / f"{name}.litmus") for name in NEEDS]
    (RESULTS / "needs").mkdir(exist_ok=True)
    for gpu in TARGETS:
        page = str(RESULTS / "needs" / f"{gpu}.md")
        asked = ["--target", gpu, "--profile", NEWEST_LLVM, "--needs", "--format", "markdown", "-j", options.jobs]
        code = axmem(["verify", *paths, *asked, "-o", page])
        if code not in (OK, MISMATCH):  # some tests are unsound, which is said
            return code
    return OK


if __name__ == "__main__":
    sys.exit(main())
