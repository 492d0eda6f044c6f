"""Rows in contexts of any size: a table of rewrites, and what of the facts each of them needs."""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from axmem import outcomes
from axmem.check.selection import loaded
from axmem.formats.reading import parse_file
from axmem.front.typing import override
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.model.model import Model
from axmem.refinement.interface import dropped, facts, proving, rows
from axmem.refinement.interface.facts import Fact
from axmem.refinement.interface.proving import CARRIED, MERGED, Proved, proved_change, unargued
from tests.paths import CORPUS

TABLE = Path(__file__).with_name("rewrites.txt")
LLVM = ModelChoice("llvm")


def program(row: str, name: str) -> LitmusTest:
    """Return the test of one thread whose statements are separated by semicolons."""
    text = "" if row.strip() == "-" else row.strip().replace("; ", "\n")
    return parse(f"litmus {name}\nglobal x = 0, y = 0, z = 0\nthread P {{\n{text}\n}}\nexists (true)\n", name)


def rewrites() -> Iterator[tuple[str, str, str, str]]:
    """Yield what is known of each rewrite, its name, and the rows before and after."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            known, name, both = (part.strip() for part in line.split("|"))
            before, after = both.split(" -> ")
            yield known, name, before, after


def answer(before: str, after: str) -> Proved | str:
    return proved_change(program(before, "before"), program(after, "after"), LLVM)


@pytest.mark.parametrize("rewrite", list(rewrites()), ids=lambda rewrite: rewrite[1])
def test_what_is_known_of_a_rewrite_is_proved_or_not(rewrite: tuple[str, str, str, str]) -> None:
    known, _, before, after = rewrite
    found = answer(before, after)
    said = "unsound" if isinstance(found, str) else "merged" if MERGED in found.without else "sound"
    assert said == known or (said, known) == ("merged", "sound"), found


def test_contexts_of_what_is_proved_have_no_tags() -> None:
    """A load that nobody uses joins operations of its thread whose tags keep them apart: a context may be the test."""
    found = answer("r0 = load x", "-")
    assert isinstance(found, Proved) and "tags" in found.without
    idle, without = (parse_file(CORPUS / "mmra" / f"NoGo+{name}.litmus") for name in ("idle-load", "acquire-first"))
    assert (outcomes(idle, "llvm").verdict, outcomes(without, "llvm").verdict) == ("never", "sometimes")


ARGUED = "034e7a60d3b6848f"
"""What the definitions are made of, of which `axmem/refinement/interface/` argues what a row carries."""


def _made_of(model: Model) -> str:
    """Return a digest of the terms of those definitions."""
    terms = {d.name: d.term for d in model.definitions}
    needed = sorted(model.needed(terms[name] for name in CARRIED))
    said = repr(
        [(t.op.value, [needed.index(a) for a in t.arguments], t.name) for t in (model.terms[i] for i in needed)]
    )
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def test_what_is_argued_is_argued_of_the_definitions_that_there_are() -> None:
    """Where they have changed: read the argument again, then write the digest here."""
    assert not unargued(LLVM)
    assert _made_of(loaded(LLVM)) == ARGUED


def test_nothing_is_argued_of_other_models_and_readings() -> None:
    for model, variants in (("amdgpu", ()), ("llvm", (("sc", "rc11"),)), ("rc11", ())):
        assert "nothing is argued" in unargued(ModelChoice(model, variants))[0]


def test_a_rule_that_less_order_strengthens_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "CARRIED", ("hb-threads", "hb", "hbv", "strongly-hb", "sc-order", "may-see"))
    assert any("may forbid more" in why for why in proving._changing(loaded(LLVM)))


KINDS = (facts.IN, facts.THROUGH, facts.OUT, facts.ORDER)


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_needs_each_kind_of_fact(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _wrong(monkeypatch, lambda fact: fact[0] != kind)


@pytest.mark.parametrize("role", [facts.PRE, facts.POST])
def test_the_table_needs_what_the_context_attaches_itself(role: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _wrong(monkeypatch, lambda fact: role not in fact[3:])


def test_the_table_needs_that_a_write_itself_goes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _wrong(monkeypatch, lambda fact: fact[3] != fact[4])


def test_the_table_needs_the_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_levels", lambda operations: [1])
    assert any(known == "unsound" and isinstance(answer(b, a), Proved) for known, _, b, a in rewrites())


def _wrong(monkeypatch: pytest.MonkeyPatch, kept: Callable[[Fact], bool]) -> list[str]:
    """Return which unsound rewrites are proved if only some facts are kept."""
    monkeypatch.setattr(facts.Side, "facts", _only(kept))
    return [name for known, name, b, a in rewrites() if known == "unsound" and isinstance(answer(b, a), Proved)]


def _only(kept: Callable[[Fact], bool]) -> Callable[..., set[Fact]]:
    whole = facts.Side.facts
    return lambda self, seen, names: {fact for fact in whole(self, seen, names) if kept(fact)}


NOT_NEEDED = (
    "a store stands between",  # That store goes, too, and its own rule refuses it.
    "a seq_cst fence stands between",  # The facts have an order with the fence.
    "an unordered load behind",  # Not argued: the other write races with the store, too.
)
"""Refusals that no rewrite of the table needs."""


def _weakened() -> list[int]:
    """Return the lines of the rules about what goes at which they refuse."""
    found = [node for node in ast.walk(ast.parse(inspect.getsource(dropped))) if isinstance(node, ast.Raise)]
    return [node.lineno for node in found if not any(why in ast.unparse(node) for why in NOT_NEEDED)]


def _said() -> list[int]:
    """Return the lines of what a row carries that yield a fact, say where it comes in or out, or what is ordered."""
    tree = ast.parse(inspect.getsource(facts))
    (side,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    carried = [node for node in side.body if isinstance(node, ast.FunctionDef)]
    said = [n for f in carried for n in ast.walk(f) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Yield)]
    ways = [n for f in carried if f.name in ("entry", "exit") for n in ast.walk(f) if isinstance(n, ast.If)]
    (ordered,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "ordered")
    return [n.lineno for n in (*said, *ways, *(n for n in ordered.body if isinstance(n, (ast.If, ast.Return))))]


class _Without(ast.NodeTransformer):
    """Leaves out the statement of a line; what returns something returns that it is not so."""

    def __init__(self, line: int) -> None:
        self.line = line

    @override
    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and node.lineno == self.line:
            if isinstance(node, ast.Return):
                return ast.copy_location(ast.Return(ast.Constant(value=False)), node)
            generates = isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield)
            nothing = ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load()))) if generates else ast.Pass()
            return ast.copy_location(nothing, node)
        return super().generic_visit(node)


def _without(module: ModuleType, line: int) -> dict[str, object]:
    """Return what a module defines without one of its lines."""
    tree = ast.fix_missing_locations(_Without(line).visit(ast.parse(inspect.getsource(module))))
    names: dict[str, object] = {"__name__": module.__name__}
    exec(compile(tree, str(module.__file__), "exec"), names)
    return names


@pytest.mark.parametrize("line", _said())
def test_the_table_needs_each_line_of_the_facts(line: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it something is proved that is unsound, or without what must be left out of contexts."""
    monkeypatch.setattr(rows, "Side", _without(facts, line)["Side"])
    found = ((known, answer(b, a)) for known, _, b, a in rewrites() if known != "sound")
    wrong = [x for known, x in found if isinstance(x, Proved) and (known == "unsound" or MERGED not in x.without)]
    assert wrong, inspect.getsource(facts).splitlines()[line - 1]


