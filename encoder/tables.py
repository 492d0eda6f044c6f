"""Every combination of an execution's choices at once: a literal as the table of its truth over all of them.

What goes in: a circuit whose free variables are choices (`Circuit.digits`) or implied by others (`Circuit.implied`),
and groups of literals of which one each holds in every solution. What comes out: what an `Enumerator` answers, without
a solver. A table is one integer, bit n for the n-th combination, so that a gate costs one operation of the machine on
all of them, and what is asserted narrows one integer. Invariant: what is implied holds only where it has to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import compress
from operator import or_

from axmem.encoder.circuit import AND, TRUE, Circuit
from axmem.encoder.limits import SAT, UNSAT, Reason

Clause = tuple[int, ...]
Group = Sequence[int]
"""Literals of which exactly one holds in every solution; `TRUE` alone for a group that is decided."""

COMBINATIONS = 1 << 20
"""The most combinations of choices of which tables are made."""
FEW = 1 << 14
"""The same where nothing is enumerated: of more the solver finds one solution sooner."""
BITS = 1 << 25
"""The most that the tables of one circuit hold together: more take longer than the solver where solutions are few."""

SPLIT = 200
"""Outcomes that are found one by one; of more all are read off at once, which takes as long as some of them."""


def _bytes(table: int, size: int) -> int:
    """Return the integer of so many bytes each of which is a bit of a table."""
    return int.from_bytes(f"{table:0{size}b}".encode().translate(_DIGITS), "big")


_DIGITS = bytes(code & 1 for code in range(256))


class Tables:
    """The solutions of what a circuit asserts, as combinations of choices."""

    why: Reason | None = None
    """No limit is reached while questions are answered."""

    def __init__(self, circuit: Circuit, plan: _Plan, groups: Iterable[Group]) -> None:
        self.checks = 0
        self.clauses = len(plan.clauses)
        self._groups = [group for group in groups if TRUE not in group]
        self._all = (1 << plan.size) - 1
        self._tables = {abs(TRUE): self._all, **dict(plan.digits())}
        for variable in plan.order:
            self._tables[variable] = self._computed(circuit, variable)
        self._solutions = self._all
        for clause in plan.clauses:
            self._solutions &= self._any(clause)

    def check(self, assumptions: Sequence[int] = (), timeout_ms: int = 0) -> int:
        """Return SAT if a solution meets the assumptions, else UNSAT."""
        self.checks += 1
        return SAT if self._within(assumptions) else UNSAT

    def enumerate(self, found: Callable[[Clause], bool], assumptions: Sequence[int], timeout_ms: int) -> int:
        """Call `found` with each combination of literals of the open groups that a solution has, until it is False.

        UNSAT says that there are no more.
        """
        self.checks += 1
        stack: list[tuple[int, Clause]] = [(self._within(assumptions), ())]
        count = 0 if all(len(group) < 256 for group in self._groups) else SPLIT + 1
        while stack:
            if count == SPLIT:
                rest = reduce(or_, [part for part, _ in stack])
                return UNSAT if all(map(found, self._combinations(rest))) else SAT
            part, chosen = stack.pop()
            if not part:
                continue
            if len(chosen) == len(self._groups):
                count += 1
                if not found(chosen):
                    return SAT
                continue
            parts = [(part & self._table(x), x) for x in reversed(self._groups[len(chosen)])]
            if reduce(or_, [some for some, _ in parts], 0) != part:
                raise RuntimeError("a solution left an outcome open")
            stack += [(some, (*chosen, x)) for some, x in parts]
        return UNSAT

    def _combinations(self, part: int) -> Iterable[Clause]:
        """Return the combinations of the groups' literals in some solutions, read off all of them side by side."""
        size = self._all.bit_length()
        columns = []
        for group in self._groups:
            if reduce(or_, [self._table(x) for x in group]) & part != part:
                raise RuntimeError("a solution left an outcome open")
            code = 0
            for number, x in enumerate(group):
                code += number * _bytes(self._table(x) & part, size)
            columns.append(map(group.__getitem__, code.to_bytes(size, "big")))
        return dict.fromkeys(compress(zip(*columns, strict=True), map(int, f"{part:0{size}b}")))

    def close(self) -> None:
        """Nothing is held that others need."""

    def _within(self, assumptions: Iterable[int]) -> int:
        part = self._solutions
        for literal in assumptions:
            part &= self._table(literal)
        return part

    def _table(self, literal: int) -> int:
        return self._tables[literal] if literal > 0 else self._all ^ self._tables[-literal]

    def _any(self, literals: Iterable[int]) -> int:
        out = 0
        for x in literals:
            out |= self._table(x)
        return out

    def _every(self, literals: Iterable[int]) -> int:
        out = self._all
        for x in literals:
            out &= self._table(x)
        return out

    def _computed(self, circuit: Circuit, variable: int) -> int:
        gate = circuit.gates.get(variable)
        if gate is not None:
            return self._every(gate[1]) if gate[0] is AND else self._any(gate[1])
        out = 0
        for reasons in circuit.implied[variable]:
            out |= self._every(reasons)
        return out


