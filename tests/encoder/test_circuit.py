"""Circuits, closures, acyclicity and least fixpoints mean what plain evaluation of them means.

Random circuits are asserted clause by clause, and the solver is asked under every assignment of their inputs.
"""

from __future__ import annotations

from itertools import product
from random import Random

import networkx as nx
import pytest

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.constraints import assert_acyclic
from axmem.encoder.limits import SAT
from axmem.encoder.literals import Literals
from axmem.encoder.sat import empty_question
from axmem.encoder.solver import Query, Session

SESSION = Session()
SEEDS = range(60)
Assignment = dict[int, bool]
Edges = dict[tuple[int, int], int]


def assignments(inputs: list[int]) -> list[Assignment]:
    return [dict(zip(inputs, values, strict=True)) for values in product((False, True), repeat=len(inputs))]


def assumed(assignment: Assignment) -> list[int]:
    return [v if true else -v for v, true in assignment.items()]


def value(circuit: Circuit, literal: int, assignment: Assignment) -> bool:
    """Evaluate a literal of a circuit without cycles."""
    variable = abs(literal)
    if variable == TRUE:
        return literal > 0
    if variable in assignment:
        found = assignment[variable]
    else:
        conjunction, inputs = circuit.gates[variable]
        values = [value(circuit, x, assignment) for x in inputs]
        found = all(values) if conjunction else any(values)
    return found if literal > 0 else not found


def query(circuit: Circuit, asked: list[int]) -> Query:
    clauses = circuit.all_clauses(asked)
    return Query(SESSION, circuit.variables, clauses)


def random_circuit(rng: Random, inputs: int, gates: int) -> tuple[Circuit, list[int], list[int]]:
    """Return a circuit, its inputs, and all literals made, constants and repeated operands included."""
    circuit = Circuit()
    variables = [circuit.variable() for _ in range(inputs)]
    literals = [TRUE, FALSE, *variables]
    for _ in range(gates):
        operands = [rng.choice(literals) * rng.choice((1, 1, -1)) for _ in range(rng.randrange(5))]
        match rng.randrange(4):
            case 0:
                literals.append(circuit.conjunction(operands))
            case 1:
                literals.append(circuit.disjunction(operands))
            case 2:
                literals.append(circuit.both(*(operands * 2 + [TRUE, TRUE])[:2]))
            case 3:
                literals.append(circuit.either(*(operands * 2 + [FALSE, FALSE])[:2]))
    return circuit, variables, literals


@pytest.mark.parametrize("seed", SEEDS)
def test_gates_have_the_values_of_their_definitions(seed: int) -> None:
    circuit, inputs, literals = random_circuit(Random(seed), 4, 12)
    asked = [x for x in literals if abs(x) != TRUE]
    solver = query(circuit, [*asked, *inputs])
    for assignment in assignments(inputs):
        assert solver.check(assumed(assignment)) == SAT
        solution = solver.solution(asked)
        assert all(solution[x] == value(circuit, x, assignment) for x in asked)


@pytest.mark.parametrize("seed", SEEDS)
def test_gates_mean_what_they_are_made_of(seed: int) -> None:
    """However a gate is simplified, it is the conjunction or disjunction of the literals that it was made of."""
    rng = Random(seed)
    circuit = Circuit()
    inputs = [circuit.variable() for _ in range(3)]
    every = assignments(inputs)
    meant = {TRUE: (True,) * len(every), **{v: tuple(a[v] for a in every) for v in inputs}}
    for _ in range(30):
        operands = [rng.choice(list(meant)) * rng.choice((1, 1, -1)) for _ in range(rng.choice((2, 2, 2, 3)))]
        columns = [tuple(v == (x > 0) for v in meant[abs(x)]) for x in operands]
        conjunction = rng.random() < 0.5
        literal = (circuit.conjunction if conjunction else circuit.disjunction)(operands)
        if len(operands) == 2:
            assert (circuit.both if conjunction else circuit.either)(*operands) == literal
        expected = tuple((all if conjunction else any)(values) for values in zip(*columns, strict=True))
        assert tuple(value(circuit, literal, a) for a in every) == expected
        meant.setdefault(abs(literal), tuple(v == (literal > 0) for v in expected))


def test_what_contains_a_literal_takes_it_in() -> None:
    circuit = Circuit()
    a, b = circuit.variable(), circuit.variable()
    assert circuit.either(a, circuit.either(a, b)) == circuit.either(a, b)
    assert circuit.both(circuit.both(a, b), b) == circuit.both(a, b)
    assert circuit.either(circuit.both(a, b), a) == circuit.both(a, circuit.either(a, b)) == a


