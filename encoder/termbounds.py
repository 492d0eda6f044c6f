"""Bounds of terms, made of those of the primitives.

What goes in: a model, a number of events, the bounds of its primitives. What comes out: for each term what it may have
and what it must have. Monotone operators go bound by bound; a difference takes the other bound of what it removes.
What is nowhere possible is nowhere certain. Relations of few events are worked on in the form of `encoder.packed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from axmem.encoder.packed import LARGEST, Packed, packed
from axmem.front.typing import override
from axmem.model import relation as rel
from axmem.model.evaluation import (
    SETS,
    Function,
    Operators,
    Value,
    functions_of,
    on_rows,
)
from axmem.model.model import Model
from axmem.model.relation import Relation
from axmem.model.terms import Op, Term

_BINARY, _UNARY, _DIFFERENCE, _MANY, _THROUGH, _BASE, _FIX = range(7)
_SHAPES = {
    Op.BASE: _BASE, Op.TAGGED: _BASE, Op.ORDER: _BASE, Op.FIX: _FIX, Op.RECVAR: _FIX, Op.DIFFERENCE: _DIFFERENCE,
    Op.THROUGH: _THROUGH,
}  # fmt: skip


class _Step(NamedTuple):
    """How the value of a term is made of those of its arguments, `first` and `second` if there are no more."""

    term: int
    shape: int
    function: Function
    first: int
    second: int
    arguments: tuple[int, ...]


class TermBounds:
    """Evaluates a model's terms as pairs of bounds, `may` and `must`.

    `exact` are terms of which what may hold does hold where its events execute (those that are pointwise, if the
    primitives are facts of the test): a difference removes them whole. With `spare` what nobody needs is left empty:
    recursive definitions, and what `left` does not have. `together` are the pairs of events that may execute together
    (None: all): only those are in a relation.
    """

    def __init__(
        self,
        model: Model,
        size: int,
        exact: frozenset[int] = frozenset(),
        *,
        spare: bool = False,
        together: Relation | None = None,
    ) -> None:
        self.model = model
        self.exact = exact
        self._conditions = model.analyses.emptiness.conditions if spare else (None,) * len(model.fixpoints)
        self._packed = packed(size) if size <= LARGEST else None
        self._together = None if together is None else self._form(together)
        self._steps = _steps(model, size)
        self._may: list[Any] = list(_nothing(model, self._packed is not None))
        self._must: list[Any] = list(self._may)
        self._base: Callable[[Term], tuple[Value, Value]] = no_primitive
        self._needed: frozenset[int] | None = None
        self._done: set[int] = set()
        """The fixpoints that have been computed."""

    @property
    def may(self) -> Sequence[Value]:
        """What each term may have."""
        return Unpacked(self.model.terms, self._packed, self._may) if self._packed else self._may

    @property
    def must(self) -> Sequence[Value]:
        """What each term must have."""
        return Unpacked(self.model.terms, self._packed, self._must) if self._packed else self._must

    def give(self, given: Iterable[tuple[int, Any, Any]], *, spare: bool) -> frozenset[int] | None:
        """Set the bounds of primitives; return the terms that are needed where these are as empty (None: all are)."""
        may, must, empty = self._may, self._must, []
        for index, above, below in given:
            may[index], must[index] = above, below
            if not above:
                empty.append(index)
        self._needed = self.model.analyses.emptiness.needed_without(frozenset(empty)) if spare else None
        return self._needed

    def evaluate(
        self, order: Iterable[int], base: Callable[[Term], tuple[Value, Value]], *, certain: bool = False
    ) -> None:
        """Set the bounds of terms, given those of primitives; where everything is `certain` the two bounds are one."""
        self._base = base
        self._done = set()
        steps = map(self._steps.__getitem__, order)
        if not certain:
            self._derive(steps)
            return
        may, must = self._may, self._must
        for step in steps:
            term, shape, function, first, second, arguments = step
            if shape in (_BINARY, _DIFFERENCE):
                may[term] = must[term] = function(may[first], may[second])
            elif shape == _UNARY:
                may[term] = must[term] = function(may[first])
            elif shape in (_BASE, _FIX):
                self._derive((step,))
            else:
                may[term] = must[term] = function(*[may[a] for a in arguments])

    def _form(self, value: Value) -> Any:
        return self._packed.pack(value) if self._packed and isinstance(value, tuple) else value

    def _among(self, value: Any) -> Any:
        """Return what of a relation is of events that may execute together."""
        return value & self._together if self._packed is not None else rel.intersection(value, self._together or ())

    def _empty(self, term: Term) -> Any:
        return _empty(term, self._packed is not None)

    def _derive(self, steps: Iterable[_Step]) -> None:
        """Set the bounds of terms in an order in which arguments come first."""
        may, must, exact, terms = self._may, self._must, self.exact, self.model.terms
        narrowed = self._together is not None
        for index, shape, function, first, second, arguments in steps:
            if shape == _BINARY:
                found = function(may[first], may[second])
                if narrowed and not terms[index].is_set:
                    found = self._among(found)
                may[index] = found
                must[index] = function(must[first], must[second]) if found else found
            elif shape == _UNARY:
                found = may[index] = function(may[first])
                must[index] = function(must[first]) if found else found
            elif shape == _DIFFERENCE:
                may[index] = function(may[first], may[second] if second in exact else must[second])
                must[index] = function(must[first], may[second])
            elif shape == _MANY:
                found = may[index] = function(*[may[a] for a in arguments])
                must[index] = function(*[must[a] for a in arguments]) if found else found
            elif shape == _THROUGH:
                # Which events are stations is exact, but not that there is a chain.
                may[index] = function(*[may[a] for a in arguments])
                must[index] = self._empty(terms[index])
            elif shape == _BASE:
                above, below = self._base(terms[index])
                may[index] = self._form(above)
                must[index] = may[index] if below is above else self._form(below)
            else:
                self._fixed(terms[index], index)

    def _fixed(self, term: Term, index: int) -> None:
        """Set the bounds of the value of a recursive definition."""
        condition = self._conditions[term.fixpoint]
        if condition is not None and not self._may[condition]:
            self._may[index] = self._must[index] = self._empty(term)
            return
        if term.fixpoint not in self._done:
            self._done.add(term.fixpoint)
            self._fixpoint(term.fixpoint)
        body = self.model.fixpoints[term.fixpoint].bodies[term.position]
        self._may[index], self._must[index] = self._may[body], self._must[body]

    def _fixpoint(self, number: int) -> None:
        """Iterate from the empty relations; a round visits the members that depend on what the last one changed."""
        fixpoint, terms, may, must = self.model.fixpoints[number], self.model.terms, self._may, self._must
        for v in fixpoint.variables:
            may[v] = must[v] = self._empty(terms[v])
        needed = self._needed
        steps = [
            self._steps[m] for m in fixpoint.members if terms[m].op is not Op.RECVAR and (needed is None or m in needed)
        ]
        new = set(fixpoint.members)
        while True:
            for step in steps:
                index = step.term
                if index in new or not new.isdisjoint(step.arguments):
                    before = may[index], must[index]
                    self._derive((step,))
                    if (may[index], must[index]) != before:
                        new.add(index)
            new = set()
            for v, b in zip(fixpoint.variables, fixpoint.bodies, strict=True):
                if may[v] != may[b] or must[v] != must[b]:
                    new.add(v)
                    may[v], must[v] = may[b], must[b]
            if not new:
                return


def _empty(term: Term, as_integers: bool) -> Any:
    return 0 if term.is_set or as_integers else rel.EMPTY


@lru_cache(maxsize=256)
def _nothing(model: Model, as_integers: bool) -> tuple[Any, ...]:
    return tuple(_empty(term, as_integers) for term in model.terms)


def no_primitive(term: Term) -> tuple[Value, Value]:
    """Give the bounds of no primitive: all are known."""
    raise AssertionError(f"nothing is known of {term.name}")


class Unpacked(Sequence[Value]):
    """The values of all terms, each relation unpacked when it is first asked for; `integers` are those of all terms."""

    def __init__(self, terms: Sequence[Term], form: Packed, values: Sequence[int]) -> None:
        self._terms = terms
        self.form = form
        self.integers = values
        self._rows: dict[int, Relation] = {}

    @override
    def __getitem__(self, index: Any) -> Any:
        if self._terms[index].is_set:
            return self.integers[index]
        rows = self._rows.get(index)
        if rows is None:
            rows = self._rows[index] = self.form.unpack(self.integers[index])
        return rows

    @override
    def __len__(self) -> int:
        return len(self.integers)


# ---------------------------------------------------------------- steps


@lru_cache(maxsize=1024)
def _steps(model: Model, size: int) -> tuple[_Step, ...]:
    """Return for every term how its value comes from those of its arguments."""
    functions = functions_of(model, _on_packed(packed(size)) if size <= LARGEST else on_rows(size))
    return tuple(
        [
            _Step(index, shape, functions[number], first, second, arguments)
            for index, shape, number, first, second, arguments in _shapes(model)
        ]
    )


@lru_cache(maxsize=256)
def _shapes(model: Model) -> tuple[tuple[int, int, int, int, int, tuple[int, ...]], ...]:
    """Return the steps with numbers of functions: what does not depend on how many events there are."""
    found = []
    for index, (term, (number, arguments)) in enumerate(zip(model.terms, model.analyses.numbers, strict=True)):
        shape = _SHAPES.get(term.op, {1: _UNARY, 2: _BINARY}.get(len(arguments), _MANY))
        first, second = (*arguments, -1, -1)[:2]
        found.append((index, shape, number, first, second, arguments))
    return tuple(found)


def _on_packed(form: Packed) -> Operators:
    """Return the operators on relations that are one integer each; the first four are those of sets."""
    return {
        **SETS,
        Op.SEQUENCE: form.compose,
        Op.INVERSE: form.inverse,
        Op.PLUS: form.closure,
        Op.IDENTITY: form.identity,
        Op.CROSS: form.cross,
        Op.THROUGH: form.through,
        Op.DOMAIN: form.domain,
        Op.RANGE: form.range_of,
        "rows": form.rows_of,
        "columns": form.columns_of,
    }
