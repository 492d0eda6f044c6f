"""Why a fact of a model holds in an execution, or what it lacks.

What goes in: a `View`, a term and a fact. What comes out: a `Step`, a tree that derives the fact from facts of the
vocabulary by the definitions of the model; of all derivations the lightest. With prices for what an execution lacks,
the lightest derivation of a fact that does not hold names the links that are missing: a tag that should not be there,
a scope that is too narrow, an ordering that is too weak.

Every derivation weighs at least what its parts weigh and one more, so that none uses itself, in recursive definitions
either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from axmem.explain.concrete import Fact, View
from axmem.model.relation import bits
from axmem.model.terms import Op, Term

Weights = dict[int, dict[int, int]]
"""For each first event the second ones and the weights of the pairs; a set has its members under themselves."""

Price = Callable[[Term, Fact], int]
"""What a fact of the vocabulary costs that does not hold (or that holds and should not); `NEVER` if nothing buys it."""

LIGHT = 1 << 12
"""The unit of prices; what weighs less holds."""
HEAVY = 16 * LIGHT
"""What weighs this much is not considered."""
NEVER = 1 << 20


@dataclass(frozen=True, slots=True)
class Step:
    """A fact with what it follows from.

    `member` tells whether it is said to be in the term or not to be, `holds` whether it is in it in this execution. A
    leaf where the two differ is missing.
    """

    term: int
    fact: Fact
    member: bool
    holds: bool
    because: tuple[Step, ...] = ()

    def walk(self) -> Iterator[Step]:
        """Yield the steps, what a step follows from before itself."""
        for step in self.because:
            yield from step.walk()
        yield self


def nothing_for_sale(term: Term, fact: Fact) -> int:
    """Let only what holds be used."""
    return NEVER


class Proofs:
    """The lightest derivations in one execution; `price` says what may be used although it does not hold."""

    def __init__(self, view: View, price: Price = nothing_for_sale) -> None:
        self.view = view
        self.price = price
        self.terms = view.model.terms
        self._weights: dict[int, Weights] = {}
        self._fixed: set[int] = set()
        self._present = list(bits(view.present))

    def weight(self, term: int, fact: Fact) -> int:
        """Return the weight of a fact; `NEVER` if it cannot be derived."""
        return self.weights(term).get(fact[0], {}).get(fact[-1], NEVER)

    def proof(self, term: int, fact: Fact) -> Step | None:
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
            new = [_heavier(self.weights(body)) for body in fixpoint.bodies]
            if all(self._weights[v] == n for v, n in zip(fixpoint.variables, new, strict=True)):
                return
            for variable, weights in zip(fixpoint.variables, new, strict=True):
                self._weights[variable] = weights

    def _computed(self, index: int, term: Term) -> Weights:
        parts = term.arguments
        match term.op:
            case Op.BASE | Op.TAGGED:
                return self._primitive(term)
            case Op.UNION:
                return _lightest(self.weights(a) for a in parts)
            case Op.INTERSECTION:
                return _together([self.weights(a) for a in parts])
            case Op.DIFFERENCE:
                return self._difference(*parts)
            case Op.SEQUENCE:
                return _composed(self.weights(parts[0]), self.weights(parts[1]))
            case Op.INVERSE:
                return _turned(self.weights(parts[0]))
            case Op.PLUS:
                return self._closed(self.weights(parts[0]))
            case Op.IDENTITY:
                return _heavier(self.weights(parts[0]))
            case Op.CROSS:
                left, right = (_members(self.weights(a)) for a in parts)
                return {a: {b: v + w + 1 for b, w in right.items() if v + w + 1 < HEAVY} for a, v in left.items()}
            case Op.DOMAIN:
                return {a: {a: min(row.values()) + 1} for a, row in self.weights(parts[0]).items() if row}
            case Op.RANGE:
                return {b: {b: min(row.values()) + 1} for b, row in _turned(self.weights(parts[0])).items()}
            case Op.THROUGH:
                found: Weights = {}
                for a, b in self.view.facts(index):
                    found.setdefault(a, {})[b] = len(self._present)
                return found
            case Op.FIX | Op.RECVAR:
                return _heavier(self.weights(self.view.model.fixpoints[term.fixpoint].bodies[term.position]))
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
        if term.op in (Op.BASE, Op.TAGGED):
            return self.price(term, fact)
        if term.op is Op.UNION:
            return min(NEVER, sum(self._absence(a, fact) for a in term.arguments))
        if term.op is Op.INTERSECTION:
            return min(self._absence(a, fact) for a in term.arguments)
        return NEVER

    def _closed(self, step: Weights) -> Weights:
        """Return the lightest paths (by the algorithm of Floyd and Warshall)."""
        found = {a: dict(row) for a, row in step.items()}
        for k in list(found):
            for row in found.values():
                if k in row:
                    for b, w in found[k].items():
                        if row[k] + w + 1 < row.get(b, HEAVY):
                            row[b] = row[k] + w + 1
        return _heavier(found)

    # ------------------------------------------------------------ derivations

    def _step(self, index: int, fact: Fact) -> Step:
        term = self.terms[index]
        return Step(index, fact, True, self.view.has(index, fact), tuple(self._because(index, term, fact)))

    def _because(self, index: int, term: Term, fact: Fact) -> Iterable[Step]:
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
                column = _turned(self.weights(parts[0]))[first]
                return [self._step(parts[0], (min(column, key=column.__getitem__), first))]
            case Op.FIX | Op.RECVAR:
                body = self.view.model.fixpoints[term.fixpoint].bodies[term.position]
                return [self._step(body, fact)]
        return []

    def _middle(self, left: int, right: int, first: int, last: int) -> int:
        begin, end = self.weights(left)[first], self.weights(right)
        return min(begin, key=lambda m: begin[m] + end.get(m, {}).get(last, NEVER))

    def _path(self, step: int, closed: int, first: int, last: int) -> list[Step]:
        """Return the steps of a lightest path."""
        weights, paths = self.weights(step), self.weights(closed)
        found: list[Step] = []
        at = first
        while not found or at != last:

            def left(m: int, at: int = at) -> int:
                rest = 0 if m == last else paths.get(m, {}).get(last, NEVER)
                return weights[at][m] + rest

            following = min(weights[at], key=left)
            found.append(self._step(step, (at, following)))
            at = following
        return found

    def _refuted(self, index: int, fact: Fact) -> Step:
        """Return why a fact is not in a term: what it is not, or what takes it away."""
        term = self.terms[index]
        holds = self.view.has(index, fact)
        because: tuple[Step, ...] = ()
        if holds and term.op is Op.UNION:
            because = tuple(self._refuted(a, fact) for a in term.arguments if self.view.has(a, fact))
        elif holds and term.op is Op.INTERSECTION:
            because = (self._refuted(min(term.arguments, key=lambda a: self._absence(a, fact)), fact),)
        elif not holds and term.op is Op.DIFFERENCE:
            left, right = term.arguments
            if self.view.has(left, fact):
                because = (self._step(right, fact),) if self.weight(right, fact) < LIGHT else ()
            else:
                because = (self._refuted(left, fact),)
        elif not holds and term.op is Op.INTERSECTION:
            because = tuple(self._refuted(a, fact) for a in term.arguments if not self.view.has(a, fact))[:1]
        return Step(index, fact, False, holds, because)


def _heavier(weights: Weights) -> Weights:
    return {a: {b: w + 1 for b, w in row.items()} for a, row in weights.items() if row}


def _lightest(all_weights: Iterable[Weights]) -> Weights:
    found: Weights = {}
    for weights in all_weights:
        for a, row in weights.items():
            own = found.setdefault(a, {})
            for b, w in row.items():
                if w + 1 < own.get(b, HEAVY):
                    own[b] = w + 1
    return found


def _together(all_weights: list[Weights]) -> Weights:
    first, *others = sorted(all_weights, key=lambda weights: sum(map(len, weights.values())))
    found: Weights = {}
    for a, row in first.items():
        rows = [weights.get(a, {}) for weights in others]
        for b, w in row.items():
            total = w + sum(r.get(b, NEVER) for r in rows) + 1
            if total < HEAVY:
                found.setdefault(a, {})[b] = total
    return found


def _composed(left: Weights, right: Weights) -> Weights:
    found: Weights = {}
    for a, row in left.items():
        own: dict[int, int] = {}
        for m, w in row.items():
            for b, v in right.get(m, {}).items():
                if w + v + 1 < own.get(b, HEAVY):
                    own[b] = w + v + 1
        if own:
            found[a] = own
    return found


def _turned(weights: Weights) -> Weights:
    found: Weights = {}
    for a, row in weights.items():
        for b, w in row.items():
            found.setdefault(b, {})[a] = w
    return found


def _members(weights: Weights) -> dict[int, int]:
    return {a: row[a] for a, row in weights.items() if a in row}
