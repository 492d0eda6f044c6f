"""What is plain from a model's text about recursion and about values out of thin air.

A least fixpoint whose recursion always moves a pair's second event back along a relation that the model declares
acyclic can be encoded as plain equivalences: a set of pairs that justify each other would be a cycle of that
relation. What comes out is only whether that is plain from the model's text; where it is not, the encoding unrolls.
"""

from __future__ import annotations

from functools import lru_cache

from axmem.model.terms import AxiomKind, Model, Op

Dependencies = set[tuple[int, bool]]
"""Pairs (recursion variable, whether a step along an acyclic relation leads to it)."""


class _Unproved(Exception):
    """The recursion is not of the plain form."""


@lru_cache(maxsize=256)
def follows_acyclic(model: Model, number: int) -> bool:
    """Tell whether a fixpoint's recursion plainly follows a relation that an axiom makes acyclic."""
    acyclic = {a.term for a in model.axioms if a.kind is AxiomKind.ACYCLIC and not a.flag and not a.negated}
    fixpoint = model.fixpoints[number]
    steady: dict[int, set[int]] = {}
    try:
        for variable, body in zip(fixpoint.variables, fixpoint.bodies, strict=True):
            found = _dependencies(model, body, frozenset(fixpoint.members), acyclic)
            steady[variable] = {v for v, stepped in found if not stepped}
    except _Unproved:
        return False
    return _well_founded(steady)


@lru_cache(maxsize=256)
def depth(model: Model, number: int) -> int:
    """Return how many terms stand one inside the other in a fixpoint's bodies, down to its variables."""
    found: dict[int, int] = {}
    for member in model.fixpoints[number].members:
        inside = [found.get(a, 0) for a in model.terms[member].arguments]
        found[member] = 1 + max(inside, default=0)
    return max(found.values(), default=1)


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


def _dependencies(model: Model, index: int, members: frozenset[int], acyclic: set[int]) -> Dependencies:
    term = model.terms[index]
    if term.op is Op.RECVAR:
        return {(index, False)}
    if index not in members:
        return set()
    if term.op in (Op.UNION, Op.INTERSECTION, Op.IDENTITY, Op.RANGE):
        return set().union(*(_dependencies(model, a, members, acyclic) for a in term.arguments))
    if term.op is Op.DIFFERENCE and not _dependencies(model, term.arguments[1], members, acyclic):
        return _dependencies(model, term.arguments[0], members, acyclic)
    if term.op is Op.SEQUENCE:
        left, right = term.arguments
        found = _dependencies(model, left, members, acyclic)
        if _dependencies(model, right, members, acyclic):
            raise _Unproved
        if not found or model.terms[right].op is Op.IDENTITY:
            return found
        if any(contained(model, right, h) for h in acyclic):
            return {(v, True) for v, _ in found}
    raise _Unproved


@lru_cache(maxsize=1 << 13)
def contained(model: Model, index: int, whole: int) -> bool:
    """Tell whether a term is plainly contained in another."""
    if index == whole:
        return True
    term, outer = model.terms[index], model.terms[whole]
    if term.op is Op.INTERSECTION and any(contained(model, a, whole) for a in term.arguments):
        return True
    if term.op is Op.DIFFERENCE and contained(model, term.arguments[0], whole):
        return True
    if term.op is Op.UNION and all(contained(model, a, whole) for a in term.arguments):
        return True
    if term.op is Op.SEQUENCE:
        left, right = term.arguments
        if model.terms[left].op is Op.IDENTITY and contained(model, right, whole):
            return True
        if model.terms[right].op is Op.IDENTITY and contained(model, left, whole):
            return True
    return outer.op in (Op.UNION, Op.PLUS) and any(contained(model, index, a) for a in outer.arguments)


@lru_cache(maxsize=256)
def forbids_thin_air(model: Model, *, across: bool = False) -> bool:
    """Tell whether an axiom plainly keeps a value from depending on itself: acyclic, with rf and data (or po).

    Where values go `across` from lane to lane, the axiom must have that, too.
    """
    base = {t.name: i for i, t in enumerate(model.terms) if t.op is Op.BASE}
    return any(
        a.kind is AxiomKind.ACYCLIC
        and not (a.flag or a.negated)
        and "rf" in base
        and contained(model, base["rf"], a.term)
        and (not across or ("xlane" in base and contained(model, base["xlane"], a.term)))
        and any(name in base and contained(model, base[name], a.term) for name in ("data", "po"))
        for a in model.axioms
    )
