"""Every operator of cat means what it means on plain sets of pairs.

Random expressions are written out with as few parentheses as the grammar needs, read back by the front end, evaluated
on a random execution, and compared with an evaluation on Python sets that shares no code with the product.
`make test-long` draws more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axmem.front.source import Source
from axmem.model.elaborate import elaborate
from axmem.model.evaluation import evaluate
from axmem.model.model import Model
from axmem.model.terms import Op, Term
from tests.drawn import examples

SIZE = 4
EVENTS = range(SIZE)
SETS = ("W", "R", "F")
RELATIONS = ("po", "rf", "co")

Pairs = frozenset[tuple[int, int]]
World = dict[str, frozenset[int] | Pairs]


@dataclass(frozen=True)
class Tree:
    """An expression: operator or name, and operands."""

    head: str
    parts: tuple[Tree, ...] = ()


TIGHTNESS = {"|": 1, ";": 2, "\\": 3, "&": 4, "*": 5, "~": 5, "+": 5, "?": 5, "star": 5, "^-1": 6}


def text(tree: Tree, least: int = 0) -> str:
    """Write the tree as cat; parentheses only where its operator is looser than `least`."""
    level = TIGHTNESS.get(tree.head, 7)
    p = tree.parts
    match tree.head:
        case "|" | ";" | "&" | "\\" as operator:
            body = f"{text(p[0], level)} {operator} {text(p[1], level + 1)}"
        case "*":
            body = f"{text(p[0], 6)} * {text(p[1], 6)}"
        case "~":
            body = f"~{text(p[0], 6)}"
        case "+" | "?" as operator:
            body = f"{text(p[0], 6)}{operator}"
        case "star":
            body = f"({text(p[0], 6)}*)"
        case "^-1":
            body = f"{text(p[0], 6)}^-1"
        case "[]":
            body = f"[{text(p[0])}]"
        case "domain" | "range" | "toid" | "fencerel" as function:
            body = f"{function}({text(p[0])})"
        case "through":
            body = f"through({', '.join(text(x) for x in p)})"
        case name:
            body = name
    return f"({body})" if level < least else body


def is_set(tree: Tree) -> bool:
    if tree.head in ("|", "&", "\\", "~"):
        return is_set(tree.parts[0])
    return tree.head in ("domain", "range", "_", *SETS)


def closure(r: Pairs) -> Pairs:
    out = set(r)
    while True:
        more = {(a, d) for (a, b), (c, d) in product(out, out) if b == c} - out
        if not more:
            return frozenset(out)
        out |= more


def through(step: Pairs, link: Pairs, stations: frozenset[int], c: Pairs) -> Pairs:
    """Search for a chain from a to b, station by station, remembering whether a link has been passed."""

    def leads(a: int, b: int) -> bool:
        good = {e for e in stations if (a, e) in c and (e, b) in c}
        todo = [(e, False) for e in good if e == a or (a, e) in step]
        seen = set(todo)
        while todo:
            at, linked = todo.pop()
            if linked and (at == b or (at, b) in step):
                return True
            for e in good:
                for edge, passes in ((step, linked), (link, True)):
                    if (at, e) in edge and (e, passes) not in seen:
                        seen.add((e, passes))
                        todo.append((e, passes))
        return False

    return frozenset((a, b) for a in EVENTS for b in EVENTS if leads(a, b))


def meaning(tree: Tree, world: World) -> frozenset[Any]:
    """Evaluate on plain sets."""
    every = frozenset(EVENTS)
    identity = frozenset((e, e) for e in EVENTS)
    v = [meaning(p, world) for p in tree.parts]
    match tree.head:
        case "|":
            return v[0] | v[1]
        case "&":
            return v[0] & v[1]
        case "\\":
            return v[0] - v[1]
        case ";":
            return frozenset((a, d) for a, b in v[0] for c, d in v[1] if b == c)
        case "*":
            return frozenset(product(v[0], v[1]))
        case "~":
            return (every if is_set(tree) else frozenset(product(every, every))) - v[0]
        case "+":
            return closure(v[0])
        case "?":
            return v[0] | identity
        case "star":
            return closure(v[0]) | identity
        case "^-1":
            return frozenset((b, a) for a, b in v[0])
        case "[]" | "toid":
            return frozenset((e, e) for e in v[0])
        case "domain":
            return frozenset(a for a, _ in v[0])
        case "range":
            return frozenset(b for _, b in v[0])
        case "fencerel":
            po: frozenset[Any] = world["po"]
            return frozenset((a, d) for a, b in po for c, d in po if b == c and b in v[0])
        case "through":
            return through(*v)
        case "_":
            return every
        case "id":
            return identity
        case name:
            return world[name]


def leaf(names: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    return st.sampled_from(names).map(Tree)


def trees(depth: int) -> tuple[st.SearchStrategy[Tree], st.SearchStrategy[Tree]]:
    """Return strategies for sets and for relations of at most this depth."""
    if depth == 0:
        return leaf(("_", *SETS)), leaf(("id", *RELATIONS))
    s, r = trees(depth - 1)

    def node(head: str, *parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return st.tuples(*parts).map(lambda p: Tree(head, p))

    lattice = ("|", "&", "\\")
    sets = [node(o, s, s) for o in lattice] + [node("~", s), node("domain", r), node("range", r)]
    relations = [node(o, r, r) for o in (*lattice, ";")] + [node(o, r) for o in ("~", "+", "?", "star", "^-1")]
    relations += [node("*", s, s), node("[]", s), node("toid", s), node("fencerel", s), node("through", r, r, s, r)]
    return st.one_of(leaf(("_", *SETS)), *sets), st.one_of(leaf(("id", *RELATIONS)), *relations)


SET_TREES, RELATION_TREES = trees(3)
PAIRS = st.frozensets(st.tuples(st.sampled_from(EVENTS), st.sampled_from(EVENTS)), max_size=7)
WORLDS = st.fixed_dictionaries(
    {**{n: st.frozensets(st.sampled_from(EVENTS)) for n in SETS}, **dict.fromkeys(RELATIONS, PAIRS)}
)


def read(cat: str) -> Model:
    return elaborate(Source("probe.cat", cat), {}, lambda name, source: None)


def value(model: Model, world: World, position: int = 0) -> frozenset[Any]:
    """Evaluate the axiom at `position` with the product, and return its value as plain sets."""

    def base(term: Term) -> int | tuple[int, ...]:
        assert term.op is Op.BASE
        members = meaning(Tree(term.name), world)
        if term.is_set:
            return sum(1 << int(e) for e in members)
        rows = tuple(sum(1 << b for a, b in members if a == row) for row in EVENTS)
        return rows if any(rows) else ()

    result = evaluate(model, base, SIZE)[model.axioms[position].term]
    if isinstance(result, int):
        return frozenset(e for e in EVENTS if result >> e & 1)
    return frozenset((a, b) for a, row in enumerate(result) for b in EVENTS if row >> b & 1)


@settings(max_examples=examples(400))
@given(st.one_of(SET_TREES, RELATION_TREES), WORLDS)
def test_expression(tree: Tree, world: World) -> None:
    assert value(read(f"empty {text(tree)}"), world) == meaning(tree, world)


SAMPLES = {
    "|": ("|", "po", "rf"),
    "&": ("&", "po", "rf"),
    "\\": ("\\", "po", "rf"),
    ";": (";", "po", "rf"),
    "*": ("*", "W", "R"),
    **{o: (o, "po") for o in ("+", "?", "star", "^-1", "~", "domain", "range")},
    **{o: (o, "W") for o in ("[]", "toid", "fencerel")},
    "through": ("through", "po", "rf", "W", "co"),
}


@pytest.mark.parametrize("operator", SAMPLES)
@settings(max_examples=examples(160))
@given(world=WORLDS)
def test_each_operator(operator: str, world: World) -> None:
    head, *names = SAMPLES[operator]
    tree = Tree(head, tuple(Tree(n) for n in names))
    assert value(read(f"empty {text(tree)}"), world) == meaning(tree, world)


@settings(max_examples=examples(100))
@given(RELATION_TREES, RELATION_TREES, WORLDS)
def test_functions_are_inlined(body: Tree, argument: Tree, world: World) -> None:
    """`f(e)` means the body with e for the parameter, for a parameter that shadows a primitive."""
    model = read(f"let f(rf) = {text(body)}\nempty f({text(argument)})")
    assert value(model, world) == meaning(body, {**world, "rf": meaning(argument, world)})


@settings(max_examples=examples(100))
@given(RELATION_TREES, RELATION_TREES, WORLDS)
def test_local_definitions_shadow(body: Tree, bound: Tree, world: World) -> None:
    model = read(f"empty let co = {text(bound)} in {text(body)}")
    assert value(model, world) == meaning(body, {**world, "co": meaning(bound, world)})


@settings(max_examples=examples(150))
@given(SET_TREES, RELATION_TREES, WORLDS)
def test_mutual_recursion_is_least(start: Tree, step: Tree, world: World) -> None:
    """A set and a relation defined through each other equal the limit of iteration from nothing."""
    model = read(
        f"let rec reached = ({text(start)}) | range(edges)\nand edges = [reached] ; ({text(step)})\n"
        "empty reached\nempty edges"
    )
    edges = meaning(step, world)
    reached = meaning(start, world)
    while True:
        more = reached | {b for a, b in edges if a in reached}
        if more == reached:
            break
        reached = more
    assert value(model, world, 0) == reached
    assert value(model, world, 1) == {(a, b) for a, b in edges if a in reached}


@settings(max_examples=examples(100))
@given(RELATION_TREES, WORLDS)
def test_recursion_gives_the_closure(tree: Tree, world: World) -> None:
    model = read(f"let rec path = ({text(tree)}) | (path ; path)\nempty path\nempty ({text(tree)})+")
    assert value(model, world, 0) == value(model, world, 1) == closure(meaning(tree, world))
