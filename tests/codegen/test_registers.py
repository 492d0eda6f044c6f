"""Registers that assembly uses or overwrites too early: by hand, and random kernels against every order of completion.

The rules are those of [SIInsertWaitcnts] and of the instruction set manuals: a result is there when its counter says
so, scalar loads return in any order, a flat access returns by the counter of the memory that it went to.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.scoreboard import hazards
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import HazardKind
from axmem.codegen.tables import families
from axmem.codegen.targets import target
from axmem.litmus.parser import parse
from axmem.mapping.compiled import assembled
from axmem.mapping.verification import CodeSource, Exploration, verify
from tests.drawn import parts

TEST = """litmus T
global i64 x = 5
global y = 0
{lds}
thread P0 @ agent 0, workgroup 0 {{
  r = load x
  store 7, y
}}
exists (y=7)
"""
LDS = "lds l = 0"
OLD = """P0:
  s_getpc_b64 s[0:1]
  s_add_u32 s0, s0, x@rel32@lo+4
  s_addc_u32 s1, s1, x@rel32@hi+12
  v_mov_b32_e32 v0, 0
  v_mov_b32_e32 v5, 7
"""
NEW = """P0:
  s_get_pc_i64 s[0:1]
  s_add_nc_u64 s[0:1], s[0:1], x@rel64+4
  v_mov_b32_e32 v0, 0
  v_mov_b32_e32 v5, 7
