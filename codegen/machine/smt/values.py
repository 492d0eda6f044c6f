"""Values as literals: for each value that something may have, the condition under which it has it.

What goes in: expressions over reads, and for each read its possible values. What comes out: `Literals`, literals of a
circuit of which exactly one holds. Every set of values is finite and closed under what the program computes; more than
`LIMIT` values raise `TooManyValues`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod
from typing import TypeAlias

from axmem.codegen.machine.program import Access, MachineProgram
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, Value, apply_operation, fold
from axmem.litmus.undef import POISONED, order_of

Literals: TypeAlias = dict[Value, int]
"""The values that something may have, each with its condition."""
LIMIT = 64


class TooManyValues(Exception):
    """More values than this form of the machine can list."""


class MachineReadValues:
    """The values of a program's reads; `reads` has literals for each, of which the circuit asserts that one holds."""

    def __init__(self, program: MachineProgram, circuit: Circuit) -> None:
        self.program = program
        self.circuit = circuit
        self.domains = _domains(program)
        self.reads: dict[int, Literals] = {}
        for index, values in sorted(self.domains.items()):
            ordered = sorted(values, key=order_of)
            single = len(ordered) == 1
            self.reads[index] = {v: TRUE if single else circuit.variable() for v in ordered}
            circuit.exactly_one(list(self.reads[index].values()))
        self._arms: dict[tuple[int, int], int] = {}
        self._known: dict[Expr, Literals] = {}

    def value(self, expr: Expr) -> Literals:
        """Return the values of an expression."""
        known = self._known.get(expr)
        return known if known is not None else fold(expr, self._value, self._known)

    def _value(self, expr: Expr) -> Literals:
        match expr:
            case Constant(value):
                return {value: TRUE}
            case ReadOf(event):
                return self.reads[event]
            case Pick(choice, arms):
                return self.merged((self.arm(choice, k), self.value(arm)) for k, arm in enumerate(arms))
            case Apply("depending", _, (first, *_)):
                return self.value(first)
            case Apply("whole", _, (first, *others)):
                undef = self.circuit.disjunction([self.value(other).get(POISONED, FALSE) for other in others])
                undefined: Literals = {POISONED: TRUE} if undef != FALSE else {}
                return self.merged(((-undef, self.value(first)), (undef, undefined)))
            case Apply(operation, bits, arguments, parameters):
                parts = [self.value(a) for a in arguments]
                found: dict[Value, list[int]] = {}
                for combination in product(*(part.items() for part in parts)):
                    result = apply_operation(operation, bits, parameters, tuple(v for v, _ in combination))
                    found.setdefault(result, []).append(self.circuit.conjunction([term for _, term in combination]))
                return {value: self.circuit.disjunction(terms) for value, terms in found.items()}

    def arm(self, choice: int, arm: int) -> int:
        """Return the condition under which a choice takes an arm; none does where its expression is undef."""
        if (choice, arm) not in self._arms:
            made = self.program.choices[choice]
            assert made.expr is not None
            literals = self.value(made.expr)
            wanted, listed = made.values[arm], set(made.values)
            self._arms[choice, arm] = self.circuit.disjunction(
                [
                    term
                    for value, term in literals.items()
                    if isinstance(value, int) and wanted == (value if value in listed else None)
                ]
            )
        return self._arms[choice, arm]

    def undetermined(self, choice: int) -> int:
        """Return the condition under which no arm of a choice is taken."""
        arms = range(len(self.program.choices[choice].values))
        return -self.circuit.disjunction([self.arm(choice, arm) for arm in arms])

    def holds(self, guard: Iterable[tuple[int, int]]) -> int:
        """Return the condition under which all arms of a guard are taken."""
        return self.circuit.conjunction([self.arm(choice, arm) for choice, arm in guard])

    def nonzero(self, expr: Expr | None) -> int:
        """Return the condition under which an expression is not 0; no expression is not."""
        return TRUE if expr is None else -self.value(expr).get(0, FALSE)

    def merged(self, parts: Iterable[tuple[int, Mapping[Value, int]]]) -> Literals:
        """Return the values of what is one or the other, each under its condition."""
        found: dict[Value, list[int]] = {}
        for condition, literals in parts:
            for value, term in literals.items():
                found.setdefault(value, []).append(self.circuit.both(condition, term))
        return {value: self.circuit.disjunction(terms) for value, terms in found.items()}


# ---------------------------------------------------------------- possible values


def _domains(program: MachineProgram) -> dict[int, frozenset[Value]]:
    """Return every value that each read may return, what hardware decides among them.

    A value comes from the initial ones by a chain of writes, each of which is made once: as many rounds as writes do.
    """
    cells: dict[int, set[Value]] = {cell: {value} for cell, value in enumerate(program.initial)}
    cell_of: dict[int, int] = dict(program.finals)
    writes: list[tuple[int, Expr]] = []
    for stream in program.streams:
        for instruction in stream.instructions:
            if isinstance(instruction.operation, Access):
                for footprint in instruction.operation.footprints:
                    writes += [(w.cell, w.value) for w in footprint.writes]
                    cell_of.update({index: read.cell for read in footprint.reads for index in read.reads})
                if (decision := instruction.operation.decides) is not None:
                    cell_of[decision.read] = ~decision.read  # a cell of its own, which nobody writes
                    cells[~decision.read] = set(range(decision.values))
    for _ in writes:
        known: dict[Expr, set[Value]] = {}
        made = [(cell, _possible(expr, cells, cell_of, known)) for cell, expr in writes]
        for cell, values in made:
            cells[cell] |= values
            if len(cells[cell]) > LIMIT:
                raise TooManyValues
    return {index: frozenset(cells[cell]) for index, cell in cell_of.items()}


def _possible(
    expr: Expr, cells: Mapping[int, set[Value]], cell_of: Mapping[int, int], known: dict[Expr, set[Value]]
) -> set[Value]:
    """Return the values of an expression from those of cells; those of its parts are, and go into, `known`."""

    def possible(part: Expr) -> set[Value]:
        match part:
            case Constant(value):
                return {value}
            case ReadOf(event):
                return set(cells[cell_of[event]])
            case Pick(arms=arms):
                return set().union(*(known[arm] for arm in arms))
            case Apply("depending", _, (first, *_)):
                return known[first]
            case Apply("whole", _, (first, *others)):
                return known[first] | {POISONED for other in others if POISONED in known[other]}
            case Apply(operation, bits, arguments, parameters):
                sets = [known[a] for a in arguments]
                if prod(max(1, len(values)) for values in sets) > LIMIT * LIMIT:
                    raise TooManyValues
                return {apply_operation(operation, bits, parameters, values) for values in product(*sets)}

    return fold(expr, possible, known)