class _Plan:
    """What tables of a circuit are to be made, in which order, over which choices; `size` is 0 if there are none."""

    def __init__(self, circuit: Circuit, asked: Iterable[int]) -> None:
        self.clauses: list[Clause] = []
        self.order: list[int] = []
        self.size = 0
        self._circuit = circuit
        digit_of = {abs(x): number for number, (literals, _) in enumerate(circuit.digits) for x in literals}
        self._used: dict[int, None] = {}
        for clause in circuit.clauses:
            if len(clause) == 2 and clause[0] < 0 and clause[1] < 0 and clause[0] != clause[1]:
                first, second = (digit_of.get(-x) for x in clause)
                if first is not None and first == second:
                    continue
            if not any(x in circuit.implied for x in clause):
                self.clauses.append(clause)
        roots = [x for clause in self.clauses for x in clause] + list(asked)
        if self._ordered(roots, digit_of):
            self.size = 1
            for number in self._used:
                self.size *= self._options(number)

    def _options(self, number: int) -> int:
        literals, total = self._circuit.digits[number]
        return len(literals) + (not total)

    def _ordered(self, roots: Iterable[int], digit_of: dict[int, int]) -> bool:
        """Put what is made of others after them; tell whether everything is made of choices, and nothing of itself."""
        gates, implied = self._circuit.gates, self._circuit.implied
        done, underway = {abs(TRUE)}, set[int]()
        stack = [abs(x) for x in roots]
        while stack:
            variable = stack[-1]
            if variable in done:
                stack.pop()
                continue
            number = digit_of.get(variable)
            if number is not None:
                self._used[number] = None
                done.add(variable)
                continue
            if variable in gates:
                inputs: Iterable[int] = gates[variable][1]
            elif variable in implied:
                inputs = [x for reasons in implied[variable] for x in reasons]
            else:
                return False
            missing = [abs(x) for x in inputs if abs(x) not in done]
            if not missing:
                done.add(variable)
                self.order.append(variable)
            elif variable in underway:
                return False
            else:
                underway.add(variable)
                stack += missing
        return True

    def digits(self) -> Iterator[tuple[int, int]]:
        """Yield the variables of the choices with their tables: the n-th combination is n written in these digits."""
        place = 1
        for number in self._used:
            literals, _ = self._circuit.digits[number]
            options = self._options(number)
            for option, variable in enumerate(literals):
                table, width = ((1 << place) - 1) << option * place, options * place
                while width < self.size:
                    table |= table << width
                    width *= 2
                yield variable, table & ((1 << self.size) - 1)
            place *= options


def tables(
    circuit: Circuit, asked: Iterable[int], groups: Iterable[Group], most: int = COMBINATIONS
) -> Tables | None:
    """Return the tables of what a circuit asserts and of what is asked, of so many combinations at most.

    None if they are too large, if a definition leads back to itself, or if something is neither a choice nor made of
    choices.
    """
    plan = _Plan(circuit, asked)
    if not 0 < plan.size <= most or plan.size * len(plan.order) > BITS:
        return None
    return Tables(circuit, plan, groups)
