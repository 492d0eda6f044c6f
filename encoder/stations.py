"""Literals of a program that is open: which events are stations of a chain depends on literals, too.

What goes in: what `encoder.literals` builds on. What comes out: the literals of `through` pairs, of whose stations
nothing is decided; all others are as there.
"""

from __future__ import annotations

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.literals import Literals
from axmem.front.typing import override


class OpenLiterals(Literals):
    """Literals of a program that is open: which events are stations of a chain depends on literals, too."""

    @override
    def chain(self, term: int, a: int, b: int) -> int:
        """Return the literal of a `through` pair, where it is open too which events may be stations."""
        step, link, members, c = self.terms[term].arguments
        circuit = self.circuit
        stations = {}
        for x in range(self.size):
            literal = circuit.conjunction((self.member(members, x), self.pair(c, a, x), self.pair(c, x, b)))
            if literal != FALSE:
                stations[x] = literal
        edges: dict[tuple[int, int], int] = {}
        links: dict[tuple[int, int], int] = {}
        for x, here in stations.items():
            for y, there in stations.items():
                inside = circuit.both(here, there)
                links[x, y] = circuit.both(inside, self.pair(link, x, y))
                edges[x, y] = circuit.either(links[x, y], circuit.both(inside, self.pair(step, x, y)))
        around = self.closed(edges)
        for x, here in stations.items():
            around[x, x] = here
        # From a (a station itself, or before the first) over the links, to b likewise.
        first = {x: circuit.either(self.pair(step, a, x), TRUE if x == a else FALSE) for x in stations}
        last = {y: circuit.either(self.pair(step, y, b), TRUE if y == b else FALSE) for y in stations}
        to_link = {
            u: circuit.disjunction([circuit.both(first[x], around.get((x, u), FALSE)) for x in stations])
            for u in stations
        }
        from_link = {
            v: circuit.disjunction([circuit.both(around.get((v, y), FALSE), last[y]) for y in stations])
            for v in stations
        }
        return circuit.disjunction(
            [circuit.conjunction((to_link[u], x, from_link[v])) for (u, v), x in links.items() if x != FALSE]
        )