@pytest.mark.parametrize("seed", SEEDS)
def test_asserted_clauses_have_the_solutions_they_should(seed: int) -> None:
    """Gates are written out in one direction only; that loses no solution and adds none."""
    rng = Random(seed)
    circuit, inputs, literals = random_circuit(rng, 4, 12)
    clauses = [[rng.choice(literals) * rng.choice((1, -1)) for _ in range(2)] for _ in range(3)]
    refuted = rng.choice(literals)
    for clause in clauses:
        circuit.add(*clause)
    circuit.refute(refuted)
    solver = query(circuit, inputs)
    for assignment in assignments(inputs):
        holds = all(any(value(circuit, x, assignment) for x in c) for c in clauses)
        holds = holds and not value(circuit, refuted, assignment)
        assert (solver.check(assumed(assignment)) == SAT) == holds


def test_what_is_refuted_is_refuted_in_parts() -> None:
    """Of a disjunction each part, of what they contain likewise, so that clauses speak of few literals."""
    circuit = Circuit()
    a, b, c, d = [circuit.variable() for _ in range(4)]
    circuit.refute(circuit.disjunction((circuit.both(a, b), circuit.both(c, circuit.either(a, d)), -d)))
    assert set(circuit.clauses[1:]) == {(-a, -b), (-c, -circuit.either(a, d)), (d,)}


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_exactly_one_and_at_most_one(count: int) -> None:
    one, few = Circuit(), Circuit()
    inputs = [one.variable() for _ in range(count)]
    assert [few.variable() for _ in range(count)] == inputs
    one.exactly_one(inputs)
    few.at_most_one(inputs)
    exactly, at_most = query(one, inputs), query(few, inputs)
    for assignment in assignments(inputs):
        true = sum(assignment.values())
        assert (exactly.check(assumed(assignment)) == SAT) == (true == 1)
        assert (at_most.check(assumed(assignment)) == SAT) == (true <= 1)


# ---------------------------------------------------------------- recursion


def monotone_system(rng: Random, rules: int) -> tuple[Circuit, list[int], list[int], dict[int, int]]:
    """Return rules defined by positive gates over each other and by literals of inputs."""
    circuit = Circuit()
    inputs = [circuit.variable() for _ in range(3)]
    variables = [circuit.rule() for _ in range(rules)]
    definitions = {}
    for rule in variables:
        parts = []
        for _ in range(rng.randrange(1, 4)):
            operands = [*rng.choices(variables, k=rng.randrange(3)), rng.choice(inputs) * rng.choice((1, -1))]
            parts.append(circuit.conjunction(operands[: rng.randrange(1, 4)]))
        definitions[rule] = circuit.disjunction(parts)
        circuit.define(rule, definitions[rule])
    return circuit, inputs, variables, definitions


def least(circuit: Circuit, definitions: dict[int, int], assignment: Assignment) -> Assignment:
    """Return the least solution, by rounds from "all false"."""
    current = dict.fromkeys(definitions, False)
    gates = {v: g for v, g in circuit.gates.items() if v not in definitions}
    plain = Circuit()
    plain.gates = gates
    while True:
        new = {rule: value(plain, literal, {**assignment, **current}) for rule, literal in definitions.items()}
        if new == current:
            return current
        current = new


@pytest.mark.parametrize("seed", SEEDS)
def test_a_circuit_that_grows_means_the_same_where_gates_are_told_in_one_direction(seed: int) -> None:
    """Literals that stand in one clause have no definition, until another clause has them or somebody asks."""
    random = Random(seed)
    circuit, inputs, literals = random_circuit(random, 4, 16)
    gates = [x for x in literals if abs(x) != TRUE]
    asserted: list[list[int]] = []
    solver, written, since = empty_question(SESSION), set[int](), 0
    for _ in range(3):
        for _ in range(2):
            asserted.append([random.choice(gates) * random.choice((1, -1)) for _ in range(random.randrange(1, 4))])
            circuit.add(*asserted[-1])
        asked = random.sample(gates, random.randrange(2))
        new = circuit.all_clauses([*inputs, *asked], whole=False, since=since, written=written)
        since = len(circuit.clauses)
        solver.add(circuit.variables, new)
        for assignment in assignments(inputs):
            expected = all(any(value(circuit, x, assignment) for x in clause) for clause in asserted)
            assert (solver.check(assumed(assignment)) == SAT) == expected
            if expected:
                found = solver.solution([abs(x) for x in asked])
                assert found == {abs(x): value(circuit, abs(x), assignment) for x in asked}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rules", [1, 2, 4, 6])
def test_cut_cycles_gives_the_least_solution(seed: int, rules: int) -> None:
    circuit, inputs, variables, definitions = monotone_system(Random(seed), rules)
    expected = {tuple(a.values()): least(circuit, definitions, a) for a in assignments(inputs)}
    circuit.cut_cycles()
    solver = query(circuit, [*variables, *inputs])
    for assignment in assignments(inputs):
        assert solver.check(assumed(assignment)) == SAT
        assert solver.solution(variables) == expected[tuple(assignment.values())]


