"""Parts of values have the value of the slice, undef included, and depend on no read they need not.

`make test` draws some of the expressions, `make test-long` all.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from axmem.events.parts import compared, part_of
from axmem.events.values import UNDEF, WHOLE, Apply, Constant, Expr, Pick, ReadOf, Value, apply, evaluate, reads_of
from tests.drawn import parts

WIDTHS = (2, 1, 2)
BITS = sum(WIDTHS)
WORD = Apply("concat", BITS, (ReadOf(0), ReadOf(1), ReadOf(2)), WIDTHS)
VALUES: tuple[tuple[Value, ...], ...] = tuple((UNDEF, *range(2**bits)) for bits in WIDTHS)


def values(expr: Expr) -> list[Value]:
    """Return what an expression is for all values of three reads, undef among them, and of a choice."""
    return [
        evaluate(expr, lambda read, cells=cells: cells[read], lambda _, arm=arm: arm)  # type: ignore[misc]
        for cells in product(*VALUES)
        for arm in (0, 1)
    ]


def sliced(expr: Expr, low: int, bits: int) -> Expr:
    return apply("slice", bits, expr, parameters=(low,))


BINARY = ("add", "sub", "mul", "and", "nand", "or", "xor", "umax", "usub_sat", "shl", "lshr", "ashr")


def random_expr(seed: int, depth: int = 3) -> Expr:
    """Return a number of as many bits as the word, of operations on it, on constants, and on a choice."""
    rng = random.Random(seed)

    def below(depth: int) -> Expr:
        if depth == 0:
            return rng.choice((WORD, WORD, Constant(rng.randrange(2**BITS)), Constant(rng.choice((0, 3, 31)))))
        one: dict[str, Callable[[], Expr]] = {
            "not": lambda: apply("not", BITS, below(depth - 1)),
            "pick": lambda: Pick(0, (below(depth - 1), below(depth - 1))),
            "depending": lambda: Apply("depending", BITS, (below(depth - 1), ReadOf(rng.randrange(3)))),
            "select": lambda: apply("select", BITS, ReadOf(1), below(depth - 1), below(depth - 1)),
            "zext": lambda: apply("zext", BITS, apply("trunc", 3, below(depth - 1))),
            "sext": lambda: apply("sext", BITS, apply("trunc", 3, below(depth - 1)), parameters=(3,)),
            "part": lambda: part_of(below(depth - 1), 1, 3),
            "halves": lambda: apply(
                "concat", BITS, sliced(below(depth - 1), 0, 2), sliced(below(depth - 1), 1, 3), parameters=(2, 3)
            ),
        }
        if rng.random() < 0.4:
            return one[rng.choice(list(one))]()
        operation = rng.choice(BINARY)
        other = Constant(rng.randrange(BITS + 1)) if operation in ("shl", "lshr", "ashr") else below(depth - 1)
        return apply(operation, BITS, below(depth - 1), other)

    return below(depth)


@pytest.mark.parametrize("seed", parts(300, of=48))
def test_a_part_is_the_slice_whatever_reads_return(seed: int) -> None:
    expr = random_expr(seed)
    for low in range(BITS):
        for bits in range(1, BITS - low + 1):
            part = part_of(expr, low, bits)
            assert values(part) == values(sliced(expr, low, bits)), (seed, low, bits)
            assert reads_of(part) <= reads_of(expr)


@pytest.mark.parametrize("seed", parts(100, of=12))
def test_what_is_compared_by_parts_is_compared(seed: int) -> None:
    expr = random_expr(seed, 2)
    for name in ("eq", "ne"):
        assert values(compared(name, WORD, expr)) == values(apply(name, 1, WORD, expr))
        assert values(compared(name, expr, WORD)) == values(apply(name, 1, expr, WORD))


@pytest.mark.parametrize(
    ("expr", "low", "reads"),
    [
        (apply("add", BITS, WORD, Constant(5)), 0, {0}),
        (apply("add", BITS, WORD, Constant(5)), 2, {0, 1}),
        (apply("and", BITS, apply("add", BITS, WORD, Constant(5)), Constant(0b00011)), 2, set()),
        (apply("or", BITS, apply("and", BITS, WORD, Constant(0b11100)), Constant(1)), 0, set()),
        (apply("lshr", BITS, apply("shl", BITS, WORD, Constant(2)), Constant(2)), 0, {0}),
        (Apply("depending", BITS, (Pick(0, (WORD, Constant(7))), ReadOf(2))), 0, {0}),
        (apply("select", BITS, ReadOf(1), WORD, Constant(0)), 0, None),
    ],
)
def test_of_reads_that_a_part_does_not_need_only_undef_is_left(expr: Expr, low: int, reads: set[int] | None) -> None:
    """The reads whose values decide the part; None where it is not taken apart."""
    part = part_of(expr, low, 1)
    if reads is None:
        assert part == sliced(expr, low, 1)
        return
    numbers = [c for c in product(*VALUES) if UNDEF not in c]
    for arm in (0, 1):
        by_reads: dict[tuple[Value, ...], set[Value]] = {}
        for cells in numbers:
            key = tuple(cells[read] for read in sorted(reads))
            by_reads.setdefault(key, set()).add(evaluate(part, cells.__getitem__, lambda _, arm=arm: arm))  # type: ignore[misc]
        assert all(len(found) == 1 for found in by_reads.values())
    assert WHOLE in repr(part) or "depending" in repr(part)
