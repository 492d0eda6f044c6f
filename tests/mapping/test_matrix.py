"""What each allowed behaviour needs: matrices of a few tests, beside `verify` of the program without the element."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.mutants import elements, without
from axmem.codegen.machine.polls import polled
from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.events.conventions import Conventions
from axmem.events.unroll import event_graph
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.mapping import elements as left_out
from axmem.mapping.elements import smallest
from axmem.mapping.matrix import (
    ALLOWED,
    NEEDED,
    NOTHING,
    PROGRESS,
    UNKNOWN,
    Matrix,
    NeedsRow,
    flag_places,
    matrix,
)
from axmem.mapping.suite import suite
from axmem.mapping.verification import Exploration, Verification, judge, verify
from axmem.report.needs import Needs, needs, promise
from tests.digests import NEEDS
from tests.drawn import WHOLE, in_full, some
from tests.exploring import VERDICT_ALONE
from tests.paths import ROOT

MP = ROOT / "litmus" / "corpus" / "scopes" / "MP+rel.ag+acq.ag.litmus"
LOCK = """litmus lock
global l = 0, x = 0
thread P0 @ workgroup 0 {
  r0 = atomicrmw xchg l, 1 syncscope("agent") acquire
  if (r0 == 0) {
    store 1, x
    store atomic 0, l syncscope("agent") release
  }
}
thread P1 @ workgroup 1 {
  r1 = atomicrmw xchg l, 2 syncscope("agent") acquire
  if (r1 == 0) {
    r2 = load x
  }
}
exists (P0:r0=0 /\\ P1:r1=0 /\\ P1:r2=0)
"""
MEMORY = """litmus memory
global x = 0, f = 0, y = 0
thread P0 @ workgroup 0 {
  store 42, x
  store atomic 1, f syncscope("agent") release
}
thread P1 @ workgroup 1 {
  r0 = atomicrmw xchg f, 0 syncscope("agent") acquire
  if (r0 == 1) {
    r1 = load x
    store r1, y
  }
}
exists (f=0 /\\ y=0)
"""
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
SHAPES = ("MP.ag", "SB.ag", "CoRR.ag", "MP.lds-flag.ag", "LOCK")


def in_suite(name: str) -> LitmusTest | str:
    return LOCK if name == "LOCK" else next(test for test in suite() if test.name == name)


def found(name: str, gpu: str) -> Verification:
    return verify(in_suite(name), target(gpu, "", "llvm-24"), exploration=VERDICT_ALONE)


def said(shown: Needs) -> dict[str, Mapping[str, str]]:
    """Return the grid by names: for each element what each row says."""
    return {name: {row.flags: row.cells[e] for row in shown.rows} for e, name in shown.names.items()}


# ---------------------------------------------------------------- by hand


def test_the_matrix_of_a_message() -> None:
    """By hand. Without the writeback x stays in the L2 of its XCD; without a wait the flag is
    ahead of it, or the load before it; without the invalidate the consumer's L1 has the old x. A flag without sc1 stays
    in that L2, a poll without it in the L1. Nothing of LDS is waited for.
    """
    shown = needs(verify(MP.read_text(encoding="utf-8"), "gfx942", exploration=VERDICT_ALONE))
    assert [(row.flags, row.promise) for row in shown.rows] == [("P1:r0=0", "none"), ("P1:r0=1", "P1:r1 is not 0")]
    line = {name: cells["P1:r0=1"] for name, cells in said(shown).items()}
    assert line == {
        "P0:wb@9": NEEDED, "P0:vmcnt@9": NEEDED, "P0:lgkmcnt@9": NOTHING, "P0:sc1@9": PROGRESS, "P1:sc1@13": PROGRESS,
        "P1:vmcnt@13": NEEDED, "P1:inv@13": NEEDED,
    }  # fmt: skip
    assert {cells["P1:r0=0"] for cells in said(shown).values()} == {NOTHING} and not shown.groups


def test_what_atomic_reads_alone_exclude_is_a_row_of_its_own() -> None:
    """Store buffering: there is nothing beside the flags, and one value of them does not happen."""
    shown = needs(found("SB.ag", "gfx942"))
    (never,) = (row for row in shown.rows if row.promise == "does not happen")
    assert never.flags == "P0:r0=0  P1:r1=0"
    assert {shown.names[e] for e, cell in never.cells.items() if cell == NEEDED} == {
        "P0:sc1@7", "P0:vmcnt@8#1", "P0:sc1@8", "P1:sc1@12", "P1:vmcnt@13#1", "P1:sc1@13"
    }  # fmt: skip


def test_of_two_that_do_the_same_one_has_to_stay() -> None:
    """Two waits behind each other: none is needed, and one of them is."""
    text = MP.read_text(encoding="utf-8").replace(
        "  store atomic", '  fence syncscope("agent") release\n  store atomic'
    )
    shown = needs(verify(text, "gfx900", exploration=VERDICT_ALONE))
    groups = [{shown.names[e] for e in group.elements} for group in shown.groups.values()]
    assert groups == [{"P0:vmcnt@9", "P0:vmcnt@10"}]
    line = {name: cells["P1:r0=1"] for name, cells in said(shown).items()}
    assert line["P0:vmcnt@9"] == line["P0:vmcnt@10"] == "one of a"


def test_what_the_model_permits_is_no_promise() -> None:
    """Monotonic accesses order nothing, but on this machine a bit of the poll keeps the message from being seen late:
    what a wait keeps out anyway is `allowed`."""
    text = MP.read_text(encoding="utf-8").replace("acquire", "monotonic")
    made = matrix(verify(text, "gfx900", exploration=VERDICT_ALONE))
    words = {word for row in made.rows for cell in row.cells.values() for word in cell.words}
    assert words <= {ALLOWED, PROGRESS, NOTHING} and not any(row.forbidden for row in made.rows)


def test_flags_are_what_atomic_reads_alone_return() -> None:
    text = """litmus flags
