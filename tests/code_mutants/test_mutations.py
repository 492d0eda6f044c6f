"""The trial of the program's own code: which changes there are, and that they are tried in a copy."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.code_mutants import __main__ as trial
from tests.code_mutants import laboratory
from tests.code_mutants.laboratory import KILLED, ROOMS, SURVIVED, CodeMutant, Laboratory, mutants
from tests.code_mutants.mutations import mutations
from tests.paths import ROOT

MODULE = '''\
def f(a: int = 1, b: "int | None" = None) -> bool:
    """A mask and a bound."""
    assert a > 0
    if not b and a < 3 and a >> 8 & 0x3F in (1, 2):
        return a + 1 == 2
    return False
'''


def test_comparisons_clauses_masks_and_numbers_are_changed() -> None:
    found = {(each.kind, each.made(MODULE).split("\n")[each.line - 1].strip()) for each in mutations(MODULE)}
    assert {
        ("comparison", "if not b and a <= 3 and a >> 8 & 0x3F in (1, 2):"),
        ("comparison", "if not b and a < 3 and a >> 8 & 0x3F not in (1, 2):"),
        ("clause dropped", "if a < 3 and a >> 8 & 0x3F in (1, 2):"),
        ("clause dropped", "if not b and a < 3:"),
        ("negation dropped", "if b and a < 3 and a >> 8 & 0x3F in (1, 2):"),
        ("mask", "if not b and a < 3 and a >> 8 & 64 in (1, 2):"),
        ("mask", "if not b and a < 3 and a >> 9 & 0x3F in (1, 2):"),
        ("off by one", "return a + 2 == 2"),
        ("off by one", "return a + 1 == 3"),
        ("sign", "return a - 1 == 2"),
    } <= found
    assert not [text for _, text in found if text.startswith(("def", "assert"))]
    assert all(ast.dump(ast.parse(each.made(MODULE))) != ast.dump(ast.parse(MODULE)) for each in mutations(MODULE))


def test_a_seed_draws_the_same_mutants_and_every_module_in_turn() -> None:
    chosen = mutants(30, 1)
    assert chosen == mutants(30, 1) != mutants(30, 2)
    assert [each.module for each in chosen[: len(ROOMS)]] == list(ROOMS)
    assert len(set(chosen)) == 30
    assert all((ROOT / test).exists() for tests in ROOMS.values() for test in tests)


def test_a_mutant_is_tried_in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that a test sees is killed, one that no test asks about survives; the tree and the copy are as before."""
    tree, copy, text = tmp_path / "tree", tmp_path / "copy", "def f(a):\n    return a == 2\n"
    for folder in (tree, copy):
        folder.mkdir()
        (folder / "module.py").write_text(text, encoding="utf-8")
    (copy / "test_asks.py").write_text("from module import f\n\n\ndef test_f():\n    assert f(2)\n", encoding="utf-8")
    (copy / "test_silent.py").write_text("def test_f():\n    pass\n", encoding="utf-8")
    monkeypatch.setattr(laboratory, "ROOT", tree)
    place = object.__new__(Laboratory)
    place.folder = copy
    (turned, _) = mutations(text)
    answers = [place.tried(CodeMutant("module.py", turned, (name,))) for name in ("test_asks.py", "test_silent.py")]
    assert answers == [KILLED, SURVIVED]
    assert {(folder / "module.py").read_text(encoding="utf-8") for folder in (tree, copy)} == {text}


def test_tests_that_compute_for_ever_have_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted is the time that they compute for, not how long a busy machine takes."""
    (tmp_path / "test_spins.py").write_text("def test_f():\n    while True:\n        pass\n", encoding="utf-8")
    monkeypatch.setattr(laboratory, "SECONDS", 1)
    place = object.__new__(Laboratory)
    place.folder = tmp_path
    assert not place.passes(("test_spins.py",))


def test_survivors_need_a_reason(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = mutants(13, 1)
    found = {trial.key(each): KILLED for each in chosen}
    assert trial.judged(chosen, found) == 0
    found[trial.key(chosen[0])] = SURVIVED
    assert trial.judged(chosen, found) == 1
    assert f"not explained: {chosen[0].module}" in capsys.readouterr().err
    monkeypatch.setitem(trial.EXPLAINED, (chosen[0].module, chosen[0].text), "it does nothing")
    assert trial.judged(chosen, found) == 0
    assert "| survived: it does nothing |" in trial.page(chosen, found)
