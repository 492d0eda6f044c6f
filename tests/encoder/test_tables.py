"""Tables of all combinations of choices: they have the solutions that plain evaluation finds, or there are none.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import combinations, product
from operator import le, lt, ne
from random import Random

import pytest

from axmem.encoder.circuit import AND, FALSE, TRUE, Circuit
from axmem.encoder.constraints import assert_acyclic
from axmem.encoder.engines import Engine
from axmem.encoder.limits import SAT, UNSAT, Limit
from axmem.encoder.solve import solve
from axmem.encoder.tables import Tables, tables
from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.drawn import some

Truth = dict[int, bool]


def truth(circuit: Circuit, literal: int, chosen: Truth) -> bool:
    """Evaluate a literal by its definition."""
    variable = abs(literal)
    if variable not in chosen:
        kind, inputs = circuit.gates[variable]
        values = [truth(circuit, x, chosen) for x in inputs]
        chosen = {**chosen, variable: all(values) if kind is AND else any(values)}
    return chosen[variable] is (literal > 0)


def every_choice(circuit: Circuit) -> list[Truth]:
    """Return all combinations of a circuit's choices."""
    options = []
    for variables, total in circuit.digits:
        held: list[int | None] = [*variables, *([] if total else [None])]
        options.append([{v: v == one for v in variables} for one in held])
    return [{abs(TRUE): True} | {k: v for part in parts for k, v in part.items()} for parts in product(*options)]


