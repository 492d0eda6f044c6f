"""The literal of "this pair is in this relation".

What goes in: a model's terms with their bounds, and the literals of the primitives that an execution chooses. What
comes out: on demand, for a pair of events and a term, the circuit literal that says the pair is in the relation (for
an event and a set, likewise). Only what is asked for is built, and nothing outside the bounds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from axmem.encoder.bounds import Bounds
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.termbounds import Unpacked
from axmem.model import relation as rel
from axmem.model.model import Model
from axmem.model.primitives import CHOSEN
from axmem.model.relation import Relation, bits
from axmem.model.terms import Op, Term

Pair = tuple[int, int]
Arguments = tuple[int, ...]

DEPTH = 100
"""How many terms of recursive definitions may be built one inside the other."""


class Literals:
    """Builds literals of a model's terms in a circuit.

    `executed[e]` is the literal that event e executes; `primitive(name, i, j)` gives those of `rf` and `co`.
    """

    def __init__(
        self,
        model: Model,
        found: Bounds,
        circuit: Circuit,
        executed: list[int],
        primitive: Callable[[str, int, int], int],
    ) -> None:
        self.model = model
        self.terms = model.terms
        self.may = found.may
        self.must = found.must
        self.circuit = circuit
        self.executed = executed
        self.primitive = primitive
        self.size = len(executed)
        self._packed: tuple[Sequence[int], Sequence[int]] | None = None
        self._sets: tuple[Sequence[Any], Sequence[Any]] = self.may, self.must
        if isinstance(self.may, Unpacked) and isinstance(self.must, Unpacked):
            self._sets = self._packed = self.may.integers, self.must.integers
            self._spread = self.may.form.spread
        self._rows: dict[int, Relation] = {}
        self._how = _how(model)
        self._pairs: defaultdict[int, dict[int, int]] = defaultdict(dict)
        """The literals of each term's pairs that were asked for, by i * size + j."""
        self._members: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._inverses: dict[int, Relation] = {}
        self._closures: dict[int, dict[Pair, int]] = {}
        self._through: dict[tuple[int, int], dict[Pair, int]] = {}
        self._pending: list[tuple[int, int, int, int]] = []
        self._defining = False
        self._underway: dict[Pair, int] = {}
        self.unproved = False

    # ------------------------------------------------------------ bounds

    def rows(self, term: int) -> Relation:
        """Return the upper bound of a relation term, one row per event."""
        may = self._rows.get(term)
        if may is None:
            found = self.may[term]
            assert isinstance(found, tuple)
            may = self._rows[term] = found
        return may

    def columns(self, term: int) -> Relation:
        """Return the upper bound's inverse."""
        if term not in self._inverses:
            self._inverses[term] = rel.inverse(self.rows(term))
        return self._inverses[term]

    def none(self, term: int) -> bool:
        """Say whether nothing may be in a term."""
        return not (self._packed[0][term] if self._packed is not None else self.may[term])

    def possible(self, term: int) -> list[Pair]:
        """Return the pairs of the upper bound."""
        return [(i, j) for i, row in enumerate(self.rows(term)) for j in bits(row)]

    def built(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        """Yield each fact that was asked for and is not decided by the bounds: its term, its events, its literal."""
        for term, pairs in sorted(self._pairs.items()):
            yield from ((term, divmod(bit, self.size), literal) for bit, literal in pairs.items())
        for term, members in sorted(self._members.items()):
            yield from ((term, (i,), literal) for i, literal in members.items())

    # ------------------------------------------------------------ sets

    def member(self, term: int, i: int) -> int:
        """Return the literal that event i is in a set term."""
        may, must = self._sets
        if not may[term] >> i & 1:
            return FALSE
        if must[term] >> i & 1:
            return TRUE
        members = self._members[term]
        known = members.get(i)
        if known is None:
            how, arguments = self._how[term]
            known = members[i] = how(self, term, arguments, i)
            if self._pending:
                self._finish()
        return known

    def _set_union(self, _: int, arguments: Arguments, i: int) -> int:
        return self.circuit.disjunction([self.member(a, i) for a in arguments])

    def _set_intersection(self, _: int, arguments: Arguments, i: int) -> int:
        return self.circuit.conjunction([self.member(a, i) for a in arguments])

    def _set_difference(self, _: int, arguments: Arguments, i: int) -> int:
        return self.circuit.both(self.member(arguments[0], i), -self.member(arguments[1], i))

    def _domain(self, _: int, arguments: Arguments, i: int) -> int:
        (r,) = arguments
        return self.circuit.disjunction([self.pair(r, i, j) for j in bits(self.rows(r)[i])])

    def _range(self, _: int, arguments: Arguments, i: int) -> int:
        (r,) = arguments
        return self.circuit.disjunction([self.pair(r, j, i) for j in bits(self.columns(r)[i])])

    def static_member(self, term: int, i: int) -> int:
        """Return the literal that an event is in a primitive set that may hold it."""
        return self.executed[i]

    def static_pair(self, term: int, i: int, j: int) -> int:
        """Return the literal that two events are in a static primitive relation that may relate them."""
        return self.circuit.both(self.executed[i], self.executed[j])

    # ------------------------------------------------------------ relations

    def pair(self, term: int, i: int, j: int) -> int:
        """Return the literal that (i, j) is in a relation term."""
        pairs = self._pairs[term]
        bit = i * self.size + j
        known = pairs.get(bit)
        if known is None:
            if self._packed is not None:
                may, must = self._packed
                if not may[term] >> bit & 1:
                    return FALSE
                if must[term] >> bit & 1:
                    return TRUE
            elif (bound := self._bound(term, i, j)) is not None:
                return bound
            how, arguments = self._how[term]
            known = pairs[bit] = how(self, term, arguments, i, j)
            if self._pending:
                self._finish()
        return known

    def _bound(self, term: int, i: int, j: int) -> int | None:
        """Return the literal of a pair that the bounds decide."""
        may, must = self.may[term], self.must[term]
        assert isinstance(may, tuple) and isinstance(must, tuple)
        if not may or not may[i] >> j & 1:
            return FALSE
        return TRUE if must and must[i] >> j & 1 else None

    def _base(self, term: int, _: Arguments, i: int, j: int) -> int:
        name = self.terms[term].name
        return self.primitive(name, i, j) if name in CHOSEN else self.static_pair(term, i, j)

    def order(self, term: int, i: int, j: int) -> int:
        """Return the literal of a pair of an order that an execution chooses."""
        raise AssertionError(f"no order {self.terms[term].name} is chosen here")

    def _union(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        return self.circuit.disjunction([self.pair(a, i, j) for a in arguments])

    def _intersection(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        found = []
        for a in arguments:
            literal = self.pair(a, i, j)
            if literal == FALSE:
                return FALSE
            found.append(literal)
        return self.circuit.conjunction(found)

    def _difference(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        literal = self.pair(arguments[0], i, j)
        return FALSE if literal == FALSE else self.circuit.both(literal, -self.pair(arguments[1], i, j))

    def _sequence(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        a, b = arguments
        pair, both = self.pair, self.circuit.both
        found = []
        for k in self._between(a, b, i, j):
            literal = pair(a, i, k)
            if literal != FALSE:
                found.append(both(literal, pair(b, k, j)))
        return self.circuit.disjunction(found)

    def _from_set(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        literal = self.member(arguments[0], i)
        return FALSE if literal == FALSE else self.circuit.both(literal, self.pair(arguments[1], i, j))

    def _into_set(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        literal = self.member(arguments[1], j)
        return FALSE if literal == FALSE else self.circuit.both(self.pair(arguments[0], i, j), literal)

    def _between(self, a: int, b: int, i: int, j: int) -> Iterable[int]:
        """Return the events to which (i, ·) may be in a and from which (·, j) may be in b."""
        if self._packed is None:
            return bits(self.rows(a)[i] & self.columns(b)[j])
        # Of most relations few pairs are asked for: neither their rows nor their columns are made for that.
        may, size = self._packed[0], self.size
        found = may[b] >> j & self._spread(may[a] >> i * size & (1 << size) - 1)
        return [bit // size for bit in bits(found)] if found else ()

    def _closure(self, term: int) -> dict[Pair, int]:
        """Return the literals of a transitive closure, by elimination of one event after the other."""
        if term not in self._closures:
            edges = {(i, j): self.pair(term, i, j) for i, j in self.possible(term)}
            self._closures[term] = self.closed(edges)
        return self._closures[term]

    def closed(self, edges: dict[Pair, int]) -> dict[Pair, int]:
        """Return the transitive closure of edges given by their literals."""
        return self.circuit.closed(edges)

    def _cross(self, _: int, arguments: Arguments, i: int, j: int) -> int:
        return self.circuit.both(self.member(arguments[0], i), self.member(arguments[1], j))

    # ------------------------------------------------------------ chains with conditions on their stations

    def chain(self, term: int, a: int, b: int) -> int:
        """Return the literal of a `through` pair (see `axmem.model.relation.through`)."""
        step, _, members, c = self.terms[term].arguments
        mask = self.may[members]
        assert isinstance(mask, int)
        stations = self.rows(c)[a] & self.columns(c)[b] & mask
        chains = self._station_chains(term, stations)
        circuit = self.circuit
        starts = [(x, self.pair(step, a, x)) for x in bits(stations)] + ([(a, TRUE)] if stations >> a & 1 else [])
        ends = [(y, self.pair(step, y, b)) for y in bits(stations)] + ([(b, TRUE)] if stations >> b & 1 else [])
        return circuit.disjunction(
            [
                circuit.conjunction((first, chains.get((x, y), FALSE), last))
                for x, first in starts
                if first != FALSE
                for y, last in ends
                if last != FALSE
            ]
        )

    def _station_chains(self, term: int, stations: int) -> dict[Pair, int]:
        """Return the literals of chains inside a set of stations that have a link."""
        key = (term, stations)
        if key not in self._through:
            step, link, _, _ = self.terms[term].arguments
            circuit = self.circuit
            inside = list(bits(stations))
            links = {(x, y): self.pair(link, x, y) for x in inside for y in inside}
            edges = {p: circuit.either(x, self.pair(step, *p)) for p, x in links.items()}
            around = self.closed(edges)
            for x in inside:
                around[x, x] = TRUE
            table = {}
            for x in inside:
                for y in inside:
                    table[x, y] = circuit.disjunction(
                        [
                            circuit.conjunction((around.get((x, u), FALSE), lit, around.get((v, y), FALSE)))
                            for (u, v), lit in links.items()
                            if lit != FALSE
                        ]
                    )
            self._through[key] = table
        return self._through[key]

    # ------------------------------------------------------------ recursion

    def _rule(self, term: int, i: int, j: int) -> int:
        """Return the literal of a pair of a recursive definition: that of its definition, built here and now.

        Where that comes back to the pair itself, or gets too deep, the pair has a rule variable, defined afterwards.
        """
        node = self.terms[term]
        fixpoint = self.model.fixpoints[node.fixpoint]
        variable, body = fixpoint.variables[node.position], fixpoint.bodies[node.position]
        table = self._members[variable] if node.is_set else self._pairs[variable]
        bit = i if node.is_set else i * self.size + j
        if bit in table:
            return table[bit]
        key = (variable, bit)
        recursion = self.model.analyses.recursion
        if not recursion.follows_acyclic(node.fixpoint):
            self.unproved = True
        if key not in self._underway and len(self._underway) * recursion.depth(node.fixpoint) < DEPTH:
            self._underway[key] = FALSE
            definition = self.member(body, i) if node.is_set else self.pair(body, i, j)
            rule = self._underway.pop(key)
            if rule != FALSE:
                self.circuit.define(rule, definition)
            else:
                table[bit] = definition
            return table[bit]
        literal = table[bit] = self.circuit.rule()
        if key in self._underway:
            self._underway[key] = literal
        else:
            self._pending.append((literal, body, i, j))
        return literal

    def _finish(self) -> None:
        """Build the definitions that are waiting, unless that is being done further up."""
        if self._defining or self._underway:
            return
        self._defining = True
        while self._pending:
            literal, body, i, j = self._pending.pop()
            definition = self.member(body, i) if self.terms[body].is_set else self.pair(body, i, j)
            self.circuit.define(literal, definition)
        self._defining = False


_SETS: Mapping[Op, Callable[[Literals, int, Arguments, int], int]] = {
    Op.BASE: lambda self, term, _, i: self.static_member(term, i),
    Op.TAGGED: lambda self, term, _, i: self.static_member(term, i),
    Op.UNION: Literals._set_union,
    Op.INTERSECTION: Literals._set_intersection,
    Op.DIFFERENCE: Literals._set_difference,
    Op.DOMAIN: Literals._domain,
    Op.RANGE: Literals._range,
    Op.RECVAR: lambda self, term, _, i: self._rule(term, i, i),
    Op.FIX: lambda self, term, _, i: self._rule(term, i, i),
}
_RELATIONS: Mapping[Op, Callable[[Literals, int, Arguments, int, int], int]] = {
    Op.SEQUENCE: Literals._sequence,
    Op.BASE: Literals._base,
    Op.UNION: Literals._union,
    Op.INTERSECTION: Literals._intersection,
    Op.DIFFERENCE: Literals._difference,
    Op.INVERSE: lambda self, _, arguments, i, j: self.pair(arguments[0], j, i),
    Op.IDENTITY: lambda self, _, arguments, i, j: self.member(arguments[0], i),
    Op.CROSS: Literals._cross,
    Op.PLUS: lambda self, _, arguments, i, j: self._closure(arguments[0]).get((i, j), FALSE),
    Op.ORDER: lambda self, term, _, i, j: self.order(term, i, j),
    Op.THROUGH: lambda self, term, _, i, j: self.chain(term, i, j),
    Op.RECVAR: lambda self, term, _, i, j: self._rule(term, i, j),
    Op.FIX: lambda self, term, _, i, j: self._rule(term, i, j),
}
"""How the literal of a member or a pair is made, by the operator."""


@lru_cache(maxsize=16)
def _how(model: Model) -> list[tuple[Callable[..., int], Arguments]]:
    """Return how the literals of each term of a model are made, and of which terms: also [S] ; r and r ; [S]."""
    return [_how_of(model, node) for node in model.terms]


def _how_of(model: Model, node: Term) -> tuple[Callable[..., int], Arguments]:
    arguments = node.arguments
    if node.is_set:
        return _SETS.get(node.op, _decided), arguments
    if node.op is Op.SEQUENCE:
        first, second = (model.terms[a] for a in arguments)
        if first.op is Op.IDENTITY:
            return Literals._from_set, (first.arguments[0], arguments[1])
        if second.op is Op.IDENTITY:
            return Literals._into_set, (arguments[0], second.arguments[0])
    return _RELATIONS.get(node.op, _decided), arguments


def _decided(self: Literals, term: int, *_: object) -> int:
    raise AssertionError(f"the bounds decide {self.terms[term].op}")
