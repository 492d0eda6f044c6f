"""Which bits depend on what is not known: held against all values of what is not known, of small expressions.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from random import Random

from axmem.codegen.assembly.bits import settled
from axmem.codegen.assembly.values import sliced
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, apply, evaluate, reads_of
from tests.drawn import examples

BITS = 4
UNKNOWN, KNOWN = ReadOf(-1), ReadOf(0)
WIDTHS = {-1: BITS, 0: BITS}
BINARY = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "umin", "eq", "slt")


def expression(rng: Random, depth: int) -> Expr:
    """Return a value of `BITS` bits."""
    if not depth:
        return rng.choice((UNKNOWN, KNOWN, Constant(rng.randrange(1 << BITS))))
    a, b = (expression(rng, depth - 1) for _ in range(2))
    match rng.randrange(6):
        case 0:
            low = rng.randrange(BITS)
            size = rng.randrange(1, BITS - low + 1)
            cut = apply("slice", size, a, parameters=(low,))
            if rng.random() < 0.5:
                return apply("sext", BITS, cut, parameters=(size,))
            return apply("zext", BITS, cut)
        case 1:
            size = rng.randrange(1, BITS)
            parts = (apply("slice", n, x, parameters=(0,)) for n, x in ((size, a), (BITS - size, b)))
            return apply("concat", BITS, *parts, parameters=(size, BITS - size))
        case 2:
            return apply("select", BITS, apply("slice", 1, a, parameters=(0,)), b, expression(rng, depth - 1))
        case 3:
            return Pick(0, (a, b))
    name = rng.choice(BINARY)
    if name in ("shl", "lshr", "ashr"):
        b = apply("and", BITS, b, Constant(BITS - 1))
    parameters = (BITS,) if name == "slt" else ()
    found = apply(name, 1 if parameters or name == "eq" else BITS, a, b, parameters=parameters)
    return apply("zext", BITS, found) if parameters or name == "eq" else found


def values(expr: Expr, known: int, arm: int, mask: int) -> set[int]:
    """Return the low bits of an expression for each value of the unknown read."""
    found = [evaluate(expr, {0: known, -1: unknown}.__getitem__, lambda _: arm) for unknown in range(1 << BITS)]
    return {value & mask for value in found if isinstance(value, int)}


def test_what_is_settled_is_the_same_whatever_is_unknown() -> None:
    rng = Random(11)
    counts = {"settled": 0, "left": 0}
    tried = examples(6000)
    for _ in range(tried):
        expr, bits = expression(rng, rng.randrange(1, 4)), rng.randrange(1, BITS + 1)
        if -1 not in reads_of(expr):
            continue
        made, mask = settled(expr, bits, WIDTHS), (1 << bits) - 1
        if -1 in reads_of(made):
            counts["left"] += 1
            assert made is expr
            continue
        counts["settled"] += 1
        for known in range(1 << BITS):
            for arm in (0, 1):
                before, after = (values(each, known, arm, mask) for each in (expr, made))
                assert len(before) == 1, (expr, bits)
                assert before == after, (expr, bits)
    assert min(counts.values()) > tried // 30


def test_what_is_sliced_is_the_same_bits() -> None:
    """Slices of shifts by constants, of bitwise operations, and of what was joined are those of their parts."""
    rng = Random(12)
    for _ in range(examples(3000)):
        expr, low = expression(rng, rng.randrange(1, 4)), rng.randrange(BITS)
        size = rng.randrange(1, BITS - low + 1)
        cut = sliced(expr, low, size, WIDTHS)
        for known in range(1 << BITS):
            for unknown in (0, 5, 15):
                for arm in (0, 1):
                    found, whole = (
                        evaluate(each, {0: known, -1: unknown}.__getitem__, lambda _, arm=arm: arm)  # type: ignore[misc]
                        for each in (cut, expr)
                    )
                    assert isinstance(found, int) and isinstance(whole, int)
                    assert found & (1 << size) - 1 == whole >> low & (1 << size) - 1, (expr, low, size)


def half(value: Expr) -> Expr:
    """Return the lower half of a register whose upper half is not known."""
    return Apply("concat", 32, (value, Apply("slice", 16, (UNKNOWN,), (16,))), (16, 16))


def test_what_compilers_do_with_an_upper_half_that_is_not_known() -> None:
    """Sums, products and shifts to the left of the lower half, masks and comparisons of it, its bytes shifted down."""
    narrow = Apply("slice", 16, (KNOWN,), (0,))
    widths = {-1: 32, 0: 32}
    masked = Apply("and", 32, (half(narrow), Constant(0xFFFF)))
    for made, bits in (
        (Apply("add", 32, (half(narrow), half(narrow))), 16),
        (Apply("shl", 32, (half(narrow), masked)), 16),
        (Apply("mul", 32, (half(narrow), KNOWN)), 8),
        (Apply("eq", 1, (masked, Constant(3))), 1),
        (Apply("lshr", 32, (masked, Constant(8))), 32),
        (Apply("or", 32, (masked, Apply("shl", 32, (half(narrow), Constant(16))))), 32),
    ):
        assert reads_of(settled(made, bits, widths)) == {0}, made
        assert made == settled(made, 32, widths) or bits == 32 or made.bits == 1
    assert reads_of(settled(Apply("lshr", 32, (half(narrow), Constant(8))), 16, widths)) == {-1, 0}