global x = 0, f = 0, g = 0
thread P0 {
  r0 = load atomic f monotonic
  r1 = load x
  store atomic 1, g monotonic
  store 1, g
  r2 = add r0, r1
  r3 = 0
  if (r0 == 1) {
    r3 = 1
  }
  r4 = 2
}
exists (P0:r0=0 /\\ P0:r1=0 /\\ P0:r2=0 /\\ P0:r3=0 /\\ P0:r4=2 /\\ f=0 /\\ g=1 /\\ x=0)
"""
    graph = event_graph(verify(text, "gfx942", exploration=VERDICT_ALONE).test, Conventions())
    names = [observed.name for observed in graph.observed]
    assert [names[k] for k in flag_places(graph, names)] == ["P0:r0", "P0:r3", "f"]


def test_what_is_shown_of_reads_may_be_memory_alone() -> None:
    """Where the flag was taken, and is 0, the data has come; where it is still there, nothing has."""
    shown = needs(verify(MEMORY, target("gfx942", "", "llvm-24"), exploration=VERDICT_ALONE))
    assert [(row.flags, row.promise) for row in shown.rows] == [
        ("P1:r0=0  f=1", "P1:r1 is not 42, y is not 42"), ("P1:r0=1  f=0", "P1:r1 is not 0, y is not 0"),
        ("other values", "does not happen"),
    ]  # fmt: skip
    assert said(shown)["P1:inv@8"] == {"P1:r0=0  f=1": NOTHING, "P1:r0=1  f=0": NEEDED, "other values": NOTHING}


# ---------------------------------------------------------------- beside verify

CASES = [(name, gpu) for name in SHAPES for gpu in TARGETS]


def differing(whole: Verification, made: Matrix) -> list[str]:
    """Return where a matrix is not what judging the program without an element, or a group, says."""
    wrong = []
    given = whole.test, whole.permitted, whole.hardware
    for element in made.elements:
        cells, gone = [row.cells[element] for row in made.rows], (element,)
        other = judge(without(whole.program, gone), *given, ending=whole.ending)
        new = {violation.row for violation in other.violations} - {violation.row for violation in whole.violations}
        appearing = other.found - frozenset(whole.found) - new
        if new != {row for cell in cells for row in cell.gained} or appearing != {r for c in cells for r in c.allowed}:
            wrong.append(str(gone))
    for group in (group for row in made.rows for group in row.groups if group.gained):
        for stays in (None, *group.elements):
            left = [element for element in group.elements if element != stays]
            other = judge(without(whole.program, left), *given, ending=whole.ending)
            if bool({v.row for v in other.violations} & set(group.gained)) is not (stays is None):
                wrong.append(str(left))
    return wrong


@pytest.mark.parametrize(("name", "gpu"), CASES if WHOLE else CASES[::4])
def test_a_matrix_is_what_is_said_of_programs_without_elements(name: str, gpu: str) -> None:
    whole = found(name, gpu)
    made = matrix(whole)
    assert whole.verdict == "sound" and not differing(whole, made)
    words = {word for row in made.rows for cell in row.cells.values() for word in cell.words}
    assert (NEEDED if name != "CoRR.ag" else PROGRESS) in words


@pytest.mark.skipif(not WHOLE, reason="four threads take minutes")
@pytest.mark.parametrize("gpu", ["gfx90a", "gfx1200"])
def test_four_threads(gpu: str) -> None:
    whole = found("IRIW.ag", gpu)
    assert not differing(whole, matrix(whole))


def test_a_matrix_that_forgets_an_outcome_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative control: an element that does what the whole program does."""
    monkeypatch.setattr(left_out.Mutants, "single", lambda _, __: ())
    whole = found("MP.ag", "gfx942")
    assert differing(whole, matrix(whole))