@pytest.mark.parametrize("line", _weakened())
def test_the_table_needs_each_refusal(line: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that refuses less proves what is unsound, or stumbles."""
    names = _without(dropped, line)
    monkeypatch.setattr(rows, "Gone", names["Gone"])
    monkeypatch.setattr(rows, "Unproved", names["Unproved"])
    try:
        wrong = [name for known, name, b, a in rewrites() if known == "unsound" and isinstance(answer(b, a), Proved)]
    except (IndexError, KeyError, AttributeError, StopIteration):
        return
    assert wrong, inspect.getsource(dropped).splitlines()[line - 1]


UPDATES = [
    ("udec_wrap x, -1", "sub x, 1", True), ("sub x, 1", "udec_wrap x, -1", True), ("uinc_wrap x, -1", "add x, 1", True),
    ("umax x, 0", "or x, 0", True), ("umin x, -1", "and x, -1", True), ("nand x, -1", "xor x, -1", True),
    ("max x, -2147483648", "add x, 0", True), ("udec_wrap x, 0", "and x, 0", True),
    ("usub_sat x, -1", "and x, 0", True), ("udec_wrap x, -2", "sub x, 1", False), ("umax x, 1", "or x, 1", False),
    ("uinc_wrap x, -1", "add x, 2", False), ("usub_cond x, 7", "usub_sat x, 7", False),
    ("max x, 0", "umax x, 0", False),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "equal"), UPDATES)
def test_updates_of_another_kind_that_write_the_same_are_proved(before: str, after: str, equal: bool) -> None:
    row = "r0 = atomicrmw {} acq_rel; store atomic r0, y {}"
    assert isinstance(answer(row.format(before, "release"), row.format(after, "release")), Proved) is equal
    assert not isinstance(answer(row.format(before, "release"), row.format(after, "monotonic")), Proved)
