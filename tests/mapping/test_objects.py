"""Code objects are to `verify --asm` what the assembly is that they were made from.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.targets import target
from axmem.front.source import InputError
from axmem.mapping import built
from axmem.mapping.compiled import assembly_of
from axmem.mapping.objects import assembly
from tests.drawn import some
from tests.mapping.left_out import verified
from tests.sources.trial import SOURCES

TOOLS = [f"{word}-22" for word in ("llvm-mc", "llvm-objdump", "llvm-readobj", "clang")]
with_llvm = pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="there is no LLVM 22")


def made(path: Path, text: str, gpu: str) -> Path:
    """Assemble a text."""
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-filetype=obj", "-o", str(path), "-"]
    subprocess.run(command, input=text, text=True, check=True)
    return path


@with_llvm
@pytest.mark.parametrize("gpu", ["gfx942", "gfx1200"])
@pytest.mark.parametrize("source", some(["spsc.hip", "last-block.hip", "local-flag.cl"], of=2))
def test_an_object_is_verified_as_its_assembly_is(source: str, gpu: str, tmp_path: Path) -> None:
    """Kernels with arguments, LDS, and workgroups that know their number."""
    path, where = SOURCES / source, target(gpu, "", "llvm-22")
    test = built.program(path.read_text(encoding="utf-8"), str(path), "", where)
    text = built.code(path.read_text(encoding="utf-8"), str(path), where)[1]
    found = assembly_of(str(made(tmp_path / "k.o", text, gpu)))
    assert found is not None
    whole, other = verified(test, text, where), verified(test, found[1], where)
    assert (whole.verdict, whole.found, whole.states) == (other.verdict, other.found, other.states)
    assert whole.verdict == "sound" and whole.states > 10


CODE = """\
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
P0:
	v_mov_b32_e32 v0, 0
	s_endpgm
"""


@with_llvm
def test_lines_are_those_of_the_disassembly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = SOURCES / "spsc.hip"
    where = target("gfx942", "", "llvm-22")
    text = built.code(source.read_text(encoding="utf-8"), str(source), where)[1]
    path = made(tmp_path / "k.o", text.replace("v_mov_b32_e32 v0, 0", "v_rsq_f32_e32 v0, v0"), "gfx942")
    assert main(["verify", str(source), "--target", "gfx942", "--asm", str(path)]) == 2
    first = capsys.readouterr().err.split("\n")[0]
    printed = subprocess.run(
        ["llvm-objdump-22", "-d", "-r", str(path)], capture_output=True, text=True, check=True
    ).stdout
    line = 1 + next(n for n, line in enumerate(printed.split("\n")) if "v_rsq_f32" in line)
    assert first.startswith(f"llvm-objdump -d -r {path}:{line}:")


@with_llvm
def test_an_object_that_says_nothing_of_kernels_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "k.o", CODE, "gfx942")
    with pytest.raises(InputError, match="says nothing of its kernels"):
        assembly_of(str(path))


@with_llvm
def test_an_object_that_is_cut_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = made(tmp_path / "k.o", CODE, "gfx942")
    path.write_bytes(path.read_bytes()[:200])
    assert main(["verify", str(SOURCES / "spsc.hip"), "--target", "gfx942", "--asm", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: error: 'llvm-readobj-")


def test_without_tools_it_is_said_what_makes_assembly(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(shutil, "which", nothing)
    with pytest.raises(InputError) as refused:
        assembly("k.co", b"\x7fELF")
    assert "no llvm-readobj here" in str(refused.value) and "llvm-objdump -d -r k.co > k.s" in str(refused.value)


def test_other_files_are_no_objects(tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text(CODE, encoding="utf-8")
    assert assembly_of(str(path)) is None and assembly_of(str(tmp_path / "none.co")) is None
