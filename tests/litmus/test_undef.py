"""What operations give of undef: all that they give of the numbers that it may be, and where bits decide no more."""

from __future__ import annotations

from itertools import product

import pytest

from axmem.litmus.arithmetic import apply_operation, told
from axmem.litmus.undef import (
    POISONED,
    UNDEF,
    Partial,
    Value,
    agree,
    covers,
    free_bits,
    numbers_of,
    partial,
    partial_of,
    text_of,
)

WIDTH = 3
VALUES: list[Value] = [partial(bits, free, WIDTH) for free in range(8) for bits in range(8) if not bits & free]
BITWISE = ["and", "or", "xor", "nand", "eq", "ne"]
ORDERS = ["ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]
EXACT = {*BITWISE, *ORDERS, "not", "zext", "trunc", "slice", "shl", "lshr"}
"""The operations that are known bit by bit: no bit is said to be undef that is the same of all numbers."""


def numbers(value: Value) -> set[int]:
    """Return the numbers of three bits that a value may be."""
    return set(range(8)) if value is UNDEF else set(numbers_of(value))


def applied(operation: str, bits: int, values: tuple[Value, ...]) -> Value:
    """Return the value of an operation on numbers of three bits."""
    return apply_operation(operation, bits, (1,) if operation == "slice" else told(operation, WIDTH), values)


@pytest.mark.parametrize(
    ("operation", "bits"),
    [
        *((name, WIDTH) for name in ("and", "or", "xor", "nand", "add", "sub", "mul", "umax", "uinc_wrap", "usub_sat")),
        *((name, 1) for name in ("eq", "ne", *ORDERS)),
    ],
)
def test_of_two_values(operation: str, bits: int) -> None:
    for values in product(VALUES, repeat=2):
        compared(operation, bits, values)


@pytest.mark.parametrize(
    ("operation", "bits"),
    [("not", WIDTH), ("zext", 5), ("sext", 5), ("trunc", 2), ("slice", 2)],
)
def test_of_one_value(operation: str, bits: int) -> None:
    for value in VALUES:
        compared(operation, bits, (value,))


@pytest.mark.parametrize("operation", ["shl", "lshr", "ashr"])
def test_shifts(operation: str) -> None:
    for value, by in product(VALUES, range(WIDTH)):
        compared(operation, WIDTH, (value, by))
    assert applied(operation, WIDTH, (1, UNDEF)) is POISONED
    assert applied(operation, WIDTH, (UNDEF, WIDTH)) is POISONED


def compared(operation: str, bits: int, values: tuple[Value, ...]) -> None:
    found = applied(operation, bits, values)
    each = {applied(operation, bits, chosen) for chosen in product(*map(numbers, values))}
    assert all(agree(found, one) for one in each), (operation, values, found)
    fixed = [
        at for at in range(bits) if len({free_bits(one) or one >> at & 1 for one in each if isinstance(one, int)}) == 1
    ]
    known = [at for at in range(bits) if not free_bits(found) >> at & 1]
    if operation in EXACT and not (operation in ORDERS and UNDEF in values):  # Of undef no width is known here.
        assert known == fixed, (operation, values, found)


def test_side_by_side() -> None:
    assert apply_operation("concat", 16, (8, 8), (1, UNDEF)) == Partial(1, 0xFF00)
    assert apply_operation("concat", 16, (8, 8), (UNDEF, UNDEF)) is UNDEF


def test_a_choice_by_undef_is_what_either_may_be() -> None:
    assert apply_operation("select", 8, (), (UNDEF, 4, 5)) == Partial(4, 1)
    assert apply_operation("select", 8, (), (UNDEF, 4, 4)) == 4
    assert apply_operation("select", 8, (), (UNDEF, 4, POISONED)) is POISONED


@pytest.mark.parametrize("operation", ["and", "or", "add", "zext", "concat", "eq"])
def test_what_is_undef_as_a_whole_stays_so(operation: str) -> None:
    """Else a bit of poison would be known, and outcomes would be lost."""
    arguments: tuple[Value, ...] = (POISONED,) if operation == "zext" else (POISONED, 0)
    assert apply_operation(operation, 16, (8, 8), arguments) is POISONED


def test_numbers_that_a_value_covers() -> None:
    for one, other in product(VALUES, repeat=2):
        assert covers(one, other) == (numbers(other) <= numbers(one))
        assert agree(one, other) == bool(numbers(other) & numbers(one))
    assert covers(UNDEF, Partial(1, 2)) and not covers(Partial(1, 2), UNDEF)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Partial(1, 0xFFFFFF00), "0xuuuuuu01"), (Partial(0, 0xFF), "0xuu"), (Partial(4, 1), "0b10u"), (UNDEF, "undef")],
)
def test_texts(value: Value, text: str) -> None:
    assert text_of(value) == text
    if isinstance(value, Partial):
        assert partial_of(text) == value
