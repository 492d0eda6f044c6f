r"""Terms as they are built: hash-consed, simplified, in an order in which arguments come first.

What goes in: operators over indices of terms built before. What comes out: indices, and at the end the terms that
somebody needs, renumbered. Equal terms have one index, so equality of terms is equality of indices. Unions and
intersections are flattened, sorted and free of duplicates, except that a named definition stays one argument: an
explanation of `hb | c` can then speak of `hb`. No rule takes `_` for the universe: final reads are outside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from axmem.model.terms import Fixpoint, Op, Term, below


class Builder:
    """The terms of one model while it is elaborated."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.fixpoints: list[Fixpoint] = []
        self.named: set[int] = set()  # terms that some definition names; they stay whole inside unions
        self._index: dict[Term, int] = {}
        self._rising: list[frozenset[int]] = []  # per term, as `grows_with` returns it
        self._falling: list[frozenset[int]] = []  # likewise those with whose variables it shrinks
        self.empty_relation = self.add(Term(Op.EMPTY))
        self.empty_set = self.add(Term(Op.EMPTY, is_set=True))
        self.every = self.base("_", is_set=True)
        self.id = self.base("id", is_set=False)

    def add(self, term: Term) -> int:
        """Return the index of this very term, new or not."""
        if term in self._index:
            return self._index[term]
        kept, taken = (term.arguments[:1], term.arguments[1:]) if term.op is Op.DIFFERENCE else (term.arguments, ())
        own: frozenset[int] = frozenset((term.fixpoint,)) if term.op is Op.RECVAR else frozenset()
        rising, falling = self._rising, self._falling
        grows = own.union(*(rising[a] for a in kept), *(falling[a] for a in taken))
        shrinks = frozenset[int]().union(*(falling[a] for a in kept), *(rising[a] for a in taken))
        rising.append(grows)
        falling.append(shrinks)
        self.terms.append(term)
        self._index[term] = len(self.terms) - 1
        return len(self.terms) - 1

    def open_in(self, index: int) -> frozenset[int]:
        """Return the unfinished fixpoints on whose variables the term depends."""
        return self._rising[index] | self._falling[index]

    def grows_with(self, index: int) -> frozenset[int]:
        """Return the unfinished fixpoints with whose variables the term grows (or may grow, if it also shrinks)."""
        return self._rising[index]

    def shrinks_with(self, index: int) -> frozenset[int]:
        """Return the unfinished fixpoints with whose variables the term shrinks, as what is taken away from others."""
        return self._falling[index]

    def is_set(self, index: int) -> bool:
        """Tell whether the term is a set."""
        return self.terms[index].is_set

    def is_empty(self, index: int) -> bool:
        """Tell whether the term is the empty set or relation itself."""
        return self.terms[index].op is Op.EMPTY

    def empty(self, is_set: bool) -> int:
        """Return the empty set or relation."""
        return self.empty_set if is_set else self.empty_relation

    def base(self, name: str, is_set: bool) -> int:
        """Return the primitive of this name."""
        return self.add(Term(Op.BASE, name=name, is_set=is_set))

    def tagged(self, tag: str) -> int:
        """Return the set of the events with an MMRA tag."""
        return self.add(Term(Op.TAGGED, name=tag, is_set=True))

    def union(self, arguments: Iterable[int]) -> int:
        """Return a | b | …"""
        parts = self._flat(Op.UNION, arguments)
        is_set = self.is_set(parts[0])
        kept = sorted({p for p in parts if not self.is_empty(p)})
        if not kept:
            return self.empty(is_set)
        return kept[0] if len(kept) == 1 else self.add(Term(Op.UNION, tuple(kept), is_set=is_set))

    def intersection(self, arguments: Iterable[int]) -> int:
        """Return a & b & …"""
        parts = self._flat(Op.INTERSECTION, arguments)
        is_set = self.is_set(parts[0])
        if any(self.is_empty(p) for p in parts):
            return self.empty(is_set)
        kept = sorted(set(parts))
        return kept[0] if len(kept) == 1 else self.add(Term(Op.INTERSECTION, tuple(kept), is_set=is_set))

    def _flat(self, op: Op, arguments: Iterable[int]) -> list[int]:
        out: list[int] = []
        for a in arguments:
            # A named part is kept although a flat union would share more: proofs and citations go by definitions.
            term = self.terms[a]
            out += term.arguments if term.op is op and a not in self.named else (a,)
        return out

    def difference(self, left: int, right: int) -> int:
        r"""Return left \ right."""
        is_set = self.is_set(left)
        if left == right or self.is_empty(left):
            return self.empty(is_set)
        if self.is_empty(right):
            return left
        return self.add(Term(Op.DIFFERENCE, (left, right), is_set=is_set))

    def complement(self, operand: int) -> int:
        """Return ~operand."""
        everything = self.every if self.is_set(operand) else self.cross(self.every, self.every)
        return self.difference(everything, operand)

    def sequence(self, parts: Sequence[int]) -> int:
        """Return r ; s ; …, grouped to the right."""
        out = parts[-1]
        for part in reversed(parts[:-1]):
            out = self._join(part, out)
        return out

    def _join(self, left: int, right: int) -> int:
        if self.is_empty(left) or self.is_empty(right):
            return self.empty_relation
        if left == self.id:
            return right
        if right == self.id:
            return left
        # Only a pair of selections is one: `[S] ; [T] ; r` nests to the right, and selects rows of r twice.
        first, second = self.terms[left], self.terms[right]
        if first.op is second.op is Op.IDENTITY:
            return self.identity(self.intersection((*first.arguments, *second.arguments)))
        return self.add(Term(Op.SEQUENCE, (left, right)))

    def inverse(self, r: int) -> int:
        """Return r^-1."""
        term = self.terms[r]
        if term.op in (Op.EMPTY, Op.IDENTITY) or r == self.id:
            return r
        if term.op is Op.INVERSE:
            return term.arguments[0]
        if term.op is Op.CROSS:
            return self.cross(term.arguments[1], term.arguments[0])
        return self.add(Term(Op.INVERSE, (r,)))

    def plus(self, r: int) -> int:
        """Return r+."""
        term = self.terms[r]
        if term.op in (Op.EMPTY, Op.IDENTITY, Op.PLUS) or r == self.id:
            return r
        # (id | s)+ is id | s+, so that closures never have the identity inside: bounds and clauses would pay for it.
        if term.op is Op.UNION and self.id in term.arguments:
            rest = self.union(a for a in term.arguments if a != self.id)
            return self.union((self.id, self.plus(rest)))
        return self.add(Term(Op.PLUS, (r,)))

    def identity(self, members: int) -> int:
        """Return [S]."""
        return self.empty_relation if self.is_empty(members) else self.add(Term(Op.IDENTITY, (members,)))

    def cross(self, left: int, right: int) -> int:
        """Return S * T."""
        if self.is_empty(left) or self.is_empty(right):
            return self.empty_relation
        return self.add(Term(Op.CROSS, (left, right)))

    def end(self, op: Op, r: int) -> int:
        """Return domain(r) or range(r), as `op` says."""
        term = self.terms[r]
        if term.op is Op.EMPTY:
            return self.empty_set
        return term.arguments[0] if term.op is Op.IDENTITY else self.add(Term(op, (r,), is_set=True))

    def through(self, step: int, link: int, stations: int, c: int) -> int:
        """Return through(step, link, S, c)."""
        if any(self.is_empty(a) for a in (link, stations, c)):
            return self.empty_relation
        return self.add(Term(Op.THROUGH, (step, link, stations, c)))

    def begin_fixpoint(self, names: Sequence[str], kinds: Sequence[bool]) -> tuple[int, tuple[int, ...]]:
        """Return a new fixpoint's number and its variables; `kinds` tells which are sets."""
        number = len(self.fixpoints)
        variables = tuple(
            self.add(Term(Op.RECVAR, is_set=is_set, fixpoint=number, position=i)) for i, is_set in enumerate(kinds)
        )
        self.fixpoints.append(Fixpoint(tuple(names), variables, (), ()))
        return number, variables

    def end_fixpoint(self, number: int, bodies: Sequence[int]) -> tuple[int, ...]:
        """Give a fixpoint its bodies and return the terms of its values; without recursion these are the bodies."""
        begun = self.fixpoints[number]
        # `let rec` of what is not recursive: no fixpoint is left behind that somebody would iterate.
        if not any(number in self.open_in(b) for b in bodies):
            return tuple(bodies)
        inside = (i for i in below(self.terms, self.fixpoints, bodies) if number in self.open_in(i))
        members = sorted(i for i in inside if self.terms[i].op is not Op.RECVAR)
        self.fixpoints[number] = Fixpoint(begun.names, begun.variables, tuple(bodies), tuple(members))
        return tuple(
            self.add(Term(Op.FIX, is_set=self.is_set(body), fixpoint=number, position=i))
            for i, body in enumerate(bodies)
        )

    def compact(self, roots: Iterable[int]) -> Compaction:
        """Return the terms and fixpoints that `roots` need, renumbered in the same order."""
        kept = sorted(below(self.terms, self.fixpoints, roots))
        return Compaction(self.terms, self.fixpoints, kept)


class Compaction:
    """The kept terms and fixpoints under new numbers; `place` maps an old index to the new one."""

    def __init__(self, terms: Sequence[Term], fixpoints: Sequence[Fixpoint], kept: Sequence[int]) -> None:
        self.place = {old: new for new, old in enumerate(kept)}
        numbers = sorted({terms[i].fixpoint for i in kept} - {-1})
        number_of = {-1: -1} | {old: new for new, old in enumerate(numbers)}
        self.terms = tuple(
            Term(
                op=t.op,
                arguments=self._places(t.arguments),
                name=t.name,
                is_set=t.is_set,
                fixpoint=number_of[t.fixpoint],
                position=t.position,
            )
            for t in (terms[i] for i in kept)
        )
        self.fixpoints = tuple(
            Fixpoint(f.names, self._places(f.variables), self._places(f.bodies), self._places(f.members))
            for f in (fixpoints[n] for n in numbers)
        )

    def _places(self, indices: Iterable[int]) -> tuple[int, ...]:
        return tuple(self.place[i] for i in indices)
