"""Words compute what `apply_operation` does, and say at least, or at most, what undef makes of it.

All numbers of few bits are tried, with every mask of undef bits of which each use chooses alone.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from axmem.encoder.circuit import TRUE, Circuit
from axmem.encoder.words import Word, Words, constant
from axmem.litmus.arithmetic import UNDEF, apply_operation
from axmem.litmus.undef import POISONED
from tests.drawn import some

BINARY = (
    *("add", "sub", "mul", "and", "nand", "or", "xor", "umax", "umin", "uinc_wrap", "udec_wrap", "usub_cond"),
    *("usub_sat", "max", "min", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem"),
)
COMPARISONS = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
UNARY = (("sext", 5), ("sext", 3), ("not", 3), ("slice", 2), ("zext", 5), ("trunc", 2))
WIDTH = 3


def truth(circuit: Circuit, known: dict[int, bool], literal: int) -> bool:
    """Return the truth of a literal where that of the inputs is known."""
    variable = abs(literal)
    if variable == TRUE:
        return literal > 0
    if variable not in known:
        kind, inputs = circuit.gates[variable]
        values = [truth(circuit, known, x) for x in inputs]
        known[variable] = all(values) if kind else any(values)
    return known[variable] == (literal > 0)


def number(circuit: Circuit, known: dict[int, bool], bits: tuple[int, ...]) -> int:
    return sum(truth(circuit, known, x) << i for i, x in enumerate(bits))


def drawn(circuit: Circuit) -> tuple[int, ...]:
    return tuple(circuit.variable() for _ in range(WIDTH))


def within(bits: int, free: int, width: int = WIDTH) -> Iterator[int]:
    """Yield the numbers that agree with a word's other bits."""
    return (n for n in range(1 << width) if not (n ^ bits) & ~free)


def parameters_of(name: str) -> tuple[int, ...]:
    return (WIDTH,) if name[:1] == "s" and name not in ("sub", "shl", "slice") else (1,) if name == "slice" else ()


def assigned(words: list[Word], values: tuple[int, ...]) -> dict[int, bool]:
    """Return the truth of the variables of words, each of which has bits and a mask."""
    parts = [part for word in words for part in (word.bits, word.free)]
    return {x: bool(value >> i & 1) for part, value in zip(parts, values, strict=True) for i, x in enumerate(part)}


TWO = [*((name, WIDTH, 2) for name in BINARY), *((name, 1, 2) for name in COMPARISONS)]
CASES = [*TWO, *((name, bits, 1) for name, bits in UNARY)]


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize(("name", "bits", "count"), some(CASES, of=3))
def test_an_operation_may_be_what_its_arguments_make_it(name: str, bits: int, count: int, over: bool) -> None:
    circuit, rng = Circuit(), Random(f"{name} {over}")
    words = Words(circuit, over=over, unknown={})
    given = [Word(drawn(circuit), drawn(circuit)) for _ in range(count)]
    parameters = parameters_of(name)
    found = words.apply(name, bits, parameters, given)
    for values in product(range(1 << WIDTH), repeat=2 * count):
        masks = values[1::2]
        if any(masks) and count == 2 and rng.random() > 0.08:
            continue
        known: dict[int, bool] = assigned(given, values)
        choices = product(*(within(b, f) for b, f in zip(values[::2], masks, strict=True)))
        made = [apply_operation(name, bits, parameters, each) for each in choices]
        real = {each for each in made if each is not POISONED}
        base, free = (number(circuit, known, part) for part in (found.bits, found.free))
        mine = {*within(base, free, bits)}
        poison = truth(circuit, known, found.poison)
        about = name, values, real, mine
        if over:
            assert poison or (real <= mine and POISONED not in made), about
        else:
            assert POISONED in made if poison else mine <= real, about
            assert POISONED in made or number(circuit, known, words.turned(found)) in real, about
            assert not truth(circuit, known, words.undefined(found)) or len(real) > 1 or POISONED in made, about


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_numbers_are_computed_exactly(name: str) -> None:
    """Of constants nothing is left open: every gate folds away."""
    words = Words(Circuit(), over=False, unknown={})
    bits = 1 if name in COMPARISONS else WIDTH
    for pair in product(range(1 << WIDTH), repeat=2):
        found = words.apply(name, bits, parameters_of(name), [constant(n) for n in pair])
        wanted = apply_operation(name, bits, parameters_of(name), pair)
        assert found.poison == (TRUE if wanted is POISONED else -TRUE)
        assert wanted is POISONED or sum((x == TRUE) << i for i, x in enumerate(found.bits)) == wanted


@pytest.mark.parametrize("over", [False, True])
def test_a_choice_by_undef(over: bool) -> None:
    """After a change it may be either, whatever that is; before, the bits say which."""
    words = Words(Circuit(), over=over, unknown={})
    undef = Word((TRUE,), (TRUE,))
    for arms, said in (((1, 2), {0, 1, 2, 3} if over else {1}), ((1, 3), {1, 3}), ((2, 2), {2})):
        found = words.apply("select", 2, (), [undef, *map(constant, arms)])
        base = sum((x == TRUE) << i for i, x in enumerate(found.bits))
        free = sum((x == TRUE) << i for i, x in enumerate(found.free))
        assert {*within(base, free, 2)} == said
    some = words.apply("select", 2, (), [constant(1), constant(UNDEF), constant(2)])
    assert (some.width, words.any_free(some)) == (2, TRUE)


def test_what_covers_what() -> None:
    words = Words(Circuit(), over=False, unknown={})
    half, number_, poison = Word((), (TRUE, -TRUE)), constant(1), Word((), poison=TRUE)
    undef, absent = constant(UNDEF), constant(-1)
    covered = {
        (half, number_): TRUE, (number_, half): -TRUE, (half, constant(2)): -TRUE, (undef, half): TRUE,
        (half, undef): -TRUE, (poison, undef): TRUE, (undef, poison): -TRUE, (number_, absent): TRUE,
        (number_, number_): TRUE, (poison, poison): TRUE,
    }  # fmt: skip
    assert {pair: words.covers(*pair) for pair in covered} == covered


@pytest.mark.parametrize("apart", [False, True])
def test_the_bits_of_an_extended_sign_are_one_bit(apart: bool) -> None:
    """So a number of three bits is less than 4, also if it is undef; one of five undef bits may be more."""
    words, undef = Words(Circuit(), over=True, unknown={}), Word((-TRUE,) * 3, (TRUE,) * 3)
    extended = words.apply("sext", 5, (3,), [undef])
    if apart:
        extended = extended._replace(copies=0)
    for name, number, value in (("slt", 4, TRUE), ("sge", 28, TRUE), ("sgt", 3, -TRUE)):
        found = words.apply(name, 1, (5,), [extended, constant(number)])
        assert (found.free == ()) is not apart
        assert apart or found.bit(0) == value
    assert words.apply("slt", 1, (5,), [extended, constant(3)]).free == (TRUE,)
    assert words.apply("trunc", 4, (), [extended]).copies == 0
