"""Relations as one integer: each operator means what the operator on rows means."""

from __future__ import annotations

import random

import pytest

from axmem.encoder.packed import LARGEST, Packed, packed
from axmem.model import relation as rel
from axmem.model.relation import Relation

SIZES = (1, 2, 3, 5, 9, LARGEST)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("density", [0.03, 0.2, 0.7])
def test_operators_mean_what_they_mean_on_rows(size: int, density: float) -> None:
    chance, form = random.Random(size), packed(size)
    for _ in range(12 if size < LARGEST else 3):
        a, b, c = (_random(chance, size, density) for _ in range(3))
        s, t = (chance.getrandbits(size) for _ in range(2))
        x, y, z = map(form.pack, (a, b, c))
        assert _rows(form, form.compose(x, y)) == rel.compose(a, b)
        assert _rows(form, form.inverse(x)) == rel.inverse(a)
        assert _rows(form, form.closure(x)) == rel.closure(a)
        assert _rows(form, form.rows_of(s, x)) == rel.rows_of(s, a)
        assert _rows(form, form.columns_of(x, s)) == rel.columns_of(a, s)
        assert _rows(form, form.identity(s)) == rel.identity(s, size)
        assert _rows(form, form.cross(s, t)) == rel.cross(s, t, size)
        assert _rows(form, form.through(x, y, s, z)) == rel.through(a, b, s, c)
        assert (form.domain(x), form.range_of(x)) == (rel.domain(a), rel.range_of(a))


def test_the_empty_relation_has_one_form() -> None:
    form = packed(4)
    assert form.pack(rel.EMPTY) == 0
    assert form.unpack(0) == rel.EMPTY
    assert form.compose(0, 5) == form.inverse(0) == form.closure(0) == 0


def _random(chance: random.Random, size: int, density: float) -> Relation:
    return rel.relation([sum((chance.random() < density) << j for j in range(size)) for _ in range(size)])


def _rows(form: Packed, value: int) -> Relation:
    assert 0 <= value < 1 << form.size**2
    return form.unpack(value)
