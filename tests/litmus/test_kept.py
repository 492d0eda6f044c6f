"""What is kept of lines that were read before changes nothing: neither trees, spans included, nor what is wrong.

A text is read twice: with nothing kept, and after others whose lines it shares. Both readings must give the same tree
or the same diagnostics, whatever differs around the lines: what is declared, of which type, which registers exist, what
the next line goes on with, which levels and which metadata a test has.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from axmem.front.source import InputError, Source
from axmem.litmus import inference, lexer, memo
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import tokens
from axmem.litmus.names import resolve_names
from axmem.litmus.parser import TestParser, parse
from axmem.litmus.syntax import LitmusTest

CORPUS = sorted((Path(__file__).parents[2] / "litmus" / "corpus").rglob("*.litmus"))


def forget() -> None:
    """Let everything go that is kept of earlier texts."""
    lexer.forget_lines()
    memo.memo.cache_clear()


def read(text: str) -> str:
    """Return everything that reading a text gives, as one text: the tree with its places, or the diagnostics."""
    try:
        return repr(parse(text, "t.litmus"))
    except InputError as error:
        return str(error)


def same_after_others(texts: Sequence[str]) -> None:
    """Assert that each text is read alike with nothing kept and after all others."""
    cold = []
    for text in texts:
        forget()
        cold.append(read(text))
    forget()
    for _ in range(2):
        assert [read(text) for text in texts] == cold


def test_the_corpus() -> None:
    same_after_others([path.read_text(encoding="utf-8") for path in CORPUS[::10]])


def test_lines_of_the_corpus_mixed() -> None:
    """Texts that share most of their lines with one that was read before, many of them broken somewhere."""
    rng = random.Random(7)
    lines = [path.read_text(encoding="utf-8").splitlines() for path in CORPUS]
    found = []
    for _ in range(30):
        text = list(rng.choice(lines))
        for _ in range(3):
            at, other = rng.randrange(len(text)), rng.choice(lines)
            changed = {0: [], 1: [text[at], text[at]], 2: [rng.choice(other)], 3: [text[at].replace("x", "y")]}
            text[at : at + 1] = changed[rng.randrange(4)]
            found.append("\n".join(text))
            text = text or [""]
    same_after_others(found)


BODY = """
thread P0 {
  store 1, x release
  r0 = load y acquire
}
thread P1 {
  store 2, y release
  r0 = load x acquire
}
"""
AROUND = (
    ("global x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)\n  /\\ P1:r0=0"),
    ("global x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)\n\n  => P1:r0=2"),
    ("global x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)\nexists (x=1)"),
    ("global i64 x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = 0\nglobal i8 y = 0", "exists (P0:r0=0 /\\ P1:r0=4294967296)"),
    ("global i64 x = 0, y = 0\n", "exists (P0:r0=0 /\\ P1:r0=4294967296)"),
    ("lds x\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("private x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = {0, 0}\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = 0\nglobal z = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = 0\nglobal r0 = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("levels thread cta gpu system\nglobal x = 0, y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = &y\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = 0\nglobal y = &x", "exists (P0:r0=0 /\\ P1:r0=0)"),
    ("global x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ y=0)"),
    ("global x = 0\nglobal z = 0", "exists (P0:r0=0 /\\ y=0)"),
    ("global x = 0\nglobal y = 0", "exists (P0:r0=0 /\\ P1:r0=0)\nthread P2 {\n  store 1, x[1]\n}"),
    ("global x = 0\nglobal y = 0", 'expect llvm never "one"\nexists (P0:r0=0)'),
    ("global x = 0\nglobal y = 0", 'expect llvm never "one"\n  "two"\nexists (P0:r0=0)'),
)
"""What stands around one body. Its lines are the same: what precedes it always has two lines."""

STATEMENTS = (
    "  store 1, x release", "  store r0, x release", "  store 1, x", "  store i64 1, x release", "  r0 = load x",
    "  r1 = load x acquire", "  r0, r1 = cmpxchg x, 0, 1 acq_rel", "  r1 = cmpxchg x, 0, 1 acq_rel", "  r1 = r0",
    "  r1 = x", "  if r0 { store 1, x }", "  if r0 {\n    store 1, x\n  }", "  }", "", "  barrier", "  assume r0",
    '  store 1, x syncscope("agent") release', '  store 1, x syncscope("gpu") release', "  store r9, x", "  store y, x",
    "  r0 = load i64 x", "  r0 = load i64 x acquire", "  store i64 1, ptr addrspace(1) @x", "  r9 = load x",
    "  store atomic 1, x release, !mmra !0", "  fence acquire", "L: store 1, x", "  store &y, x", "  store 1, r0",
)  # fmt: skip
"""What the first statement is changed to."""


def test_the_same_body_elsewhere() -> None:
    texts = [f"litmus t\n{before}\n{BODY}\n{after}\n" for before, after in AROUND]
    same_after_others([*texts, *(text + '\n!0 = !{!"vulkan", !"private"}\n' for text in texts)])
    same_after_others([text.replace("thread P1 {", "thread P1 @ workgroup 1 {") for text in texts])
    same_after_others([text.replace("r0", "r1", 1) for text in texts])
    for around in texts[:1] + texts[4:12]:
        same_after_others([around.replace("  store 1, x release", other, 1) for other in STATEMENTS])
    for statement in ("  store i64 1, ptr addrspace(1) @x", '  store 1, x syncscope("agent") release', "  store y, x"):
        same_after_others([text.replace("  store 1, x release", statement, 1) for text in texts])


def test_what_is_read_after_other_statements() -> None:
    """The second statement is the same; what it means depends on the first."""
    for second in ("  store r1, x", "  assume r1", "  r2 = r1", "  r2 = r1 + 1"):
        for before in (
            "global x = 0\nglobal y = 0",
            "global i64 x = 0\nglobal i64 y = 0",
            "global x = 0\nglobal r1 = 0",
        ):
            head = f"litmus t\n{before}\nthread P0 {{\n"
            first = (
                "  r1 = load i64 x",
                "  r1 = load i32 x",
                "  r0 = load x",
                "  r1 = load x",
                "  r1 = cmpxchg x, 0, 1 monotonic",
            )
            same_after_others([f"{head}{each}\n{second}\n}}\nexists (P0:r1=0)\n" for each in first])


def test_how_deep_a_line_stands() -> None:
    """At the deepest level that is allowed a statement cannot be read."""
    lines = "litmus t\nglobal x = 0\nthread P0 {\n", "  store 1, x\n", "}\n"
    flat = lines[0] + "  assume 1\n" * 59 + lines[1] + lines[2]
    deep = lines[0] + "if 1 {\n" * 59 + lines[1] + "}\n" * 59 + lines[2]
    forget()
    assert "nested too deeply" in read(deep) and "nested" not in read(flat)
    same_after_others([flat, deep])


@pytest.mark.parametrize("path", CORPUS[::9], ids=lambda path: path.stem)
def test_where_nothing_states_a_type_all_are_i32(path: Path) -> None:
    """What is said at once is what unification finds."""
    named = named_tree(path.read_text(encoding="utf-8"))
    found = inference._untyped(named)
    if found is not None:
        assert found == inference._Inference(named).solve()


def test_some_tests_state_no_type() -> None:
    text = f"litmus t\nglobal x = 0\nglobal y = 0\n{BODY}\nexists (P0:r0=0)\n"
    assert inference._untyped(named_tree(text)) is not None
    for stated in ("store i64 1", "store {1, 2}", "store &y", "store r0 + 1"):
        assert inference._untyped(named_tree(text.replace("store 1", stated))) is None
    for before, _ in AROUND[4:7]:
        assert inference._untyped(named_tree(text.replace("global x = 0\nglobal y = 0", before))) is None


def named_tree(text: str) -> LitmusTest:
    """Return a test whose names are resolved and whose types are not known yet."""
    source = Source("t.litmus", text)
    return resolve_names(TestParser(Cursor(source, *tokens(source))).test())[0]


def test_a_long_line_is_not_kept() -> None:
    forget()
    read(f"litmus t\nglobal x = 0 ;{'.' * 300}\n{BODY}")
    kept = lexer._kept_line.cache_info().currsize
    read(f"litmus t\nglobal x = 0 ;{'-' * 300}\n{BODY}")
    assert lexer._kept_line.cache_info().currsize == kept
