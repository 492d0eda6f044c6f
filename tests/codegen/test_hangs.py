"""Loops that wait for ever: what is polled stays in a cache, or what was written does.

Which of them end follows from the machine's definition: a poll below its scope passes a cache, an invalidate of the
loop drops the line there, and an L2 that another wave does not share keeps what is stored without the scope of the
agent. `make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.layout import layout, settings
from axmem.codegen.machine.mutants import elements, without
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.polls import polled
from axmem.codegen.targets import target
from axmem.mapping.built import code, profile_of_clang, program
from axmem.mapping.compiled import assembled
from axmem.mapping.verification import CodeSource, Exploration, verify
from tests.drawn import some
from tests.exploring import VERDICT_ALONE
from tests.formats.test_sources import with_clang
from tests.mapping.test_launched_code import LAUNCH, MESSAGE, MESSAGE_CODE, found
from tests.sources.trial import SOURCES

POLL = "global_load_dword v1, v0, s[6:7] sc1\n\ts_waitcnt vmcnt(0)\n\tbuffer_inv sc1\n"
SET = "global_store_dword v0, v2, s[2:3] sc1"
DROPS = "global_load_dword v1, v0, s[6:7]\n\ts_waitcnt vmcnt(0)\n\tbuffer_inv sc1\n"
KEEPS = "global_load_dword v1, v0, s[6:7]\n\ts_waitcnt vmcnt(0)\n"
PASSES = "global_load_dword v1, v0, s[6:7] sc1\n\ts_waitcnt vmcnt(0)\n"
AFTER = "\tbuffer_inv sc1\n\tv_mov_b32_e32 v0, 0\n\tglobal_load_dword v1, v0, s[4:5]"
"""The invalidate behind the loop, which keeps the message together where there is none in it."""


def with_poll(poll: str) -> str:
    assert POLL in MESSAGE_CODE
    return MESSAGE_CODE.replace(POLL, poll).replace("\tv_mov_b32_e32 v0, 0\n\tglobal_load_dword v1, v0, s[4:5]", AFTER)


@pytest.mark.parametrize(("poll", "ends"), [(POLL, True), (DROPS, True), (PASSES, True), (KEEPS, False)])
def test_what_is_polled_is_to_be_dropped_or_passed_by(poll: str, ends: bool) -> None:
    """Any of the bit and the invalidate is enough; without both the L1 of another CU keeps what it has read."""
    made = found(MESSAGE, with_poll(poll), LAUNCH)
    assert made.word == ("sound" if ends else "does not end") and not made.violations
    assert {(e.hang.group, e.hang.node, e.hang.kept) for e in made.endless} == (
        set() if ends else {("flag", "L1 0.0.1", True)}
    )


def test_what_is_written_is_to_be_passed_on() -> None:
    """A flag that is stored without sc1 stays in the L2 of its XCD, unless something writes it back behind it."""
    alone = MESSAGE_CODE.replace(SET, SET.removesuffix(" sc1"))
    made = found(MESSAGE, alone, LAUNCH)
    (endless,) = made.endless
    assert made.word == "does not end" and endless.hang.node == "L2 0.0" and not endless.hang.kept
    assert endless.placement.text.endswith("several")
    assert found(MESSAGE, alone.replace(SET[:-4], f"{SET[:-4]}\n\tbuffer_wbl2 sc1"), LAUNCH).word == "sound"


def test_who_waits_for_what_nobody_writes_waits_for_ever() -> None:
    """That is the code's own fault if the program writes it."""
    silent = MESSAGE_CODE.replace(f"\t{SET}\n", "")
    other = MESSAGE_CODE.replace("v_mov_b32_e32 v2, 1", "v_mov_b32_e32 v2, 0")
    for text in (silent, other):
        made = found(MESSAGE, text, LAUNCH)
        assert text != MESSAGE_CODE and made.word == "does not end"
        assert all(each.hang.locked for each in made.endless)
    store = "store atomic i32 {}, ptr addrspace(1) %flag"
    assert not found(MESSAGE.replace(store.format(1), store.format(0)), other, LAUNCH).endless


LATE = f"\ts_mov_b32 s8, 0\n.LBB0_1:\n\tglobal_atomic_add v3, v0, v2, s[0:1] sc0\n\ts_waitcnt vmcnt(0)\n\
\tv_cmp_gt_u32_e32 vcc, 64, v3\n\ts_cbranch_vccnz .LBB0_1\n\t{SET}"


def test_who_is_not_followed_to_the_end_may_still_write() -> None:
    """It comes to the flag when it has counted from 42 to 64, and is followed for four iterations."""
    made = found(MESSAGE, MESSAGE_CODE.replace(f"\t{SET}", LATE), LAUNCH)
    assert made.word == "unknown" and not made.endless


@with_clang
def test_who_waits_for_somebody_who_waits_may_end() -> None:
    """What the block in between has seen last is not what it will see: a chain of three ends."""
    path, where = SOURCES / "chained-scan.hip", target("gfx942", "", profile_of_clang())
    text = path.read_text(encoding="utf-8")
    made = verify(
        program(text, str(path), "", where), where, code=CodeSource(code(text, str(path), where)),
        exploration=VERDICT_ALONE,
    )  # fmt: skip
    assert made.word == "sound"


