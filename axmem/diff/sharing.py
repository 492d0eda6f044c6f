"""Equal terms of different models have one name.

What goes in: models. What comes out: for each term of a model a number; terms of any two models have the same number
just if they are built alike, definitions and recursions included. So what two models have in common is encoded once.
"""

from __future__ import annotations

from axmem.model.terms import Model, Op


class TermNames:
    """Numbers terms by how they are built."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._models: dict[Model, list[int]] = {}

    def of(self, model: Model) -> list[int]:
        """Return the number of each term of a model."""
        if model not in self._models:
            self._models[model] = self._numbered(model)
        return self._models[model]

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _numbered(self, model: Model) -> list[int]:
        names: list[int] = [-1] * len(model.terms)
        for index, term in enumerate(model.terms):
            if term.op in (Op.RECVAR, Op.FIX):
                whole = self._fixpoint(model, term.fixpoint, names)
                key: object = (term.op, whole, term.position)
            else:
                key = (term.op, term.name, term.is_set, tuple(names[a] for a in term.arguments))
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
                key = (term.op, term.name, term.is_set, tuple(name(a) for a in term.arguments))
                inner[index] = self._number(key)
            return inner[index]

        return self._number(("fixpoint", tuple(name(body) for body in fixpoint.bodies)))
