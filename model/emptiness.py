"""Which terms of a model are empty because others are, and what need not be asked where they are.

What goes in: the terms and fixpoints of a model, and the terms that its rules are about. What comes out, of tests and
of families of programs alike: the terms that are empty where some primitives are, the terms that still matter there,
and for every fixpoint a term without which nobody needs it. Sets of terms are bits of an integer where they are many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property, reduce
from operator import and_, or_

from axmem.model.relation import bits
from axmem.model.terms import Fixpoint, Op, Term

STRICT = (Op.INTERSECTION, Op.SEQUENCE, Op.CROSS, Op.INVERSE, Op.PLUS, Op.IDENTITY, Op.DOMAIN, Op.RANGE)
"""The operators whose value is empty where one of their arguments is."""

_Rule = tuple[bool, int]
"""A term is empty whatever the rest is where some, or (if so) all, of the terms with these bits are."""


class Emptiness:
    """What follows in a model from the emptiness of some of its terms."""

    def __init__(
        self,
        terms: Sequence[Term],
        fixpoints: Sequence[Fixpoint],
        roots: frozenset[int],
        reached: frozenset[int],
        order: Sequence[int],
    ) -> None:
        """`roots` are the terms that rules are about, `reached` all that these need, `order` how they are evaluated."""
        self._terms = terms
        self._fixpoints = fixpoints
        self._roots = roots
        self._reached = reached
        self._order = order
        self._needed: dict[frozenset[int], frozenset[int]] = {}

    def emptied(self, empty: Iterable[int], terms: Iterable[int]) -> int:
        """Return which of some terms are empty, as bits, because primitives are; terms come after their parts.

        This is the one derivation of emptiness, of tests and of families of programs alike.
        """
        nothing = sum(1 << index for index in empty)
        for index in terms:
            if self._terms[index].op is Op.FIX:
                nothing = self._empty_members(self._terms[index].fixpoint, nothing)
            if _vanishes(self._rules[index], nothing):
                nothing |= 1 << index
        return nothing

    def needed_without(self, empty: frozenset[int]) -> frozenset[int]:
        """Return the terms that matter where these primitives are empty.

        Those that are empty with them do not matter, nor those that are used only beside an empty one.
        """
        if empty not in self._needed:
            nothing = self.emptied(empty, self._order)
            needed: set[int] = set()
            stack = sorted(self._roots)
            while stack:
                index = stack.pop()
                if index not in needed and not nothing >> index & 1:
                    needed.add(index)
                    stack += self._parts[index]
            self._needed[empty] = frozenset(needed)
        return self._needed[empty]

    @cached_property
    def conditions(self) -> tuple[int | None, ...]:
        """For every fixpoint a term that stands before it without which nobody needs it: where that is empty.

        What is intersected or composed with an empty relation, or taken from one, may be anything. Of several such
        terms the last counts, which is the narrowest; None where there is none.
        """
        spared = self._spared()
        place = {term: number for number, term in enumerate(self._order)}
        result: list[int | None] = []
        for number in range(len(self._fixpoints)):
            values = [i for i in place if self._terms[i].op is Op.FIX and self._terms[i].fixpoint == number]
            common = reduce(and_, [spared[v] for v in values]) if values else 0
            before = [t for t in bits(common) if t in place and place[t] < min(place[v] for v in values)]
            result.append(max(before, key=place.__getitem__, default=None))
        return tuple(result)

    def _spared(self) -> dict[int, int]:
        """Return for every FIX the terms where it is not needed if one of them is empty, as bits."""
        terms = self._terms
        uses: dict[int, list[int]] = {}
        for index in self._reached:
            for argument in terms[index].arguments:
                uses.setdefault(argument, []).append(index)
        inner = {m for f in self._fixpoints for m in (*f.members, *f.variables, *f.bodies)}

        @cache
        def emptied(index: int) -> int:
            """The terms that are empty only if this one is, as bits."""
            term, own = terms[index], 1 << index
            if index in inner or term.op is Op.FIX:
                return own
            below = [emptied(a) for a in term.arguments]
            if term.op is Op.UNION:
                return reduce(and_, below) | own
            if term.op is Op.DIFFERENCE:
                return below[0] | own
            return reduce(or_, below, own) if term.op in STRICT else own

        @cache
        def spared(index: int) -> int:
            """The terms where this one is not needed if one of them is empty."""
            if index in self._roots or index in inner:
                return 0
            found = []
            for use in uses.get(index, ()):
                term = terms[use]
                others = [a for a in term.arguments if a != index]
                if term.op is Op.DIFFERENCE:
                    others = others if term.arguments[0] != index else []
                elif term.op not in STRICT:
                    others = []
                found.append(reduce(or_, map(emptied, others), spared(use)))
            return reduce(and_, found) if found else 0

        return {index: spared(index) for index in self._order if terms[index].op is Op.FIX}

    @cached_property
    def _parts(self) -> tuple[tuple[int, ...], ...]:
        """For every term what is needed where it is."""
        conditioned = zip(self._fixpoints, self.conditions, strict=True)
        fixed = [(*f.bodies, *f.variables, *(() if c is None else (c,))) for f, c in conditioned]
        recursive = (Op.FIX, Op.RECVAR)
        return tuple([(*t.arguments, *(fixed[t.fixpoint] if t.op in recursive else ())) for t in self._terms])

    @cached_property
    def _rules(self) -> tuple[_Rule, ...]:
        """For every term when it is empty because others are."""
        masks = [sum({1 << other for other in self._emptying(index)}) for index in range(len(self._terms))]
        return tuple([(t.op in (Op.UNION, Op.EMPTY), mask) for t, mask in zip(self._terms, masks, strict=True)])

    def _emptying(self, index: int) -> tuple[int, ...]:
        """Return the terms that make a term empty, of a union together."""
        term = self._terms[index]
        if term.op is Op.FIX:
            return (self._fixpoints[term.fixpoint].bodies[term.position],)
        if term.op is Op.THROUGH:  # There is no chain without a link, a station, or what stations are in.
            return term.arguments[1:]
        if term.op in (Op.DIFFERENCE, Op.ORDER):
            return term.arguments[:1]
        return term.arguments if term.op in STRICT or term.op in (Op.UNION, Op.EMPTY) else (index,)

    def _empty_members(self, number: int, nothing: int) -> int:
        """Add the members of a fixpoint that are empty where others are: its variables begin so, and some stay."""
        fixpoint = self._fixpoints[number]
        variables = dict(zip(fixpoint.variables, fixpoint.bodies, strict=True))
        while True:
            found = nothing | sum(1 << variable for variable in variables)
            for member in fixpoint.members:
                if _vanishes(self._rules[member], found):
                    found |= 1 << member
            left = {variable: body for variable, body in variables.items() if found >> body & 1}
            if left == variables:
                return found
            variables = left


def _vanishes(rule: _Rule, nothing: int) -> bool:
    """Say whether a term is empty because others are, whatever the rest is."""
    together, others = rule
    return not others & ~nothing if together else bool(others & nothing)
