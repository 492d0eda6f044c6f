"""The page of mutations names every definition of the models, and tests that do turn red."""

from __future__ import annotations

import re

import pytest

from axmem.front.source import Source
from axmem.model.parser import parse
from tests.mutants.__main__ import REASONS, page, survivors
from tests.mutants.laboratory import FILES, Trial, definitions, killed_by, rows
from tests.mutants.mutations import mutations


def test_every_definition_decides_a_test() -> None:
    decided = {(file, name) for file, name, _, _ in rows()}
    assert set(definitions()) - decided == REASONS.keys()
    assert {file for file, _ in definitions()} == FILES.keys()


@pytest.mark.parametrize("row", rows()[::23], ids=lambda row: f"{row[1]} {row[2]}")
def test_a_test_that_the_page_names_is_red(row: tuple[str, str, str, str]) -> None:
    assert killed_by(*row)


def test_mutations_of_a_small_model() -> None:
    model = ("\"m\"\nlet a = (po | rf) & loc\nlet rec b = po | (b ; b)\nlet f(x) = x \\ id\n"
             "let g = f(rf)+\nacyclic a as one\n")  # fmt: skip
    found = [(m.name, m.action) for m in mutations(parse(Source("m.cat", model)))]
    assert found == [
        ("a", "empty"), ("a", "without operand 1 of &"), ("a", "without operand 2 of &"),
        ("b", "empty"), ("b", "without operand 1 of |"), ("b", "without operand 2 of |"),
        ("f", "empty"), ("f", "without operand 2 of \\"),
        ("g", "empty"), ("g", "without +"),
        ("one", "deleted"),
    ]  # fmt: skip


def test_what_survives_is_said() -> None:
    found = [
        Trial("llvm", "a", "empty", ""), Trial("llvm", "a", "without +", "base/MP"),
        Trial("llvm", "b", "empty", ""), Trial("llvm", "b", "without +", None),
    ]  # fmt: skip
    assert list(survivors(found)) == [("llvm", "b")]
    shown = page(found)
    assert "of 3 changes, 1 turn one red" in shown
    assert re.search(r"\| `a` +\| without \+ +\| `base/MP` +\|\n\| `b` +\| empty +\| none +\|\n$", shown)
