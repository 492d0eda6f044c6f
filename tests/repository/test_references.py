"""The documentation of references and models: every key resolves, every table says what is so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from axmem.model.library import load, names
from axmem.model.primitives import ALIASES, CHOSEN, FUNCTIONS, PRIMITIVES, Primitive
from axmem.model.terms import Axiom, Definition, UndefRule
from axmem.report.printers.markdown import PRINTER
from tests.paths import ROOT

REFERENCES = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
MODELS = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
KEYS = set(re.findall(r"^## \[([^\]]+)\]$", REFERENCES, re.MULTILINE))
TESTS = {path.stem: path for path in (ROOT / "litmus" / "corpus").rglob("*.litmus")}


CITATION = re.compile(r'\[([A-Z][A-Za-z0-9+-]+)\] "([^"\n]+)"')
CITING = (
    "model/*.cat", "model/readings/*.cat",
    "litmus/corpus/**/*.litmus", "codegen/**/*.toml", "codegen/**/*.py", "events/**/*.py",
    "encoder/**/*.py", "convergence/**/*.py", "transform/**/*.py",
    "axmem/**/*.py", "docs/*.md", "docs/findings/**/*.md",
)  # fmt: skip
"""Where sections of the references are cited, in the form `[Key] "Section"`."""


def listed() -> set[tuple[str, str]]:
    """Return the sections that are known, with their keys."""
    return set(CITATION.findall((ROOT / "tests" / "repository" / "cited.txt").read_text(encoding="utf-8")))


def test_what_is_looked_at_is_there() -> None:
    """None of the tests of this file passes because it finds nothing to look at."""
    assert len(KEYS) >= 15 and len(TESTS) >= 400 and len(listed()) >= 30


def test_every_section_that_is_cited_is_listed_and_every_one_listed_is_cited() -> None:
    texts = [path.read_text(encoding="utf-8") for pattern in CITING for path in sorted(ROOT.glob(pattern))]
    assert {found for text in texts for found in CITATION.findall(text)} - {("Key", "Section")} == listed()


def test_every_key_of_a_model_resolves() -> None:
    keyed = 0
    for name in names():
        definitions: list[Definition | Axiom | UndefRule] = [*load(name).definitions, *load(name).axioms]
        for definition in [*definitions, *load(name).undefs]:
            assert not definition.doc.key or definition.doc.key in KEYS, f"{definition.source.name}: {definition.name}"
            keyed += bool(definition.doc.key)
    assert keyed >= 100


def test_every_key_in_a_model_text_resolves() -> None:
    found = []
    for path in sorted([*(ROOT / "model").glob("*.cat"), *(ROOT / "model" / "readings").glob("*.cat")]):
        for key in re.findall(r'\[([^\]]+)\] "', path.read_text(encoding="utf-8")):
            assert key in KEYS, f"{path.name}: [{key}]"
            found.append(key)
    assert len(found) >= 50


def test_every_key_of_the_corpus_resolves() -> None:
    found = []
    for path in TESTS.values():
        for text in re.findall(r'^(?:"|.* "\[).*$', path.read_text(encoding="utf-8"), re.MULTILINE):
            for key in re.findall(r"\[([A-Z][A-Za-z0-9+-]+)\]", text):
                assert key in KEYS, f"{path.name}: [{key}]"
                found.append(key)
    assert len(found) >= 400


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`([A-Z][A-Za-z0-9.]*\+[^`= ]*)`", REFERENCES))
    assert len(named) > 30
    assert not sorted(name for name in named if name not in TESTS)


def said(row: Primitive) -> str:
    """Return what a primitive means, with the construct that it needs unless the meaning names this."""
    construct = row.needs.replace("ies", "y").removesuffix("s")
    return f"{row.text} (empty without {row.needs})" if row.needs and construct not in row.text else row.text


def differing(first: str, second: str) -> list[int]:
    """Return where two meanings of as many words have other words; of others, nowhere."""
    ours, theirs = first.split(" "), second.split(" ")
    return [at for at, word in enumerate(ours) if word != theirs[at]] if len(ours) == len(theirs) else []


def merged(rows: list[Primitive]) -> Iterator[tuple[list[str], str]]:
    """Yield names with their meaning, those in one row whose meanings differ in the same word."""
    names: list[str] = []
    meanings: list[str] = []
    for row in rows:
        places = [differing(meaning, said(row)) for meaning in meanings]
        if names and len(places[0]) == 1 and all(place == places[0] for place in places):
            names, meanings = [*names, row.name], [*meanings, said(row)]
            continue
        if names:
            yield names, listed_words(meanings)
        names, meanings = [row.name], [said(row)]
    yield names, listed_words(meanings)


def listed_words(meanings: list[str]) -> str:
    """Return meanings that differ in one word as one, with the words in their order."""
    places = list(zip(*(meaning.split(" ") for meaning in meanings), strict=True))
    return " ".join(words[0] if len(set(words)) == 1 else ", ".join(words) for words in places)


def vocabulary() -> str:
    """Return the tables of docs/models/vocabulary.md, as the registry says them."""
    lines = []
    for title, is_set in (("Sets", True), ("Relations", False)):
        rows = [p for p in PRIMITIVES.values() if p.is_set is is_set]
        lines += [f"## {title}", "", "| Name | Meaning |", "| --- | --- |"]
        for these, meaning in merged(rows):
            lines += [f"| {', '.join(map(PRINTER.code, these))} | {PRINTER.text(meaning)} |"]
        lines += [""]
    absent: dict[str, list[str]] = {}
    for row in PRIMITIVES.values():
        if row.not_in_families:
            absent.setdefault(PRINTER.text(row.not_in_families), []).append(PRINTER.code(row.name))
    lines += ["Searches over all programs of a bound ([diff.md](../diff.md)) give each a meaning, but for these:", ""]
    lines += [f"- {', '.join(these)}: {why}." for why, these in absent.items()]
    lines += [""]
    others = ", ".join(f"{PRINTER.code(alias)} for {PRINTER.code(name)}" for alias, name in ALIASES.items())
    chosen = " and ".join(PRINTER.code(name) for name in PRIMITIVES if name in CHOSEN)
    lines += [f"Other names: {others}. {chosen} are chosen by the execution; everything else is fixed by the test.", ""]
    lines += ["## Functions", "", "| Function | Result |", "| --- | --- |"]
    for function in FUNCTIONS.values():
        head = PRINTER.code(f"{function.name}({', '.join(function.parameters)})")
        lines += [f"| {head} | {PRINTER.text(function.text)} |"]
    return "\n".join(lines) + "\n"


def test_the_vocabulary_is_documented() -> None:
    """The tables are printed from the registry: `AXMEM_UPDATE_GOLDENS=1` writes them anew."""
    path = ROOT / "docs" / "models" / "vocabulary.md"
    page = path.read_text(encoding="utf-8")
    before = page[: page.index("## Sets")]
    if os.environ.get("AXMEM_UPDATE_GOLDENS"):
        path.write_text(before + vocabulary(), encoding="utf-8")
    else:
        assert page == before + vocabulary()


def test_the_page_says_which_variants_one_model_has_alone() -> None:
    section = MODELS[MODELS.index("## The variants of") :].split("\n##")[0].replace("\n", " ")
    amdgpu, llvm, drafts = (
        {v.name: v.default for v in load(name).variants} for name in ("amdgpu", "llvm", "amdgpu-next")
    )
    alone = section[: section.index("are of `amdgpu` alone")].rpartition(". ")[2]
    assert set(re.findall(r"`([\w.]+)`", alone)) == set(amdgpu) - set(llvm)
    assert set(llvm) - set(amdgpu) == {"lo.cycles"} and "`lo.cycles` of `llvm`" in section
    others = [f"`llvm` has `{name}={value}`" for name, value in llvm.items() if amdgpu.get(name, value) != value]
    others += [f"`amdgpu-next` `{name}={value}`" for name, value in drafts.items() if amdgpu[name] != value]
    assert len(others) == 2 and all(other in section for other in others)


def test_the_pages_agree_on_the_repairs() -> None:
    """What `amdgpu-doc` reads otherwise than `amdgpu` is what models.md and references.md name."""
    mine, letter = ({v.name: v.default for v in load(name).variants} for name in ("amdgpu", "amdgpu-doc"))
    repairs = {name: letter[name] for name in mine if letter[name] != mine[name]}
    assert len(repairs) == 11 and "sc" not in repairs
    for page, title in ((MODELS, "### Repairs, and"), (REFERENCES, "## [AMDGPU-MM]"), (REFERENCES, "## Open readings")):
        section = page[page.index(title) :].split("\n##", 2)[0]
        assert "eleven" in section and re.search(r"`sc[=`]", section), title
    table = MODELS[MODELS.index("### Repairs, and") :].split("\n##")[0]
    assert set(re.findall(r"`([a-z]+(?:\.[a-z]+)?)`", table)) - {"amdgpu"} == set(repairs)
    letters = re.findall(r"^\| \[?`([\w.]+)`[^|]* \| [^|:]*(?<!\*)\*(\w+)\*[,:]", REFERENCES, re.MULTILINE)
    assert dict(letters) == repairs


@pytest.mark.parametrize("name", names())
def test_every_model_is_documented(name: str) -> None:
    assert f"| `{name}` |" in MODELS
