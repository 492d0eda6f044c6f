"""Equal terms of different models have one name.

What goes in: models. What comes out: for each term of a model a number; terms of any two models have the same number
just if they are built alike, definitions and recursions included. So what two models have in common is encoded once.
How the parts of a union or an intersection are put together by definitions does not count, nor does `_ * _` beside
program order, which is inside it. Terms may also be numbered as they are built once some of them, which vanish, are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.model.model import Model
from axmem.model.terms import Op

COMMUTES = (Op.UNION, Op.INTERSECTION)


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
            given = parts(model, index, vanishing) if term.op in COMMUTES else term.arguments
            left = [names[a] for a in given if a not in vanishing]
            bare = term.op is Op.INTERSECTION and not vanishing.intersection(given)
            if (term.op in (Op.UNION, Op.DIFFERENCE) or bare) and len(set(left)) == 1:
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
                given = parts(model, index) if term.op in COMMUTES else term.arguments
                key = (term.op, term.name, term.is_set, _ordered(term.op, map(name, given)))
                inner[index] = self._number(key)
            return inner[index]

        return self._number(("fixpoint", tuple(name(body) for body in fixpoint.bodies)))


def parts(model: Model, index: int, vanishing: frozenset[int] = frozenset()) -> list[int]:
    """Return what a union or an intersection is of, those of its arguments that are one themselves taken apart."""
    op, found, stack = model.terms[index].op, [], [*reversed(model.terms[index].arguments)]
    while stack:
        argument = stack.pop()
        if model.terms[argument].op is op and argument not in vanishing:
            stack += reversed(model.terms[argument].arguments)
        else:
            found.append(argument)
    if op is Op.INTERSECTION and any(model.terms[part].name == "po" for part in found):
        found = [part for part in found if not _is_all_pairs(model, part)]
    return found


def _is_all_pairs(model: Model, index: int) -> bool:
    """Tell whether a term is `_ * _`, all pairs of events but final reads."""
    term = model.terms[index]
    return term.op is Op.CROSS and all(model.terms[a].name == "_" for a in term.arguments)


def _ordered(op: Op, names: Iterable[int]) -> tuple[int, ...]:
    """Return the names of arguments, those of a union or an intersection in one order in every model."""
    return tuple(sorted(set(names)) if op in COMMUTES else names)
