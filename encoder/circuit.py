"""Boolean circuits and their clauses.

A literal is a non-zero integer, negative for a negated variable, as in DIMACS; `TRUE` and `FALSE` are literals too.
Gates are hash-consed and simplified when made. A rule variable (of a recursive definition) is made before its
definition is known, so the circuit may have cycles through rule variables; `cut_cycles` gives those their least
solution. Clauses are written out for the cone of what is asserted, each gate only in the direction that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from axmem.encoder.joined import Gate, joined

TRUE = 1
FALSE = -1

AND = True
OR = False


class Circuit:
    """Variables, gates and asserted clauses of one query."""

    def __init__(self) -> None:
        self.variables = 1
        self.gates: dict[int, Gate] = {}
        self.rules: set[int] = set()
        self.clauses: list[tuple[int, ...]] = [(TRUE,)]
        self.digits: list[tuple[tuple[int, ...], bool]] = []
        """Variables of which at most one holds, or, if that is said, just one; nothing else says which."""
        self.implied: dict[int, list[tuple[int, ...]]] = {}
        """Variables that hold where all of some others do, each of them a reason, and that nothing asks to hold."""
        self._known: dict[Gate, int] = {}
        self._cut_rules: set[int] = set()
        """The rule variables on which no cycle is left."""

    def variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def rule(self) -> int:
        """Return a new rule variable; `define` must give its meaning."""
        variable = self.variable()
        self.rules.add(variable)
        return variable

    def define(self, rule: int, literal: int) -> None:
        """Say what a rule variable is equivalent to."""
        self.gates[rule] = (OR, (literal,))

    def conjunction(self, literals: Sequence[int]) -> int:
        """Return the literal of a conjunction."""
        return self._gate(AND, literals)

    def disjunction(self, literals: Sequence[int]) -> int:
        """Return the literal of a disjunction."""
        return self._gate(OR, literals)

    def both(self, a: int, b: int) -> int:
        """Return a ∧ b."""
        if a == TRUE:
            return b
        if a == b or b == TRUE:
            return a
        if a == FALSE or b == FALSE or a == -b:
            return FALSE
        key = (AND, (a, b) if a < b else (b, a))
        return self._known.get(key) or self._absorbed(AND, a, b) or self._new(key)

    def either(self, a: int, b: int) -> int:
        """Return a ∨ b."""
        if a == FALSE:
            return b
        if a == b or b == FALSE:
            return a
        if a == TRUE or b == TRUE or a == -b:
            return TRUE
        key = (OR, (a, b) if a < b else (b, a))
        return self._known.get(key) or self._absorbed(OR, a, b) or self._new(key)

    def _absorbed(self, kind: bool, a: int, b: int) -> int:
        """Return what a gate of two literals comes to where one is an input of the other, else 0.

        So a ∨ (a ∨ x) is a ∨ x, and a ∨ (a ∧ x) is a.
        """
        gates = self.gates
        gate = gates.get(b)
        if gate is not None and a in gate[1]:
            return b if gate[0] is kind else a
        gate = gates.get(a)
        if gate is not None and b in gate[1]:
            return a if gate[0] is kind else b
        return 0

    def at_least(self, count: int, literals: Iterable[int]) -> int:
        """Return the literal that so many of the literals hold, counted one after the other."""
        reached = [TRUE] + [FALSE] * count
        for x in literals:
            reached = [TRUE] + [self.either(b, self.both(x, a)) for a, b in pairwise(reached)]
        return reached[count]

    def _gate(self, kind: bool, literals: Sequence[int]) -> int:
        if len(literals) == 2:
            return self.both(*literals) if kind else self.either(*literals)
        neutral, absorbing = (TRUE, FALSE) if kind else (FALSE, TRUE)
        inputs = set(literals)
        inputs.discard(neutral)
        if len(inputs) > 2:
            if absorbing in inputs or not inputs.isdisjoint([-x for x in inputs]):
                return absorbing
            key = (kind, tuple(sorted(inputs)))
            return self._known.get(key) or self._new(key)
        if len(inputs) == 2:
            return self.both(*inputs) if kind else self.either(*inputs)
        return inputs.pop() if inputs else neutral

    def _new(self, gate: Gate) -> int:
        self.variables += 1
        self._known[gate] = self.variables
        self.gates[self.variables] = gate
        return self.variables

    def closed(self, edges: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return the transitive closure of edges given by their literals (Warshall, over what is possible)."""
        table = {p: x for p, x in edges.items() if x != FALSE}
        successors: dict[int, set[int]] = {}
        predecessors: dict[int, set[int]] = {}
        for i, j in table:
            successors.setdefault(i, set()).add(j)
            predecessors.setdefault(j, set()).add(i)
        middles = sorted(
            successors.keys() & predecessors.keys(), key=lambda k: (len(successors[k]) * len(predecessors[k]), k)
        )
        for k in middles:
            for i in sorted(predecessors[k]):
                first = table[i, k]
                for j in sorted(successors[k]):
                    through = self.both(first, table[k, j])
                    table[i, j] = self.either(table.get((i, j), FALSE), through)
                    successors.setdefault(i, set()).add(j)
                    predecessors.setdefault(j, set()).add(i)
        return table

    def cyclic(self, edges: dict[tuple[int, int], int]) -> int:
        """Return the literal that edges given by their literals form a cycle.

        One event is eliminated after the other, the one with the fewest neighbours first: whoever reaches it reaches
        whomever it reaches. That takes a third of the gates of a transitive closure.
        """
        table = {p: x for p, x in edges.items() if x != FALSE}
        cycles = [table.pop((i, i)) for i, j in [*table] if i == j]
        successors: dict[int, set[int]] = {}
        predecessors: dict[int, set[int]] = {}
        for i, j in table:
            successors.setdefault(i, set()).add(j)
            predecessors.setdefault(j, set()).add(i)
        left = successors.keys() & predecessors.keys()
        while left:
            k = min(left, key=lambda e: (len(successors[e]) * len(predecessors[e]), e))
            left.remove(k)
            before, after = predecessors.pop(k), successors.pop(k)
            for b in after:
                if b in predecessors:
                    predecessors[b].discard(k)
            for a in before:
                if a in successors:
                    successors[a].discard(k)
            for a in sorted(before & left):
                first = table[a, k]
                for b in sorted(after & left):
                    through = self.both(first, table[k, b])
                    if a == b:
                        cycles.append(through)
                    elif through != FALSE:
                        table[a, b] = self.either(table.get((a, b), FALSE), through)
                        successors[a].add(b)
                        predecessors[b].add(a)
        return self.disjunction(cycles)

    def add(self, *literals: int) -> None:
        """Assert a clause."""
        if TRUE not in literals:
            self.clauses.append(tuple([x for x in literals if x != FALSE]))

    def refute(self, literal: int) -> None:
        """Assert that a literal is false; a conjunction becomes one clause, of a disjunction every part is refuted."""
        parts = [literal]
        seen = {literal}
        for x in parts:
            gate = self.gates.get(x)
            if gate is None or x in self.rules:
                self.add(-x)
            elif gate[0] is AND:
                self.add(*[-y for y in gate[1]])
            else:
                parts += [y for y in gate[1] if y not in seen]
                seen.update(gate[1])

    def switch(self) -> int:
        """Return a new variable that is free to hold or not."""
        variable = self.variable()
        self.digits.append(((variable,), False))
        return variable

    def choose(self, variables: Sequence[int], *, total: bool) -> None:
        """Assert that at most one of some variables holds, which are free but for that (`total`: one does anyway)."""
        self.digits.append((tuple(variables), total))
        self.at_most_one(variables)

    def entail(self, variable: int, *reasons: int) -> None:
        """Assert that a variable holds where all of others do."""
        self.add(*[-x for x in reasons], variable)
        self.implied.setdefault(variable, []).append(reasons)

    def exactly_one(self, literals: Sequence[int]) -> None:
        """Assert that exactly one of the literals holds."""
        self.add(*literals)
        self.at_most_one(literals)

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Assert that no two of the literals hold (pairwise)."""
        for i, a in enumerate(literals):
            for b in literals[i + 1 :]:
                self.add(-a, -b)

    def all_clauses(
        self,
        asked: Iterable[int] = (),
        *,
        whole: bool = True,
        since: int = 0,
        written: set[int] | None = None,
    ) -> list[tuple[int, ...]]:
        """Return the asserted clauses and the definitions of the gates they need.

        Of a circuit that grows, `since` is how many clauses were returned before, and `written` holds the literals
        whose gates were; it is added to.

        `asked` are literals whose variables will be read from a solution or assumed, so that they need both
        directions of their definitions. So do all gates if the clauses are to be `whole`: one direction has the same
        solutions, but a search that has to fix every variable of each must then guess what the other implies. Else
        what stands in one clause alone has no definition.
        """
        seen = written if written is not None else set()
        if not whole:
            return joined(self.gates, self.clauses[since:], [y for x in asked for y in (x, -x)], seen)
        out = self.clauses[since:]
        stack = [x for clause in out for x in clause]
        for x in asked:
            stack += (x, -x)
        gates = self.gates
        while stack:
            literal = stack.pop()
            if abs(literal) not in gates or literal in seen:
                continue
            seen.add(literal)
            stack.append(-literal)
            kind, inputs = gates[abs(literal)]
            if literal < 0:
                inputs = tuple([-x for x in inputs])
            stack += inputs
            if (literal > 0) is kind:
                # "A conjunction implies each input", "the negation of a disjunction implies that of each input".
                out += [(-literal, x) for x in inputs]
            else:
                out.append((-literal, *inputs))
        return out

    # ------------------------------------------------------------ recursive definitions

    def cut_cycles(self) -> None:
        """Give rule variables that depend on themselves the least solution of their definitions.

        A strongly connected group of m rule variables is unrolled m times from "all false"; their definitions are
        monotone, so that is the least fixpoint. A cycle goes through rule variables that are new since the last call:
        only what these depend on, down to the first of them, is searched.
        """
        gates = self.gates
        undone = self.rules - self._cut_rules
        new = {rule for rule in undone if rule in gates}
        if not new:
            return
        first = min(new)
        if len(new) == len(undone):
            self._cut_rules |= new
        needs: dict[int, list[int]] = {}
        stack = [*new]
        while stack:
            variable = stack.pop()
            if variable not in needs:
                needs[variable] = [y for x in gates[variable][1] if (y := abs(x)) >= first and y in gates]
                stack += needs[variable]
        try:
            TopologicalSorter(needs).prepare()
        except CycleError:
            self._cut(needs)

    def _cut(self, needs: dict[int, list[int]]) -> None:
        import networkx as nx  # noqa: PLC0415 -- heavy, and few circuits have a cycle

        graph: nx.DiGraph[int] = nx.DiGraph(needs)
        for component in list(nx.strongly_connected_components(graph)):
            group = sorted(component & self.rules)
            if group and (len(component) > 1 or graph.has_edge(group[0], group[0])):
                self._unroll(group, component)

    def _unroll(self, group: list[int], component: set[int]) -> None:
        current = dict.fromkeys(group, FALSE)
        definitions = {rule: self.gates[rule][1][0] for rule in group}
        for _ in group:
            copies = dict(current)
            new = {rule: self._copy(literal, component, copies) for rule, literal in definitions.items()}
            if new == current:
                break
            current = new
        for rule, literal in current.items():
            self.define(rule, literal)

    def _copy(self, literal: int, component: set[int], copies: dict[int, int]) -> int:
        """Return the literal with the rule variables in `copies` replaced, through the gates of the component."""
        variable = abs(literal)
        if variable not in component:
            return literal
        if variable not in copies:
            kind, inputs = self.gates[variable]
            copies[variable] = self._gate(kind, [self._copy(x, component, copies) for x in inputs])
        return copies[variable] if literal > 0 else -copies[variable]
