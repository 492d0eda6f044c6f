"""A program whose instructions are not yet chosen, as variables of a circuit.

What goes in: a bound and the lengths of the threads. What comes out: for each slot (one operation) literals of its
kind, location, ordering, scope, marks and tags, and for each pair of threads those of being together at a level; the
constraints that make it a program of the bound; and the program of a solution. Invariant: the solutions are programs
of the bound of this shape, and every such program has a form among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.families.bound import LEVELS, Bound
from axmem.families.enumeration import Shape
from axmem.families.operations import ORDERINGS, Kind, Operation, Place, Program
from axmem.families.placements import shared
from axmem.families.renaming import forms, renumbered
from axmem.litmus.words import NONE_TAG, SYNCHRONIZING, Ordering, Scope, Tag

T = TypeVar("T")

Truth = Callable[[int], bool]
"""The truth of a literal in a solution."""


class Attributes:
    """The literals of a symbolic program; `thread_of[slot]` is the thread of a slot."""

    def __init__(self, circuit: Circuit, bound: Bound, shape: Shape) -> None:
        self.circuit = circuit
        self.bound = bound
        self.shape = shape
        self.thread_of = [t for t, length in enumerate(shape) for _ in range(length)]
        slots = range(len(self.thread_of))
        kinds = [k for k in Kind if k in bound.kinds]
        allowed = {o for k in kinds for o in ORDERINGS[k]} & bound.orderings
        orderings = [o for o in Ordering if o in allowed]
        plain = Ordering.NOT_ATOMIC in allowed
        scopes = sorted({*bound.scopes, *([Scope.SYSTEM] if plain else [])})
        self.kind = [self._one_of(kinds) for _ in slots]
        self.location = [self._location(slot) for slot in slots]
        self.ordering = [self._one_of(orderings) for _ in slots]
        self.scope = [self._one_of(scopes) for _ in slots]
        self.av = [self._variable(bound.av and plain) for _ in slots]
        self.volatile = [self._variable(bound.volatile and plain) for _ in slots]
        alphabet = (*bound.tags, *([NONE_TAG] if bound.none and NONE_TAG not in bound.tags else []))
        self.tags: list[dict[Tag, int]] = [{tag: circuit.variable() for tag in alphabet} for _ in slots]
        self.same = self._hierarchy()
        for slot in slots:
            self._well_formed(slot)
        self._break_symmetries()
        self.last = circuit.variables
        """The last variable of the program; those of executions come after it."""

    # ------------------------------------------------------------ variables

    def _variable(self, wanted: bool) -> int:
        return self.circuit.variable() if wanted else FALSE

    def _one_of(self, values: Sequence[T]) -> dict[T, int]:
        """Return literals of which exactly one holds."""
        if len(values) == 1:
            return {values[0]: TRUE}
        if len(values) == 2:
            first = self.circuit.variable()
            return {values[0]: first, values[1]: -first}
        literals = {value: self.circuit.variable() for value in values}
        self.circuit.exactly_one(list(literals.values()))
        return literals

    def _location(self, slot: int) -> dict[int, int]:
        """An access has one location, a fence none; locations are named by first use, so early slots reach few."""
        fence = self.is_kind(slot, Kind.FENCE)
        reachable = range(min(self.bound.locations, slot + 1))
        if fence == FALSE:
            return self._one_of(list(reachable))
        literals = {x: self.circuit.variable() for x in reachable}
        self.circuit.exactly_one([fence, *literals.values()])
        return literals

    def _hierarchy(self) -> dict[str, dict[tuple[int, int], int]]:
        """Threads are together or apart at each level; inside a level they are together only if so at the one above."""
        pairs = list(combinations(range(len(self.shape)), 2))
        above = dict.fromkeys(pairs, TRUE)
        table: dict[str, dict[tuple[int, int], int]] = {}
        for level in LEVELS:
            if level in self.bound.varied:
                here = {pair: self.circuit.variable() for pair in pairs}
                self._equivalence(here)
                for pair in pairs:
                    self.circuit.add(-here[pair], above[pair])
            else:
                here = above if shared(level, self.bound) else dict.fromkeys(pairs, FALSE)
            above = table[level] = here
        return table

    def _equivalence(self, same: dict[tuple[int, int], int]) -> None:
        """Who is together with a second, and that with a third, is together with the third."""
        for a, b, c in combinations(range(len(self.shape)), 3):
            for one, two, three in (((a, b), (b, c), (a, c)), ((a, b), (a, c), (b, c)), ((a, c), (b, c), (a, b))):
                self.circuit.add(-same[one], -same[two], same[three])

    # ------------------------------------------------------------ constraints

    def is_kind(self, slot: int, *kinds: Kind) -> int:
        """Return the literal that a slot is of one of these kinds."""
        return self.circuit.disjunction([self.kind[slot].get(k, FALSE) for k in kinds])

    def has_ordering(self, slot: int, orderings: Iterable[Ordering]) -> int:
        """Return the literal that a slot has one of these orderings."""
        return self.circuit.disjunction([self.ordering[slot].get(o, FALSE) for o in orderings])

    def together(self, level: str, a: int, b: int) -> int:
        """Return the literal that two threads are in one instance of a level."""
        return TRUE if a == b else self.same[level][min(a, b), max(a, b)]

    def _well_formed(self, slot: int) -> None:
        """A slot is an operation of the bound."""
        circuit = self.circuit
        for kind, literal in self.kind[slot].items():
            # An operation has an ordering that LLVM gives its kind.
            for ordering, has in self.ordering[slot].items():
                if ordering not in ORDERINGS[kind]:
                    circuit.add(-literal, -has)
        plain = self.ordering[slot].get(Ordering.NOT_ATOMIC, FALSE)
        scopes, av = self.scope[slot], self.av[slot]
        if plain != FALSE:
            # A plain access stands at system scope; every other operation has a scope of the bound.
            circuit.add(-plain, av, scopes[Scope.SYSTEM])
            if Scope.SYSTEM not in self.bound.scopes:
                circuit.add(plain, -scopes[Scope.SYSTEM])
                circuit.add(-av, -scopes[Scope.SYSTEM])
        # Only plain accesses are volatile or av intrinsics, and not both.
        circuit.add(-av, plain)
        circuit.add(-self.volatile[slot], plain)
        circuit.add(-av, -self.volatile[slot])
        if NONE_TAG in self.tags[slot] and NONE_TAG not in self.bound.tags:
            # Only synchronizing operations are marked amdgcn-av:none.
            circuit.add(-self.tags[slot][NONE_TAG], self.has_ordering(slot, SYNCHRONIZING))

    def _break_symmetries(self) -> None:
        """Locations are named in the order of their first use; of threads of one length the first is not later."""
        for slot, locations in enumerate(self.location):
            for x, literal in locations.items():
                if x:
                    earlier = [self.location[s].get(x - 1, FALSE) for s in range(slot)]
                    self.circuit.add(-literal, *earlier)
        starts = [sum(self.shape[:t]) for t in range(len(self.shape))]
        for t in range(len(self.shape) - 1):
            if self.shape[t] == self.shape[t + 1]:
                here, there = starts[t], starts[t + 1]
                pairs = [
                    pair
                    for k in range(self.shape[t])
                    for pair in zip(self._signature(here + k), self._signature(there + k), strict=True)
                ]
                self._not_after(pairs)

    def _signature(self, slot: int) -> list[int]:
        """Return the literals by which threads are put in order: what does not depend on names."""
        return [*self.kind[slot].values(), *self.ordering[slot].values()]

    def _not_after(self, pairs: Sequence[tuple[int, int]]) -> None:
        """The first word of bits does not come after the second in dictionary order."""
        circuit, equal = self.circuit, TRUE
        for a, b in pairs:
            circuit.add(-equal, -a, b)
            agree = circuit.either(circuit.both(a, b), circuit.both(-a, -b))
            equal = circuit.both(equal, agree)

    # ------------------------------------------------------------ solutions

    def program(self, truth: Truth) -> Program:
        """Return the program of a solution."""
        slots = iter(range(len(self.thread_of)))
        threads = tuple(tuple(self._operation(next(slots), truth) for _ in range(length)) for length in self.shape)
        return Program(threads, self._places(truth))

    def _operation(self, slot: int, truth: Truth) -> Operation:
        return Operation(
            kind=_chosen(self.kind[slot], truth),
            location=next((x for x, literal in self.location[slot].items() if truth(literal)), -1),
            ordering=_chosen(self.ordering[slot], truth),
            scope=_chosen(self.scope[slot], truth),
            av=truth(self.av[slot]),
            volatile=truth(self.volatile[slot]),
            tags=frozenset(tag for tag, literal in self.tags[slot].items() if truth(literal)),
        )

    def _places(self, truth: Truth) -> tuple[Place, ...]:
        threads = range(len(self.shape))
        rows = []
        for t in threads:
            blocks = [next(u for u in threads if truth(self.together(level, u, t))) for level in LEVELS]
            rows.append((blocks[0], blocks[1], blocks[2], blocks[3]))
        return renumbered(rows)

    def block(self, program: Program) -> list[list[int]]:
        """Return clauses that exclude the forms of a program that have this shape."""
        found = []
        for form in dict.fromkeys(forms(program, self.bound.tags)):
            if tuple(map(len, form.threads)) == self.shape:
                found.append([-x for x in self.literals(form) if x != TRUE])
        return found

    def literals(self, program: Program) -> list[int]:
        """Return the literals that say which program it is; FALSE is among them if it is none of these."""
        found = []
        for slot, op in enumerate(op for body in program.threads for op in body):
            found += [
                self.kind[slot].get(op.kind, FALSE),
                self.ordering[slot].get(op.ordering, FALSE),
                self.scope[slot].get(op.scope, FALSE),
                self.av[slot] if op.av else -self.av[slot],
                self.volatile[slot] if op.volatile else -self.volatile[slot],
                *[literal if tag in op.tags else -literal for tag, literal in self.tags[slot].items()],
            ]
            if op.location >= 0:
                found.append(self.location[slot].get(op.location, FALSE))
        for depth, level in enumerate(LEVELS):
            for (a, b), literal in self.same[level].items():
                here = program.places[a][: depth + 1] == program.places[b][: depth + 1]
                found.append(literal if here else -literal)
        return found


def _chosen(literals: dict[T, int], truth: Truth) -> T:
    return next(value for value, literal in literals.items() if truth(literal))
