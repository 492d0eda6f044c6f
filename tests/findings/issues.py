"""`python -m tests.findings.issues PAGE`: print a page of docs/findings as an issue to file.

What goes in: a page, or none for the three that are to be filed first. What comes out: a text to paste, without links
into this project and without what is said of axmem; files are named as if they lay in the current directory. Its end
is the page as a test of LLVM.
"""

from __future__ import annotations

import re
import sys

from tests.findings.pages import files, pages, repro, sections
from tests.findings.regressions import lines

TO_FILE = ("left-for-another-cycle", "dropped-fence", "unawaited-scalar-load")
"""The best three: wrong code on default pipelines, in versions of today, not reported."""
DOCUMENTS = {
    "AMDGPUUsage": "*User Guide for AMDGPU Backend*",
    "ConvergenceAndUniformity": "*Convergence And Uniformity*",
    "LangRef": "*LLVM Language Reference Manual*",
    "MMRA": "*Memory Model Relaxation Annotations*",
}
PARTS = ("Versions", "Command", "IR", "Expected", "Actual", "Why", "Cause", "Upstream")


def issue(page: str, text: str) -> str:
    """Return the issue that a page is, with the files that it names besides the one that it shows."""
    head = text[: text.index("## Versions")]
    found = sections(text)
    told = head + "".join(f"## {part.replace('Upstream', 'Related')}\n{found[part]}" for part in PARTS)
    told = re.sub(r"docs/findings/(\S+)", r"\1", told)
    told = re.sub(r"\[file\]\(([^)]+)\)", r"`\1`", told)
    for key, name in DOCUMENTS.items():
        told = told.replace(f"[{key}] ", f"{name}, ")
    told = told.replace("**Not found** (looked up", "Not found among issues and pull requests (looked up")
    fault = repro(page, text)
    assert fault is not None
    checks = "\n".join(lines(fault))
    told = f"{told.rstrip()}\n\nAs a test, above the IR:\n\n```llvm\n{checks}\n```\n"
    others = [path for path in files(page) if f"`{path.name}`" in told and path.read_text(encoding="utf-8") not in told]
    told += "".join(f"\n`{path.name}`:\n\n```\n{path.read_text(encoding='utf-8')}```\n" for path in others)
    return told.rstrip() + "\n"


def main() -> None:
    """Print the issues."""
    known = dict(pages())
    for page in sys.argv[1:] or TO_FILE:
        print(issue(page, known[page]))


if __name__ == "__main__":
    main()