"""


def found(name: str, body: str) -> list[tuple[str, str, str]]:
    """Return the hazards of a kernel whose s[0:1] is the address of x: kind, first register, counter."""
    text = (NEW if name == "gfx1250" else OLD) + "".join(f"  {line}\n" for line in body.split("; ")) + "  s_endpgm\n"
    test = parse(TEST.format(lds=LDS if "ds_" in body else ""))
    program = assembled(test, target(name), text, "t.s")
    return [(h.kind.value, h.registers[0], h.counter) for h in program.hazards]


LOAD, STORE, READ = "global_load_dword v1, v0, s[0:1]", "global_store_dword v0, v5, s[0:1]", "v_mov_b32_e32 v2, v1"
SCALAR, COPY = "s_load_dword s4, s[0:1], 0x0", "s_mov_b32 s6, s4"
USED = [("used", "v1", "vmcnt")]
BY_HAND = [
    ("gfx900", f"{LOAD}; {READ}", USED),
    ("gfx900", f"{LOAD}; s_waitcnt lgkmcnt(0); {READ}", USED),
    ("gfx900", f"{LOAD}; s_waitcnt vmcnt(0); {READ}", []),
    ("gfx900", f"{LOAD}; s_waitcnt vmcnt(1); {READ}", USED),
    ("gfx900", f"{LOAD}; {STORE}; s_waitcnt vmcnt(1); {READ}", []),
    ("gfx1030", f"{LOAD}; {STORE}; s_waitcnt vmcnt(1); {READ}", USED),
    ("gfx1030", f"{LOAD}; global_load_dword v3, v0, s[0:1]; s_waitcnt vmcnt(1); {READ}", []),
    ("gfx1030", f"{LOAD}; s_waitcnt_vscnt null, 0x0; {READ}", USED),
    ("gfx900", f"{LOAD}; v_mov_b32_e32 v1, 3", [("overwritten", "v1", "vmcnt")]),
    ("gfx900", f"{LOAD}; {LOAD}; s_waitcnt vmcnt(0); {READ}", []),
    ("gfx1200", "global_load_b32 v1, v0, s[0:1]; global_load_b32 v1, v0, s[0:1]",
     [("overwritten", "v1", "loadcnt")]),
    ("gfx1200", "global_load_b32 v1, v0, s[0:1]; global_inv scope:SCOPE_DEV; s_wait_loadcnt 0x1; v_mov_b32_e32 v2, v1",
     []),
    ("gfx900", f"{SCALAR}; {COPY}", [("used", "s4", "lgkmcnt")]),
    ("gfx900", f"{SCALAR}; s_load_dword s5, s[0:1], 0x0; s_waitcnt lgkmcnt(1); {COPY}", [("used", "s4", "lgkmcnt")]),
    ("gfx900", f"{SCALAR}; s_load_dword s5, s[0:1], 0x0; s_waitcnt lgkmcnt(0); {COPY}", []),
    ("gfx900", f"{SCALAR}; s_mov_b32 s4, 0", [("overwritten", "s4", "lgkmcnt")]),
    ("gfx900", "s_load_dwordx2 s[2:3], s[0:1], 0x0; v_mov_b32_e32 v1, s3", [("used", "s3", "lgkmcnt")]),
    ("gfx900", "s_load_dwordx2 vcc, s[0:1], 0x0; v_cndmask_b32_e32 v1, v0, v5, vcc",
     [("used", "vcc_lo", "lgkmcnt")]),
    ("gfx900", "s_load_dwordx2 exec, s[0:1], 0x0; v_mov_b32_e32 v1, v5", [("used", "exec_lo", "lgkmcnt")]),
    ("gfx900", "ds_read_b32 v1, v0; v_mov_b32_e32 v2, v1", [("used", "v1", "lgkmcnt")]),
    ("gfx900", "ds_read_b32 v1, v0; ds_read_b32 v3, v0; s_waitcnt lgkmcnt(1); v_mov_b32_e32 v2, v1", []),
    ("gfx900", f"ds_read_b32 v1, v0; {SCALAR}; s_waitcnt lgkmcnt(1); v_mov_b32_e32 v2, v1",
     [("used", "v1", "lgkmcnt")]),
    ("gfx900", f"v_mov_b32_e32 v6, s0; v_mov_b32_e32 v7, s1; flat_load_dword v1, v[6:7]; s_waitcnt lgkmcnt(0); {READ}",
     USED),
    ("gfx900", f"v_mov_b32_e32 v6, s0; v_mov_b32_e32 v7, s1; flat_load_dword v1, v[6:7]; s_waitcnt vmcnt(0); {READ}",
     []),
    ("gfx600", "buffer_store_dword v5, off, s[4:7], 0; v_mov_b32_e32 v5, 1", [("source", "v5", "expcnt")]),
    ("gfx600", "buffer_store_dword v5, off, s[4:7], 0; s_waitcnt expcnt(0); v_mov_b32_e32 v5, 1", []),
    ("gfx600", "buffer_store_dword v5, off, s[4:7], 0; s_waitcnt 0xf0f; v_mov_b32_e32 v5, 1", []),
    ("gfx600", "buffer_store_dword v5, off, s[4:7], 0; s_waitcnt vmcnt(0); v_mov_b32_e32 v5, 1", []),
    ("gfx700", "v_mov_b32_e32 v6, s0; v_mov_b32_e32 v7, s1; flat_store_dword v[6:7], v5; v_mov_b32_e32 v5, 1", []),
    ("gfx900", f"{STORE}; v_mov_b32_e32 v5, 1", []),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; v_mov_b32_e32 v5, 1", [("source", "v5", "xcnt")]),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; s_mov_b32 s0, 1", [("source", "s0", "xcnt")]),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; s_mov_b32 exec_lo, 1", [("source", "exec_lo", "xcnt")]),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; s_wait_xcnt 0x0; s_mov_b32 exec_lo, 1", []),
    ("gfx1250", "s_load_b32 s4, s[0:1], 0x0; s_mov_b32 exec_lo, 1", []),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; s_wait_xcnt 0x0; v_mov_b32_e32 v5, 1", []),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; s_wait_storecnt 0x0; v_mov_b32_e32 v5, 1", []),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; global_load_b32 v5, v0, s[0:1]", []),
    ("gfx1250", "global_store_b32 v0, v5, s[0:1]; global_load_b32 v1, v0, s[0:1]; s_wait_loadcnt 0x0; "
     "v_mov_b32_e32 v5, 1", []),
    ("gfx1250", "s_load_b32 s4, s[0:1], 0x0; s_mov_b32 s0, 1", [("source", "s0", "xcnt")]),
    ("gfx1250", "s_load_b32 s4, s[0:1], 0x0; global_load_b32 v1, v0, s[0:1]; s_wait_loadcnt 0x0; s_mov_b32 s0, 1", []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "expected"), BY_HAND, ids=[f"{n}: {b}" for n, b, _ in BY_HAND])
def test_by_hand(name: str, body: str, expected: list[tuple[str, str, str]]) -> None:
    body = body.replace("off, s[4:7], 0", "off, s[0:3], 0")
    if name == "gfx600":
        body = f"s_mov_b32 s3, 0xf000; s_mov_b32 s2, -1; {body}"
    assert found(name, body) == expected


@pytest.mark.parametrize(("behind", "early"), [(14, True), (15, False)])
def test_where_a_counter_is_full_the_first_operation_is_complete(behind: int, early: bool) -> None:
    """A counter of four bits counts 15: with one operation more on its way nothing more would be issued."""
    body = "; ".join(["ds_read_b32 v1, v0", *["ds_read_b32 v3, v0"] * behind, "v_mov_b32_e32 v2, v1"])
    assert (("used", "v1", "lgkmcnt") in found("gfx900", body)) == early


# ---------------------------------------------------------------- the whole way


DEP = """litmus dep
global x = 5, y = 0
thread P0 @ agent 0, workgroup 0 {
  r = load atomic x syncscope("agent") monotonic
  store r, y
}
exists (y!=5)
"""
CODE = """P0:
  s_getpc_b64 s[0:1]
  s_add_u32 s0, s0, x@rel32@lo+4
  s_addc_u32 s1, s1, x@rel32@hi+12
  s_getpc_b64 s[2:3]
  s_add_u32 s2, s2, y@rel32@lo+4
  s_addc_u32 s3, s3, y@rel32@hi+12
  v_mov_b32_e32 v0, 0
  global_load_dword v1, v0, s[0:1] sc1
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[2:3]
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[0:1]
  s_endpgm
