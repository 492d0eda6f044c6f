"""Equal numbers of terms: what Z3 is asked, and how often each read is used."""

from __future__ import annotations

from axmem.encoder.terms import Terms
from axmem.events.values import GIVEN, UNDEF, WHOLE, Apply, Constant, Expr, Pick, ReadOf

A, B = ReadOf(1), ReadOf(2)
N = Apply(GIVEN, 32, (), (0,))


def op(name: str, *arguments: Expr, bits: int = 32, parameters: tuple[int, ...] = ()) -> Expr:
    return Apply(name, bits, arguments, parameters)


def test_products_in_any_order_are_the_same() -> None:
    terms = Terms()
    assert terms.same(op("mul", op("mul", A, N), B), op("mul", A, op("mul", N, B))) == {A: 1, N: 1, B: 1}
    assert terms.same(op("mul", A, Constant(2)), op("add", A, A)) == {A: 2}
    assert terms.same(op("add", A, op("mul", A, N)), op("mul", A, op("add", N, Constant(1)))) == {A: 1, N: 1}


def test_what_differs_for_some_number_is_not_the_same() -> None:
    terms = Terms()
    assert terms.same(op("max", A, Constant(1)), op("umax", A, Constant(1))) is None
    assert terms.same(op("mul", A, Constant(2)), op("mul", B, Constant(2))) is None
    assert terms.same(op("shl", A, B), op("mul", A, op("shl", Constant(1), B))) is None  # It may be poison.
    assert terms.same(op("ashr", A, Constant(1)), op("lshr", A, Constant(1))) is None


def test_what_has_no_term_is_the_same_as_itself_alone() -> None:
    terms = Terms()
    one, other = op("fadd", A, B), op("fadd", B, A)
    assert terms.same(op("add", one, Constant(0)), one) == {A: 1, B: 1}
    assert terms.same(op("add", one, Constant(0)), other) is None
    assert terms.same(A, Pick(0, (A, B))) is None


def test_undef_is_used_like_a_read() -> None:
    """It is another number in each use; of a whole integer its bytes are used once."""
    undef = Constant(UNDEF)
    twice = op("add", op("xor", A, undef), op("and", A, undef))
    assert Terms().same(op("add", op("and", A, undef), op("xor", A, undef)), twice) == {A: 2, undef: 2}
    whole = op(WHOLE, op("concat", A, B, parameters=(16, 16)), A, B)
    assert Terms().same(op("add", whole, Constant(0)), whole) == {A: 1, B: 1}
