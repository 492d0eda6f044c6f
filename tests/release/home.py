"""Where axmem is published, said once: `python -m tests.release.home [ADDRESS]`.

What goes in: the address of the repository, `https://HOST/OWNER/NAME`, or nothing. What comes out: the files that name
it, written anew; without an address the one that `pyproject.toml` has. Invariant: `pyproject.toml` has the address or
none, and what others say follows from that, so that no file names a place where axmem is not.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.paths import ROOT

CLONE = "/path/to/axmem"
"""What stands for a clone in examples, where no address is known."""
ACTIONS = "https://github.com/"
"""Where workflows name an action by its repository."""
ADDRESS = re.compile(r"https://[\w.-]+(?:/[\w.-]+){2,}")
URLS = {"Source": "", "Issues": "/issues", "Changelog": "/blob/main/CHANGELOG.md"}
"""The addresses of the project as indexes show them, below that of the repository."""
FILES = ("pyproject.toml", "CITATION.cff", "docs/ci.md", "editors/vscode/package.json")


def home(texts: Mapping[str, str]) -> str:
    """Return the address of the repository, empty if there is none."""
    found: str = tomllib.loads(texts["pyproject.toml"])["project"]["urls"].get("Source", "")
    return found


def texts() -> dict[str, str]:
    """Return the files that name the address, by their names."""
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}


def with_home(before: Mapping[str, str], address: str) -> dict[str, str]:
    """Return the files with an address, or without one if it is empty. Raises ValueError for what is none."""
    if address and ADDRESS.fullmatch(address) is None:
        raise ValueError(f"{address!r} is not https://HOST/OWNER/NAME")
    found = dict(before)
    urls = [f'{name} = "{address}{below}"\n' for name, below in URLS.items()] if address else []
    project = re.sub(rf"^(?:{'|'.join(URLS)}) = .*\n", "", found["pyproject.toml"], flags=re.MULTILINE)
    found["pyproject.toml"] = project.replace("[project.urls]\n", f"[project.urls]\n{''.join(urls)}")
    citation = re.sub(r"^repository-code: .*\n", "", found["CITATION.cff"], flags=re.MULTILINE)
    found["CITATION.cff"] = citation + (f'repository-code: "{address}"\n' if address else "")
    package = json.loads(found["editors/vscode/package.json"])
    package.pop("repository", None)
    package |= {"repository": {"type": "git", "url": f"{address}.git"}} if address else {}
    found["editors/vscode/package.json"] = json.dumps(package, indent=2, ensure_ascii=False) + "\n"
    example = re.sub(r"^(  - repo: )\S+", rf"\g<1>{address or CLONE}", found["docs/ci.md"], flags=re.MULTILINE)
    used = f"{address.split('/', 3)[3]}@v" if address.startswith(ACTIONS) else f".{CLONE} # v"
    found["docs/ci.md"] = re.sub(r"^(      - uses: )(?:\S+ # v|\S+@v)", rf"\g<1>{used}", example, flags=re.MULTILINE)
    return found


def main(arguments: list[str]) -> int:
    """Write the files, and say which have changed."""
    before = texts()
    try:
        after = with_home(before, arguments[0] if arguments else home(before))
    except ValueError as error:
        print(f"home: {error}", file=sys.stderr)
        return 2
    for name, text in after.items():
        if text != before[name]:
            Path(ROOT / name).write_text(text, encoding="utf-8")
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