"""
SAID = (
    "dep  gfx942  amdgpu  unsound (documented)  (2 register hazards)\n"
    "  not known: no finding explains it that can be mended in this assembly\n"
    "  register hazard: P0: 'global_store_dword v0, v1, s[2:3]' (line 11) uses v1 before 'global_load_dword v1, v0, "
    "s[0:1] sc1' (line 9) has returned it: no wait for vmcnt\n"
    "  register hazard: P0: 'global_store_dword v0, v1, s[0:1]' (line 12) uses s0, s1 before 's_load_dwordx2 s[0:1], "
    "s[4:5], 0x0' (line 10) has returned them: no wait for lgkmcnt\n"
)


def test_no_wait_is_unsound_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A load whose value is stored before it is there: what is stored is not what the test stores."""
    test, file = tmp_path / "dep.litmus", tmp_path / "dep.s"
    test.write_text(DEP, encoding="utf-8")
    file.write_text(CODE, encoding="utf-8")
    command = ["verify", str(test), "--asm", str(file), "--target", "gfx942"]
    assert main(command) == 0 and "  sound  " in capsys.readouterr().out
    file.write_text(re.sub(r"  s_wait.*\n", "", CODE), encoding="utf-8")
    assert main(command) == 1
    assert capsys.readouterr().out.startswith(SAID)
    assert main([*command, "--format", "json"]) == 1
    (said,) = json.loads(capsys.readouterr().out)["verifications"]
    assert (said["verdict"], said["standing"], said["states"]) == ("unsound", "documented", 0)
    assert said["hazards"][0] == {
        "kernel": "P0", "kind": "used", "registers": ["v1"], "counter": "vmcnt", "line": 11,
        "instruction": "global_store_dword v0, v1, s[2:3]", "awaited_line": 9,
        "awaited": "global_load_dword v1, v0, s[0:1] sc1",
    }  # fmt: skip
    assert main([*command, "--format", "svg"]) == 1
    assert capsys.readouterr().err.endswith("dep.litmus: unsound: there is nothing to draw\n")


def test_what_only_a_replay_reads_late_rests_on_replays() -> None:
    """A source of a store on gfx1250 is read again if its translation fails, and only then."""
    code = NEW.replace("x@", "y@") + "  global_store_b32 v0, v5, s[0:1]\n  v_mov_b32_e32 v5, 1\n  s_endpgm\n"
    test = "litmus T\nglobal y = 0\nthread P0 { store 7, y }\nexists (y=7)\n"
    found = verify(test, "gfx1250", code=CodeSource(("t.s", code)))
    assert (found.verdict, found.rests, len(found.hazards)) == ("unsound", (("xnack_replay", "on"),), 1)
    off = Exploration(switches={"xnack_replay": "off"})
    assert verify(test, "gfx1250", code=CodeSource(("t.s", code)), exploration=off).verdict == "sound"