ALONE = [("MP.ag", "gfx942"), ("SB.ag", "gfx1030"), ("CoRR.ag", "gfx1250")]


@pytest.mark.parametrize(("name", "gpu"), some(ALONE, of=2))
def test_no_other_element_keeps_a_read_from_what_is_written(name: str, gpu: str) -> None:
    """Of a read that is repeated all elements are left out here, also those that are not asked about."""
    whole = found(name, gpu)
    made = matrix(whole)
    for place in made.flags:
        for value in {row[place] for row in whole.permitted.outcomes}:
            if not isinstance(value[0], int):
                continue
            hung = set()
            for element in made.elements:
                program = polled(without(whole.program, [element]), place, value[0])
                assert program is not None
                laid_out = whole.hardware.laid_out(program)
                if any(not hang.locked for laid in laid_out for hang in explore(laid).hangs):
                    hung.add(element)
            needed = made.polls.get((place, value))
            assert hung == (set() if needed is None else set(needed.alone))


# ---------------------------------------------------------------- smallest sets


def test_smallest_sets_are_all_found() -> None:
    """Of letters, broken by any of three sets; and by one whose search is cut."""
    program = machine_program(lower(found("SB.ag", "gfx942").test, target("gfx942")))
    some = tuple(islice(elements(program), 6))
    sets = [{some[0], some[1]}, {some[1], some[2], some[3]}, {some[4], some[5]}]
    every = smallest(some, lambda gone: any(one <= set(gone) for one in sets))
    assert every.exact and set(map(frozenset, every.sets)) == set(map(frozenset, sets))
    cut = smallest(some, lambda gone: True if len(gone) == 6 else None)
    assert cut.sets == (some,) and not cut.exact
    assert smallest(some, lambda _: False).sets == ()


# ---------------------------------------------------------------- what is printed


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "tests"
    folder.mkdir()
    for name in ("MP.ag", "SB.ag"):
        test = in_suite(name)
        assert not isinstance(test, str)
        (folder / f"{name}.litmus").write_text(print_test(test), encoding="utf-8")
    return folder


def test_a_terminal_has_a_line_for_each_element(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(files / "MP.ag.litmus"), "--target", "gfx942", "--needs", "--why", "P1:inv@12"]) == 0
    out = capsys.readouterr().out.splitlines()
    at = out.index("  what its outcomes need:")
    assert out[at + 2].endswith(" P1:r1 is not 0")
    (line,) = (line.split() for line in out if line.startswith("    P1:inv@12 "))
    assert line == ["P1:inv@12", "buffer_inv", "sc1", "–", "needed"]
    assert "    without P1:inv@12 (buffer_inv sc1)" in out
    assert any("hits in L1" in line for line in out) and any("stale: " in line for line in out)


@pytest.mark.parametrize("format_", some(["markdown", "html", "rst", "latex", "svg", "json"], of=2))
def test_every_format_has_the_matrix(format_: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(files / "MP.ag.litmus")
    assert main(["verify", path, "--target", "gfx942", "--needs", "--why", "all", "--format", format_]) == 0
    out = capsys.readouterr().out.replace("\\", "")
    assert "progress" in out and "P1:r1 is not 0" in out and "P1:inv@12" in out
    if format_ not in ("svg", "json"):
        assert "hits in L1" in out, "the cell leads to what is lost"


@in_full
def test_data_has_every_row(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(files), "--target", "gfx942", "--needs", "--format", "json"]) == 0
    first, second = (each["needs"] for each in json.loads(capsys.readouterr().out)["verifications"])
    assert [row["flags"] for row in first["rows"]] == [{"P1:r0": "0"}, {"P1:r0": "1"}]
    assert first["rows"][1]["cells"]["P1:inv@12"]["gained"] == ["P1:r0=1  P1:r1=0"]
    assert [row["happens"] for row in second["rows"]] == [True, True, True, False]


