"""Arithmetic of floating point, against doubles of Python, what rounding means, and what LLVM folds constants to."""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction
from math import inf, isfinite, isnan
from random import Random

import pytest

from axmem.codegen.ir_module import module
from axmem.formats.reading import parse
from axmem.litmus.arithmetic import UNDEF, apply_operation, told
from axmem.litmus.floats import (
    FLOAT_COMPARISONS,
    FLOAT_UPDATES,
    FLOATING,
    FORMATS,
    INTRINSICS,
    PREDICATES,
    bits_of,
    float_bits,
    float_text,
    number_at,
)
from axmem.litmus.printer import print_test
from axmem.litmus.undef import POISONED
from tests.drawn import examples

MOST = {"half": (5, 10), "float": (8, 23), "double": (11, 52)}
"""The bits of the exponent and of the fraction."""
OPT = shutil.which("opt-22")


def drawn(rng: Random, name: str) -> int:
    """Return bits of a type, most often some at which something is rounded, overflows or is denormal."""
    width, (exponent, fraction) = FORMATS[name], MOST[name]
    one = ((1 << exponent - 1) - 1) << fraction
    edges = (0, 1, one, one + 1, one - 1, 1 << fraction, (1 << fraction) - 1, ((1 << exponent) - 1 << fraction) - 1,
             (1 << exponent) - 1 << fraction, ((1 << exponent) - 1 << fraction) + 1)  # fmt: skip
    low = rng.choice((0, 1, rng.randrange(1 << fraction)))
    near = one + (rng.randrange(-fraction - 2, fraction + 3) << fraction) + low
    return rng.choice((*edges, near, near, rng.randrange(1 << width - 1))) | rng.randrange(2) << width - 1


def neighbours(bits: int, width: int) -> list[int]:
    """Return the bits of the two numbers beside a finite one."""
    magnitude, sign = bits & (1 << width - 1) - 1, bits >> width - 1 << width - 1
    return [sign | magnitude + 1, sign | magnitude - 1] if magnitude else [1, 1 | 1 << width - 1]


@pytest.mark.parametrize("name", FORMATS)
def test_results_are_the_nearest_numbers(name: str) -> None:
    """No number beside the result is nearer to the exact one; of two that are as near, the even one is chosen."""
    rng, width = Random(name), FORMATS[name]
    for _ in range(examples(3000)):
        a, b, c = bits = [drawn(rng, name) for _ in range(3)]
        numbers = [number_at(each, width) for each in bits]
        if not all(map(isfinite, numbers)):
            continue
        x, y, z = map(Fraction, numbers)
        exact = {"fadd": x + y, "fsub": x - y, "fmul": x * y, "fma": x * y + z}
        if y:
            exact["fdiv"] = x / y
        for operation, wanted in exact.items():
            found = apply_operation(operation, width, (), (a, b, c)[: FLOATING[operation]])
            assert isinstance(found, int)
            shown = number_at(found, width)
            if not isfinite(shown):
                largest, step = Fraction(number_at(found - 1, width)), Fraction(2) ** -(MOST[name][1] + 2)
                assert abs(wanted) >= abs(largest) * (1 + step * (1 - step)), operation
                continue
            distance = abs(Fraction(shown) - wanted)
            for other in neighbours(found, width):
                if isfinite(number_at(other, width)):
                    away = abs(Fraction(number_at(other, width)) - wanted)
                    assert distance < away or (distance == away and not found & 1), operation


@pytest.mark.parametrize("name", ["half", "float"])
def test_results_are_those_of_doubles_rounded_once_more(name: str) -> None:
    """Of two halves or floats, a double has so many digits that a second rounding changes nothing (Figueroa 1995)."""
    rng, width = Random(name), FORMATS[name]
    for _ in range(examples(3000)):
        a, b = drawn(rng, name), drawn(rng, name)
        x, y = number_at(a, width), number_at(b, width)
        for operation, wanted in {"fadd": x + y, "fsub": x - y, "fmul": x * y}.items():
            found = apply_operation(operation, width, (), (a, b))
            assert found == (UNDEF if isnan(wanted) else bits_of(wanted, width)), (operation, x, y)
        for predicate in PREDICATES:
            asked = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y, "rd": True}
            holds = predicate[0] == "u" if isnan(x) or isnan(y) else asked.get(predicate[1:], False)
            assert apply_operation(f"fcmp {predicate}", 1, (width,), (a, b)) == holds


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_are_read_as_they_are_written(name: str) -> None:
    rng, width = Random(name), FORMATS[name]
    for _ in range(examples(3000)):
        bits = drawn(rng, name)
        text = float_text(bits, width)
        sign = text.startswith("-")
        found = int(text, 16) if "x" in text else float_bits(text.removeprefix("-"), width) ^ sign << width - 1
        assert found == bits, text


