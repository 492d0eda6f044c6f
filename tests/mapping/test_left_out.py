"""A sample of `python -m tests.long.elements`: what `--needs` says of assembly, beside `verify` of the text."""

from __future__ import annotations

import pytest

from axmem.codegen.assembly import mutants as assembly
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.program import RegisterHazard
from axmem.codegen.targets import Target, target
from axmem.formats.reading import parse_file
from axmem.formats.sources import found_clang
from axmem.litmus.syntax import LitmusTest
from axmem.mapping import elements
from axmem.mapping.elements import Mutants
from axmem.mapping.matrix import REGISTER, matrix
from axmem.mapping.verification import CodeSource, verify
from axmem.report.needs import lines, needs
from tests.assembly.record import read
from tests.drawn import WHOLE, in_full
from tests.long.elements import drawn, sources
from tests.mapping import left_out
from tests.mapping.left_out import compared, place, verified, without
from tests.paths import ROOT

QUICK, SLOW = "tests/assembly/Lds.litmus", ("tests/assembly/Cmpxchg.litmus", "tests/assembly/Loops.litmus")
TARGETS = ("gfx942", "gfx1250", "gfx600", "gfx1100", "gfx1030", "gfx1200")
RECORDED = [*((name, QUICK) for name in TARGETS), *((name, path) for path in SLOW for name in TARGETS)]


@pytest.mark.parametrize(("name", "path"), RECORDED if WHOLE else RECORDED[:2])
def test_elements_are_what_verify_says_without_them(name: str, path: str) -> None:
    text = read()[name, "", path, "llc"]
    found = list(compared(parse_file(ROOT / path), text, target(name, "", "llvm-22")))
    assert any(one.said.hazards for one in found), "some register waits"
    assert not [one for one in found if not one.equal]


def test_what_is_said_of_elements_that_are_drawn_is_what_is_said_of_all() -> None:
    test, text, where = parse_file(ROOT / QUICK), read()["gfx942", "", QUICK, "llc"], target("gfx942", "", "llvm-22")
    every = {one.element: one.said for one in compared(test, text, where) if one.kind}
    some = [one for one in compared(test, text, where, 3) if one.kind]
    assert len(some) == 3 < len(every)
    assert all(one.equal and every[one.element] == one.said for one in some)


@in_full
@pytest.mark.skipif(not found_clang(), reason="there is no clang")
def test_elements_of_what_clang_makes_are_drawn() -> None:
    on, found = drawn(3, ("last-block.hip", "gfx942"))
    assert on == 1 and len([one for one in found if one.kind]) == 3
    assert all(one.equal for one in found) and len(sources()) == 29


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> tuple[LitmusTest, str, Target]:
    """A test, its text and target; with as many states as the whole text has, some text without elements has more."""
    path = "docs/findings/fixed/missing-wait-after-writeback.litmus"
    test, text, where = parse_file(ROOT / path), read()["gfx1250", "", path, "llc"], target("gfx1250", "", "llvm-22")
    whole = verified(test, text, where)
    most = max(explore(laid).states for laid in whole.hardware.laid_out(whole.program))
    monkeypatch.setattr(left_out, "STATES", most)
    return test, text, where


def test_what_a_search_finds_that_is_cut_is_told(cut: tuple[LitmusTest, str, Target]) -> None:
    made = matrix(verified(*cut))
    unfinished = [found for found in made.mutants.known.values() if not found.complete]
    assert any(row in found.outcomes for found in unfinished for row in made.rows[-1].forbidden)
    assert {len(group.elements) for row in made.rows for group in row.groups} == {2}
    groups = [one for one in compared(*cut) if one.element.endswith("of a group")]
    assert groups and all(one.equal for one in groups)


@in_full
def test_few_searches_that_are_cut_are_made_for_groups(
    cut: tuple[LitmusTest, str, Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elements, "CUT", 0)
    assert not all(row.exact for row in matrix(verified(*cut)).rows)
    assert all(one.equal for one in compared(*cut))


def test_one_that_forgets_registers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative control: `--needs` as it would be if hazards were those of the whole text."""
    text = read()["gfx942", "", QUICK, "llc"]

    def forgotten(_: Mutants, __: object) -> tuple[RegisterHazard, ...]:
        return ()

    monkeypatch.setattr(Mutants, "hazards", forgotten)
    found = list(compared(parse_file(ROOT / QUICK), text, target("gfx942", "", "llvm-22")))
    assert [one for one in found if not one.equal]


def test_a_wait_of_registers_is_told() -> None:
    """Of code that uses registers too early as it is, only what more is too early is said."""
    finding = "docs/findings/unawaited-scalar-load"
    test, where = parse_file(ROOT / f"{finding}.litmus"), target("gfx1250", "", "llvm-24")
    text = (ROOT / f"{finding}.gfx1250.s").read_text(encoding="utf-8")
    whole = verify(test, where, code=CodeSource(("code.s", text)))
    made = matrix(whole)
    early = [e for e in made.elements if all(row.cells[e].words == (REGISTER,) for row in made.rows)]
    assert early and any(" for line " in line for line in lines(needs(whole), ()))
    left = verified(test, without(text, [place(whole, early[0])]), where)
    (row,) = matrix(left).rows
    assert left.hazards and not row.flags and not row.happens
    assert any("not asked for" in line for line in lines(needs(left), ()))


def test_a_line_without_a_bit_reads_as_if_it_had_never_had_it() -> None:
    load = "global_load_dword v1, v0, s[0:1] offset:4 sc0"
    text = f"P0:\n\t{load} sc1\n\tbuffer_inv sc1\n\ts_waitcnt vmcnt(0)\n\ts_endpgm\n"
    gone = {2: {"sc1"}, 3: {""}, 4: {"vmcnt"}}
    (kernel,) = assembly.without(read_listing(text, "p.s"), gone, target("gfx942").family).kernels.values()
    assert [line.text for line in kernel.lines] == [load, "s_nop 0", "s_nop 0", "s_endpgm"]
    assert kernel.lines[0].bits == ("offset:4", "sc0")
