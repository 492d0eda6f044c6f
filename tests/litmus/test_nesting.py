"""Branches as `if`s: what is nested comes back as it was written, and what is not is refused by name.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from axmem.check.results import outcomes
from axmem.formats.reading import parse, parse_file
from axmem.litmus.kernels import Launch
from axmem.litmus.nesting import nested
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import If, Kernel, LitmusTest, Thread
from tests.drawn import some
from tests.paths import CORPUS_TESTS, ROOT

HEAD = "litmus t\ndeclare void @f()\nglobal x = 0\nthread P0 { store atomic 1, x monotonic }\n"
BRANCHING = [path for path in CORPUS_TESTS if "if " in path.read_text("utf-8")]
FOREIGN = [*sorted((ROOT / "tests" / "ir").glob("*.ll")), *sorted((ROOT / "tests" / "formats").glob("herd/*86/*")),
           *sorted((ROOT / "tests" / "formats").glob("herd/aarch64/*"))]  # fmt: skip


def of_blocks(body: str) -> str:
    """Return a thread of blocks as it is printed with `if`s, or why it is none."""
    (kernel,) = parse(f"{HEAD}thread P1 {{\n{body}}}\nexists (true)\n").kernels
    found = nested(kernel)
    if isinstance(found, str):
        return found
    test = parse(f"{HEAD}thread P1 {{ }}\nexists (true)\n")
    return print_test(replace(test, threads=(*test.threads[:1], found))).partition("thread P1 {\n")[2].split("\n}\n")[0]


@pytest.mark.parametrize("path", BRANCHING, ids=lambda path: path.stem)
def test_an_if_that_is_made_blocks_comes_back(path: Path) -> None:
    """The graph of a body with `if`s is what `control_flow` makes of it for kernels, from the same text."""
    for thread in parse_file(path).threads:
        if any(isinstance(each, If) for each in thread.body):
            kernel = Kernel(thread.name, (), Launch(), thread.placement, (), (), thread.body, lane_of_thread=True)
            assert nested(kernel) == thread


@pytest.mark.parametrize("path", some(FOREIGN, of=3), ids=lambda path: path.stem)
def test_blocks_and_ifs_have_the_same_outcomes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine executes kernels along their graphs, threads along their trees."""
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    tree = parse_file(path)
    if not any(isinstance(each, If) for thread in tree.threads for each in thread.body):
        return
    for reader in ("ir", "herd"):
        monkeypatch.setattr(f"axmem.formats.{reader}.assembly.nested", lambda kernel: "stays a kernel")
    graph = parse_file(path)
    assert graph.kernels
    assert states(tree) == states(graph)


def states(test: LitmusTest) -> set[tuple[str, ...]]:
    """Return the outcomes as rows of what the question names, whatever order the threads have."""
    return {tuple(sorted(row.split("  "))) for row in map(str, outcomes(test, "llvm").states())}


def test_a_phi_is_assigned_where_each_arm_ends_and_the_end_is_shared_by_returns() -> None:
    assert of_blocks(
        "entry:\n  r = load atomic x monotonic\n  br r, one, two\n"
        "one:\n  s = load atomic x monotonic\n  br s, early, join\n"
        "early:\n  t = 3\n  ret void\n"
        "two:\n  br join\n"
        "join:\n  v = phi i64 [ 5, one ], [ 6, two ]\n  w = v + 1\n  ret void\n"
    ) == "has branches that are not nested: several lead to 'join'"  # fmt: skip
    assert of_blocks(
        "entry:\n  r = load atomic x monotonic\n  br r, one, two\n"
        "one:\n  s = load atomic x monotonic\n  br s, early, join\n"
        "early:\n  t = 3\n  br join\n"
        "join:\n  v = phi i64 [ 5, one ], [ 6, early ]\n  ret void\n"
        "two:\n  ret void\n"
    ) == "\n".join((
        "  r = load atomic x monotonic", "  if r != 0 {", "    s = load atomic x monotonic", "    if s != 0 {",
        "      t = 3", "      v = i64 6", "    } else {", "      v = i64 5", "    }", "  }",
    ))  # fmt: skip


def test_a_switch_asks_for_one_target_after_the_other() -> None:
    assert of_blocks(
        "entry:\n  r = load atomic x monotonic\n  switch i32 r, other [ 1, odd, 3, odd, 2, even, 7, other ]\n"
        "odd:\n  s = 1\n  br end\neven:\n  t = 2\n  br end\nother:\n  u = 3\n  br end\nend:\n  ret void\n"
    ) == "\n".join((
        "  r = load atomic x monotonic", "  if r == 1 | r == 3 {", "    s = 1", "  } else if r == 2 {",
        "    t = 2", "  } else {", "    u = 3", "  }",
    ))  # fmt: skip


def test_a_branch_that_decides_nothing_stays_since_what_follows_depends_on_it() -> None:
    assert of_blocks("entry:\n  r = load atomic x monotonic\n  br r, end, end\nend:\n  ret void\n") == (
        "  r = load atomic x monotonic\n  if r != 0 {\n  }"
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a:\n  br b\nb:\n  br b\n", "has a loop at 'b'"),
        ("a:\n  r = load atomic x monotonic\n  br r, b, c\nb:\n  br c\nc:\n  br b\n", "has a loop at 'c'"),
        ("a:\n  r = load atomic x monotonic\n  br r, b, c\nb:\n  unreachable\nc:\n  ret void\n",
         "has an 'unreachable' in 'b'"),
        ("a:\n  br b\nb:\n  call void @f()\n  ret void\n", "calls '@f' between its branches"),
        ("".join(f"a{n}:\n  r{n} = load atomic x monotonic\n  br r{n}, a{n + 1}, b{n}\nb{n}:\n  ret void\n"
                 for n in range(41)) + "a41:\n  ret void\n", "has more than 40 branches inside one another"),
    ],
)  # fmt: skip
def test_what_is_no_if_is_said(body: str, reason: str) -> None:
    assert of_blocks(body) == reason


def test_phis_that_read_one_another_take_their_values_at_once() -> None:
    text = (
        f"{HEAD}thread P1 {{\na:\n  p = 1\n  q = 2\n  r = load atomic x monotonic\n  br r, b, c\n"
        "b:\n  br c\nc:\n  p = phi i32 [ q, a ], [ q, b ]\n  q = phi i32 [ p, a ], [ p, b ]\n  ret void\n}\n"
        "exists (P1:p=2 /\\ P1:q=1)\n"
    )
    (kernel,) = parse(text).kernels
    assert nested(kernel) == "has phis in 'c' that read one another"


def test_a_kernel_is_no_thread() -> None:
    (kernel,) = parse("litmus k\nglobal x = 0\nkernel K workgroups 1 {\n  store 1, x\n}\nexists (x=1)\n").kernels
    assert nested(kernel) == "is a kernel"
    assert isinstance(nested(replace(kernel, lane_of_thread=True)), Thread)