@pytest.mark.parametrize(
    "value",
    ["fabs float (1 + 0)", "fabs float (0 + undef)", "fadd float (r ^ 3), (r + 1)", "fptosi float (r + 1) to i32",
     "fcmp olt float (r + 0), (fneg float (1 + r))", "fma float 1.0, (2 - r), -1.5", "sitofp i32 (r + 1) to float",
     "fneg float (~r)", "fabs float (r == 1 ? 2 : 3)", "fabs float (select r == 1, 2, 3)"],
)  # fmt: skip
def test_operands_that_are_computed_are_read_as_they_are_printed(value: str) -> None:
    test = parse(f"litmus T\nglobal x = 0\nthread P0 {{\nr = load x\nq = {value}\n}}\n")
    assert parse(print_test(test)) == test


def test_what_is_no_number_is_undef() -> None:
    """A NaN, what does not fit into an integer, and what may be rounded once or twice with two results."""
    nan, one, large = 0x7FC00000, bits_of(1.0, 32), bits_of(inf, 32)
    assert apply_operation("fsub", 32, (), (large, large)) is UNDEF
    assert apply_operation("fmul", 32, (), (0, large)) is UNDEF
    assert apply_operation("fdiv", 32, (), (0, 0)) is UNDEF
    assert apply_operation("fadd", 32, (), (nan, one)) is UNDEF
    assert apply_operation("fpext", 64, (32,), (nan,)) is UNDEF
    assert apply_operation("fptosi", 8, (32,), (bits_of(128.0, 32),)) is POISONED
    assert apply_operation("fptosi", 8, (32,), (bits_of(-128.9, 32),)) == 128
    assert apply_operation("fptosi.sat", 8, (32,), (bits_of(1e9, 32),)) == 127
    assert apply_operation("fptoui.sat", 8, (32,), (bits_of(-5.0, 32),)) == 0
    assert apply_operation("fptosi.sat", 8, (32,), (nan,)) == 0
    above, below = bits_of(1 + 2**-23, 32), bits_of(1 - 2**-23, 32)
    assert apply_operation("fmuladd", 32, (), (above, below, bits_of(-1.0, 32))) is UNDEF
    assert apply_operation("fmuladd", 32, (), (above, one, one)) == apply_operation("fma", 32, (), (above, one, one))
    assert apply_operation("fneg", 32, (), (nan,)) == 0xFFC00000
    assert apply_operation("fabs", 32, (), (0xFFC00000,)) == nan


EXTREMES = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}
"""The intrinsics that updates are named after."""
WORDS = {16: ("half", "i16"), 32: ("float", "i32"), 64: ("double", "i64")}


def _function(number: int, operation: str, source: str, result: str, values: list[str]) -> str:
    """Return a function of LLVM IR whose result is the bits of an operation on constants."""
    operands = [f"bitcast (i{FORMATS[source]} {v} to {source})" if source in FORMATS else v for v in values]
    operation = EXTREMES.get(operation, operation)
    if operation in (*INTRINSICS, *EXTREMES.values()):
        def mangled(type_: str) -> str:
            return f"f{FORMATS[type_]}" if type_ in FORMATS else type_
        suffix = f"{mangled(result)}.{mangled(source)}" if ".sat" in operation else mangled(source)
        line = f"call {result} @llvm.{operation}.{suffix}({', '.join(f'{source} {o}' for o in operands)})"
    elif source != result and not operation.startswith("fcmp"):
        line = f"{operation} {source} {operands[0]} to {result}"
    else:
        line = f"{operation} {source} {', '.join(operands)}"
    bits = f"i{FORMATS[result]}" if result in FORMATS else result
    cast = f"  %b = bitcast {result} %a to {bits}\n" if bits != result else ""
    return f"define {bits} @f{number}() {{\n  %a = {line}\n{cast}  ret {bits} %{'b' if cast else 'a'}\n}}\n"