def test_what_a_limit_cuts_is_not_guessed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["verify", str(files / "MP.ag.litmus"), "--target", "gfx942", "--needs", "--limit"]
    assert main([*arguments, "10"]) == 3
    assert "    unknown, the search was cut\n" in capsys.readouterr().out
    whole = found("MP.ag", "gfx942")
    limit = whole.states  # more than a placement of the whole program has, and less than one without some element
    made = matrix(verify(whole.test, whole.target, exploration=Exploration(robust=False, limit=limit // 3 + 5)))
    words = {word for row in made.rows for cell in row.cells.values() for word in cell.words}
    assert made.cut or UNKNOWN in words or words == {NEEDED, PROGRESS, NOTHING}


BAD = [
    (["--needs", "--why", "P1:inv@1"], "has no element 'P1:inv@1'", "did you mean 'P1:inv@12'?"),
    (["--why", "P1:inv@12"], "only what a test needs has reasons of its own", "ask for --needs"),
    (["--by", "operation"], "only --needs has two tables", "add --needs"),
    (["--format", "rst"], "only --needs is printed as rst", "add --needs"),
    (["--needs", "--by", "operation", "--why", "all"], "only what a test needs has reasons of its own", ""),
    (["--needs", "--by", "operation", "--format", "svg"], "the needs of a test are drawn", ""),
    (["--needs", "--run", "kept"], "only --needs --by operation and --strategy keep answers", ""),
]


@pytest.mark.parametrize(("options", "message", "hint"), BAD)
def test_bad_options_are_told(
    options: list[str], message: str, hint: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(files / "MP.ag.litmus"), "--target", "gfx942", *options]) == 2
    err = capsys.readouterr().err
    assert message in err and hint in err


def test_former_options_are_read(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(files / "MP.ag.litmus")
    for former, today in (("--elements", ["--needs"]), ("--necessity", ["--needs", "--by", "operation"])):
        assert main(["verify", path, "--target", "gfx900", former]) == 0
        before = capsys.readouterr().out
        assert main(["verify", path, "--target", "gfx900", *today]) == 0
        assert capsys.readouterr().out == before
    assert main(["verify", "--target", "gfx900", "--", "--elements"]) == 2
    assert "--elements" in capsys.readouterr().err


def test_a_promise_is_said_of_values_and_of_pairs() -> None:
    """Of a lock: who comes second sees what the first wrote; who comes first has it not written; both are not first."""
    shown = needs(found("LOCK", "gfx942"))
    assert {row.flags: row.promise for row in shown.rows} == {
        "P0:r0=0  P1:r1=0": "P1:r2 is not 0", "P0:r0=0  P1:r1=1": "P1:r2 is not 1",
        "P0:r0=2  P1:r1=0": "P1:r2 is not 1", "P0:r0=2  P1:r1=1": "does not happen",
    }  # fmt: skip
    rows = [(((0,), (0,), (value,)), ((0,), (1,), (value,))) for value in (0, 1)]
    forbidden, permitted = (rows[0][1], rows[1][0]), (rows[0][0], rows[1][1])
    pairs = NeedsRow((), happens=True, broken=False, forbidden=forbidden, permitted=permitted, cells={})
    made = Matrix((), (0,), (pairs,), shown.matrix.mutants)
    assert promise(shown.found, made, pairs) == "not P1:r1=1 and P1:r2=0, not P1:r1=0 and P1:r2=1"


@pytest.mark.parametrize("gpu", TARGETS)
def test_pages_are_current(gpu: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each page has every test, and of a message what is said now."""
    page = (ROOT / "results" / "needs" / f"{gpu}.md").read_text(encoding="utf-8")
    titles = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert titles == [name.partition("/")[2] for name in NEEDS]
    arguments = ["verify", str(MP), "--target", gpu, "--profile", "llvm-24", "--needs", "--format", "markdown"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.partition("\n## ")[2].rstrip("\n") in page
