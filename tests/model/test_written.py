"""The text of a model as one file defines the same model, under every value of every variant.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.source import InputError, Source
from axmem.model.library import load, load_text, reading, readings, text, written
from axmem.model.model import Model
from axmem.model.parser import parse
from axmem.model.syntax import Check, Conditional, Declaration, Include, Let, Override, Readings, Undef
from axmem.model.terms import Op
from axmem.report.sections import UNCITED
from tests.drawn import some
from tests.paths import ROOT

OURS = ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan")
PLAIN = ("llvm", "amdgpu", "happens-before", "values")


def choices() -> Iterator[tuple[str, str, str]]:
    for name in OURS:
        yield name, "", ""
    for name in ("llvm", "amdgpu"):
        for variant in load(name).variants:
            yield from ((name, variant.name, value) for value in variant.values if value != variant.default)


def rules(model: Model) -> list[object]:
    """Return what a model's rules are made of, whatever the names and the order of its terms."""

    @cache
    def shown(index: int) -> str:
        term = model.terms[index]
        bodies = [shown(body) for body in model.fixpoints[term.fixpoint].bodies] if term.op is Op.FIX else []
        parts = [shown(argument) for argument in term.arguments]
        parts = sorted(parts) if term.op in (Op.UNION, Op.INTERSECTION) else parts
        return str(hash((term.op.value, term.name, term.position, term.is_set, *parts, *bodies)))

    axioms = [(a.name, a.kind, a.negated, a.flag, shown(a.term)) for a in model.axioms]
    return [*axioms, *((u.name, shown(u.term)) for u in model.undefs)]


@pytest.mark.parametrize(("name", "variant", "value"), some([*choices()], of=16))
def test_it_is_the_same_model(name: str, variant: str, value: str) -> None:
    chosen = {variant: value} if variant else {}
    found = written(name, chosen)
    tree = parse(Source("again.cat", found))
    assert not any(isinstance(s, Include | Readings | Override | Conditional) for s in tree.statements)
    again, model = load_text(Source("again.cat", found)), load(name, chosen)
    assert rules(again) == rules(model)
    assert {**again.choice} == {v: x for v, x in model.chosen if v in again.choice}
    assert [d.name for d in again.definitions] == [d.name for d in model.definitions]
    assert [d.doc.remarks for d in again.definitions] == [d.doc.remarks for d in model.definitions]


def test_a_choice_that_the_text_does_not_have_is_refused() -> None:
    found = Source("again.cat", written("amdgpu", {"undef.exists": "literal"}))
    assert load_text(found).choice == {"undef.exists": "literal"}
    with pytest.raises(InputError, match="has no value 'freeze'"):
        load_text(found, {"undef.exists": "freeze"})


@pytest.mark.parametrize("name", PLAIN)
def test_the_plain_text(name: str) -> None:
    """The text that is read has the default reading alone, with the sentence that each definition stands for."""
    source = text(name)
    assert all(len(line) <= 110 for line in source.text.splitlines())
    for statement in parse(source).statements:
        assert isinstance(statement, Let | Check | Undef | Include | Readings), statement
    assert 'if "' not in source.text
    # Further definitions of a `let rec` speak of what the first one does.
    first = [s.bindings[0].doc for s in parse(source).statements if isinstance(s, Let)]
    docs = [*first, *(s.doc for s in parse(source).statements if isinstance(s, Check | Undef))]
    assert all(doc.key and doc.section and doc.text for doc in docs)


def _reading(name: str) -> Source:
    found = reading(name)
    assert found is not None, name
    assert all(len(line) <= 110 for line in found.text.splitlines()), name
    return found


def test_every_reading_is_read() -> None:
    read = {n for name in PLAIN for s in parse(text(name)).statements if isinstance(s, Readings) for n in s.names}
    assert read == set(readings())
    declared = {v.name for name in OURS for v in load(name).variants}
    assert declared == {
        s.name for name in readings() for s in parse(_reading(name)).statements if isinstance(s, Declaration)
    }


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    """Its `if` and its variants stay; what it overrides stands in its place."""
    path = tmp_path / "own.cat"
    path.write_text(
        '"own"\n(** @variant far = *no | yes : how far *)\n(** @default lo.trans = on *)\n(** @after dma.lds *)\n'
        'override let lds-dma = 0\ninclude "amdgpu.cat"\nlet far = (if "far=yes" then po else 0)\n'
        "acyclic far as near\n",
        encoding="utf-8",
    )
    found, model = written(str(path), {"far": "yes"}), load(str(path), {"far": "yes"})
    assert "@variant far = no | *yes" in found and 'if "far=yes"' in found and "lo.trans = *on" in found
    assert "let lds-dma = 0" in found and "override" not in found
    assert rules(load_text(Source("again.cat", found))) == rules(model)


REPEATED = "`axmem models 'amdgpu' --sections` writes this page with what [llvm](llvm.md) has, too.\n"
"""What the page of `amdgpu` says instead of how it is written; AXMEM_UPDATE_GOLDENS writes both pages."""


def without(page: str, other: str) -> str:
    """Return a page without the rows that another has, and without the sections that have no other rows."""
    kept = re.sub(r"<tr>.*?</tr>\n", lambda row: "" if row[0] in other else row[0], page, flags=re.DOTALL)
    kept = re.sub(r"### [^\n]*\n\n<table>\n</table>\n\n?", "", kept)
    return re.sub(r"## [^\n]*\n\n(?=## |\Z)", "", kept).rstrip("\n") + "\n"


@pytest.mark.parametrize("name", ["amdgpu", "llvm"])
def test_the_pages_of_sections_are_current(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What `llvm` has stands on its page alone: AMDGPU's takes happens-before from it."""
    path = ROOT / "docs" / "models" / f"{name}.md"
    assert main(["models", name, "--sections"]) == 0
    page = capsys.readouterr().out
    assert UNCITED not in page
    if name == "amdgpu":
        page = without(page, (path.parent / "llvm.md").read_text(encoding="utf-8"))
        page = page.replace("`axmem models 'amdgpu' --sections` writes this page.\n", REPEATED)
        assert REPEATED in page and "let read-precedes = " in page
    if os.environ.get("AXMEM_UPDATE_GOLDENS"):
        path.write_text(page, encoding="utf-8")
    assert page == path.read_text(encoding="utf-8")