@pytest.mark.skipif(OPT is None, reason="there is no opt-22")
def test_results_are_what_llvm_folds_constants_to() -> None:
    """LLVM computes with a library of its own; of a NaN only that it is one counts, of poison anything."""
    rng, cases, texts = Random("llvm"), [], []
    operations = [*(FLOATING.keys() - {"fmuladd"}), *FLOAT_UPDATES, *FLOAT_COMPARISONS, "sitofp", "uitofp", "fptosi",
                  "fptoui", "fptosi.sat", "fptoui.sat", "fpext", "fptrunc"]  # fmt: skip
    for number in range(examples(3000)):
        operation, source = rng.choice(sorted(operations)), rng.choice(list(FORMATS))
        result, count = source, 2 if operation in FLOAT_UPDATES else FLOATING.get(operation, 1)
        if operation in FLOAT_COMPARISONS:
            result, count = "i1", 2
        elif operation in ("sitofp", "uitofp"):
            source = rng.choice(("i8", "i16", "i32", "i64", "i128"))
        elif operation.startswith(("fptosi", "fptoui")):
            result = rng.choice(("i8", "i16", "i32", "i64"))
        elif operation in ("fpext", "fptrunc"):
            pair = sorted(rng.sample(list(FORMATS), 2), key=FORMATS.__getitem__)
            source, result = pair if operation == "fpext" else pair[::-1]
        width = FORMATS.get(source) or int(source[1:])
        values = [drawn(rng, source) if source in FORMATS else rng.choice((rng.randrange(1 << width), 1 << width - 1,
                  (1 << width) - 1, rng.randrange(100))) for _ in range(count)]  # fmt: skip
        bits = FORMATS.get(result) or int(result[1:])
        found = apply_operation(operation, bits, told(operation, width), tuple(values))
        cases.append((operation, source, result, values, found))
        texts.append(_function(number, operation, source, result, [str(v) for v in values]))
    assert OPT is not None
    command = [OPT, "-passes=instcombine", "-S", "-o", "-", "-"]
    done = subprocess.run(command, input="".join(texts), capture_output=True, text=True, check=True)
    shown = dict(re.findall(r"@f([0-9]+)\(\)[^{]*\{\n\s*ret i[0-9]+ (\S+)", done.stdout))
    left = [case for number, case in enumerate(cases) if str(number) not in shown]
    assert all(case[0] in ("fmax", "fmin") and case[-1] is UNDEF for case in left)  # signaling NaNs are not folded
    assert len(shown) > 0.9 * len(cases)
    for number, (operation, source, result, values, found) in enumerate(cases):
        text = shown.get(str(number), "poison")
        case = (operation, source, result, [hex(v) for v in values], text, found)
        width = FORMATS.get(result) or int(result[1:])
        if text == "poison":
            assert not isinstance(found, int), case
            continue
        wanted = {"true": 1, "false": 0}.get(text)
        wanted = int(text) % (1 << width) if wanted is None else wanted
        if found is UNDEF:
            numbers = [number_at(value, width) for value in values] if operation in EXTREMES else [1.0]
            open_ = any(map(isnan, numbers)) or not any(numbers)
            assert result in FORMATS and (isnan(number_at(wanted, width)) or open_), case
        else:
            assert found == wanted, case


@pytest.mark.parametrize(("operation", "old", "operand", "expected"), [
    ("fmax", 0x3F800000, 0x40000000, 0x40000000), ("fmin", 0x3F800000, 0x40000000, 0x3F800000),
    ("fmax", 0x7FC00000, 0xC0000000, 0xC0000000), ("fmin", 0x3F800000, 0xFFC12345, 0x3F800000),
    ("fmax", 0x7FA00000, 0x3F800000, UNDEF), ("fmax", 0x7FC00000, 0x7FC00000, UNDEF),
    ("fmax", 0x80000000, 0, UNDEF), ("fmin", 0, 0x80000000, UNDEF), ("fmin", 0, 0, 0),
    ("fmaximum", 0x80000000, 0, 0), ("fminimum", 0, 0x80000000, 0x80000000), ("fmaximum", 0, 0, 0),
    ("fmaximum", 0x7FC00000, 0x3F800000, UNDEF), ("fminimum", 0x3F800000, 0x7FC00000, UNDEF),
    ("fmaximum", 0xFF800000, 0x3F800000, 0x3F800000), ("fminimum", 0xFF800000, 1, 0xFF800000),
    ("fmaxnum", 0x80000000, 0, 0), ("fminnum", 0, 0x80000000, 0x80000000),
    ("fmaxnum", 0x7FC00000, 0x7FC0000F, 0x7FC0000F), ("fmaxnum", 0x7FC00000, 1, 1), ("fminnum", 0x7FA00000, 1, UNDEF),
])  # fmt: skip
def test_the_greater_and_the_lesser(operation: str, old: int, operand: int, expected: int) -> None:
    """What documents leave open, or say in two ways, is undef: signaling NaNs, and which zero fmax and fmin return."""
    assert apply_operation(operation, 32, (), (old, operand)) == expected


UPDATES = """litmus Updates

global x = 1069547520
global i16 h = 13312
global i64 d = 4591870180066957722

thread P0 {
  r0 = atomicrmw fadd x, float 2.25 monotonic
  r1 = atomicrmw volatile fmax h, half -1.5 syncscope("agent") acq_rel
  atomicrmw fsub d, double 0.5 monotonic
  r3 = atomicrmw fmaximum x, float r0 seq_cst
  r4 = atomicrmw fminimum x, float 0x7FC00000 seq_cst
}

observe x, h, d
exists (P0:r3=1081081856)
"""


def test_updates_are_read_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """As text and as LLVM IR; without a type the number has that of the location."""
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    test = parse(UPDATES)
    assert print_test(test) == UPDATES
    assert print_test(parse(UPDATES.replace("float r0", "r0"))) == UPDATES
    assert print_test(parse(module(test, annotated=True).text, "m.ll", "llvm-ir")) == UPDATES
