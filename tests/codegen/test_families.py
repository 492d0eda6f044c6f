"""What differs between families of targets stands in their tables: no code asks for one by its name."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from axmem.cli import main
from axmem.codegen import tables
from axmem.codegen.assembly.registers import OperandError
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.assembly.waits import EXPORTS, limits_of, synchronization
from axmem.codegen.tables import families
from axmem.front.source import NOWHERE
from tests.paths import CORPUS, ROOT

NAMED = {
    "axmem/formats/sources.py": "for which processor sources are compiled, and who has waves of 32 lanes",
    "axmem/mapping/faults.py": "which pages of docs/findings are about which processors",
    "axmem/repairs/__init__.py": "the target whose instructions a repair is weighed by",
}
"""Where a processor is named, and what for."""


def literals(text: str) -> list[str]:
    """Return the strings of a program that are the name of a processor, or begin such names."""
    if "gfx" not in text:
        return []
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    return [node.value for node in nodes if isinstance(node.value, str) and re.fullmatch(r"gfx\d\w*", node.value)]


def test_no_code_names_a_processor() -> None:
    rooms = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    found = {path.relative_to(ROOT).as_posix() for room in rooms for path in room.rglob("*.py")
             if literals(path.read_text(encoding="utf-8"))}  # fmt: skip
    assert found == set(NAMED)
    assert literals("if machine.name == 'gfx1250' or name.startswith('gfx9'): pass") == ["gfx1250", "gfx9"]


@pytest.mark.parametrize(
    ("family", "count", "limits"),
    [
        ("gfx6", 0x0F70, {"vmcnt": 0}),
        ("gfx9", 0xC07F, {"lgkmcnt": 0}),
        ("gfx9", 0x0F70, {"vmcnt": 0}),
        ("gfx942", 0x4F71, {"vmcnt": 17}),
        ("gfx10", 0xC07F, {"lgkmcnt": 0}),
        ("gfx10", 0x3F70, {"vmcnt": 0}),
        ("gfx11", 0x03F7, {"vmcnt": 0}),
        ("gfx11", 0xFC07, {"lgkmcnt": 0}),
        ("gfx11", 0x07F7, {"vmcnt": 1}),
        ("gfx10", 0xFF0F, {EXPORTS: 0}),
    ],
)
def test_the_number_of_s_waitcnt_is_read_by_its_fields(family: str, count: int, limits: dict[str, int]) -> None:
    """The numbers are those that llvm-mc gives for `vmcnt(0)` and the like alone."""
    line = AssemblyLine("s_waitcnt", (hex(count),), (), hex(count), NOWHERE)
    assert limits_of(line, families()[family]) == limits


@pytest.mark.parametrize(
    ("mnemonic", "count", "limits"),
    [
        ("s_wait_loadcnt_dscnt", 0x0, {"loadcnt": 0, "dscnt": 0}),
        ("s_wait_loadcnt_dscnt", 0x203, {"loadcnt": 2, "dscnt": 3}),
        ("s_wait_storecnt_dscnt", 0x2A15, {"storecnt": 0x2A, "dscnt": 0x15}),
        ("s_wait_loadcnt_dscnt", 0x3E3E, {"loadcnt": 62, "dscnt": 62}),
        ("s_wait_loadcnt_dscnt", 0x23F, {"loadcnt": 2}),
        ("s_wait_loadcnt_dscnt", 0x3F03, {"dscnt": 3}),
        ("s_wait_loadcnt_dscnt", 0x3F3F, {}),
        ("s_wait_loadcnt_dscnt", 0x42C1, {"loadcnt": 2, "dscnt": 1}),
    ],
)
def test_a_combined_wait_has_six_bits_for_each_counter(mnemonic: str, count: int, limits: dict[str, int]) -> None:
    """All of them set: no limit. The bits beside them are nobody's."""
    line = AssemblyLine(mnemonic, (hex(count),), (), hex(count), NOWHERE)
    assert limits_of(line, families()["gfx12"]) == limits


@pytest.mark.parametrize("mnemonic", ["s_wait_loadcnt_kmcnt", "s_wait_loadcnt_storecnt_dscnt"])
def test_a_wait_that_no_assembler_has_is_refused(mnemonic: str) -> None:
    with pytest.raises(OperandError, match=f"unknown wait '{mnemonic}'"):
        limits_of(AssemblyLine(mnemonic, ("0x0",), (), "0x0", NOWHERE), families()["gfx12"])


@pytest.mark.parametrize("text", ["s_barrier", "s_barrier_signal -1", "s_barrier_wait -1"])
def test_a_barrier_is_named_as_it_is_written(text: str) -> None:
    mnemonic, _, rest = text.partition(" ")
    found = synchronization(AssemblyLine(mnemonic, (rest,) if rest else (), (), rest, NOWHERE), families()["gfx12"])
    assert found is not None and found.text == text


def test_a_processor_is_one_more_name_in_its_family_s_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CONTRIBUTING's recipe for a target, followed: `lower` and `verify` know the processor as its family."""
    document = tables._document

    def edited(name: str) -> dict[str, Any]:
        read = document(name)
        return {**read, "targets": [*read["targets"], "gfx1299"]} if name == "gfx12" else read

    said = []
    monkeypatch.setattr(tables, "_document", edited)
    families.cache_clear()
    try:
        for name in ("gfx1200", "gfx1299"):
            for command in ("lower", "verify"):
                assert main([command, str(CORPUS / "base" / "MP+rel+acq.litmus"), "--target", name]) == 0
            said.append(re.sub(r"\d+\.\d+ s", "T s", capsys.readouterr().out).replace(name, "GFX"))
    finally:
        families.cache_clear()
    assert said[0] == said[1] and "GFX" in said[0]
