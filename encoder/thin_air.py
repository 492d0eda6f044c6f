"""Reads whose values may depend on themselves: each has the value of its source, and none comes out of thin air unseen.

What goes in: a `Candidate`. What comes out: clauses of its circuit, and its literals that a value lies outside the
finite domains, or is none of those that were tried.
"""

from __future__ import annotations

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.execution import Candidate, OneHot
from axmem.events.values import Expr, Pick, ReadOf, fold, operands


def constrain_values(candidate: Candidate) -> None:
    """A read whose value may depend on itself has one value, that of its source, unless that lies beyond.

    Where the model forbids values out of thin air nothing lies beyond: a chain passes each write at most once.
    """
    circuit = candidate.circuit
    outside: list[int] = []
    free = _untried(candidate) if candidate.thin_air else {}
    for r in sorted(candidate.domains.looping & candidate.sources.keys()):
        literals = candidate.read(r)
        here: list[int] = []
        for value, literal in candidate._from_sources(r).items():
            if value in literals:
                circuit.add(-literal, literals[value])
            elif candidate.thin_air or candidate.domains.cut:
                here.append(literal)
            else:
                circuit.add(-literal)
        other = [free[r]] if r in free else []
        circuit.add(-candidate.executed[r], *here, *other, *literals.values())
        circuit.choose(list(literals.values()), total=candidate.executed[r] == TRUE and not here and not other)
        outside += here
    candidate.beyond = circuit.disjunction(outside)
    candidate.untried = circuit.disjunction(list(free.values()))
    if candidate.thin_air:
        _constrain_undef(candidate)


def _constrain_undef(candidate: Candidate) -> None:
    """Undef begins somewhere: a read is not undef only because it is, by way of others, computed from itself.

    It begins where a read is undef unread, and where what is written is undef although no read that it is computed
    from is, or whatever these return.
    """
    circuit = candidate.circuit
    undefs = {
        r: candidate.undefined(ReadOf(r)) for r in sorted(candidate.domains.looping & candidate.sources.keys())
    }
    if set(undefs.values()) <= {FALSE}:
        return
    edges: dict[tuple[int, int], int] = {}
    begins: dict[int, int] = {}
    at_zero: dict[Expr, OneHot] = {}
    for r, sources in candidate.sources.items():
        unread = circuit.conjunction([candidate.executed[r], *(-x for x in sources.values())])
        found = [unread] if r in candidate.undef else []
        for w, literal in sources.items():
            expr = candidate.graph.events[w].value
            assert expr is not None
            needs = _needs(candidate, expr)
            for other, needed in needs.items():
                edge = circuit.both(literal, needed)
                edges[r, other] = circuit.either(edges.get((r, other), FALSE), edge)
            defined = [-circuit.both(n, candidate.undefined(ReadOf(other))) for other, n in needs.items()]
            here = circuit.conjunction([candidate.undefined(expr), *defined])
            always = candidate.no_number(_whatever(candidate, expr, at_zero))
            found.append(circuit.both(literal, circuit.either(here, always)))
        begins[r] = circuit.disjunction(found)
    reached = circuit.closed(edges)
    for r, undef in undefs.items():
        starts = (circuit.both(reached.get((r, other), FALSE), begin) for other, begin in begins.items())
        circuit.add(-undef, begins[r], *starts)


def _whatever(candidate: Candidate, expr: Expr, known: dict[Expr, OneHot]) -> OneHot:
    """Return the values of an expression if all reads return 0: what is undef then comes from no read's undef."""

    def computed(part: Expr) -> OneHot:
        return {0: TRUE} if isinstance(part, ReadOf) else candidate.combined(part, known.__getitem__)

    return fold(expr, computed, known)


def _untried(candidate: Candidate) -> dict[int, int]:
    """A read whose value nothing bounds may have one that is not tried, if it depends on itself.

    Nothing is known then of what is computed from it: choices may go either way.
    """
    circuit, looping = candidate.circuit, candidate.domains.looping
    edges: dict[tuple[int, int], list[int]] = {}
    for r in sorted(looping & candidate.sources.keys()) if candidate.domains.unbounded else ():
        for w, literal in candidate.sources[r].items():
            for other, needed in _needs(candidate, candidate.graph.events[w].value).items():
                if other in looping:
                    edges.setdefault((r, other), []).append(circuit.both(literal, needed))
    cycles = circuit.closed({pair: circuit.disjunction(found) for pair, found in edges.items()})
    free = {}
    for r in sorted(candidate.domains.unbounded & candidate.sources.keys()):
        if cycles.get((r, r), FALSE) != FALSE:
            free[r] = circuit.switch()
            circuit.add(-free[r], cycles[r, r])
    return free


def _needs(candidate: Candidate, expr: Expr | None) -> dict[int, int]:
    """Return for each read from which an expression is computed the literal that its value matters."""
    known: dict[Expr, dict[int, int]] = {}

    def needs(part: Expr) -> dict[int, int]:
        if isinstance(part, ReadOf):
            return {part.event: TRUE}
        arms = candidate.arms[part.choice] if isinstance(part, Pick) else [TRUE] * len(operands(part))
        merged: dict[int, list[int]] = {}
        for condition, operand in zip(arms, operands(part), strict=True):
            for read, literal in known[operand].items():
                merged.setdefault(read, []).append(candidate.circuit.both(condition, literal))
        return {read: candidate.circuit.disjunction(literals) for read, literals in merged.items()}

    return {} if expr is None else fold(expr, needs, known)