def test_where_the_model_promises_nothing_there_is_none() -> None:
    code = CODE.replace("  s_waitcnt vmcnt(0)\n", "")
    test = DEP.replace("store r, y", "store r, y\n  if undef { store 1, y }")
    assert verify(test, "gfx942", code=CodeSource(("t.s", code))).verdict == "sound"


# ---------------------------------------------------------------- random kernels


@dataclass(frozen=True)
class Line:
    """An instruction, its registers, and what it is: items on their way by counter, waits, where it goes on."""

    text: str
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    counter: str = ""
    ordered: bool = False
    waits: tuple[str, int] = ("", 0)
    goes: int = -1


@dataclass(frozen=True)
class Words:
    """How a family spells what the random kernels have, and its counters of loads, stores, LDS and scalar loads."""

    load: str
    store: str
    lds: str
    scalar: str
    counters: tuple[str, str, str, str]
    wait: str


OLDER = Words("global_load_dword", "global_store_dword", "ds_read_b32", "s_load_dword",
              ("vmcnt", "vmcnt", "lgkmcnt", "lgkmcnt"), "s_waitcnt {0}({1})")  # fmt: skip
SPELLED = {
    "gfx9": OLDER,
    "gfx10": Words(OLDER.load, OLDER.store, OLDER.lds, OLDER.scalar, ("vmcnt", "vscnt", "lgkmcnt", "lgkmcnt"),
                   OLDER.wait),
    "gfx12": Words("global_load_b32", "global_store_b32", "ds_load_b32", "s_load_b32",
                   ("loadcnt", "storecnt", "dscnt", "kmcnt"), "s_wait_{0} {1}"),
}  # fmt: skip


def drawn(family: str, seed: int) -> list[Line]:
    """Return a random kernel: loads, stores, LDS, scalar loads, moves, waits, and branches back and forth."""
    draw, words = random.Random(f"registers {family} {seed}"), SPELLED[family]
    loads, stores, lds, scalars = words.counters
    lines: list[Line] = []
    size = draw.randint(4, 9)
    for _ in range(size):
        a, b, s = f"v{draw.randint(1, 3)}", f"v{draw.randint(1, 3)}", f"s{draw.randint(4, 5)}"
        lines.append(draw.choice([
            Line(f"{words.load} {a}, v0, s[0:1]", ("v0", "s0", "s1"), (a,), loads, ordered=True),
            Line(f"{words.load} {a}, v0, s[0:1]", ("v0", "s0", "s1"), (a,), loads, ordered=True),
            Line(f"{words.store} v0, {b}, s[0:1]", ("v0", b, "s0", "s1"), (), stores, ordered=True),
            Line(f"{words.lds} {a}, v0", ("v0",), (a,), lds, ordered=True),
            Line(f"{words.scalar} {s}, s[0:1], 0x0", ("s0", "s1"), (s,), scalars),
            Line(f"v_mov_b32_e32 {a}, {b}", (b,), (a,)),
            Line(f"v_mov_b32_e32 {a}, {s}", (s,), (a,)),
            *(_wait(words, draw.choice(words.counters), draw.randint(0, 2)) for _ in range(3)),
            Line("s_cbranch_scc0 .L{0}", ("scc",), goes=draw.randrange(size)),
        ]))  # fmt: skip
    return [*lines, Line("s_endpgm")]


def _wait(words: Words, counter: str, limit: int) -> Line:
    text = f"s_waitcnt_vscnt null, {limit}" if counter == "vscnt" else words.wait.format(counter, limit)
    return Line(text, waits=(counter, limit))


Items = tuple[tuple[int, str], ...]
"""What is on its way, in the order of issue: lines and registers (none of a store)."""


def too_early(lines: list[Line], *, rewritten: bool) -> set[tuple[int, int, str]]:
    """Return what is touched too early in some order of completion, as line, line of the operation, register."""
    seen: set[tuple[int, Items]] = set()
    wrong: set[tuple[int, int, str]] = set()
    left: list[tuple[int, Items]] = [(0, ())]
    while left:
        state = left.pop()
        index, items = state
        if state in seen or len(items) > 5:
            continue
        seen.add(state)
        for k, item in enumerate(items):
            if not any(_first(lines, earlier, item) for earlier in items[:k]):
                left.append((index, (*items[:k], *items[k + 1 :])))
        line = lines[index]
        counter, limit = line.waits
        if counter and sum(lines[item[0]].counter == counter for item in items) > limit:
            continue
        after = []
        for item in items:
            origin = lines[item[0]]
            touched = item[1] in (*line.read, *line.written)
            after.append((item[0], "") if touched else item)  # said once, and still on its way
            if item[1] in line.read or (touched and not (rewritten and _vector_load(line) and _vector_load(origin))):
                wrong.add((index, *item))
        if line.counter:
            after += [(index, register) for register in line.written or ("",)]
        if line.text != "s_endpgm":
            left.append((index + 1, tuple(after)))
        if line.goes >= 0:
            left.append((line.goes, tuple(after)))
    return wrong


