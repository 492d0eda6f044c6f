"""`axmem verify --asm` and `--llc`, and `axmem fmt --to`, as commands: answers, files, and what is refused.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.ir_module import module
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.mutants import elements
from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError
from axmem.mapping import findings
from axmem.mapping.compiled import assembled, differences
from axmem.mapping.faults import KnownFault
from axmem.mapping.suite import suite
from axmem.report.needs import names
from axmem.report.verification import NONE
from tests.assembly.record import read
from tests.drawn import WHOLE, some
from tests.machine.forms import every_test
from tests.paths import ROOT

STALE = "docs/findings/fixed/stale-scalar-load"
MERGED = "docs/findings/fixed/merged-scopes"
AV = """litmus AV

global x = 0

thread P0 @ agent 0, workgroup 0 {
  store-available 1, x syncscope("agent")
}

exists (x=1)
"""


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def run(arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(shlex.split(arguments))
    out, err = capsys.readouterr()
    return code, out, err


# ---------------------------------------------------------------- files

WRONG = [
    ("buffer_inv sc1", "buffer_frob sc1", "122:2: error: unknown instruction 'buffer_frob'"),
    ("buffer_wbl2 sc1", "buffer_wbl2 glc", "18:2: error: the machine does not know 'buffer_wbl2 glc' on gfx942"),
    ("v0, v1, s[0:1] sc1", "v0, v1, s[0:1] glc", "20:2: error: the machine does not know the bits 'glc' on gfx942"),
    ("v0, v1, s[0:1] sc1", "v0, v1", "20:2: error: 'v0' has 32 bits, not 64"),
    ("s_waitcnt vmcnt(0)\n", "s_waitcnt vmcnt(none)\n", "19:2: error: 'vmcnt(none)' is no number"),
    ("s_waitcnt vmcnt(0)\n", "s_waitcnt vscnt(0)\n", "19:2: error: there is no counter 'vscnt' on gfx942"),
    ("x@rel32@lo+4", "z@rel32@lo+4", "10:2: error: 'z' is no location of the test"),
    ("x@rel32@lo+4", "x@rel32@lo+64", "error: the address"),
    ("buffer_inv sc1", "s_barrier_leave", "122:2: error: unknown instruction 's_barrier_leave'"),
]


@pytest.mark.parametrize(("before", "after", "said"), WRONG, ids=[after.strip() for _, after, _ in WRONG])
def test_what_a_file_may_not_have(
    before: str, after: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / f"{STALE}.gfx942.s").read_text(encoding="utf-8")
    assert before in text
    file = tmp_path / "wrong.s"
    file.write_text(text.replace(before, after), encoding="utf-8")
    code, out, err = run(f"verify {STALE}.litmus --asm {file} --target gfx942", capsys)
    assert (code, out) == (2, "0 tests: nothing verified\n")
    assert re.match(rf"{re.escape(str(file))}:\d+:\d+: error: ", err) and said in err
    assert re.search(r"^\s*\^", err, re.MULTILINE)


@pytest.mark.parametrize(("dropped", "said"), [
    ("", "known: docs/findings/fixed/stale-scalar-load.md"),
    ("\ts_waitcnt vmcnt(0)\n", f"not known: {NONE}"),
])  # fmt: skip
def test_a_page_explains_nothing_but_its_own_fault(
    dropped: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scalar load that is stale; and beside it a wait after a writeback that LLVM 22 keeps, as a store is pending."""
    text = (ROOT / f"{STALE}.gfx942.s").read_text(encoding="utf-8")
    file = tmp_path / "two.s"
    writeback = "\tbuffer_wbl2 sc1\n"
    file.write_text(text.replace(writeback + dropped, writeback), encoding="utf-8")
    code, out, _ = run(f"verify {STALE}.litmus --asm {file} --target gfx942 --profile llvm-22", capsys)
    (known,) = (line for line in out.splitlines() if "known: " in line)
    assert code == 1 and known.strip() == said


