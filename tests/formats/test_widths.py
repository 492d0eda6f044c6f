"""Integers of 24, 33 or 40 bits: random functions leave what the same operations leave on Python's integers.

Poison shows as undef. `make test` takes some of the functions, `make test-long` all.
"""

from __future__ import annotations

from random import Random

import pytest

import axmem
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.widths import with_widths
from axmem.formats.reading import parse
from axmem.front.source import Source
from tests.drawn import parts

WIDTHS = (3, 17, 24, 33, 40, 48, 56, 63, 72)
FLAGS = {"add": ("nuw", "nsw"), "sub": ("nsw",), "mul": ("nuw", "nsw"), "or": ("disjoint",), "lshr": ("exact",)}
BINARY = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr")
Held = tuple[str, int, int | None]
"""A register, its bits, and what it holds; None for poison."""


def signed(value: int, bits: int) -> int:
    return value - (value >> (bits - 1) << bits)


def result(word: str, bits: int, one: int, other: int, flags: set[str]) -> int | None:
    """Return what an operation gives, without a sign; None for poison."""
    ways = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
        "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b, "lshr": lambda a, b: a >> b,
        "ashr": lambda a, b: signed(a, bits) >> b,
    }  # fmt: skip
    whole, mask = ways[word](one, other), (1 << bits) - 1
    found = whole & mask
    wrong = "nuw" in flags and whole != found
    wrong |= "nsw" in flags and ways[word](signed(one, bits), signed(other, bits)) != signed(found, bits)
    wrong |= ("disjoint" in flags and bool(one & other)) or ("exact" in flags and bool(one & ((1 << other) - 1)))
    return None if wrong else found


class Drawn:
    """A function that computes with integers of such widths, and the number that it leaves in memory."""

    def __init__(self, number: int) -> None:
        self.random = Random(f"width {number}")
        self.start = self.random.choice((self.random.randrange(1 << 64), self.random.randrange(1 << 12), (1 << 64) - 5))
        self.lines: list[str] = []
        self.held: list[Held] = [("v", 64, self.start)]
        for _ in range(9):
            self.step()
        name, bits, value = self.held[-1]
        self.result = self.cast(name, bits, value, 64, self.random.choice(("zext", "sext")))

    def add(self, text: str, bits: int, value: int | None) -> Held:
        self.held.append((f"r{len(self.held)}", bits, value))
        self.lines.append(f"  %r{len(self.held) - 1} = {text}")
        return self.held[-1]

    def cast(self, name: str, bits: int, value: int | None, to: int, word: str) -> int | None:
        """Convert a value to another width."""
        if to == bits:
            return value
        if to < bits:
            flag = self.random.choice(("", "", "nuw ", "nsw "))
            found = None if value is None else value & ((1 << to) - 1)
            if found is not None and value is not None:
                wrong = {"nuw ": found != value, "nsw ": signed(found, to) != signed(value, bits)}.get(flag, False)
                found = None if wrong else found
            return self.add(f"trunc {flag}i{bits} %{name} to i{to}", to, found)[2]
        flag = "nneg " if word == "zext" and self.random.random() < 0.3 else ""
        found = value
        if value is not None:
            found = signed(value, bits) & ((1 << to) - 1) if word == "sext" else value
            found = None if flag and value >> (bits - 1) else found
        return self.add(f"{word} {flag}i{bits} %{name} to i{to}", to, found)[2]

    def step(self) -> None:
        """Add an operation."""
        random = self.random
        name, bits, value = random.choice([each for each in self.held[-3:] if each[1] > 1])
        if bits == 64 or random.random() < 0.3:
            self.cast(name, bits, value, random.choice(WIDTHS), random.choice(("zext", "sext")))
            return
        others = [each for each in self.held if each[1] == bits]
        if random.random() < 0.15:
            predicate = random.choice(("slt", "ult", "sge", "ugt", "eq"))
            left, right = random.choice(others), random.choice(others)
            truth = None
            if left[2] is not None and right[2] is not None:
                a, b = (signed(v, bits) if predicate[0] == "s" else v for v in (left[2], right[2]))
                truth = {"lt": a < b, "ge": a >= b, "gt": a > b, "eq": a == b}[predicate[-2:]]
            condition = self.add(f"icmp {predicate} i{bits} %{left[0]}, %{right[0]}", 1, truth)
            taken = None if truth is None else (left if truth else right)[2]
            self.add(f"select i1 %{condition[0]}, i{bits} %{left[0]}, i{bits} %{right[0]}", bits, taken)
            return
        word = random.choice(BINARY)
        flags = {flag for flag in FLAGS.get(word, ()) if random.random() < 0.2}
        flags = set() if word == "mul" and 2 * bits > 128 else flags
        if word in ("shl", "lshr", "ashr"):
            shown, other = "", random.randrange(bits)
        else:
            shown, _, held = random.choice(others)
            if random.random() < 0.3:
                shown, held = "", random.choice((1, 3, (1 << bits) - 1, 1 << (bits - 1)))
            other = -1 if held is None else held
        found = None if value is None or other < 0 else result(word, bits, value, other, flags)
        operand = f"%{shown}" if shown else signed(other, bits)
        self.add(f"{' '.join([word, *sorted(flags)])} i{bits} %{name}, {operand}", bits, found)

    @property
    def text(self) -> str:
        body = "\n".join(self.lines)
        return (
            "; axmem: launch f(a, o)\n; axmem: observe @o\n"
            f"@a = global i64 {signed(self.start, 64)}\n@o = global i64 7\n"
            f"define void @f(ptr %a, ptr %o) {{\n  %v = load i64, ptr %a\n{body}\n"
            f"  store i64 %{self.held[-1][0]}, ptr %o\n  ret void\n}}\n"
        )


@pytest.mark.parametrize("part", parts(20, of=20))
def test_functions_leave_what_their_operations_give(part: int) -> None:
    for number in range(10 * part, 10 * part + 10):
        drawn = Drawn(number)
        found = axmem.outcomes(parse(drawn.text, "m.ll"), "amdgpu")
        shown = "undef" if drawn.result is None else str(drawn.result)
        assert {row[-1] for row in found.texts} == {shown}, drawn.text


MEMORY = """
; axmem: launch f(a, o)
; axmem: observe @o
@a = global <4 x i16> <i16 4660, i16 22136, i16 -1, i16 17>
@o = global <4 x i16> zeroinitializer
define void @f(ptr %a, ptr %o) {
  %v = load i40, ptr %a, align 8
  %w = add i40 %v, 1
  store i40 %w, ptr %o, align 8
  ret void
}
"""


def test_bytes_of_an_access_are_no_more_than_it_has() -> None:
    """The control: of another width more is stored."""
    for text, value in ((MEMORY, "{4661,22136,255,0}"), (MEMORY.replace("i40", "i48"), "{4661,22136,65535,0}")):
        assert {row[-1] for row in axmem.outcomes(parse(text, "m.ll"), "amdgpu").texts} == {value}


@pytest.mark.parametrize(
    "line",
    [
        "%w = udiv i40 %v, 3",
        "%w = freeze i40 %v",
        "%w = add i40 %v, undef",
        "%w = load atomic i40, ptr %a monotonic, align 8",
    ],
)
def test_a_function_in_which_more_is_done_stays_as_it_is(line: str) -> None:
    module = ModuleParser(Source("m.ll", MEMORY.replace("%w = add i40 %v, 1", line))).module()
    assert with_widths(module.functions["f"]) is module.functions["f"]
    module = ModuleParser(Source("m.ll", MEMORY)).module()
    assert with_widths(module.functions["f"]) is not module.functions["f"]
