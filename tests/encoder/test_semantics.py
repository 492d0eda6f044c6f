"""The definitions of the models `llvm` and `amdgpu` mean what their rules say, execution by execution.

Random candidate executions of random tests, consistent or not, as long as happens-before is irreflexive: what the cat
text defines is compared with the rules written out over sets of pairs (`tests.differential.specification`).
`make test-long` draws more.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import pytest

from axmem.encoder.domains import sources_of
from axmem.encoder.statics import Statics
from axmem.events.graph import EventGraph, EventKind
from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Scope
from axmem.model import relation as rel
from axmem.model.evaluation import Value, evaluate
from axmem.model.library import load
from axmem.model.model import Model
from axmem.model.relation import Relation, bits
from axmem.model.terms import Term
from tests.differential.programs import program
from tests.differential.specification import Execution, Pair
from tests.drawn import parts

CHUNK = 40
CHUNKS = 10
FIRST = 3_000_000
PER_TEST = 6


@cache
def terms(name: str) -> dict[str, int]:
    """Return the term of each definition that the model's rules need."""
    model = load(name)
    return {d.name: d.term for d in model.definitions if d.term in model.reached}


def executions(rng: Random, graph: EventGraph, *, enters: bool = False) -> list[Execution]:
    """Return random candidate executions: arms at random, sources at random."""
    sources = sources_of(graph)
    found = []
    for _ in range(PER_TEST):
        arms = {c.index: rng.randrange(len(c.values)) for c in graph.choices}
        executed = frozenset(e.index for e in graph.events if all(arms[c] == arm for c, arm in e.guard))
        rf: dict[int, int | None] = {}
        for r in sorted(set(sources) & executed):
            writes = [w for w in sources[r] if w in executed]
            later = [w for w in writes if graph.events[w].kind is not EventKind.INIT]
            rf[r] = rng.choice([*writes, *later, *later, None]) if writes else None
        found.append(Execution(graph, executed, rf, enters))
    return found


def values(model: Model, execution: Execution) -> list[Value]:
    graph = execution.graph
    statics = Statics(graph)
    executed = sum(1 << i for i in execution.executed)
    rows = [0] * len(graph.events)
    for r, w in execution.rf.items():
        if w is not None:
            rows[w] |= 1 << r

    def base(term: Term) -> Value:
        if term.name in ("rf", "co"):
            return rel.relation(rows) if term.name == "rf" else rel.EMPTY
        value = statics.value(term)
        return value & executed if isinstance(value, int) else rel.restrict(executed, value, executed)

    return evaluate(model, base, len(graph.events))


def pairs(value: Value) -> set[Pair]:
    assert isinstance(value, tuple)
    relation: Relation = value
    return {(i, j) for i, row in enumerate(relation) for j in bits(row)}


def compared(name: str, execution: Execution) -> None:
    model = load(name)
    found, index = values(model, execution), terms(name)
    assert pairs(found[index["sw"]]) == execution.sw
    assert pairs(found[index["hb"]]) == execution.hb
    assert pairs(found[index["hbv"]]) == execution.hbv
    undef: set[int] = set()
    for rule in model.undefs:
        value = found[rule.term]
        assert isinstance(value, int)
        undef |= set(bits(value))
    raced = execution.undef_llvm() if name == "llvm" else execution.undef_amdgpu()
    groundless = found[index["groundless"]]
    assert isinstance(groundless, int)
    assert undef == raced - set(bits(groundless))
    order = execution.hbv if name == "llvm" else execution.lo
    reads = [e for e in execution.events if execution.reads(e)]
    seen = {(w.index, r.index) for r in reads for w in execution.may_see(r, order)}
    assert pairs(found[index["may-see"]]) == seen
    if name != "llvm":
        assert pairs(found[index["lo"]]) == execution.lo
        assert pairs(found[index["av"]]) == {(w, x) for x, w in execution.av if w != x}
        levels = {name: body for f in model.fixpoints for name, body in zip(f.names, f.bodies, strict=True)}
        by_level = [pairs(found[levels[f"vis-{level.word}"]]) for level in Scope]
        for level in Scope:
            expected = {(w, y) for y, _, w, at in execution.vis if at == level}
            assert by_level[level] == expected


@pytest.mark.parametrize(("name", "number"), list(product(("llvm", "amdgpu"), parts(CHUNKS, of=CHUNKS))))
def test_definitions_mean_what_the_rules_say(name: str, number: int) -> None:
    synchronized = 0
    for seed in range(FIRST + number * CHUNK, FIRST + (number + 1) * CHUNK):
        graph = event_graph(parse(program(seed)))
        for execution in executions(Random(seed), graph):
            if any(a == b for a, b in execution.hb):
                continue  # No model allows it, and the rules are about different events.
            compared(name, execution)
            synchronized += bool(execution.sw)
    assert synchronized >= CHUNK // 2
