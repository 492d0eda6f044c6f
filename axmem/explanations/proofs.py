"""Why a fact of a model holds in an execution, or what it lacks.

What goes in: a `ModelView`, a term and a fact. What comes out: a `Derivation`, a tree that derives the fact from
facts of the vocabulary by the definitions of the model; of all the lightest. With prices for what an execution lacks,
the lightest derivation of a fact that does not hold names the links that are missing: a tag that should not be there,
a scope that is too narrow, an ordering that is too weak.

Every derivation weighs at least what its parts weigh and one more, so that none uses itself, in recursive definitions
either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from axmem.explanations.concrete import Fact, ModelView
from axmem.explanations.weights import (
    HEAVY,
    LIGHT,
    NEVER,
    Weights,
    closed,
    composed,
    heavier,
    intersection_weights,
    lightest,
    members,
    turned,
)
from axmem.front.records import dataclass
from axmem.model.relation import bits
from axmem.model.terms import Op, Term

Price = Callable[[Term, Fact], int]
"""What a fact of the vocabulary costs that does not hold (or that holds and should not); `NEVER` if nothing buys it."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A fact with what it follows from.

    `member` tells whether it is said to be in the term or not to be, `holds` whether it is in it in this execution. A
    leaf where the two differ is missing.
    """

    term: int
    fact: Fact
    member: bool
    holds: bool
    because: tuple[Derivation, ...] = ()

    def walk(self) -> Iterator[Derivation]:
        """Yield the steps, what a step follows from before itself."""
        for step in self.because:
            yield from step.walk()
        yield self


def nothing_for_sale(term: Term, fact: Fact) -> int:
    """Let only what holds be used."""
    return NEVER


class Proofs:
    """The lightest derivations in one execution; `price` says what may be used although it does not hold."""

    def __init__(self, view: ModelView, price: Price = nothing_for_sale) -> None:
        self.view = view
        self.price = price
        self.terms = view.model.terms
        self._weights: dict[int, Weights] = {}
        self._fixed: set[int] = set()
        self._present = list(bits(view.present))

    def weight(self, term: int, fact: Fact) -> int:
        """Return the weight of a fact; `NEVER` if it cannot be derived."""
        return self.weights(term).get(fact[0], {}).get(fact[-1], NEVER)

    def proof(self, term: int, fact: Fact) -> Derivation | None:
        """Return the lightest derivation of a fact, or None."""
        return self._step(term, fact) if self.weight(term, fact) < HEAVY else None

    # ------------------------------------------------------------ weights

    def weights(self, index: int) -> Weights:
        """Return the weights of all facts of a term that can be derived."""
        if index not in self._weights:
            term = self.terms[index]
            if term.op in (Op.FIX, Op.RECVAR) and term.fixpoint not in self._fixed:
                self._fixed.add(term.fixpoint)
                self._fixpoint(term.fixpoint)
            if index not in self._weights:
                self._weights[index] = self._computed(index, term)
        return self._weights[index]

    def _fixpoint(self, number: int) -> None:
        """Weigh a recursive definition by rounds, until no derivation gets lighter."""
        fixpoint = self.view.model.fixpoints[number]
        for variable in fixpoint.variables:
            self._weights[variable] = {}
        while True:
            for member in fixpoint.members:
                if self.terms[member].op is not Op.RECVAR:
                    self._weights[member] = self._computed(member, self.terms[member])
            new = [heavier(self.weights(body)) for body in fixpoint.bodies]
            if all(self._weights[v] == n for v, n in zip(fixpoint.variables, new, strict=True)):
                return
            for variable, weights in zip(fixpoint.variables, new, strict=True):
                self._weights[variable] = weights

    def _computed(self, index: int, term: Term) -> Weights:
        parts = term.arguments
        match term.op:
            case Op.BASE | Op.TAGGED | Op.ORDER:
                return self._primitive(term)
            case Op.UNION:
                return lightest(self.weights(a) for a in parts)
            case Op.INTERSECTION:
                return intersection_weights([self.weights(a) for a in parts])
            case Op.DIFFERENCE:
                return self._difference(*parts)
            case Op.SEQUENCE:
                return composed(self.weights(parts[0]), self.weights(parts[1]))
            case Op.INVERSE:
                return turned(self.weights(parts[0]))
            case Op.PLUS:
                return closed(self.weights(parts[0]))
            case Op.IDENTITY:
                return heavier(self.weights(parts[0]))
            case Op.CROSS:
                left, right = (members(self.weights(a)) for a in parts)
                return {a: {b: v + w + 1 for b, w in right.items() if v + w + 1 < HEAVY} for a, v in left.items()}
            case Op.DOMAIN:
                return {a: {a: min(row.values()) + 1} for a, row in self.weights(parts[0]).items() if row}
            case Op.RANGE:
                return {b: {b: min(row.values()) + 1} for b, row in turned(self.weights(parts[0])).items()}
            case Op.THROUGH:
                return self._chained(index, term)
            case Op.FIX | Op.RECVAR:
                return heavier(self.weights(self.view.model.fixpoints[term.fixpoint].bodies[term.position]))
        return {}

    def _primitive(self, term: Term) -> Weights:
        value = self.view.base(term)
        if isinstance(value, int):
            single = {i: 1 if value >> i & 1 else self.price(term, (i,)) for i in self._present}
            return {i: {i: w} for i, w in single.items() if w < HEAVY}
        rows = value or (0,) * self.view.size
        if self.price is nothing_for_sale:
            return {i: dict.fromkeys(bits(row), 1) for i, row in enumerate(rows) if row}
        found = {
            i: {j: 1 if rows[i] >> j & 1 else self.price(term, (i, j)) for j in self._present} for i in self._present
        }
        return {i: {j: w for j, w in row.items() if w < HEAVY} for i, row in found.items()}

    def _chained(self, index: int, term: Term) -> Weights:
        """Weigh the chains of `through(step, link, S, c)`; one that S or c alone breaks has a price of its own."""
        around = self._around(term)
        loose = composed(composed(around, self.weights(term.arguments[1])), around)
        found: Weights = {}
        for a, row in loose.items():
            for b, w in row.items():
                weight = w if self.view.has(index, (a, b)) or w >= LIGHT else self.price(term, (a, b))
                if weight < HEAVY:
                    found.setdefault(a, {})[b] = weight
        return found

    def _around(self, term: Term) -> Weights:
        """Return the lightest paths, empty ones too, along the steps and links of a chain, wherever they lead."""
        edges = lightest(self.weights(a) for a in term.arguments[:2])
        return lightest([closed(edges), {e: {e: 0} for e in self._present}])

    def _difference(self, left: int, right: int) -> Weights:
        found: Weights = {}
        for a, row in self.weights(left).items():
            for b, w in row.items():
                fact = (a,) if self.terms[left].is_set else (a, b)
                total = w + self._absence(right, fact) + 1
                if total < HEAVY:
                    found.setdefault(a, {})[b] = total
        return found

    def _absence(self, index: int, fact: Fact) -> int:
        """Return what it costs that a fact is not in a term."""
        if not self.view.has(index, fact):
            return 1
        term = self.terms[index]
        if term.op in (Op.BASE, Op.TAGGED, Op.ORDER):
            return self.price(term, fact)
        if term.op is Op.UNION:
            return min(NEVER, sum(self._absence(a, fact) for a in term.arguments))
        if term.op is Op.INTERSECTION:
            return min(self._absence(a, fact) for a in term.arguments)
        if term.op is Op.CROSS:
            return min(self._absence(a, (end,)) for a, end in zip(term.arguments, (fact[0], fact[-1]), strict=True))
        if term.op is Op.DIFFERENCE:
            left, right = term.arguments
            return min(self._absence(left, fact), self.weight(right, fact))
        return NEVER

    # ------------------------------------------------------------ derivations

    def _step(self, index: int, fact: Fact) -> Derivation:
        term = self.terms[index]
        return Derivation(index, fact, True, self.view.has(index, fact), tuple(self._because(index, term, fact)))

    def _because(self, index: int, term: Term, fact: Fact) -> Iterable[Derivation]:
        """Return the parts of the lightest derivation of a fact that has one."""
        parts, first, last = term.arguments, fact[0], fact[-1]
        match term.op:
            case Op.UNION:
                return [self._step(min(parts, key=lambda a: self.weight(a, fact)), fact)]
            case Op.INTERSECTION:
                return [self._step(a, fact) for a in parts]
            case Op.DIFFERENCE:
                return [self._step(parts[0], fact), self._refuted(parts[1], fact)]
            case Op.SEQUENCE:
                middle = self._middle(parts[0], parts[1], first, last)
                return [self._step(parts[0], (first, middle)), self._step(parts[1], (middle, last))]
            case Op.INVERSE:
                return [self._step(parts[0], (last, first))]
            case Op.PLUS:
                return self._path(parts[0], index, first, last)
            case Op.IDENTITY:
                return [self._step(parts[0], (first,))]
            case Op.CROSS:
                return [self._step(parts[0], (first,)), self._step(parts[1], (last,))]
            case Op.DOMAIN:
                row = self.weights(parts[0])[first]
                return [self._step(parts[0], (first, min(row, key=row.__getitem__)))]
            case Op.RANGE:
                column = turned(self.weights(parts[0]))[first]
                return [self._step(parts[0], (min(column, key=column.__getitem__), first))]
            case Op.FIX | Op.RECVAR:
                body = self.view.model.fixpoints[term.fixpoint].bodies[term.position]
                return [self._step(body, fact)]
            case Op.THROUGH:
                if self.view.has(index, fact):
                    return self._stations(parts, first, last)
                return self._broken_chain(term, first, last)
        return []

    def _middle(self, left: int, right: int, first: int, last: int) -> int:
        begin, end = self.weights(left)[first], self.weights(right)
        return min(begin, key=lambda m: begin[m] + end.get(m, {}).get(last, NEVER))

    def _path(self, step: int, closed: int, first: int, last: int) -> list[Derivation]:
        """Return the steps of a lightest path."""
        weights, paths = self.weights(step), self.weights(closed)
        found: list[Derivation] = []
        at = first
        while not found or at != last:

            def left(m: int, at: int = at) -> int:
                rest = 0 if m == last else paths.get(m, {}).get(last, NEVER)
                return weights[at][m] + rest

            following = min(weights[at], key=left)
            found.append(self._step(step, (at, following)))
            at = following
        return found

    def _stations(self, parts: tuple[int, ...], first: int, last: int) -> list[Derivation]:
        """Return the edges of a shortest chain of `through(step, link, S, c)` between two events."""
        step, link, members, c = parts
        stations = {
            e for (e,) in self.view.facts(members) if self.view.has(c, (first, e)) and self.view.has(c, (e, last))
        }
        edges = [(term, pair) for term in (link, step) for pair in self.view.facts(term)]
        chains: list[list[tuple[int, Fact]]] = [[]]
        seen = {(first, False)}
        for chain in chains:
            at = chain[-1][1][1] if chain else first
            linked = any(term == link for term, _ in chain)
            if chain and at == last and linked:
                return [self._step(term, pair) for term, pair in chain]
            for term, pair in edges:
                state = (pair[1], linked or term == link)
                ends = {e for e in pair if e not in stations}
                allowed = not ends or (term == step and len(ends) == 1 and ends <= {first, last})
                if pair[0] == at and allowed and state not in seen:
                    seen.add(state)
                    chains.append([*chain, (term, pair)])
        return []

    def _broken_chain(self, term: Term, first: int, last: int) -> list[Derivation]:
        """Return the edges of a lightest chain between two events, of which some are missing, or else nothing."""
        around, link = self._around(term), term.arguments[1]
        options = [
            (around[first][x] + w + around[y][last], x, y)
            for x, row in self.weights(link).items()
            for y, w in row.items()
            if x in around[first] and last in around[y]
        ]
        weight, x, y = min(options)
        if weight < LIGHT:
            return []
        return [*self._way(term, around, first, x), self._step(link, (x, y)), *self._way(term, around, y, last)]

    def _way(self, term: Term, around: Weights, first: int, last: int) -> list[Derivation]:
        """Return the edges of a lightest path between two events along the steps and links of a chain."""
        found: list[Derivation] = []
        while first != last:
            edges = [
                (w + around[m].get(last, NEVER), m, part)
                for part in term.arguments[:2]
                for m, w in self.weights(part).get(first, {}).items()
            ]
            _, following, part = min(edges)
            found.append(self._step(part, (first, following)))
            first = following
        return found

    def _refuted(self, index: int, fact: Fact) -> Derivation:
        """Return why a fact is not in a term: what it is not, or what takes it away."""
        term = self.terms[index]
        holds = self.view.has(index, fact)
        because: tuple[Derivation, ...] = ()
        if holds and term.op is Op.UNION:
            because = tuple(self._refuted(a, fact) for a in term.arguments if self.view.has(a, fact))
        elif holds and term.op is Op.INTERSECTION:
            because = (self._refuted(min(term.arguments, key=lambda a: self._absence(a, fact)), fact),)
        elif holds and term.op is Op.CROSS:
            ends = zip(term.arguments, ((fact[0],), (fact[-1],)), strict=True)
            because = (self._refuted(*min(ends, key=lambda end: self._absence(*end))),)
        elif holds and term.op is Op.DIFFERENCE:
            left, right = term.arguments
            taken = self._absence(left, fact) <= self.weight(right, fact)
            because = (self._refuted(left, fact) if taken else self._step(right, fact),)
        elif not holds and term.op is Op.DIFFERENCE:
            left, right = term.arguments
            if self.view.has(left, fact):
                because = (self._step(right, fact),) if self.weight(right, fact) < LIGHT else ()
            else:
                because = (self._refuted(left, fact),)
        elif not holds and term.op is Op.INTERSECTION:
            because = tuple(self._refuted(a, fact) for a in term.arguments if not self.view.has(a, fact))[:1]
        return Derivation(index, fact, False, holds, because)
