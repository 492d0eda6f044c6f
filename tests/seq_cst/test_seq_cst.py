"""The table of programs: the papers' verdicts, those of a reading over operations, and those of the models are one.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import axmem
from tests.drawn import some
from tests.paths import ROOT
from tests.seq_cst.papers import CXX20, LLVM_RC11, OPENCL, RC11, Rules, allowed
from tests.seq_cst.programs import Program, programs, with_updates

MODELS = {"llvm": CXX20, "amdgpu": CXX20, "llvm[sc=rc11]": LLVM_RC11, "rc11": RC11, "opencl": OPENCL}
"""The models, and the rules that they are models of."""
HB, RC, CL = "happens-before.cat", "rc11.cat", "opencl.cat"
CONTROLS = (
    ("llvm", HB, "let sequenced = sc-po \\ si", "let sequenced = sc-po"),
    ("llvm", HB, "(po & sc-tags) | strong-step", "(po & sc-tags)"),
    ("llvm", HB, "([SC] ; strongly-hb ; [SC]) |", ""),
    ("llvm", HB, "([SCa] | [SCf] ; hb)", "[SCa]"),
    ("llvm", HB, "([SCa] | hb ; [SCf])", "[SCa]"),
    ("llvm", HB, "let eco = (rf-atomic | smo | fr-atomic)+", "let eco = (smo | fr-atomic)+"),
    ("llvm", HB, "let eco = (rf-atomic | smo | fr-atomic)+", "let eco = (rf-atomic | fr-atomic)+"),
    ("llvm", HB, "let eco = (rf-atomic | smo | fr-atomic)+", "let eco = (rf-atomic | smo)+"),
    ("llvm", HB, "let eco = (rf-atomic | smo | fr-atomic)+", "let eco = rf-atomic | smo | fr-atomic"),
    ("llvm", HB, "[W & Mono] ; (link ; rmw)*", "[W & Mono]"),
    ("rc11", RC, "let other-loc = po \\ (sa ; loc ; sa)", "let other-loc = po"),
    ("rc11", RC, "(other-loc ; hb ; other-loc) |", ""),
    ("rc11", RC, "let before-access = [SC] | ([F & SC] ; hb?)", "let before-access = [SC]"),
    ("rc11", RC, "([F & SC] ; (hb | (hb ; eco ; hb)) ; [F & SC])", "0"),
    ("rc11", RC, "acyclic po | rf as no-thin-air", ""),
    ("opencl", CL, "(overwritten | mo | hb-global | hb-local)", "(overwritten | mo | po)"),
    ("opencl", CL, "(overwritten | mo | hb-global | hb-local) ; after?", "(overwritten | mo | hb-global | hb-local)"),
    ("opencl", CL, "let continues = int | (_ * RMW)", "let continues = _ * RMW"),
)
"""A model, a file, what stands there, and what says less, or more: the table must notice."""


def differences(model: str, rules: Rules, asked: tuple[Program, ...]) -> Iterator[str]:
    """Yield the programs of which a model says another thing than the papers."""
    for program in asked:
        verdict = axmem.outcomes(program.test(), model, limits=axmem.Limits(outcomes=500)).verdict
        if (verdict != "never") != allowed(program, rules):
            yield program.name


def updated() -> tuple[Program, ...]:
    return tuple(each for program in programs() for each in with_updates(program))


def test_the_papers_say_so() -> None:
    for program in programs():
        found = tuple(allowed(program, rules) for rules in (CXX20, RC11, OPENCL))
        assert found == program.verdicts, program.name
    assert len(programs()) >= 60


@pytest.mark.parametrize("model", MODELS)
def test_a_model_says_what_the_papers_say(model: str) -> None:
    assert not list(differences(model, MODELS[model], (*programs(), *some(updated(), of=16))))


@pytest.mark.parametrize(("model", "file", "rule", "instead"), CONTROLS)
def test_a_rule_that_is_changed_is_noticed(model: str, file: str, rule: str, instead: str, tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "model", tmp_path / "model", ignore=shutil.ignore_patterns("*.py", "__pycache__", "dialects")
    )
    text = (tmp_path / "model" / file).read_text(encoding="utf-8")
    assert text.count(rule) == 1
    (tmp_path / "model" / file).write_text(text.replace(rule, instead), encoding="utf-8")
    path = str(tmp_path / "model" / f"{model}.cat")
    assert next(differences(path, MODELS[model], (*programs(), *updated())), None) is not None
