"""Promises of parallel accesses: broken where two iterations of one execution of a loop conflict, and nowhere else.

What is expected of the tests below follows from their texts: which bytes each iteration reads and writes. Random nests
of loops are executed by a few lines of Python that know nothing of keys, guards or events. `make test-long` draws more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from axmem.check.judging import Question, report_of
from axmem.check.results import Result
from axmem.cli import main
from axmem.encoder.engines import Engine
from axmem.events.conventions import Conventions
from axmem.events.unroll import event_graph
from axmem.explanations.explanation import ExplainedAnswer, explain
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from tests.drawn import parts


def judged(text: str, *, promises: bool = True, oracle: bool = False, narrow: bool = False) -> Result:
    columns = () if narrow else None
    engine = (Engine.ORACLE if oracle else Engine.AUTO).value
    question = Question("t", text, ("sc",), engine=engine, columns=columns, promises=promises)
    report = report_of(question)
    assert not report.diagnostics, report.diagnostics
    (answer,) = report.answers
    return answer.result


def reasons(text: str) -> tuple[str, ...]:
    """Return what the engines say is undefined, which is the same."""
    results = [judged(text), judged(text, oracle=True), judged(text, narrow=True)]
    assert len({r.undefined for r in results}) == 1
    assert all((r.verdict == "undefined") == bool(r.undefined) for r in results)
    assert judged(text, promises=False).undefined == ()
    return results[0].undefined


def loop(body: str, *, parameters: str = "", listed: str = "!4", head: str = "for i in 0..3", after: str = "") -> str:
    """Return a test with one loop whose accesses have the group 4 where they say `P`."""
    return (
        "litmus t\nglobal <4 x i32> a = {0, 0, 0, 0}\nglobal x = 0, y = 0\n"
        f"kernel K({parameters}) {{\n  {head} {{\n    {body.replace('P', ', !llvm.access.group !4')}\n"
        f'  }} !llvm.loop !0\n}}\n{after}!0 = distinct !{{!0, !{{!"llvm.loop.parallel_accesses", {listed}}}}}\n'
        "!4 = distinct !{}\n!5 = distinct !{}\nexists (x=1)\n"
    )


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        # Each iteration has an element of its own.
        ("store i, a[i] P\n r = load a[i] P", []),
        # All of them write x; the first two do so in any case, and what is said of them is said of all.
        ("store i, x P", [(1, 2)]),
        ("atomicrmw add x, 1 monotonic P", [(1, 2)]),
        # Two reads are no conflict.
        ("r = load x P", []),
        # A promise is that of listed accesses alone.
        ("store i, x", []),
        ("store i, x P\n store 1, y", [(1, 2)]),
        ("store i, a[i] P\n j = i + 1\n r = load a[j]", []),
        # An iteration reads what the next writes.
        ("store i, a[i] P\n j = i + 1\n r = load a[j] P", [(1, 2)]),
        # The third writes what the first has read, and the other way round.
        ("store i, a[i] P\n j = i ^ 2\n r = load a[j] P", [(1, 3)]),
        # One half of the iterations does it: no two of them meet at one element.
        ("if i == 1 {\n store i, x P\n }", []),
        ("if i != 1 {\n store i, x P\n }", [(1, 3)]),
    ],
)
def test_pairs_of_iterations_that_conflict(body: str, pairs: list[tuple[int, int]]) -> None:
    found = [tuple(int(word) for word in reason.split() if word.isdigit()) for reason in reasons(loop(body))]
    assert [pair[:2] for pair in found] == pairs


def test_bytes_count_and_not_locations() -> None:
    """A store of the upper half of an element and a load of the lower half of it have no byte in common."""
    halves = "store i16 1, &a + 2 P\n r = load i16, a P"
    assert reasons(loop(f"if i == 0 {{\n {halves} }}".replace(" }", "\n }"))) == ()
    assert reasons(loop("r = load i16, a P\n if i == 1 {\n store i16 1, &a + 2 P\n }")) == ()
    (reason,) = reasons(loop("r = load a[0] P\n if i == 1 {\n store i16 1, &a + 2 P\n }"))
    assert "at a+2, against" in reason


def test_the_reason_names_iterations_loop_bytes_and_statements() -> None:
    assert reasons(loop("store i, a[i] P\n j = i + 1\n r = load a[j] P")) == (
        "iterations 1 and 2 of loop 'for1' of K conflict at a+4, against a promise (load, line 8; store, line 6)",
    )


@pytest.mark.parametrize(
    ("values", "broken"), [("0", False), ("1", True), ("3", False), ("{0, 3}", False), ("{0, 2}", True)]
)
def test_distances_that_a_parameter_decides(values: str, broken: bool) -> None:
    """Of three iterations, one reads what another writes if the distance is 1 or 2, and from 3 on none does."""
    one = f"= {values}" if values[0] != "{" else f"in {values}"
    text = loop("store i, a[i] P\n k = i + d\n k = k & 7\n if k < 3 {\n r = load a[k] P\n }", parameters=f"i32 d {one}")
    assert bool(reasons(text)) == broken


def test_lanes_and_executions_are_apart() -> None:
    """All lanes write x, and the inner loop does so again in each iteration of the outer one."""
    text = (
        "litmus t\nglobal x = 0\nkernel K() lanes 2 {\n  for i in 0..2 {\n    for j in 0..%d {\n"
        "      store 1, x, !llvm.mem.parallel_loop_access %s\n    } !llvm.loop !1\n  } !llvm.loop !0\n}\n"
        "!0 = distinct !{!0}\n!1 = distinct !{!1}\nexists (x=1)\n"
    )
    assert reasons(text % (1, "!1")) == ()
    assert judged(text % (2, "!1")).undefined == (
        "iterations 1 and 2 of loop 'for2' of K conflict at x, against a promise (store, line 6)",
    )
    assert reasons(text % (1, "!0")) == (
        "iterations 1 and 2 of loop 'for1' of K conflict at x, against a promise (store, line 6)",
    )


def test_values_that_are_read_decide() -> None:
    """Both iterations write x only if the first reads 0 and the second 1, which the other thread writes."""
    text = (
        "litmus t\nglobal x = 0, z = 0\nkernel K() {\n  for i in 0..2 {\n    r = load atomic z monotonic\n"
        "    c = r == i\n    if c {\n      store 1, x, !llvm.access.group !4\n    }\n  } !llvm.loop !0\n}\n%s"
        '!0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !4}}\n!4 = distinct !{}\nexists (x=1)\n'
    )
    (reason,) = reasons(text % "thread P {\n  store atomic 1, z monotonic\n}\n")
    assert "iterations 1 and 2" in reason
    assert reasons(text % "") == ()


def test_addresses_that_are_read_decide() -> None:
    """Both iterations write where p points, which another thread may change before, between or after them."""
    text = (
        "litmus t\nglobal x = 0, y = 0\nglobal ptr p = &x\nkernel K() {\n  for i in 0..2 {\n"
        "    q = load atomic p monotonic\n    store 1, q, !llvm.mem.parallel_loop_access !0\n  } !llvm.loop !0\n}\n%s"
        "!0 = distinct !{!0}\nexists (x=1)\n"
    )
    assert [r.split(",")[0].split()[-1] for r in reasons(text % "")] == ["x"]
    moved = text % "thread P {\n  store atomic &y, p monotonic\n}\n"
    assert [r.split(",")[0].split()[-1] for r in reasons(moved)] == ["x", "y"]


def test_iterations_of_a_loop_that_waits_count() -> None:
    """A lock is not got at first, and then: what failed has read what then was written."""
    text = (
        "litmus t\nglobal l = %d\nkernel K() {\nh:\n  o, k = cmpxchg l, 0, 1 monotonic, !llvm.access.group !4\n"
        "  br k, e, b\nb:\n  br h, !llvm.loop !0\ne:\n  ret void\n}\nthread P {\n  store atomic 0, l monotonic\n}\n"
        '!0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !4}}\n!4 = distinct !{}\nbound 2\nexists (l=1)\n'
    ).replace("K() {\nh:", "K() {\nentry:\n  br h\nh:")
    (reason,) = reasons(text % 1)
    assert "iterations 1 and 2 of loop 'h'" in reason
    assert reasons(text % 0) == ()


def test_loops_that_no_key_tells_apart_are_refused() -> None:
    """Whichever block begins the outer cycle, one of the loops in it has its header for its own."""
    text = (
        "litmus t\nglobal x = 0\nkernel K(i32 n in {0, 1}) {\nentry:\n  c = n == 0\n  br c, h, z\nh:\n"
        "  store 1, x, !llvm.access.group !4\n  d = n == 2\n  br d, h, z, !llvm.loop !0\nz:\n  f = n == 3\n"
        "  br f, h, e\ne:\n  ret void\n}\n"
        '!0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !4}}\n!4 = distinct !{}\nexists (x=1)\n'
    )
    swapped = text.replace("br c, h, z", "br c, z, h").replace("n == 0", "n == 1")
    refused = 0
    for one in (text, swapped):
        try:
            event_graph(parse(one), Conventions(promises=True))
        except InputError as error:
            refused += 1
            (diagnostic,) = error.diagnostics
            assert (diagnostic.span.line, "irreducible" in diagnostic.message) == (8, True)
        event_graph(parse(one))
    assert refused == 1


# ---------------------------------------------------------------- random nests


@dataclass(frozen=True)
class Access:
    """`a`[(factors times counters, and times the lane, + offset) mod 4]: a store, load or update, of some groups."""

    word: str
    factors: tuple[int, ...]
    lane: int
    offset: int
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Nest:
    """A loop with its number of iterations (0: the parameter n), the groups that it lists, accesses, a loop inside."""

    name: str
    trips: int
    listed: tuple[str, ...]
    body: tuple[Access | Nest, ...]


def nests(rng: random.Random, names: Iterator[str], depth: int) -> Nest:
    """Return a random nest of at most two loops inside each other."""
    body: list[Access | Nest] = []
    for _ in range(rng.randint(1, 2)):
        factors = tuple(rng.choice([0, 1, 1, 2]) for _ in range(2))
        groups = tuple(g for g in ("10", "11") if rng.random() < 0.6)
        word = rng.choice(["store", "load", "load", "update"])
        body.append(Access(word, factors, rng.randint(0, 1), rng.randint(0, 3), groups))
    if depth:
        body.insert(rng.randint(0, len(body)), nests(rng, names, depth - 1))
    listed = tuple(g for g in ("10", "11") if rng.random() < 0.6)
    return Nest(next(names), rng.randint(0, 3 - depth), listed, tuple(body))


def text_of(nest: Nest) -> str:
    nodes: dict[str, tuple[str, ...]] = {}

    def lines(one: Nest | Access, counters: tuple[str, ...], indent: str) -> Iterator[str]:
        if isinstance(one, Nest):
            number = str(len(nodes))
            nodes[number] = one.listed
            yield f"{indent}for {one.name} in 0..{one.trips or 'n'} {{"
            for part in one.body:
                yield from lines(part, (*counters, one.name), indent + "  ")
            yield f"{indent}}} !llvm.loop !{number}"
            return
        terms = [f"{c} * {f}" for c, f in zip(counters, one.factors, strict=False) if f]
        index = " + ".join([str(one.offset), *terms, *["lane.id"] * one.lane])
        promise = f", !llvm.access.group !{{{', '.join(f'!{g}' for g in one.groups)}}}" if one.groups else ""
        yield f"{indent}k = ({index}) & 3"
        texts = {"store": "store 1, a[k]", "load": "r = load a[k]", "update": "atomicrmw add a[k], 1 monotonic"}
        yield f"{indent}{texts[one.word]}{promise}"

    body = "\n".join(lines(nest, (), "  "))
    head = f"litmus t\nglobal <4 x i32> a = {{0, 0, 0, 0}}\nkernel K(i32 n in {{1, 2}}) lanes 2 {{\n{body}\n}}\n"
    defined = (_node(name, groups) for name, groups in nodes.items())
    return head + "\n".join([*defined, "!10 = distinct !{}", "!11 = distinct !{}", ""])


def _node(name: str, groups: tuple[str, ...]) -> str:
    listed = ", ".join(['!"llvm.loop.parallel_accesses"', *(f"!{group}" for group in groups)])
    return f"!{name} = distinct !{{!{name}, !{{{listed}}}}}"


def expected(nest: Nest) -> bool:
    """Say whether some promise of a nest is broken by some lane, with some value of its parameter."""
    return any(broken(nest, lane, n) for lane in (0, 1) for n in (1, 2))


def broken(nest: Nest, lane: int, n: int) -> bool:
    """Execute a nest and say whether some promise of it is broken."""
    log: list[tuple[tuple[tuple[Nest, int], ...], Access, int]] = []

    def execute(one: Nest | Access, around: tuple[tuple[Nest, int], ...]) -> None:
        if isinstance(one, Nest):
            for i in range(one.trips or n):
                for part in one.body:
                    execute(part, (*around, (one, i)))
            return
        index = one.offset + one.lane * lane + sum(f * i for f, (_, i) in zip(one.factors, around, strict=False))
        log.append((around, one, index & 3))

    execute(nest, ())
    for number, (around, access, element) in enumerate(log):
        for others, other, same in log[:number]:
            if element != same or access.word == other.word == "load":
                continue
            for level, ((one, i), (two, j)) in enumerate(zip(around, others, strict=False)):
                listed = set(one.listed) & set(access.groups), set(one.listed) & set(other.groups)
                if one is two and around[:level] == others[:level] and i != j and all(listed):
                    return True
    return False


@pytest.mark.parametrize("seed", parts(30))
def test_random_nests_break_what_executing_them_breaks(seed: int) -> None:
    nest = nests(random.Random(seed), iter(("i", "j")), seed % 2)
    text = text_of(nest)
    assert bool(judged(text, narrow=True).undefined) == expected(nest), text


def test_random_nests_break_some_promises_and_keep_others() -> None:
    found = [expected(nests(random.Random(seed), iter(("i", "j")), seed % 2)) for seed in range(30)]
    assert 5 < sum(found) < 25


def test_the_command_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(loop("store i, x P"))
    assert main(["run", str(path), "--model", "sc", "--promises"]) == 0
    assert "undefined behaviour: iterations 1 and 2 of loop 'for1' of K conflict at x" in capsys.readouterr().out
    assert main(["run", str(path), "--model", "sc"]) == 0
    assert "undefined" not in capsys.readouterr().out


def test_an_execution_that_breaks_a_promise_is_shown() -> None:
    found = explain(loop("store i, x P"), "sc", promises=True)
    assert found.answer is ExplainedAnswer.UNDEFINED
    assert found.reason.startswith("iterations 1 and 2 of loop 'for1' of K conflict at x")
    assert found.exhibit is not None
    assert explain(loop("store i, x P"), "sc").answer is ExplainedAnswer.FORBIDDEN, "the last of 0, 1, 2 is not 1"