def _first(lines: list[Line], earlier: tuple[int, str], later: tuple[int, str]) -> bool:
    """Say whether an operation is complete before another is: they return to one counter in order."""
    a, b = lines[earlier[0]], lines[later[0]]
    same = a.text.split("_")[0] == b.text.split("_")[0]
    return a.ordered and b.ordered and a.counter == b.counter and same


def _vector_load(line: Line) -> bool:
    return line.text.startswith("global_load")


def computed(lines: list[Line], family: str) -> Iterator[tuple[int, int, str]]:
    """Yield what the scoreboard says, in the same form."""
    labels = {line.goes for line in lines if line.goes >= 0}
    text = "P0:\n" + "".join(
        (f".L{k}:\n" if k in labels else "") + f"  {line.text.format(line.goes)}\n" for k, line in enumerate(lines)
    )
    kernel = read_listing(text, "t.s").kernels["P0"]
    numbers = {line.span.line: k for k, line in enumerate(kernel.lines)}
    touched = {k: Touched(set(line.read), set(line.written)) for k, line in enumerate(lines)}
    for hazard in hazards(kernel, touched, families()[family]):
        assert hazard.kind is not HazardKind.SOURCE
        for register in hazard.registers:
            yield numbers[hazard.span.line], numbers[hazard.awaited_span.line], register


@pytest.mark.parametrize("family", SPELLED)
@pytest.mark.parametrize("part", parts(12))
def test_random_kernels_against_all_orders_of_completion(family: str, part: int) -> None:
    early = 0
    for seed in range(100 * part, 100 * part + 100):
        lines = drawn(family, seed)
        expected = too_early(lines, rewritten=machine_of(family).rewritten)
        assert set(computed(lines, family)) == expected, (family, seed, [line.text for line in lines])
        early += len(expected)
    assert early > 50


def test_what_was_used_too_early_is_not_pending_behind() -> None:
    """One way uses the load at once, the other waits for it: where both meet it is on its way on none."""
    load = Line("global_load_dword v1, v0, s[0:1]", ("v0", "s0", "s1"), ("v1",), "vmcnt", ordered=True)
    store = Line("global_store_dword v0, v3, s[0:1]", ("v0", "v3", "s0", "s1"), (), "vmcnt", ordered=True)
    use, wait = Line("v_mov_b32_e32 v2, v1", ("v1",), ("v2",)), Line("s_waitcnt vmcnt(1)", waits=("vmcnt", 1))
    branch, jump = Line("s_cbranch_scc0 .L{0}", ("scc",), goes=4), Line("s_branch .L{0}", goes=6)
    lines = [load, branch, use, jump, store, store, wait, use, Line("s_endpgm")]
    assert set(computed(lines, "gfx9")) == {(2, 0, "v1")}


@pytest.mark.parametrize(("line", "early"), [("s_waitcnt vmcnt(0)", 0), ("s_nop 0", 1)])
def test_what_a_function_that_is_called_waits_for_has_come_when_it_returns(line: str, early: int) -> None:
    """What follows the call is executed by who returns."""
    text = f"""P0:
  global_load_dword v1, v0, s[0:1]
  s_swappc_b64 s[30:31], s[2:3]
  v_mov_b32_e32 v2, v1
  s_endpgm
  {line}
  s_setpc_b64 s[30:31]
"""
    kernel = read_listing(text, "t.s").kernels["P0"]
    touched = {k: Touched(set(), set()) for k in range(6)} | {0: Touched({"v0"}, {"v1"}), 2: Touched({"v1"}, {"v2"})}
    assert len(hazards(kernel, touched, families()["gfx942"], {1: {4}, 5: {2}})) == early
