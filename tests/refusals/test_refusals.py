"""What the page of refusals counts, and that each says what would be needed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from axmem.front.source import NOWHERE, Diagnostic, Source
from tests.paths import RESULTS
from tests.refusals.__main__ import main, tables
from tests.refusals.reading import LLVM, OWN, PEERS, TRIALS, Refusal, Trial, refusal

FLAT = """
define void @f(ptr %p) {
  %v = load atomic i32, ptr %p syncscope("agent") monotonic, align 4
  ret void
}
"""
KERNEL = """
__kernel void lock(__global atomic_int *x) { atomic_fetch_add(x, 1); }
"""


def named(command: str) -> Trial:
    (found,) = (trial for trial in TRIALS if trial.command == command and trial.folder != OWN)
    return found


def test_a_flat_access_of_gfx6_is_told_what_is_needed(tmp_path: Path) -> None:
    folder = tmp_path / "CodeGen" / "AMDGPU"
    folder.mkdir(parents=True)
    path = folder / "memory-legalizer-flat.ll"
    path.write_text(FLAT, encoding="utf-8")
    trial = named("lower")
    (case,) = trial.cases(tmp_path)
    refused = [each for part in trial.read(case) for each in part]
    (found,) = refused
    assert "GFX6 has no flat instructions" in found.why and "addrspace(…)" in found.needed
    path.write_text(FLAT.replace("ptr %p", "ptr addrspace(1) %p"), encoding="utf-8")
    assert not [each for part in trial.read(case) for each in part]


def test_a_kernel_without_a_source_is_counted(tmp_path: Path) -> None:
    lists = tmp_path / "Dat3M/dartagnan/src/test/java/com/dat3m/dartagnan/spirv/opencl"
    lists.mkdir(parents=True)
    (lists / "SpirvTest.java").write_text('{"locks/lock.spvasm", 1, PASS}\n{"locks/other.spvasm", 1, PASS}\n')
    sources = tmp_path / "Dat3M/benchmarks/opencl/locks"
    sources.mkdir(parents=True)
    (sources / "lock.cl").write_text(KERNEL, encoding="utf-8")
    trial = named("run")
    cases = trial.cases(tmp_path)
    assert len(cases) == 2
    (found,) = trial.read(cases[1])
    needed = "it is there in SPIR-V alone, which is not read"
    assert found == (Refusal("the suite has no source of this kernel", needed),)


def test_names_and_numbers_of_one_case_are_left_out() -> None:
    said = Diagnostic(Source("f", ""), NOWHERE, "'@f' is 3 (in %4 = load i32, ptr %x)", "write 7")
    assert refusal(said) == Refusal("… is …", "write …")


def test_tables_count_what_is_read_and_what_is_not() -> None:
    trial, why = replace(TRIALS[0], name="some"), Refusal("a|b", "c")
    text = "\n".join(tables({trial: [(), (why,), (why,), ()]}))
    assert "| some | `uniform` | 4 | 2 |" in text and "| 2 | some | a\\|b | c |" in text


def _refused(needed: str, case: str) -> list[tuple[Refusal, ...]]:
    return [(Refusal(case, needed),)]


def test_a_reason_without_what_is_needed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    for needed, code in (("c", 0), ("", 1)):
        trial = Trial("some", "run", OWN, lambda _: ["a"], partial(_refused, needed))
        monkeypatch.setattr("tests.refusals.__main__.TRIALS", (trial,))
        monkeypatch.setattr("tests.refusals.__main__.spread", lambda read, cases, _: map(read, cases))
        assert main([]) == code


def test_the_page_has_every_trial() -> None:
    page = (RESULTS / "refusals.md").read_text(encoding="utf-8")
    for trial in TRIALS:
        assert f"| {trial.name} | `{trial.command}` |" in page
    assert {trial.folder for trial in TRIALS} == {LLVM, PEERS, OWN}
    rows = [line for line in page.splitlines() if line.startswith("| ") and line.count("|") == 5][2:]
    assert not [row for row in rows if row.endswith("|  |")]