def test_where_accesses_race_nobody_promises_an_end() -> None:
    racing = MESSAGE.replace(
        'load atomic i32, ptr addrspace(1) %flag syncscope("agent") acquire', "load i32, ptr addrspace(1) %flag"
    )
    assert racing != MESSAGE
    assert not found(racing, with_poll(KEEPS), LAUNCH).endless


CODES = (MESSAGE_CODE, with_poll(KEEPS), MESSAGE_CODE.replace(SET, SET.removesuffix(" sc1")))


@pytest.mark.parametrize(
    ("switch", "code"),
    some([*product(({}, {"inv_async": "off"}, {"l0_write": "drop"}, {"single_channel": "on"}), CODES)], of=7),
)
def test_the_reduced_walk_finds_what_every_step_finds(code: str, switch: dict[str, str]) -> None:
    where = target("gfx942")
    made = assembled(program(MESSAGE, "k.ll", f"launch {LAUNCH}", where), where, code, "k.s")
    for place in placements(made):
        laid = layout(made, place, settings(made.family, switch))
        assert explore(laid).hangs == explore(laid, reduced=False).hangs, place.text


def test_a_loop_of_a_test_that_shows_no_memory_is_followed_to_its_end() -> None:
    """The flag's store is on its way when all registers are known; what it leaves dirty is what the loop waits for."""
    text = """litmus silent
global f = 0
thread P0 @ workgroup 0 {
  store atomic 1, f syncscope("agent") monotonic
}
thread P1 @ workgroup 1 {
  r0 = load atomic f syncscope("agent") monotonic
}
exists (P1:r0=1)
"""
    for gone in ("store", "load"):
        whole = verify(text, "gfx942", exploration=Exploration(robust=False))
        (element,) = (e for e in elements(whole.program) if gone in whole.program.instruction(e).text)
        repeated = polled(without(whole.program, [element]), 0, 1)
        assert repeated is not None and not repeated.finals
        assert any(explore(laid).hangs for laid in whole.hardware.laid_out(repeated))
        ends = polled(whole.program, 0, 1)
        assert ends is not None and not any(explore(laid).hangs for laid in whole.hardware.laid_out(ends))


def test_a_bit_may_be_what_a_loop_ends_by(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--needs` says of the flag's bit what code without it is; of the poll's, that nothing changes, since its loop has
    an invalidate; and of both, where the invalidate stands behind the loop.
    """
    module, code = tmp_path / "k.ll", tmp_path / "k.s"
    module.write_text(MESSAGE, encoding="utf-8")
    command = ["verify", str(module), "--launch", LAUNCH, "--asm", str(code), "--target", "gfx942", "--needs"]

    def needing(text: str) -> tuple[set[str], list[set[str]]]:
        code.write_text(text, encoding="utf-8")
        assert main([*command, "--format", "json"]) == 0
        (record,) = json.loads(capsys.readouterr().out)["verifications"]
        (row,) = record["needs"]["rows"]
        assert row["flags"] == {"flag": "1"}
        groups = [set(group["one_of"]) for group in row["groups"] if group["endless"]]
        return {name for name, cell in row["cells"].items() if "progress" in cell["says"]}, groups

    put, poll, drop = "put.0.0.0:sc1@11", "get.0.0.0:sc1@27", "get.0.0.0:inv@29"
    assert needing(MESSAGE_CODE) == ({put}, [{poll, drop}])
    assert needing(with_poll(PASSES)) == ({put, poll}, [])
    assert needing(with_poll(DROPS))[0] == {put, drop}
    assert main([*command, "--why", put]) == 0
    said = capsys.readouterr().out
    assert f"    without {put} ({SET})" in said
    assert "      does not end: get.0.0.0, in the loop at line 26: " in said and "L2 0.0" in said


def test_the_answer_says_which_line_stays_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module, code = tmp_path / "k.ll", tmp_path / "k.s"
    module.write_text(MESSAGE, encoding="utf-8")
    code.write_text(with_poll(KEEPS), encoding="utf-8")
    command = ["verify", str(module), "--launch", LAUNCH, "--asm", str(code), "--target", "gfx942"]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert "  does not end (documented)  (3 placements, 1 outcome)\n" in said
    assert (
        "  does not end: get.0.0.0, in the loop at line 26: 'global_load_dword v1, v0, s[6:7]' (line 27) of flag is"
        " answered from L1 0.0.1, which keeps what it read first: nothing drops it, or passes there, in placement"
        " 0.0.0/0.0.1\n"
    ) in said
    assert said.endswith("1 test: 1 does not end (documented)\n")
    assert main([*command, "--format", "json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)["verifications"]
    (endless,) = record["endless"]
    assert (
        record["verdict"] == "unsound" and endless["line"] == 27 and endless["cache"] == "L1 0.0.1" and endless["kept"]
    )
