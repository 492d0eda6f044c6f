"""What is plain from a model's text about recursion and about values out of thin air.

A least fixpoint whose recursion always moves a pair's second event back along a relation that the model declares
acyclic can be encoded as plain equivalences: a set of pairs that justify each other would be a cycle of that
relation. What comes out is only whether that is plain from the model's text; where it is not, the encoding unrolls.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.model.terms import Axiom, AxiomKind, Fixpoint, Op, Term

Dependencies = set[tuple[int, bool]]
"""Pairs (recursion variable, whether a step along an acyclic relation leads to it)."""


class _Unproved(Exception):
    """The recursion is not of the plain form."""


class Recursion:
    """What the terms and axioms of a model say plainly about recursion, containment, and values out of thin air."""

    def __init__(self, terms: Sequence[Term], fixpoints: Sequence[Fixpoint], axioms: Sequence[Axiom]) -> None:
        self._terms = terms
        self._fixpoints = fixpoints
        self._acyclic = {a.term for a in axioms if a.kind is AxiomKind.ACYCLIC and not (a.flag or a.negated)}
        self._follows: dict[int, bool] = {}
        self._depths: dict[int, int] = {}
        self._contained: dict[tuple[int, int], bool] = {}
        self._forbids: dict[bool, bool] = {}

    def follows_acyclic(self, number: int) -> bool:
        """Tell whether a fixpoint's recursion plainly follows a relation that an axiom makes acyclic."""
        if number not in self._follows:
            self._follows[number] = self._is_plain(self._fixpoints[number])
        return self._follows[number]

    def depth(self, number: int) -> int:
        """Return how many terms stand one inside the other in a fixpoint's bodies, down to its variables."""
        if number not in self._depths:
            found: dict[int, int] = {}
            for member in self._fixpoints[number].members:
                inside = [found.get(a, 0) for a in self._terms[member].arguments]
                found[member] = 1 + max(inside, default=0)
            self._depths[number] = max(found.values(), default=1)
        return self._depths[number]

    def contained(self, index: int, whole: int) -> bool:
        """Tell whether a term is plainly contained in another."""
        key = index, whole
        if key not in self._contained:
            self._contained[key] = index == whole or self._is_part(index, whole)
        return self._contained[key]

    def forbids_thin_air(self, *, across: bool = False) -> bool:
        """Tell whether an axiom plainly keeps a value from depending on itself: acyclic, with rf and data (or po).

        Where values go `across` from lane to lane, the axiom must have that, too.
        """
        if across not in self._forbids:
            self._forbids[across] = self._keeps_values_apart(across)
        return self._forbids[across]

    def _keeps_values_apart(self, across: bool) -> bool:
        base = {t.name: i for i, t in enumerate(self._terms) if t.op is Op.BASE}

        def has(name: str, whole: int) -> bool:
            return name in base and self.contained(base[name], whole)

        return any(
            has("rf", term) and (not across or has("xlane", term)) and (has("data", term) or has("po", term))
            for term in self._acyclic
        )

    def _is_plain(self, fixpoint: Fixpoint) -> bool:
        """Tell whether every way round a recursion steps along an acyclic relation."""
        steady: dict[int, set[int]] = {}
        try:
            for variable, body in zip(fixpoint.variables, fixpoint.bodies, strict=True):
                found = self._dependencies(body, frozenset(fixpoint.members))
                steady[variable] = {v for v, stepped in found if not stepped}
        except _Unproved:
            return False
        return _well_founded(steady)

    def _dependencies(self, index: int, members: frozenset[int]) -> Dependencies:
        term = self._terms[index]
        if term.op is Op.RECVAR:
            return {(index, False)}
        if index not in members:
            return set()
        if term.op in (Op.UNION, Op.INTERSECTION, Op.IDENTITY, Op.RANGE):
            return set().union(*(self._dependencies(a, members) for a in term.arguments))
        if term.op is Op.DIFFERENCE and not self._dependencies(term.arguments[1], members):
            return self._dependencies(term.arguments[0], members)
        if term.op is Op.SEQUENCE:
            left, right = term.arguments
            found = self._dependencies(left, members)
            if self._dependencies(right, members):
                raise _Unproved
            if not found or self._terms[right].op is Op.IDENTITY:
                return found
            if any(self.contained(right, whole) for whole in self._acyclic):
                return {(v, True) for v, _ in found}
        raise _Unproved

    def _is_part(self, index: int, whole: int) -> bool:
        """Tell whether a term is plainly contained in another one."""
        term, outer = self._terms[index], self._terms[whole]
        if term.op is Op.INTERSECTION and any(self.contained(a, whole) for a in term.arguments):
            return True
        if term.op is Op.DIFFERENCE and self.contained(term.arguments[0], whole):
            return True
        if term.op is Op.UNION and all(self.contained(a, whole) for a in term.arguments):
            return True
        if term.op is Op.SEQUENCE:
            left, right = term.arguments
            if self._terms[left].op is Op.IDENTITY and self.contained(right, whole):
                return True
            if self._terms[right].op is Op.IDENTITY and self.contained(left, whole):
                return True
        return outer.op in (Op.UNION, Op.PLUS) and any(self.contained(index, a) for a in outer.arguments)


def _well_founded(steady: dict[int, set[int]]) -> bool:
    """Tell whether the dependencies that stay on one pair have no cycle."""
    left = dict(steady)
    while left:
        free = [v for v, needs in left.items() if not needs & left.keys()]
        if not free:
            return False
        for v in free:
            del left[v]
    return True
