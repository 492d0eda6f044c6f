"""Arithmetic of bfloats: as an update of memory, as expressions, and as LLVM folds constants to."""

from __future__ import annotations

import re
import shutil
import subprocess
from random import Random

import pytest

import axmem
from axmem.litmus.arithmetic import apply_operation
from axmem.litmus.floats import BRAIN_UPDATES
from axmem.litmus.undef import UNDEF
from tests.drawn import examples

OPT = shutil.which("opt-22")
EDGES = (0x0000, 0x8000, 0x0001, 0x007F, 0x0080, 0x3F80, 0x3F81, 0xBF80, 0x4040, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80)


def pairs(seed: str, count: int) -> list[tuple[int, int]]:
    rng = Random(seed)
    near = [rng.randrange(0x3C00, 0x4300) | rng.randrange(2) << 15 for _ in range(count)]
    drawn = [*EDGES, *near]
    return [(rng.choice(drawn), rng.choice(drawn)) for _ in range(count)]


@pytest.mark.skipif(OPT is None, reason="there is no opt-22")
@pytest.mark.parametrize("operation", ["fadd", "fsub"])
def test_sums_are_what_llvm_folds_constants_to(operation: str) -> None:
    cases = pairs(operation, examples(400))
    text = "".join(
        f"define i16 @f{n}() {{\n %r = {operation} bfloat 0xR{a:04X}, 0xR{b:04X}\n %s = bitcast bfloat %r to i16\n"
        f" ret i16 %s\n}}\n"
        for n, (a, b) in enumerate(cases)
    )
    assert OPT is not None
    command = [OPT, "-passes=instcombine", "-S", "-o", "-", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    shown = dict(re.findall(r"@f([0-9]+)\(\)[^{]*\{\n\s*ret i16 (\S+)", done.stdout))
    assert len(shown) == len(cases)
    for number, case in enumerate(cases):
        found, wanted = apply_operation(f"b{operation}", 16, (), case), int(shown[str(number)]) & 0xFFFF
        assert found == wanted or (found is UNDEF and wanted & 0x7FFF > 0x7F80), [hex(v) for v in (*case, wanted)]


@pytest.mark.parametrize("operation", sorted(set(BRAIN_UPDATES.values()) - {"fmaximum", "fminimum"}))
def test_what_an_update_writes_is_what_a_function_computes(operation: str) -> None:
    """An update in the IR, and for sums the same written out by a function, agree on what memory holds at last."""
    for a, b in pairs(operation, 4):
        written = f"%r = load bfloat, ptr @y\n %s = {operation} bfloat %r, 0xR{b:04X}\n store bfloat %s, ptr @y"
        text = f"""; axmem: exists (true)
; axmem: observe x, y
@x = global bfloat 0xR{a:04X}
@y = global bfloat 0xR{a:04X}
define void @f() {{
 %u = atomicrmw {operation} ptr @x, bfloat 0xR{b:04X} monotonic
 {written if operation in ("fadd", "fsub") else "%r = load bfloat, ptr @y"}
 ret void
}}"""
        ((*_, first, second),) = axmem.outcomes(axmem.parse(text, "f.ll", "llvm-ir"), "llvm").outcomes
        assert first == (apply_operation(f"b{operation}", 16, (), (a, b)),)
        assert second == first or operation not in ("fadd", "fsub")


def test_conversions_keep_what_a_bfloat_is() -> None:
    text = """; axmem: exists (x=0x40400000 /\\ y=0x4040 /\\ z=0xC040 /\\ c=1)
@x = global float 0.0
@y = global bfloat 0.0
@z = global bfloat 0.0
@c = global i8 0
define void @f() {
 %l = load bfloat, ptr @y
 %s = fadd bfloat %l, 3.0
 %f = fpext bfloat %s to float
 store float %f, ptr @x
 %t = fptrunc float %f to bfloat
 store bfloat %t, ptr @y
 %n = fneg bfloat %t
 store bfloat %n, ptr @z
 %o = fcmp olt bfloat %n, %t
 %w = zext i1 %o to i8
 store i8 %w, ptr @c
 ret void
}"""
    assert axmem.outcomes(axmem.parse(text, "f.ll", "llvm-ir"), "llvm").verdict == "always"
