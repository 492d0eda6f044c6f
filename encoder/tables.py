"""Every combination of an execution's choices at once: a literal as the table of its truth over all of them.

What goes in: a circuit whose free variables are choices (`Circuit.digits`) or implied by others (`Circuit.implied`),
and groups of literals of which one each holds in every solution. What comes out: what an `Enumerator` answers, without
a solver. A table is one integer, bit n for the n-th combination, so that a gate costs one operation of the machine on
all of them, and what is asserted narrows one integer. Invariant: what is implied holds only where it has to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import compress
from math import prod
from operator import getitem, or_

from axmem.encoder.circuit import AND, TRUE, Circuit
from axmem.encoder.limits import SAT, UNSAT, Reason

Clause = tuple[int, ...]
Group = Sequence[int]
"""Literals of which exactly one holds in every solution; `TRUE` alone for a group that is decided."""
Choice = tuple[int, Mapping[int, Sequence[int]]]
"""How many options there are, and for each variable those under which it holds."""

COMBINATIONS = 1 << 20
"""The most combinations of choices of which tables are made."""
FEW = 1 << 14
"""The same where nothing is enumerated: of more the solver finds one solution sooner."""
BITS = 1 << 25
"""The most that the tables of one circuit hold together: more take longer than the solver where solutions are few."""
JOINED_BITS = 1 << 32
"""The same where choices have been joined, since many of the combinations that are left have solutions."""
BLOCK = 1 << 16
"""Combinations of which all tables are held at once; of the others only those are held that are asked for."""

TRIED = 1 << 17
"""The most combinations of choices that are tried when these are joined."""
OPTIONS = 1 << 12
"""The most options of a choice that is made of others."""
WORK = 1 << 18
"""What joining may cost, in gates of some thousand combinations each: a tenth of a second or two."""

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
        self.solutions = 0
        if plan.size <= BLOCK:
            self.solutions = self._computed(circuit, plan)
            return
        whole, kept = self._tables, {x: 0 for x in map(abs, plan.asked) if x not in self._tables}
        for start in range(0, plan.size, BLOCK):
            self._all = (1 << min(BLOCK, plan.size - start)) - 1
            self._tables = {x: table >> start & self._all for x, table in whole.items()}
            self.solutions |= self._computed(circuit, plan) << start
            for x in kept:
                kept[x] |= self._tables[x] << start
        self._tables, self._all = whole | kept, (1 << plan.size) - 1

    def _computed(self, circuit: Circuit, plan: _Plan) -> int:
        """Make the tables of what is made of choices; return that of the solutions."""
        for variable in plan.order:
            gate = circuit.gates.get(variable)
            if gate is not None:
                self._tables[variable] = self._every(gate[1]) if gate[0] is AND else self._any(gate[1])
            else:
                self._tables[variable] = reduce(or_, map(self._every, circuit.implied[variable]))
        solutions = self._all
        for clause in plan.clauses:
            solutions &= self._any(clause)
        return solutions

    def options(self, variables: Iterable[int]) -> Choice:
        """Return the solutions as the options of one choice, on which these variables depend."""
        size = self._all.bit_length()
        chosen = f"{self.solutions:0{size}b}"
        places = [place for place, bit in enumerate(chosen) if bit == "1"]
        texts = ((x, f"{self._tables[x]:0{size}b}") for x in variables)
        return len(places), {x: [n for n, place in enumerate(places) if text[place] == "1"] for x, text in texts}

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

    def _combinations(self, part: int) -> Iterator[Clause]:
        """Yield the combinations of the groups' literals in some solutions, read off all of them side by side.

        Each comes once. They come in parts that differ in the literal of the first group, of which one is held at once.
        """
        size = self._all.bit_length()
        columns = []
        for group in self._groups:
            if reduce(or_, [self._table(x) for x in group]) & part != part:
                raise RuntimeError("a solution left an outcome open")
            code = 0
            for number, x in enumerate(group):
                code += number * _bytes(self._table(x) & part, size)
            columns.append(code.to_bytes(size, "big"))
        for start in range(8):
            here = _bytes(self._any(self._groups[0][start::8]) & part, size).to_bytes(size, "big")
            for numbers in dict.fromkeys(map(bytes, compress(zip(*columns, strict=True), here))):
                yield tuple(map(getitem, self._groups, numbers))

    def close(self) -> None:
        """Nothing is held that others need."""

    def _within(self, assumptions: Iterable[int]) -> int:
        part = self.solutions
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


class _Plan:
    """What tables of a circuit are to be made, in which order, over which choices; `size` is 0 if there are none.

    A choice's name has a bit for each of the circuit's digits that it stands for.
    """

    def __init__(
        self, circuit: Circuit, clauses: Iterable[Clause], asked: Sequence[int], choices: Mapping[int, Choice]
    ) -> None:
        self.clauses: list[Clause] = []
        self.asked = asked
        self.order: list[int] = []
        self._circuit = circuit
        choice_of = {x: name for name, (_, held) in choices.items() for x in held}
        self._used: dict[int, None] = {}
        for clause in clauses:
            if len(clause) == 2 and clause[0] < 0 and clause[1] < 0 and clause[0] != clause[1]:
                first, second = (choice_of.get(-x) for x in clause)
                if first is not None and first == second:
                    continue
            if not any(x in circuit.implied for x in clause):
                self.clauses.append(clause)
        ordered = self._ordered([x for clause in self.clauses for x in clause] + [*asked], choice_of)
        self.choices = {name: choices[name] for name in self._used}
        self.size = _size(self.choices) if ordered else 0

    def inputs(self, variable: int) -> Iterable[int] | None:
        """Return of what a variable is made; None if it is not."""
        if variable in self._circuit.gates:
            return self._circuit.gates[variable][1]
        reasons = self._circuit.implied.get(variable)
        return None if reasons is None else [x for each in reasons for x in each]

    def _ordered(self, roots: Iterable[int], choice_of: dict[int, int]) -> bool:
        """Put what is made of others after them; tell whether everything is made of choices, and nothing of itself."""
        done, underway = {abs(TRUE)}, set[int]()
        stack = [abs(x) for x in roots]
        while stack:
            variable = stack[-1]
            if variable in done:
                stack.pop()
                continue
            name = choice_of.get(variable)
            if name is not None:
                self._used[name] = None
                done.add(variable)
                continue
            inputs = self.inputs(variable)
            if inputs is None:
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
        for options, held in self.choices.values():
            for variable, numbers in held.items():
                table, width = sum(((1 << place) - 1) << option * place for option in numbers), options * place
                while width < self.size:
                    table |= table << width
                    width *= 2
                yield variable, table & ((1 << self.size) - 1)
            place *= options

    def joined(self, most: int) -> _Plan:
        """Return a plan with some choices joined to one, if that leaves so many combinations at most, else this one.

        The options of a joined choice are the combinations of its parts that the clauses about these alone leave. Those
        are joined first of whose combinations the smallest share is left.
        """
        if len(self.choices) * len(self.clauses) > WORK:
            return self
        choices, shares, work = self.choices, dict[tuple[int, ...], float](), 0
        about = {abs(TRUE): 0} | {x: name for name, (_, held) in choices.items() for x in held}
        for variable in self.order:
            about[variable] = reduce(or_, [about[abs(x)] for x in self.inputs(variable) or ()], 0)
        clauses = [(reduce(or_, [about[abs(x)] for x in clause], 0), clause) for clause in self.clauses]

        def alone(names: tuple[int, ...]) -> _Plan:
            others = sum([name for name in several if name not in names])
            inside = [clause for support, clause in clauses if not support & others]
            return _Plan(self._circuit, inside, (), choices)

        while _size(choices) > most:
            several = [name for name, (options, _) in choices.items() if options > 1]
            for names in dict.fromkeys([tuple([name for name in several if name & x]) for x, _ in clauses]):
                if names and names not in shares and _size({name: choices[name] for name in names}) <= TRIED:
                    plan = alone(names)
                    work += len(clauses) + len(plan.order) * (1 + (plan.size >> 12))
                    if work > WORK:
                        return self
                    count = Tables(self._circuit, plan, ()).solutions.bit_count()
                    shares[names] = count / plan.size if count <= OPTIONS else 1
            fewer = sorted([names for names, share in shares.items() if share < 1], key=shares.__getitem__)
            if not fewer:
                return self
            for names in [names for names in fewer if len(names) == 1] or fewer[:1]:
                made = Tables(self._circuit, alone(names), ())
                joined = made.options([x for name in names for x in choices[name][1]])
                choices = {name: choice for name, choice in choices.items() if name not in names} | {sum(names): joined}
                shares = {others: share for others, share in shares.items() if not {*others} & {*names}}
        return _Plan(self._circuit, self.clauses, self.asked, choices)


def _size(choices: Mapping[int, Choice]) -> int:
    """Return how many combinations choices have."""
    return prod([options for options, _ in choices.values()])


def tables(
    circuit: Circuit, asked: Iterable[int], groups: Iterable[Group], most: int = COMBINATIONS, thinkable: int = 0
) -> Tables | None:
    """Return the tables of what a circuit asserts and of what is asked, of so many combinations at most.

    Where there are more, and as many outcomes are `thinkable`, choices are joined. None if the tables are too large, if
    a definition leads back to itself, or if something is neither a choice nor made of choices.
    """
    choices = {
        1 << number: (len(literals) + (not total), {x: (option,) for option, x in enumerate(literals)})
        for number, (literals, total) in enumerate(circuit.digits)
    }
    plan, bits = _Plan(circuit, circuit.clauses, [*asked], choices), BITS
    if plan.size > most and thinkable > most:
        plan, bits = plan.joined(most), JOINED_BITS
    if not 0 < plan.size <= most or plan.size * len(plan.order) > bits:
        return None
    return Tables(circuit, plan, groups)