@pytest.mark.parametrize("seed", SEEDS[:20])
@pytest.mark.parametrize("events", [1, 3, 4])
def test_edges_are_cyclic_where_their_closure_meets_itself(seed: int, events: int) -> None:
    random, circuit = Random(seed), Circuit()
    pairs = [(i, j) for i in range(events) for j in range(events)]
    edges = {pair: circuit.variable() for pair in random.sample(pairs, min(len(pairs), 7))}
    inputs = [*edges.values()]
    cyclic = circuit.cyclic(dict(edges))
    for assignment in assignments(inputs):
        graph: nx.DiGraph[int] = nx.DiGraph([pair for pair, x in edges.items() if assignment[x]])
        assert value(circuit, cyclic, assignment) == (not nx.is_directed_acyclic_graph(graph))


@pytest.mark.parametrize("seed", SEEDS[:5])
def test_the_cycles_of_a_tree_are_told_by_a_gate_for_each_of_its_edges(seed: int) -> None:
    """Its edges are there both ways. A leaf goes first, and who is left alone with one neighbour is the next leaf."""
    random, circuit, events = Random(seed), Circuit(), 40
    names = random.sample(range(events), events)
    tree = [(names[random.randrange(i)], names[i]) for i in range(1, events)]
    edges = {pair: circuit.variable() for i, j in tree for pair in ((i, j), (j, i))}
    circuit.cyclic(edges)
    assert sum(conjunction for conjunction, _ in circuit.gates.values()) == events - 1


def test_without_cutting_a_cycle_could_justify_itself() -> None:
    """The case for `cut_cycles`: two rules that only follow from each other."""

    def pair() -> tuple[Circuit, int]:
        circuit = Circuit()
        a, b = circuit.rule(), circuit.rule()
        circuit.define(a, b)
        circuit.define(b, a)
        return circuit, a

    circuit, a = pair()
    assert query(circuit, [a]).check([a]) == SAT
    circuit, a = pair()
    circuit.cut_cycles()
    assert query(circuit, [a]).check([a]) != SAT


@pytest.mark.parametrize("waiting", [False, True])
def test_cycles_that_come_later_are_cut_too(waiting: bool) -> None:
    """A rule that is defined after others were cut, on which these depend; or two of its own."""
    circuit = Circuit()
    a, b = circuit.rule(), circuit.rule()
    if waiting:
        circuit.define(b, circuit.conjunction((a, circuit.variable())))
    else:
        circuit.define(a, circuit.variable())
        circuit.define(b, b)
    circuit.cut_cycles()
    if waiting:
        circuit.define(a, b)
    c, d = circuit.rule(), circuit.rule()
    circuit.define(c, circuit.either(d, circuit.both(a, b)))
    circuit.define(d, c)
    circuit.cut_cycles()
    assert query(circuit, [b, c, d]).check([b]) != SAT
    assert query(circuit, [b, c, d]).check([d]) != SAT


# ---------------------------------------------------------------- graphs


def random_edges(rng: Random, circuit: Circuit, nodes: int, count: int) -> tuple[Edges, list[int]]:
    """Return edges with variables, a few of them certain, one pair of them sharing a variable."""
    pairs = rng.sample([(i, j) for i in range(nodes) for j in range(nodes)], count)
    inputs = [circuit.variable() for _ in range(count - 1)]
    literals = [*inputs, inputs[0] if count > 1 else TRUE]
    edges = dict(zip(pairs, literals, strict=True))
    if rng.random() < 0.5:
        edges[rng.randrange(nodes), rng.randrange(nodes)] = rng.choice((TRUE, FALSE))
    return edges, inputs


def reached(edges: Edges, assignment: Assignment) -> set[tuple[int, int]]:
    """Return the transitive closure of the edges that an assignment takes, by rounds."""
    taken = {p for p, x in edges.items() if x == TRUE or assignment.get(x, False)}
    while True:
        more = {(a, d) for a, b in taken for c, d in taken if b == c} - taken
        if not more:
            return taken
        taken |= more


@pytest.mark.parametrize("seed", SEEDS)
def test_acyclicity(seed: int) -> None:
    rng = Random(seed)
    circuit = Circuit()
    edges, inputs = random_edges(rng, circuit, rng.randrange(3, 6), rng.randrange(4, 8))
    assert_acyclic(circuit, edges)
    solver = query(circuit, inputs)
    for assignment in assignments(inputs):
        acyclic = all(a != b for a, b in reached(edges, assignment))
        assert (solver.check(assumed(assignment)) == SAT) == acyclic


@pytest.mark.parametrize("seed", SEEDS)
def test_closure(seed: int) -> None:
    rng = Random(seed)
    circuit = Circuit()
    nodes = rng.randrange(3, 6)
    edges, inputs = random_edges(rng, circuit, nodes, rng.randrange(4, 8))
    literals = object.__new__(Literals)
    literals.circuit = circuit
    table = literals.closed(edges)
    for assignment in assignments(inputs):
        expected = reached(edges, assignment)
        for i, j in product(range(nodes), repeat=2):
            assert value(circuit, table.get((i, j), FALSE), assignment) == ((i, j) in expected)