def test_a_page_may_ask_for_two_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither of which mends the assembly alone: then it is named, once."""
    text = (ROOT / f"{STALE}.gfx942.s").read_text(encoding="utf-8")
    file, writeback = tmp_path / "two.s", "\tbuffer_wbl2 sc1\n"
    wait = "\ts_waitcnt vmcnt(0)\n"
    file.write_text(text.replace(writeback + wait, writeback), encoding="utf-8")
    vector = "\ts_waitcnt lgkmcnt(0)\n\tv_mov_b32_e32 v250, 0\n\tglobal_load_dword v251, v250, s[0:1]\n"
    edits = (
        KnownFault("one-page", ("gfx9",), lambda code: code.named("buffer_wbl2"), wait.rstrip()),
        KnownFault("one-page", ("gfx9",), lambda code: code.named("s_load_dword"),
                   f"{vector}{wait}\tv_readfirstlane_b32 s6, v251"),
    )  # fmt: skip
    monkeypatch.setattr(findings, "FAULTS", edits)
    code, out, _ = run(f"verify {STALE}.litmus --asm {file} --target gfx942", capsys)
    assert code == 1 and "  known: docs/findings/one-page.md\n" in out


REFUSED = [
    (f"{MERGED}.litmus --asm {STALE}.gfx942.s --target gfx942",
     ".gfx942.s:241:2: error: this file is the assembly of test Stale-scalar-load, not of Merged-scopes"),
    (f"{STALE}.litmus --asm {STALE}.gfx942.s --target gfx90a", ":1:2: error: this file is for gfx942, not for gfx90a"),
    (f"{STALE}.litmus --asm {STALE}.gfx942.s --target gfx942 --mode tgsplit",
     "error: kernel P0 is for mode cu, not tgsplit"),
    (f"{STALE}.litmus --asm {STALE}.gfx942.s --target gfx999", "--target: error: unknown target 'gfx999'"),
    (f"{STALE}.litmus --llc llc-22 --target gfx999", "--target: error: unknown target 'gfx999'"),
    (f"{STALE}.litmus {MERGED}.litmus --asm {STALE}.gfx942.s --target gfx942", "--asm: error: one file of assembly"),
    (f"{STALE}.litmus --asm no-such-file.s --target gfx942", "no-such-file.s: error: no such file"),
    (f"{STALE}.litmus --asm {STALE}.gfx942.s --target gfx942 --divergent", "--divergent: error: how the file"),
    (f"{STALE}.litmus --asm {STALE}.gfx942.s --target gfx942 --strategy", "--strategy: error: this is a question"),
    (f"{STALE}.litmus --llc no-such-llc --target gfx942", "--llc: error: there is no program 'no-such-llc'"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_refused(arguments: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(f"verify {arguments}", capsys)
    assert code == 2
    assert said in err


def test_a_file_without_kernels_and_one_that_ends_too_early(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / f"{STALE}.gfx942.s").read_text(encoding="utf-8")
    for content, said in ((text[: text.index("\nP1:")], "error: this file has no kernel 'P1'"),
                          ("", ":1:1: error: there is no function in this file"),
                          (text.replace("s_endpgm", "s_nop 0"), "error: the kernel goes on past its end")):  # fmt: skip
        file = tmp_path / "short.s"
        file.write_text(content, encoding="utf-8")
        code, _, err = run(f"verify {STALE}.litmus --asm {file} --target gfx942", capsys)
        assert code == 2
        assert said in err


def test_a_disassembly_has_the_same_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """llvm-objdump's text and llc's differ in spelling alone."""
    path = "tests/assembly/Index.litmus"
    answers = []
    for form in ("llc", "objdump"):
        file = tmp_path / f"{form}.s"
        file.write_text(read()["gfx942", "", path, form], encoding="utf-8")
        command = f"verify {path} --asm {file} --target gfx942 --placement spread --format json"
        code, out, _ = run(command, capsys)
        (found,) = json.loads(out)["verifications"]
        answers.append((code, [found[key] for key in ("verdict", "outcomes", "rests", "violations", "differences")]))
    assert answers[0] == answers[1]


# ---------------------------------------------------------------- compilers


def compiler(tmp_path: Path, version: str, script: str) -> Path:
    """Return a program that says that it is an llc, and does something else."""
    file = tmp_path / "llc"
    body = f"import sys\nif '--version' in sys.argv:\n    print({version!r})\n    sys.exit()\n{script}\n"
    file.write_text(f"#!{sys.executable}\n{body}", encoding="utf-8")
    os.chmod(file, 0o755)
    return file


def test_a_compiler_s_output_is_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = f"sys.stdin.read()\nprint(open({str(ROOT / STALE)!r} + '.gfx942.s').read())"
    llc = compiler(tmp_path, "LLVM version 22.1.8", made)
    code, out, err = run(f"verify {STALE}.litmus --llc {llc} --target gfx942", capsys)
    assert (code, err) == (1, "")
    assert f"  against the tables of llvm-22: - tables, + {llc}\n    P1  - global_load_dword\n" in out
    code, out, _ = run(f"verify {STALE}.litmus --llc {llc} --target gfx942 --format json", capsys)
    (found,) = json.loads(out)["verifications"]
    assert (found["verdict"], found["profile"]) == ("unsound", "llvm-22")
    assert found["differences"] == ["P1  - global_load_dword", "P1  + s_load_dword", "P1  + wait for lgkmcnt 0"]


BROKEN = [
    ("LLVM version 22.1.8", "sys.exit('llc: error: no such target')", "failed: llc: error: no such target"),
    ("a compiler of something else", "", "does not say which LLVM it is of"),
    ("LLVM version 22.1.8", "print('hello')", ":1:1: error: there is no function in this file"),
]


@pytest.mark.parametrize(("version", "script", "said"), BROKEN)
def test_a_compiler_that_fails(
    version: str, script: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    llc = compiler(tmp_path, version, script)
    code, _, err = run(f"verify {STALE}.litmus --llc {llc} --target gfx942", capsys)
    assert code == 2
    assert said in err


def test_operations_that_a_target_or_a_compiler_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "av.litmus"
    file.write_text(AV, encoding="utf-8")
    llc = compiler(tmp_path, "LLVM version 22.1.8", "sys.exit('it is not called')")
    for arguments, said in (
        (f"verify {file} --target gfx803", "gfx803 does not have this operation: av operations need GFX9"),
        (f"verify {file} --target gfx942 --llc {llc}", "LLVM 22 has no av loads and stores"),
        (f"convert {file} --profile llvm-22", "LLVM 22 has no av loads and stores"),
        (f"convert {file} --target gfx803", "gfx803 does not have this operation: av operations need GFX9"),
    ):
        code, out, err = run(arguments, capsys)
        assert code == 2
        assert f"{file}:6:3: error: " in err and said in err
        assert "define" not in out


# ---------------------------------------------------------------- differences from the tables


def test_waits_for_nothing_are_no_differences() -> None:
    test = parse_file(ROOT / f"{STALE}.litmus")
    where = target("gfx942", "", "llvm-22")
    text = (ROOT / f"{STALE}.gfx942.s").read_text(encoding="utf-8")
    idle = text.replace("buffer_wbl2 sc1\n\ts_waitcnt vmcnt(0)\n",
                        "buffer_wbl2 sc1\n\ts_waitcnt vmcnt(0)\n\ts_waitcnt vmcnt(0) lgkmcnt(0)\n")  # fmt: skip
    assert idle != text
    expected = list(differences(assembled(test, where, text, "a.s"), test, where))
    assert list(differences(assembled(test, where, idle, "b.s"), test, where)) == expected
    early = text.replace("buffer_wbl2 sc1\n\ts_waitcnt vmcnt(0)\n", "s_waitcnt vmcnt(0)\n\tbuffer_wbl2 sc1\n")
    found = list(differences(assembled(test, where, early, "c.s"), test, where))
    assert "P0  - wait for vmcnt 0" in found and "P0  + wait for vmcnt 0" in found


# ---------------------------------------------------------------- convert


def test_every_test_is_ir_or_refused_with_a_place() -> None:
    """Each name is defined once, each that is used is defined, and each label that is jumped to is there."""
    made = 0
    for test in some(list(every_test()), of=3):
        try:
            text = module(test).text
        except InputError as error:
            assert all(d.span.line or d.message for d in error.diagnostics)
            continue
        made += 1
        for body in re.findall(r"^define .*?^}$", text, re.MULTILINE | re.DOTALL):
            defined = re.findall(r"^  (%[\w.$-]+) = ", body, re.MULTILINE)
            labels = re.findall(r"^([\w.$-]+):", body, re.MULTILINE)
            assert len(defined) == len(set(defined)) and len(labels) == len(set(labels)), test.name
            assert {f"%{label}" for label in labels} >= set(re.findall(r"label (%[\w.$-]+)", body)), test.name
            used = set(re.findall(r"%[\w.$-]+", body)) - {f"%{label}" for label in labels}
            assert used - set(defined) <= set(re.findall(r"%[\w.$-]+", body.split("\n", 1)[0])), test.name
            assert body.count("  ret void") >= 1
    assert made > (500 if WHOLE else 160)


def test_an_if_at_the_end_returns_from_each_arm() -> None:
    text = module(parse_file(ROOT / f"{MERGED}.litmus"), "llvm-22").text
    kernel = text[text.index("@P0(") : text.index("@P1(")]
    assert kernel.count("ret void") == 2 and "phi" not in kernel
    joined = parse(text_with_end(), "t.litmus")
    kernel = module(joined).text
    assert kernel.count("ret void") == 1 and "phi i32" in kernel


def text_with_end() -> str:
    return """litmus T

global x = 0

thread P0 {
  r0 = load x
  if r0 == 0 {
    r1 = load x
  }
  store r1, x
}

exists (P0:r1=0)
"""


def test_convert_writes_a_file_in_one_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.ll"
    code, out, err = run(f"convert {STALE}.litmus --target gfx942 -o {file}", capsys)
    assert (code, out, err) == (0, "", "")
    assert (
        file.read_text(encoding="utf-8")
        == module(parse_file(ROOT / f"{STALE}.litmus"), "llvm-24", target("gfx942")).text
    )


def test_no_two_elements_have_one_name() -> None:
    """What waits alike at one line says which of them it is."""
    (test,) = (each for each in suite() if each.name == "SB.lds.wg")
    program = machine_program(lower(test, target("gfx90a", "", "llvm-24")))
    texts = list(names(program, elements(program)).values())
    assert len(set(texts)) == len(texts)
    assert any(text.endswith("#1") for text in texts) and any(text.endswith("#2") for text in texts)