def combinations_found(made: Tables, assumptions: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []

    def note(chosen: tuple[int, ...]) -> bool:
        found.append(chosen)
        return True

    assert made.enumerate(note, assumptions, 0) == UNSAT
    return found


@pytest.mark.parametrize("seed", range(60))
def test_solutions_of_random_circuits(seed: int) -> None:
    """Choices of one to four arms, gates and clauses over them: tables against evaluation of every combination."""
    rng = Random(seed)
    circuit = Circuit()
    for _ in range(rng.randrange(1, 4)):
        variables = [circuit.variable() for _ in range(rng.randrange(1, 5))]
        circuit.choose(variables, total=rng.random() < 0.5)
    literals = [TRUE, FALSE, *(v for variables, _ in circuit.digits for v in variables), circuit.switch()]
    for _ in range(12):
        operands = [rng.choice(literals) * rng.choice((1, -1)) for _ in range(rng.randrange(1, 4))]
        literals.append(rng.choice((circuit.conjunction, circuit.disjunction))(operands))
    for _ in range(rng.randrange(4)):
        circuit.add(*(rng.choice(literals) * rng.choice((1, -1)) for _ in range(rng.randrange(1, 4))))
    asked = rng.sample(literals, 4)
    groups = [(x, -x) for x in asked if abs(x) != TRUE]
    made = tables(circuit, [*asked, *literals], groups)
    assert made is not None
    # The clauses say of choices what `every_choice` does anyway.
    solutions = [c for c in every_choice(circuit) if all(any(truth(circuit, x, c) for x in k) for k in circuit.clauses)]
    expected = {tuple(x if truth(circuit, x, c) else -x for x, _ in groups) for c in solutions}
    found = combinations_found(made)
    assert set(found) == expected and len(found) == len(expected)
    for x in literals:
        assert (made.check([x]) == SAT) is any(truth(circuit, x, c) for c in solutions)
        assert set(combinations_found(made, (x,))) == {
            tuple(y if truth(circuit, y, c) else -y for y, _ in groups) for c in solutions if truth(circuit, x, c)
        }


@pytest.mark.parametrize("seed", range(20))
def test_what_an_acyclic_relation_implies_holds_only_where_it_must(seed: int) -> None:
    """Edges that are free: the solutions are the graphs without a cycle, each once."""
    rng = Random(seed)
    circuit = Circuit()
    pairs = [(a, b) for a, b in product(range(4), repeat=2) if a != b]
    edges = {pair: circuit.switch() for pair in rng.sample(pairs, 7)}
    assert_acyclic(circuit, edges)
    made = tables(circuit, edges.values(), [(x, -x) for x in edges.values()])
    assert made is not None
    expected = 0
    for size in range(len(edges) + 1):
        expected += sum(not cyclic(set(chosen)) for chosen in combinations(edges, size))
    assert len(combinations_found(made)) == expected


def cyclic(edges: set[tuple[int, int]]) -> bool:
    while True:
        ends = {b for _, b in edges}
        kept = {(a, b) for a, b in edges if a in ends}
        if kept == edges:
            return bool(edges)
        edges = kept


def ordered_choices(rng: Random) -> tuple[Circuit, list[list[int]]]:
    """Return a circuit of choices of three or four arms, some of which are to be in order or to differ."""
    circuit = Circuit()
    arms = [[circuit.variable() for _ in range(rng.randrange(3, 5))] for _ in range(5)]
    for variables in arms:
        circuit.choose(variables, total=rng.random() < 0.5)
    for first, second in rng.sample(list(combinations(arms, 2)), 6):
        kept = rng.choice((lt, le, ne))
        circuit.refute(
            circuit.disjunction(
                [circuit.both(x, y) for m, x in enumerate(first) for n, y in enumerate(second) if not kept(m, n)]
            )
        )
    return circuit, arms


def test_joined_choices_have_the_same_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one table and in blocks, against evaluation of every combination. Most circuits have few enough."""
    joined = 0
    for seed in range(20):
        monkeypatch.setattr("axmem.encoder.tables.BLOCK", 16 if seed % 2 else 1 << 16)
        rng = Random(seed)
        circuit, arms = ordered_choices(rng)
        literals = [x for variables in arms for x in variables]
        gates = [circuit.conjunction(rng.sample(literals, 2)) for _ in range(3)]
        chosen = every_choice(circuit)
        solutions = [c for c in chosen if all(any(truth(circuit, x, c) for x in k) for k in circuit.clauses)]
        groups = [(*variables, circuit.conjunction([-x for x in variables])) for variables in arms[:3]]
        asked = [x for group in groups for x in group] + gates
        made = tables(circuit, asked, groups, len(chosen) // 4, len(chosen))
        assert tables(circuit, asked, groups, len(chosen) // 4) is None
        if made is None:
            continue
        joined += 1
        expected = {tuple(next(x for x in group if truth(circuit, x, c)) for group in groups) for c in solutions}
        found = combinations_found(made)
        assert set(found) == expected and len(found) == len(expected)
        for x in gates:
            assert (made.check([x]) == SAT) is any(truth(circuit, x, c) for c in solutions)
            assert (made.check([-x]) == SAT) is not all(truth(circuit, x, c) for c in solutions)
    assert joined > 15


@pytest.mark.parametrize(("name", "value"), [("TRIED", 2), ("OPTIONS", 1), ("WORK", 400)])
def test_joining_has_its_limits(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    circuit, arms = ordered_choices(Random(0))
    asked = [x for variables in arms for x in variables]
    assert tables(circuit, asked, (), 200, 1000) is not None
    monkeypatch.setattr(f"axmem.encoder.tables.{name}", value)
    assert tables(circuit, asked, (), 200, 1000) is None


def test_choices_that_nothing_restricts_are_not_joined() -> None:
    circuit = Circuit()
    bits = [circuit.switch() for _ in range(5)]
    assert tables(circuit, bits, (), 16, 32) is None


def crossing(accesses: int) -> str:
    """Return two threads of so many accesses, writes of rising numbers to one location and reads of the other."""
    threads = ""
    for thread, mine, theirs in (("P0", "x", "y"), ("P1", "y", "x")):
        lines = [
            f"  r{i} = load atomic {theirs} monotonic" if i % 2 else f"  store atomic {i // 2 + 1}, {mine} monotonic"
            for i in range(accesses)
        ]
        threads += "\n".join([f"thread {thread} {{", *lines, "}\n"])
    return f"litmus crossing\nglobal x = 0, y = 0\n{threads}exists (P0:r1=1 /\\ P1:r1=1)\n"


@pytest.mark.parametrize(("accesses", "pairs"), some([(4, 6), (5, 10)], of=2))
@pytest.mark.parametrize("model", some(["sc", "llvm", "amdgpu"], of=2))
def test_joined_choices_of_a_test_have_the_outcomes_of_other_engines(
    model: str, accesses: int, pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three values, or four, two reads that do not go back have six pairs, or ten; `sc` allows fewer of both."""
    graph, loaded = event_graph(parse(crossing(accesses))), load(model)
    others = [solve(graph, loaded, engine=engine).outcomes for engine in (Engine.ORACLE, Engine.Z3, Engine.TABLE)]
    monkeypatch.setattr("axmem.encoder.solve.COMBINATIONS", pairs**2)
    joined = solve(graph, loaded, engine=Engine.TABLE)
    assert not joined.incomplete and others == [joined.outcomes] * 3
    assert model == "sc" or len(joined.rows) == pairs**2


def test_many_outcomes_of_joined_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three reads in each thread do not go back: as many as choose 3 of 6, squared."""
    monkeypatch.setattr("axmem.encoder.solve.COMBINATIONS", 400)
    graph, model = event_graph(parse(crossing(6))), load("llvm")
    joined, solved = (solve(graph, model, engine=engine) for engine in (Engine.TABLE, Engine.Z3))
    assert len(joined.rows) == len(solved.rows) == 400 and joined.outcomes == solved.outcomes


def test_what_is_no_choice_has_no_tables() -> None:
    circuit = Circuit()
    free = circuit.variable()
    circuit.add(free, circuit.switch())
    assert tables(circuit, (), ()) is None


def test_a_definition_by_itself_has_no_tables() -> None:
    circuit = Circuit()
    rule = circuit.rule()
    circuit.define(rule, circuit.either(circuit.switch(), circuit.both(rule, circuit.switch())))
    assert tables(circuit, [rule], ()) is None


def test_without_a_solution_an_outcome_may_have_no_value() -> None:
    circuit = Circuit()
    switch = circuit.switch()
    circuit.add(switch)
    circuit.add(-switch)
    made = tables(circuit, (), [(), (switch, -switch)])
    assert made is not None and combinations_found(made) == []


def test_a_solution_has_one_literal_of_each_group() -> None:
    circuit = Circuit()
    switch = circuit.switch()
    made = tables(circuit, [switch], [(switch,)])
    assert made is not None
    with pytest.raises(RuntimeError, match="left an outcome open"):
        combinations_found(made)


def test_a_clause_may_say_a_thing_twice() -> None:
    """That two arms of one choice do not hold is known; that one does not, said twice, is not."""
    circuit = Circuit()
    arms = [circuit.variable(), circuit.variable()]
    circuit.choose(arms, total=True)
    circuit.add(-arms[0], -arms[0])
    made = tables(circuit, arms, [arms])
    assert made is not None and combinations_found(made) == [(arms[1],)]


def test_a_search_ends_when_it_is_told_to() -> None:
    circuit = Circuit()
    bits = [circuit.switch() for _ in range(5)]
    made = tables(circuit, bits, [(x, -x) for x in bits])
    assert made is not None
    seen: list[tuple[int, ...]] = []

    def note(chosen: tuple[int, ...]) -> bool:
        seen.append(chosen)
        return len(seen) < 3

    assert made.enumerate(note, (), 0) == SAT
    assert len(seen) == 3


def adders(n: int) -> str:
    threads = "".join(f"thread P{i} {{ r = atomicrmw add x, 1 monotonic }}\n" for i in range(n))
    return f"litmus adders\nglobal x = 0\n{threads}exists (P0:r=0)\n"


def test_too_many_combinations_are_refused_where_tables_are_asked_for() -> None:
    model = load("llvm")
    solved = solve(event_graph(parse(adders(6))), model, engine=Engine.TABLE)
    assert [reason.limit for reason in solved.incomplete] == [Limit.CHOICES] and not solved.outcomes
    assert len(solve(event_graph(parse(adders(3))), model, engine=Engine.TABLE).outcomes) == 6


def test_an_answer_says_whether_tables_gave_it() -> None:
    graph, model = event_graph(parse(crossing(3))), load("llvm")
    assert solve(graph, model, engine=Engine.TABLE).by_tables and solve(graph, model).by_tables
    assert not solve(graph, model, engine=Engine.Z3).by_tables
