"""The extension for VS Code: what is generated is current, what it names is there, what it inserts is read."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from axmem import __version__
from axmem.editor.tokens import languages
from axmem.formats.reading import parse
from axmem.front.source import Source
from axmem.model.library import load_text
from axmem.refinement.fragments import parse_rule
from tests.paths import ROOT

EXTENSION = ROOT / "editors" / "vscode"
PACKAGE: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SNIPPETS = [
    (path.stem, name, snippet)
    for path in sorted((EXTENSION / "snippets").glob("*.json"))
    for name, snippet in json.loads(path.read_text(encoding="utf-8")).items()
]


def test_what_is_generated_is_current() -> None:
    wanted: dict[Path, str] = runpy.run_path(str(ROOT / "editors" / "generate.py"))["texts"]()
    assert {path: path.read_text(encoding="utf-8") for path in wanted} == wanted, "run python editors/generate.py"
    made = {*(EXTENSION / "syntaxes").iterdir(), *(EXTENSION / "languages").iterdir()}
    assert made == set(wanted)


def test_the_package_names_files_that_are_there_and_the_version() -> None:
    assert PACKAGE["version"] == __version__
    contributed = PACKAGE["contributes"]
    named = [each["path"] for kind in ("grammars", "snippets") for each in contributed[kind]]
    named += [each["configuration"] for each in contributed["languages"]]
    assert all((EXTENSION / name).is_file() for name in named) and len(named) == 3 * len(languages())
    extensions = [each["extensions"] for each in contributed["languages"]]
    assert extensions == [[language.suffix] for language in languages().values()]
    ids = [each["id"] for each in contributed["languages"]]
    assert [each["language"] for each in contributed["grammars"]] == ids
    source = (EXTENSION / "src" / "extension.js").read_text(encoding="utf-8")
    assert f"LANGUAGES = {json.dumps(ids)}" in source
    settings = contributed["configuration"]["properties"]
    assert set(re.findall(r'affectsConfiguration\("([\w.]+)"\)', source)) == set(settings)
    assert settings["axmem.command"]["default"] == ["axmem", "lsp"]
    locked = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert locked["packages"][""]["devDependencies"] == PACKAGE["devDependencies"]
    assert not any("resolved" in each for each in locked["packages"].values()), "npm's registry is the reader's own"


def inserted(snippet: dict[str, Any]) -> str:
    """Return what a snippet inserts if nothing is typed but its defaults; a repeated stop is filled alike."""
    text = "\n".join(snippet["body"])
    given: dict[str, str] = {}

    def fill(match: re.Match[str]) -> str:
        number, choices, default = match[1] or match[4], match[2], match[3]
        if choices or default:
            given[number] = choices.split(",")[0] if choices else default
        return given.get(number, "")

    filled = re.sub(r"(?<!\\)\$(?:\{(\d+)(?:\|([^|]*)\||:([^{}]*))?\}|(\d+))", fill, text)
    return re.sub(r"\\([$}\\])", r"\1", filled)


@pytest.mark.parametrize(("language", "name", "snippet"), SNIPPETS)
def test_what_a_snippet_inserts_is_read(language: str, name: str, snippet: dict[str, Any]) -> None:
    text = inserted(snippet)
    around = {
        "Thread": "litmus T\n{}\nexists (true)\n",
        "Scope": "litmus S\nglobal x = 0\nthread P0 {{\n  fence {} release\n}}\nexists (x=0)\n",
        "Definition with its source": '"d"\n{}\n',
        "Variant": '"v"\n{}\nlet a = if "name=other" then po else 0\nacyclic a as x\n',
    }.get(name, "{}")
    whole = around.format(text)
    if language == "litmus":
        assert parse(whole).name
    elif language == "cat":
        assert load_text(Source("snippet.cat", whole)) is not None
    else:
        assert parse_rule(Source("snippet.rule", whole)).name == "name"
    assert snippet["prefix"] and snippet["description"]
