"""The open readings, as a table of docs/references.md: what the texts say, the readings, the smallest program for each.

What goes in: the files of `model/readings`, whose first comment says where a text is silent, and the expectations of
the corpus and of docs/readings. What comes out: a row for each variant of `llvm` and `amdgpu`. `AXMEM_UPDATE_GOLDENS=1`
writes the table anew.
"""

from __future__ import annotations

import os
import re
import shlex
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from axmem.check.results import outcomes
from axmem.check.selection import loaded, parse_choice
from axmem.cli import build_parser
from axmem.formats.reading import parse_file
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.walk import kind_of, located
from axmem.model.library import load
from axmem.model.terms import Variant
from tests.paths import ROOT

PAGE = ROOT / "docs" / "references.md"
OWN = sorted((ROOT / "docs" / "readings").glob("*.litmus"))
"""The smallest programs that `axmem diff` found."""
CORPUS = sorted((ROOT / "litmus" / "corpus").rglob("*.litmus"))
HEAD = "| Reading, with its program | Ours in bold, and the others | What the text says |\n| --- | --- | --- |\n"
APART = {
    "av.tags=po": ("amdgpu[lo.hb=no]", "amdgpu[lo.hb=no, av.tags=po]", "MP+private-data+ag"),
    "dma.hb=enters": ("amdgpu", "amdgpu[dma.hb=enters]", "Through+no-visibility"),
}
"""Readings of which no test expects anything: two models, and a test with other outcomes under each."""
BAR = "\\|"
FLAGGED = {"vol": {"target"}}
"""Values that add a flag and change no outcome."""


class Told(NamedTuple):
    """A test that tells a reading from the one without it: how many other variants that takes, its operations."""

    others: int
    operations: int
    path: Path


def size(test: LitmusTest) -> int:
    """Return the number of a test's operations."""
    return sum(kind_of(statement) is not None for _, statement in located(test))


def settings(variants: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(f"{name}={value}" for name, value, *_ in variants)


@cache
def told() -> dict[str, Told]:
    """Return for each setting of a variant the smallest test that expects another verdict with it than without."""
    found: dict[str, Told] = {}
    for path in (*OWN, *CORPUS):
        test = parse_file(path)
        verdicts = {(c.model, settings(c.variants)): e.verdict for e in test.expectations for c in e.models}
        for (model, chosen), verdict in verdicts.items():
            for setting in sorted(chosen):
                before = verdicts.get((model, chosen - {setting}))
                if before is not None and before != verdict:
                    one = Told(len(chosen), size(test), path)
                    found[setting] = min(found.get(setting, one), one)
    paths = {path.stem: path for path in CORPUS}
    return found | {setting: Told(1, 0, paths[name]) for setting, (_, _, name) in APART.items()}


def table() -> str:
    """Return the table of the page."""
    models = {name: {v.name: v for v in load(name).variants} for name in ("amdgpu", "llvm", "amdgpu-doc")}
    rows = []
    for name in sorted({*models["amdgpu"], *models["llvm"]}):
        ours = models["amdgpu"].get(name) or models["llvm"][name]
        letter = models["amdgpu-doc"].get(name, ours).default
        values = [f"**{v}**" if v == ours.default else f"*{v}*" if v == letter else v for v in ours.values]
        text = ours.text.removeprefix("whether ").replace("|", BAR)
        decides = f"{', '.join(sorted(values, key=lambda v: v[:2] != '**'))}: {text}"
        rows.append(f"| {linked(name, ours)} | {decides} | {sentence(name)} |\n")
    return HEAD + "".join(rows)


def linked(name: str, ours: Variant) -> str:
    """Return the name as a link to the program that tells its values, or with a link for each value."""
    values: dict[Path, list[str]] = {}
    for value in ours.values:
        if value != ours.default and f"{name}={value}" in told():
            values.setdefault(told()[f"{name}={value}"].path, []).append(value)
    links = [(" ".join(some), os.path.relpath(path, PAGE.parent)) for path, some in values.items()]
    if len(links) == 1:
        return f"[`{name}`]({links[0][1]})"
    return f"`{name}`: {', '.join(f'[{some}]({path})' for some, path in links)}"


def sentence(name: str) -> str:
    """Return what the first comment of a reading says of the text."""
    text = (ROOT / "model" / "readings" / f"{name}.cat").read_text(encoding="utf-8")
    found = re.search(r"^\(\* (.*?)\s*\*\)$", text, re.MULTILINE | re.DOTALL)
    assert found, name
    said = re.sub(r"\[([\w-]+)\]", lambda m: f"[{m[1]}](#{m[1].lower()})", " ".join(found[1].split()))
    return said.replace("|", BAR)


def test_the_page_has_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    if os.environ.get("AXMEM_UPDATE_GOLDENS"):
        before, _, rest = page.partition(HEAD)
        PAGE.write_text(before + table() + rest[rest.index("\n\n") + 1 :], encoding="utf-8")
    else:
        assert table() in page


def test_every_value_of_every_variant_is_told_from_the_default() -> None:
    """A variant without a program decides nothing; of a flag no outcome changes."""
    for name in ("llvm", "amdgpu"):
        for variant in load(name).variants:
            for value in set(variant.values) - {variant.default} - FLAGGED.get(variant.name, set()):
                if (name, variant.name, value) != ("llvm", "vol", "amdgpu"):
                    assert f"{variant.name}={value}" in told(), f"{variant.name}={value}"


@pytest.mark.parametrize("setting", APART)
def test_the_test_named_with_two_models_tells_them_apart(setting: str) -> None:
    first, second, name = APART[setting]
    test = parse_file(told()[setting].path)
    a, b = (outcomes(test, loaded(parse_choice(label))) for label in (first, second))
    assert (a.outcomes, a.verdict) != (b.outcomes, b.verdict), name


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_a_smallest_program_has_the_verdicts_it_says(path: Path) -> None:
    test = parse_file(path)
    first, second = [(choice.models[0], choice.verdict) for choice in test.expectations]
    assert first[1] != second[1] and test.name == path.stem
    for choice, verdict in (first, second):
        assert outcomes(test, loaded(choice)).verdict == verdict
    assert f"{size(test)} operations; none with fewer does" in test.description


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_the_command_that_found_it_is_one(path: Path) -> None:
    command, _, text = path.read_text(encoding="utf-8").partition("\n")
    assert print_test(parse_file(path)) == text
    options = build_parser()[0].parse_args(shlex.split(command)[2:])
    assert loaded(parse_choice(options.first)) is not loaded(parse_choice(options.second))
