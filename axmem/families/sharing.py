"""Equal terms of different models have one name.

What goes in: models. What comes out: for each term of a model a number; terms of any two models have the same number
just if they are built alike, definitions and recursions included. So what two models have in common is encoded once.
Terms may also be numbered as they are built once some of them, which vanish, are left out.
"""

from __future__ import annotations

from axmem.model.terms import Model, Op


class TermNames:
    """Numbers terms by how they are built."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._models: dict[tuple[Model, frozenset[int]], list[int]] = {}

    def of(self, model: Model, vanishing: frozenset[int] = frozenset()) -> list[int]:
        """Return the number of each term of a model, as it is built without those that vanish."""
        key = (model, vanishing)
        if key not in self._models:
            self._models[key] = self._numbered(model, vanishing)
        return self._models[key]

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _numbered(self, model: Model, vanishing: frozenset[int]) -> list[int]:
        names: list[int] = [-1] * len(model.terms)
        for index, term in enumerate(model.terms):
            left = [names[a] for a in term.arguments if a not in vanishing]
            if term.op in (Op.UNION, Op.DIFFERENCE) and len(left) == 1:
                names[index] = left[0]
                continue
            if term.op in (Op.RECVAR, Op.FIX):
                whole = self._fixpoint(model, term.fixpoint, names)
                key: object = (term.op, whole, term.position)
            else:
                key = (term.op, term.name, term.is_set, _ordered(term.op, left))
            names[index] = self._number(key)
        return names

    def _fixpoint(self, model: Model, number: int, names: list[int]) -> int:
        """Return the number of a fixpoint: of its bodies, in which the variables stand by position."""
        fixpoint = model.fixpoints[number]
        members = frozenset(fixpoint.members)
        inner: dict[int, int] = {v: self._number(("variable", k)) for k, v in enumerate(fixpoint.variables)}

        def name(index: int) -> int:
            if index in inner:
                return inner[index]
            term = model.terms[index]
            if index not in members and names[index] >= 0:
                return names[index]
            if term.op in (Op.RECVAR, Op.FIX):
                # A recursion inside another: named for this model alone.
                inner[index] = self._number((id(model), index))
            else:
                key = (term.op, term.name, term.is_set, _ordered(term.op, [name(a) for a in term.arguments]))
                inner[index] = self._number(key)
            return inner[index]

        return self._number(("fixpoint", tuple(name(body) for body in fixpoint.bodies)))


def _ordered(op: Op, names: list[int]) -> tuple[int, ...]:
    """Return the names of arguments, those of a union or an intersection in one order in every model."""
    return tuple(sorted(names) if op in (Op.UNION, Op.INTERSECTION) else names)
