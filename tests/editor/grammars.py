"""What VS Code's engine makes of files against what the lexers make of them: `python -m tests.editor.grammars VSIX`.

What goes in: the packaged extension, the corpus, the models, the rules. What comes out: the first difference of each
file, and the number of files; exit code 1 if there is a difference, or if the package lacks a file. It needs Node.js
and the packages of `editors/vscode`, so that `make vscode` runs it and `make test` does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pygments.lexer import RegexLexer

from axmem.commands.pygments_lexers import TOKENS, CatLexer, LitmusLexer, RuleLexer
from axmem.editor.textmate import SCOPES, files, scope
from axmem.editor.tokens import Kind
from tests.paths import ROOT

LEXERS: dict[str, type[Any]] = {"litmus": LitmusLexer, "cat": CatLexer, "rule": RuleLexer}
EXTENSION = ROOT / "editors" / "vscode"


def main(arguments: list[str]) -> int:
    """Compare, and print what differs."""
    wrong = [*packaged(Path(arguments[0]))]
    count = 0
    for language in LEXERS:
        paths = corpus(language)
        count += len(paths)
        line = ["node", str(EXTENSION / "test" / "tokens.js"), language, *map(str, paths)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        for path, found in zip(paths, done.stdout.splitlines(), strict=True):
            wrong += different(language, path, json.loads(found))
    print(*wrong, f"{count} files, {len(wrong)} different", sep="\n")
    return int(bool(wrong) or count < 500)


def corpus(language: str) -> list[Path]:
    """Return the files of a language that come with axmem or stand in its documents."""
    found = [path for room in ("litmus", "model", "docs/findings") for path in (ROOT / room).rglob(f"*.{language}")]
    return sorted(found)


def packaged(vsix: Path) -> Iterator[str]:
    """Yield what a package lacks of what the extension names, and what it has besides."""
    inside = zipfile.ZipFile(vsix).namelist()
    names = {name.removeprefix("extension/") for name in inside if name.startswith("extension/")}
    snippets = {path.relative_to(EXTENSION).as_posix() for path in (EXTENSION / "snippets").iterdir()}
    wanted = {*files(), *snippets, "dist/extension.js", "package.json"}
    lower = {name.lower() for name in names}
    more = {"readme.md", "license", "license.txt"}
    yield from (f"{vsix}: no {name}" for name in sorted(wanted) if name.lower() not in lower)
    yield from (f"{vsix}: {name} besides" for name in sorted(names - wanted) if name.lower() not in more)


def different(language: str, path: Path, lines: list[list[list[str]]]) -> Iterator[str]:
    """Yield where the two first give a character another kind."""
    text = path.read_text(encoding="utf-8")
    ours = [*of_lexer(LEXERS[language](stripnl=False, ensurenl=False), text)]
    theirs = [*of_engine(language, lines)]
    for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a != b and not text[index].isspace():
            line = text.count("\n", 0, index) + 1
            yield f"{path}:{line}: {text.splitlines()[line - 1]!r}: {text[index]!r} is {a} to Pygments, {b} to VS Code"
            return


def of_lexer(lexer: RegexLexer, text: str) -> Iterator[str]:
    """Yield the kind of each character."""
    kinds = {token: kind for kind, token in TOKENS.items()}
    for token, value in lexer.get_tokens(text):
        kind = kinds.get(token)
        yield from [kind.value if kind else ""] * len(value)


def of_engine(language: str, lines: Iterable[list[list[str]]]) -> Iterator[str]:
    """Yield the kind of each character; lines end with a character of none."""
    kinds = {scope(language, kind): kind for kind in SCOPES}
    first = True
    for line in lines:
        if not first:
            yield ""
        first = False
        for value, name in line:
            kind: Kind | None = kinds.get(name)
            yield from [kind.value if kind else ""] * len(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
