"""Expressions: what is used twice is there once, and depth is no limit.

Python's own arithmetic says what the values are. Each of these programs uses its values twice at each step, so that
as a tree an expression has 2 to the power of its depth nodes.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import partial
from itertools import product

import pytest

from axmem.encoder.engines import Engine
from axmem.encoder.solve import solve
from axmem.events.unroll import event_graph
from axmem.events.values import (
    UNDEF,
    Apply,
    Constant,
    Expr,
    Pick,
    ReadOf,
    Value,
    choices_of,
    evaluate,
    may_be,
    possible_values,
    reads_of,
)
from axmem.litmus.parser import parse
from axmem.model.library import load

WORD = 2**32
DEPTH = 3000


def doubled(expr: Expr, times: int) -> Expr:
    for _ in range(times):
        expr = Apply("add", 32, (expr, expr))
    return expr


def test_equal_expressions_are_one() -> None:
    assert doubled(ReadOf(0), 50) is doubled(ReadOf(0), 50)
    assert doubled(ReadOf(0), 50) is not doubled(ReadOf(1), 50)
    assert Pick(0, (ReadOf(0), Constant(1))) is not Pick(1, (ReadOf(0), Constant(1)))
    assert pickle.loads(pickle.dumps(doubled(Pick(0, (ReadOf(0), ReadOf(1))), 50))) is doubled(
        Pick(0, (ReadOf(0), ReadOf(1))), 50
    )


def test_expressions_do_not_change() -> None:
    with pytest.raises(AttributeError, match="Apply is immutable"):
        doubled(ReadOf(0), 1).bits = 8  # type: ignore[union-attr]


def test_a_deep_expression_is_walked_part_by_part() -> None:
    expr = doubled(Pick(4, (Apply("add", 32, (ReadOf(2), Constant(5))), ReadOf(7))), DEPTH)
    assert reads_of(expr) == {2, 7} and choices_of(expr) == {4}
    assert evaluate(expr, {2: 1}.__getitem__, lambda _: 0) == 6 * 2**DEPTH % WORD == 0
    short = doubled(Pick(4, (ReadOf(2), ReadOf(7))), 20)
    assert evaluate(short, {7: 3}.__getitem__, lambda _: 1) == 3 * 2**20
    assert possible_values(expr) is None
    bit = Apply("and", 32, (ReadOf(0), Constant(1)))
    assert possible_values(doubled(bit, 2)) == frozenset(range(5))
    assert possible_values(doubled(bit, DEPTH)) is None
    assert repr(doubled(bit, 2)) == "Apply('add', 32, (Apply(…), Apply(…)), ())"


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "or", "xor", "shl", "lshr", "ashr", "umax", "smin"])
def test_a_mask_alone_bounds_what_is_read(operation: str) -> None:
    for read in ((ReadOf(0), Constant(5)), (Constant(5), ReadOf(0))):
        assert possible_values(Apply(operation, 32, read)) is None
        assert possible_values(Apply("and", 32, read)) == frozenset((0, 1, 4, 5))


def value(expr: Expr, cells: Sequence[Value]) -> Value:
    return evaluate(expr, lambda read: cells[read], lambda _: None)


CELLS: tuple[Value, ...] = (UNDEF, 0, 1, 2, 3)
HALVES = Apply("concat", 4, (ReadOf(0), ReadOf(1)), (2, 2))
IS = Apply("eq", 1, (HALVES, Constant(6)))
SHAPES: tuple[tuple[Expr, int], ...] = (
    (HALVES, 4),
    (Apply("depending", 4, (HALVES, ReadOf(2))), 4),
    (IS, 1),
    (Apply("ne", 1, (Constant(6), HALVES)), 1),
    (Apply("ne", 1, (IS, Constant(0))), 1),
    (Apply("eq", 1, (IS, Constant(0))), 1),
    (Apply("eq", 1, (ReadOf(0), ReadOf(1))), 1),
    (Apply("add", 2, (ReadOf(0), Constant(1))), 2),
)


@pytest.mark.parametrize(("expr", "bits"), SHAPES)
def test_a_number_is_ruled_out_only_where_no_read_makes_it(expr: Expr, bits: int) -> None:
    """All values of cells that are not known are tried; of parts and comparisons with numbers the answer is exact."""
    for known in product(CELLS, repeat=3):
        cells = [CELLS[1:] if one is UNDEF else (one,) for one in known]
        made = {value(expr, one) for one in product(*cells)}
        for number in range(2**bits):
            found = may_be(expr, number, partial(value, cells=known))
            assert found or number not in made
            if expr in (HALVES, IS):
                assert found == (number in made)


def xorshift(value: int) -> int:
    for left, right in ((13, 0), (0, 17), (5, 0)):
        value ^= (value << left) % WORD if left else value >> right
    return value


@pytest.mark.parametrize("engine", list(Engine))
def test_a_generator_of_random_numbers_runs_in_every_engine(engine: Engine) -> None:
    lines, rounds, expected = [], 16, [1, 2]
    for k in range(rounds):
        for step, shift in enumerate(("shl 13", "lshr 17", "shl 5")):
            operation, by = shift.split()
            value = "r" if (k, step) == (0, 0) else f"v{k}_{step}"
            after = f"v{k}_{step + 1}" if step < 2 else f"v{k + 1}_0"
            lines += [f"s{k}_{step} = {operation} {value}, {by}", f"{after} = xor {value}, s{k}_{step}"]
        expected = [xorshift(v) for v in expected]
    body = "\n".join(lines)
    threads = f"thread P0 {{ store atomic 2, x monotonic }}\nthread P1 {{\nr = load atomic x monotonic\n{body}\n}}\n"
    text = f"litmus T\nglobal x = 1\n{threads}"
    graph = event_graph(parse(f"{text}exists (P1:v{rounds}_0={expected[0]})\n"))
    solved = solve(graph, load("llvm"), engine=engine)
    assert not solved.incomplete
    assert solved.outcomes == {((1,), (expected[0],)), ((2,), (expected[1],))}
