"""The machine: its reduced walk against every step as written, its tables, placements, mutants, and the documented
facts.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from axmem.codegen.assembly.program import assembly_program
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.explore import explore, trace_to
from axmem.codegen.machine.families import SWITCHES, machine_of, machines
from axmem.codegen.machine.layout import ACCESSES, MachineLayout, layout, settings
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.mutants import elements, idle, without
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.program import MachineProgram, ProgramElement
from axmem.codegen.machine.reduction import telling_replays
from axmem.codegen.program import lower
from axmem.codegen.tables import families
from axmem.codegen.targets import all_targets, target
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.matrix import NEEDED, matrix
from axmem.mapping.suite import classical, suite_of
from axmem.mapping.verification import Exploration, verify
from tests.corpus import corpus_tests
from tests.drawn import WHOLE, in_full, parts, some
from tests.exploring import VERDICT_ALONE
from tests.machine.programs import random_message, random_program, with_branches, with_shared_waves
from tests.paths import CORPUS


def in_suite(name: str) -> LitmusTest:
    return next(test for test in classical() if test.name == name)


def program_of(test: LitmusTest, name: str, mode: str = "") -> MachineProgram:
    return machine_program(lower(test, target(name, mode)))


# ---------------------------------------------------------------- the reduced walk against all steps


@pytest.mark.parametrize("seed", parts(6, of=6))
def test_the_reduced_walk_has_every_outcome(seed: int) -> None:
    """Random tests, targets, placements, mutants and switches, small enough to take every step.

    `make test-long` takes more.
    """
    choose = random.Random(seed)
    tests = [t for t in (*corpus_tests(), *classical()) if len(t.threads) <= 3]
    targets = list(all_targets())
    compared = 0
    while compared < 12:
        try:
            program = program_of(choose.choice(tests), *_named(choose.choice(targets)))
        except InputError:
            continue
        if choose.random() < 0.3 and (found := list(elements(program))):
            program = without(program, [choose.choice(found)])
        switch = choose.choice(SWITCHES)
        laid = layout(program, choose.choice(list(placements(program))),
                      settings(program.family, {switch.name: choose.choice(switch.values)}))  # fmt: skip
        every = explore(laid, reduced=False, limit=2500)
        if every.incomplete:
            continue
        compared += 1
        reduced = explore(laid)
        assert (reduced.outcomes, reduced.incomplete) == (every.outcomes, ()), (program.name, laid.placement.text)


def compare_walks(
    choose: random.Random,
    drawn: Callable[[], MachineProgram],
    count: int,
    *,
    switches: tuple[int, ...] = (0, 1, 2),
    limit: int = 1200,
) -> None:
    """Compare the walks of so many programs, in some placement, with some number of switches changed."""
    compared = 0
    while compared < count:
        program = drawn()
        changed = {s.name: choose.choice(s.values) for s in choose.sample(SWITCHES, choose.choice(switches))}
        laid = layout(program, choose.choice(list(placements(program))), settings(program.family, changed))
        every = explore(laid, reduced=False, limit=limit)
        if every.incomplete:
            continue
        compared += 1
        reduced = explore(laid)
        assert (reduced.outcomes, reduced.incomplete) == (every.outcomes, ()), compared


@pytest.mark.parametrize("seed", parts(8, of=8))
def test_the_reduced_walk_has_every_outcome_of_random_programs(seed: int) -> None:
    """Programs that no lowering makes, with stores and updates that are replayed, under any values of the switches."""
    choose = random.Random(f"reduced {seed}")
    targets = [*all_targets(), *[target("gfx1250")] * 8]
    compare_walks(choose, lambda: random_program(choose, choose.choice(targets)), len(parts(80)))


@pytest.mark.parametrize("seed", parts(8, of=8))
@pytest.mark.parametrize("shared", [False, True])
def test_the_reduced_walk_has_every_outcome_of_random_branches(seed: int, shared: bool) -> None:
    """Random programs whose streams go on only if they loaded a certain value; or, too, share waves."""
    choose = random.Random(f"branches {seed} {shared}")
    targets = list(all_targets())

    def drawn() -> MachineProgram:
        while True:
            program = with_branches(choose, random_program(choose, choose.choice(targets)))
            if not shared or len((program := with_shared_waves(program)).waves) < len(program.streams):
                return program

    compare_walks(choose, drawn, 20)


SHARED = """litmus Shared
global x = 0, y = 0, f = 0
thread P0 @ agent 0, workgroup 0, wavefront 0 {
  r0 = load atomic x syncscope("agent") monotonic
}
thread P1 @ agent 0, workgroup 0, wavefront 0 {
  store 1, y
  store atomic 1, f syncscope("agent") release
}
thread P2 @ agent 0, workgroup 1, wavefront 0 {
  r0 = load atomic f syncscope("agent") acquire
  if r0 == 1 {
    store atomic 1, x syncscope("agent") monotonic
  }
}
exists (P0:r0=1)
"""


@pytest.mark.parametrize("gpu", ["gfx900", "gfx90a", "gfx1030", "gfx1200"])
def test_a_lane_that_issues_holds_up_the_waits_of_the_others(gpu: str) -> None:
    """The release of P1 waits for the load of P0, their wave's, if that is issued before; it need not be."""
    program = program_of(parse(SHARED), gpu)
    for placement in placements(program):
        laid = layout(program, placement, settings(program.family))
        every = explore(laid, reduced=False)
        assert explore(laid).outcomes == every.outcomes
        assert any(row[0] == (1,) for row in every.outcomes)


def message(payloads: int) -> LitmusTest:
    """A message of some payloads, which the other thread reads if it sees the flag."""
    names = [f"x{k}" for k in range(payloads)]
    stale = " \\/ ".join(f"P1:r{k}=0" for k in range(payloads))
    return parse(
        f"litmus MP-{payloads}\nglobal {', '.join(f'{x} = 0' for x in names)}, f = 0\n"
        "thread P0 @ agent 0, workgroup 0 {\n"
        + "".join(f"  store 1, {x}\n" for x in names)
        + '  store atomic 1, f syncscope("agent") release\n}\n'
        'thread P1 @ agent 0, workgroup 1 {\n  r = load atomic f syncscope("agent") acquire\n  if r == 1 {\n'
        + "".join(f"    r{k} = load {x}\n" for k, x in enumerate(names))
        + f"  }}\n}}\nexists (P1:r=1 /\\ ({stale}))\n"
    )


def relay(threads: int, stored: str = "1") -> LitmusTest:
    """A message that is handed on through some threads, by flags that each of them waits for with `if`."""
    release, acquire = 'syncscope("agent") release', 'syncscope("agent") acquire'
    parts = [f"store 1, x\n  store atomic 1, f0 {release}"]
    for k in range(threads - 1):
        then = "r1 = load x" if k == threads - 2 else f"store atomic {stored}, f{k + 1} {release}"
        parts.append(f"r0 = load atomic f{k} {acquire}\n  if r0 == 1 {{\n    {then}\n  }}")
    return parse(
        f"litmus Relay-{threads}\nglobal x = 0, {', '.join(f'f{k} = 0' for k in range(threads - 1))}\n"
        + "".join(f"thread P{k} @ agent 0, workgroup {k} {{\n  {part}\n}}\n" for k, part in enumerate(parts))
        + f"exists (P{threads - 1}:r0=1 /\\ P{threads - 1}:r1=0)\n"
    )


@in_full
@pytest.mark.parametrize("seed", parts(12, of=12))
def test_the_reduced_walk_has_every_outcome_of_messages(seed: int) -> None:
    """Messages that are waited for, with up to two waits, invalidates, writebacks or bits left out."""
    choose = random.Random(f"messages {seed}")
    tests = [message(1), message(2), relay(3), relay(3, "r0")]
    targets = list(all_targets())

    def drawn() -> MachineProgram:
        program = program_of(choose.choice(tests), *_named(choose.choice(targets)))
        for _ in range(choose.choice((0, 1, 1, 2))):
            program = without(program, [choose.choice(list(elements(program)))])
        return program

    compare_walks(choose, drawn, 8, switches=(0, 1, 1, 2), limit=3000)


@pytest.mark.parametrize("seed", parts(8, of=8))
def test_the_reduced_walk_has_every_outcome_of_random_messages(seed: int) -> None:
    """Flags that three streams hand on, with random scopes, invalidates, writebacks and waits between."""
    choose = random.Random(f"random messages {seed}")
    targets = list(all_targets())
    compare_walks(choose, lambda: random_message(choose, choose.choice(targets)), 12)


@pytest.mark.parametrize("seed", parts(4, of=4))
def test_the_reduced_walk_has_every_outcome_of_messages_through_scalar_caches(seed: int) -> None:
    """The same where most loads of the payload are scalar ones, and streams invalidate scalar caches."""
    choose = random.Random(f"scalar messages {seed}")
    targets = list(all_targets())
    compare_walks(choose, lambda: random_message(choose, choose.choice(targets), scalar=True), len(parts(48)))


@pytest.mark.parametrize("name", ["msg 166", "msg 2217"])
def test_random_messages_on_which_walks_differed(name: str) -> None:
    """In one channel for all groups a load keeps a line from a refill; an invalidate waits for what its guard asks."""
    choose = random.Random(name)
    program = random_message(choose, choose.choice(list(all_targets())))
    changed = {s.name: choose.choice(s.values) for s in choose.sample(SWITCHES, choose.choice((0, 0, 1, 2)))}
    laid = layout(program, choose.choice(list(placements(program))), settings(program.family, changed))
    assert explore(laid).outcomes == explore(laid, reduced=False).outcomes


@pytest.mark.parametrize(("gpu", "most"), [("gfx942", 400), ("gfx1100", 400), ("gfx1250", 4000)])
def test_payloads_do_not_multiply(gpu: str, most: int) -> None:
    """A message of four payloads is seen whole or not at all, and has few more states for each of them."""
    found = verify(message(4), target(gpu), exploration=VERDICT_ALONE)
    assert (found.verdict, len(found.found)) == ("sound", 2)
    assert found.states < most


@pytest.mark.parametrize("gpu", some(["gfx942", "gfx1030", "gfx1250"], of=2))
def test_threads_that_hand_a_message_on_do_not_multiply(gpu: str) -> None:
    """Some hundred states for each of 60 placements."""
    found = verify(relay(4), target(gpu), exploration=VERDICT_ALONE)
    assert (found.verdict, len(found.found)) == ("sound", 4)
    assert found.states < 7000


def _named(chosen: object) -> tuple[str, str]:
    return chosen.name, chosen.mode  # type: ignore[attr-defined]


ORDER_MATTERS = [
    ("WWC+rel-acq", "gfx1250", "", "0.0.0/0.0.0/0.1.0/several"),
    ("WRC+fence.sc", "gfx1100", "cu", "0.0.0/0.0.1/0.0.1"),
    ("3.SB+fence.sc", "gfx942", "tgsplit", "0.0.0/0.0.1/0.0.1"),
    ("Coherence+load-store+tags", "gfx1200", "", "0.0"),
]
"""Walks that a step taken alone too early would cut short: markers still to come, loads in one channel, two paths."""


@pytest.mark.parametrize(("name", "gpu", "mode", "place"), ORDER_MATTERS)
def test_steps_that_only_look_independent(name: str, gpu: str, mode: str, place: str) -> None:
    program = program_of(next(t for t in corpus_tests() if t.name == name), gpu, mode)
    placement = next(p for p in placements(program) if p.text == place)
    for single in ("off", "on"):
        laid = layout(program, placement, settings(program.family, {"single_channel": single}))
        assert explore(laid).outcomes == explore(laid, reduced=False).outcomes


# ---------------------------------------------------------------- tables


def test_every_family_has_a_machine() -> None:
    assert set(machines()) == set(families())


@pytest.mark.parametrize("name", sorted(families()))
def test_every_emitted_instruction_has_a_meaning(name: str) -> None:
    """All writebacks, invalidates, bits and counters of the lowering's tables are known to the machine."""
    family, machine = families()[name], machine_of(name)
    for row in family.tables["writebacks"]:
        assert row.emits.startswith("wait ") or row.emits in machine.writebacks
    for row in family.tables["invalidates"]:
        assert row.emits.startswith("wait ") or row.emits in machine.invalidates
    for row in family.tables["bits"]:
        for kind in row.operations:
            assert machine.scope(kind.removeprefix("av-"), tuple(row.emits.split())) is not None
    others = {"expcnt", "asynccnt", "tensorcnt"}  # of what no operation is
    assert set(family.counters) == set(machine.counters) - others


@pytest.mark.parametrize("gpu", some(["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"], of=2))
def test_the_corpus_has_programs(gpu: str) -> None:
    made = 0
    for test in some(corpus_tests(), of=3):
        try:
            made += bool(program_of(test, gpu).streams)
        except InputError as error:
            reasons = ("LDS", "does not have this operation", "lowering knows no")
            assert any(reason in str(error) for reason in reasons)
    assert made > (400 if WHOLE else 130)


# ---------------------------------------------------------------- placements


def count(name: str, gpu: str, mode: str = "") -> int:
    return len(list(placements(program_of(in_suite(name), gpu, mode))))


def test_a_workgroup_stays_together() -> None:
    assert count("MP.wg", "gfx942") == 1
    assert count("MP.wg", "gfx942", "tgsplit") == 2
    assert count("MP.wg", "gfx1030") == 2
    assert count("MP.wg", "gfx1030", "cu") == 1


def test_workgroups_are_spread_in_every_way() -> None:
    assert count("IRIW.ag", "gfx900") == 15, "the partitions of four waves"
    assert count("IRIW.ag", "gfx1030") == 60, "the pairs of a partition and a finer one"
    assert count("MP.ag", "gfx942") == 3, "one CU, two, two L2s"
    assert count("MP.sy", "gfx942") == 1


def test_a_workgroup_processor_has_two_compute_units() -> None:
    for placement in placements(program_of(in_suite("IRIW.wg"), "gfx1030")):
        assert len(set(placement.places)) <= 2


def test_clusters_share_an_l2_where_the_test_speaks_of_them() -> None:
    text = (CORPUS / "scopes" / "MP+rel.cl+acq.cl.litmus").read_text(encoding="utf-8")
    assert all(p.l2 == "one" for p in placements(program_of(parse(text, "t"), "gfx1250")))
    assert any(p.l2 == "several" for p in placements(program_of(in_suite("MP.ag"), "gfx1250")))


# ---------------------------------------------------------------- programs and mutants


def test_elements_of_a_release() -> None:
    program = program_of(in_suite("MP.ag"), "gfx942")
    named = [(program.instruction(e).text, e.part) for e in elements(program) if e.thread == 0]
    assert named == [
        ("buffer_wbl2 sc1", ""), ("s_waitcnt vmcnt(0) lgkmcnt(0)", "vmcnt"),
        ("s_waitcnt vmcnt(0) lgkmcnt(0)", "lgkmcnt"), ("global_store_dword sc1", "sc1"),
    ]  # fmt: skip


def test_mutants_keep_the_numbers_and_lose_the_part() -> None:
    program = program_of(in_suite("MP.sy"), "gfx942")
    for element in elements(program):
        mutant = without(program, (element,))
        assert mutant != program
        if element.part:
            assert element.part not in mutant.instruction(element).parts if _kept(mutant, element) else True
        else:
            assert not _kept(mutant, element)


def _kept(program: MachineProgram, element: ProgramElement) -> bool:
    try:
        return bool(program.instruction(element))
    except KeyError:
        return False


def test_a_wait_for_nothing_is_idle() -> None:
    program = program_of(in_suite("MP.ag"), "gfx942")
    waits = {(program.instruction(e).text, e.part): idle(program, e) for e in elements(program)}
    assert waits["s_waitcnt vmcnt(0) lgkmcnt(0)", "lgkmcnt"]
    assert not waits["s_waitcnt vmcnt(0) lgkmcnt(0)", "vmcnt"]


def test_lds_is_one_per_workgroup() -> None:
    text = """litmus T

lds t = 0

thread P0 @ agent 0, workgroup 0 {
  store 1, t
}

thread P1 @ agent 0, workgroup 1 {
  r0 = load t
}

exists (P1:r0=1)
"""
    with pytest.raises(InputError, match=r"t.litmus:10:3: error: LDS of one workgroup is not another's"):
        program_of(parse(text, "t.litmus"), "gfx942")


def test_a_choice_on_memory_that_nothing_wrote_is_not_guessed() -> None:
    text = """litmus T

global x
global y = 0

thread P0 {
  r0 = load x
  if r0 == 1 {
    store 1, y
  }
}

exists (y=1)
"""
    program = program_of(parse(text, "t.litmus"), "gfx942")
    laid = layout(program, next(iter(placements(program))), settings(program.family))
    assert explore(laid).incomplete == ("the machine's next step depends on memory that nothing has written",)


TWO_LOADS = """litmus T

global x = 0
global ptr g = &x

thread P0 {
  store atomic 1, x monotonic
}

thread P1 {
  p  = load ptr g
  r0 = load atomic i32 p monotonic
  r1 = load atomic i32 p monotonic
}

exists (P1:r0=1 /\\ P1:r1=0)
"""


@pytest.mark.parametrize("gpu", ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"])
def test_an_access_may_have_two_addresses_in_one_group(gpu: str) -> None:
    """Loads through a pointer, for all that is known before, also go to either half of the pointer itself.

    By coherence the second load does not return less than the first: 0 0, 0 1 and 1 1 remain.
    """
    found = verify(parse(TWO_LOADS, "t.litmus"), target(gpu), exploration=VERDICT_ALONE)
    assert (found.verdict, len(found.found)) == ("sound", 3)


def test_a_limit_is_reported() -> None:
    program = program_of(in_suite("IRIW.ag"), "gfx942")
    laid = layout(program, next(iter(placements(program))), settings(program.family))
    assert explore(laid, limit=50).incomplete == ("the limit of 50 states was reached",)


@pytest.mark.parametrize("gpu", ["gfx900", "gfx942", "gfx1030", "gfx1250"])
def test_every_outcome_has_a_trace(gpu: str) -> None:
    program = program_of(in_suite("MP.ag"), gpu)
    for placement in placements(program):
        laid = layout(program, placement, settings(program.family))
        outcomes = explore(laid).outcomes
        assert len(outcomes) > 1
        for row in outcomes:
            trace = trace_to(laid, row)
            assert trace is not None and len(trace.states) == len(trace.steps) + 1


# ---------------------------------------------------------------- replays

REPLAYING = """	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.type	P0,@function
P0:
	v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, 3
	s_get_pc_i64 s[0:1]
	s_add_nc_u64 s[0:1], s[0:1], x@rel64+4
	s_get_pc_i64 s[2:3]
	s_add_nc_u64 s[2:3], s[2:3], y@rel64+4
	s_get_pc_i64 s[6:7]
	s_add_nc_u64 s[6:7], s[6:7], z@rel64+4
{}
	s_endpgm
"""
REPLAYED = "litmus Replayed\nglobal x = 0, y = 0, z = 0\nthread P0 {\n  store 1, x\n  r0 = load x\n}\nobserve x\n"
WORDS = {
    "store x": "global_store_b32 v0, v1, s[0:1]",
    "store z": "global_store_b32 v0, v1, s[6:7]",
    "load x": "global_load_b32 v2, v0, s[0:1]",
    "load z": "global_load_b32 v6, v0, s[6:7]",
    "scalar z": "s_load_b32 s8, s[6:7], 0x0",
    "rmw x": "global_atomic_add_u32 v3, v0, v1, s[0:1] th:TH_ATOMIC_RETURN scope:SCOPE_DEV",
    "rmw y": "global_atomic_add_u32 v4, v0, v1, s[2:3] th:TH_ATOMIC_RETURN scope:SCOPE_DEV",
    "own": "scratch_load_b32 v5, off, off",
    "if x": "v_cmp_eq_u32_e32 vcc_lo, 1, v2\n\ts_cbranch_vccz .L1",
    "end": ".L1:",
}


def replaying(lines: str) -> MachineLayout:
    """Return a program of one thread, its lines by `WORDS`."""
    text = REPLAYING.format("\n".join(f"\t{WORDS.get(line, line)}" for line in lines.split("; ")))
    text = text.replace("\t.L1:", ".L1:")
    program = assembly_program(parse(REPLAYED), target("gfx1250", "", "llvm-22"), read_listing(text, "t.s"))
    return layout(program, next(placements(program)), settings("gfx1250", {}))


@pytest.mark.parametrize(
    ("lines", "open_"),
    [
        ("store x; rmw y", {"store x"}),
        ("store x; s_wait_xcnt 0x0; rmw y", set()),
        ("store x; s_wait_storecnt 0x0; rmw y", set()),
        ("load x; s_wait_loadcnt 0x0; store z", set()),
        ("store z; store x; s_wait_storecnt 0x1; rmw y", {"store x"}),
        ("store z; store x; s_wait_xcnt 0x1; load x; rmw y", {"store x", "load x"}),
        ("own; store x; s_wait_loadcnt 0x1; rmw y", {"store x"}),
        ("store x; own; s_wait_loadcnt 0x1; rmw y", set()),
        ("scalar z; rmw y", set()),
        ("store x; scalar z; rmw y", set()),
        ("rmw x; rmw y", set()),
        ("rmw x; store z", {"rmw x"}),
        ("rmw x; load x; rmw y", {"rmw x", "load x"}),
        ("load x; rmw x; rmw y", {"load x"}),
        ("load x; s_wait_loadcnt 0x0; store z; if x; s_wait_storecnt 0x0; end; rmw y", {"store z"}),
    ],
)
def test_what_lets_the_last_access_be_replayed(lines: str, open_: set[str]) -> None:
    """By [AMDGPUUsage], a wait that leaves n of a counter leaves n of xcnt; a row of updates replays none of itself."""
    laid = replaying(lines)
    facts = LayoutAnalysis(laid)
    (row,) = laid.ops
    names = {words: name for name, words in WORDS.items()}
    accesses = [op for op in row if op.does in ACCESSES]
    found = {
        names[op.instruction.text]
        for op in accesses
        if facts.replays[0][accesses[-1].number] >> op.number * facts.groups & 1
    }
    assert found == open_
    waited = [op for op in accesses if "if x" in lines and op.instruction.text == WORDS["rmw y"]]
    assert len(waited) in (0, 2)
    if waited:
        assert sorted(facts.replays[0][op.number] != 0 for op in waited) == [False, True]


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("load z; store x; rmw y", [{"load z"}, {"load z"}]),
        ("load z; store x; s_wait_xcnt 0x0; rmw y", [{"load z"}, set(), set()]),
        ("load z; store x; s_wait_storecnt 0x0; rmw y", [{"load z"}, set(), set()]),
        ("load z; store x; s_wait_xcnt 0x1; rmw y", [{"load z"}, set(), set()]),
        ("load z; store x; s_wait_xcnt 0x2; rmw y", [{"load z"}] * 3),
        ("load z; store x; scalar z; rmw y", [{"load z"}, set(), set()]),
        ("load z; rmw y; store x; s_wait_xcnt 0x2; rmw y", [{"load z", "rmw y"}, {"rmw y"}, {"rmw y"}]),
    ],
)
def test_nothing_is_replayed_behind_a_wait_for_the_translation(lines: str, left: list[set[str]]) -> None:
    """From the store on: what may let it be issued again before each operation behind it, and at the end."""
    laid = replaying(lines)
    facts, (row,) = LayoutAnalysis(laid), laid.ops
    names = {words: name for name, words in WORDS.items()}
    (store,) = (op.number for op in row if op.instruction.text == WORDS["store x"])
    reasons = [of_all[store] for of_all in facts.reasons[0][store + 1 :]]
    bits = [[op for op in row if mask >> op.number * facts.groups & 1] for mask in reasons]
    assert [{names[op.instruction.text] for op in found} for found in bits] == left


@pytest.mark.parametrize(("between", "matters"), [("s_endpgm; end", False), ("end", True)])
def test_a_replay_matters_beside_another_write_of_the_same_execution(between: str, matters: bool) -> None:
    """Of two arms that store at one place each leaves it as the first issue does; not where one falls into another."""
    store = "global_store_b32 v0, v2, s[2:3]; load z; global_store_b32 v0, v1, s[2:3]"
    laid = replaying(f"load x; s_wait_loadcnt 0x0; load z; if x; {WORDS['store z']}; {between}; {store}")
    replaced = replaying(f"load x; s_wait_loadcnt 0x0; load z; if x; {WORDS['store z']}; {between}; {WORDS['store z']}")
    facts = LayoutAnalysis(replaced)
    assert any(facts.replayed) and any(telling_replays(replaced, facts)) is matters
    for each in (laid, replaced):
        assert explore(each).outcomes == explore(each, reduced=False).outcomes


@pytest.mark.parametrize(("wait", "twice"), [("", True), ("s_wait_xcnt 0x0; ", False), ("s_wait_loadcnt 0x0; ", False)])
def test_a_store_is_not_replayed_behind_an_update_that_waited(wait: str, twice: bool) -> None:
    """The store of 3 comes last only if it is issued again behind the update that adds 3 to it."""
    laid = replaying(f"load z; store x; {wait}rmw x")
    for reduced in (False, True):
        found = explore(laid, reduced=reduced)
        assert not found.incomplete
        assert (3 in {row[-1][0] for row in found.outcomes}) is twice


def test_a_wait_that_leaves_one_looks_at_what_its_counter_counts_alone() -> None:
    """Whatever is on its way, in whichever place: of two stores one may be left if the first is complete."""
    laid = replaying("store z; load x; store x; load z; s_wait_storecnt 0x1")
    facts, (row,) = LayoutAnalysis(laid), laid.ops
    (wait,) = (op for op in row if op.waits)
    first, load, second, last = (op for op in row if op.does in ACCESSES)
    assert facts.groups == 3
    for places in product(range(8), repeat=4):
        pending = sum(
            bits << op.number * facts.groups for bits, op in zip(places, (first, load, second, last), strict=True)
        )
        assert facts.waits.over(wait, [wait.number], [pending], ()) == (places[0] == 0)
    # What is not issued yet is not on its way.
    assert facts.waits.over(wait, [second.number], [1 << first.number * facts.groups], ())


@pytest.mark.parametrize("gfx", ["gfx1200", "gfx1250"])
def test_a_scalar_load_is_not_held_behind_a_later_marker_of_its_own_stream(gfx: str) -> None:
    """The writeback goes the vector way, which may be quicker: the load then returns what is stored in answer."""
    on = target(gfx, "", "llvm-24")
    tests = [test for test in suite_of(on)[0] if test.name in ("rel.st.s.sy", "rel.add.s.sy", "rel.cas.s.sy")]
    assert len(tests) == 3
    for test in tests:
        program = machine_program(lower(test, on))
        for placement in placements(program):
            laid = layout(program, placement, settings(program.family, {"memory": "fine"}))
            every = explore(laid, reduced=False)
            assert explore(laid).outcomes == every.outcomes
            assert any(row[0] == (1,) and row[-1] == (1,) for row in every.outcomes)


def test_a_wait_waits_for_nothing_but_what_its_counter_counts() -> None:
    """Of a release that waits for loads alone a store stays behind, though it was issued next after a load."""
    text = """litmus loads
global x = 0, a = 0, f = 0
thread P0 @ workgroup 0 {
  r0 = load atomic a monotonic
  store 1, x
  store atomic 1, f syncscope("agent") release
}
thread P1 @ workgroup 1 {
  r1 = load atomic f syncscope("agent") acquire
  r2 = load x
}
exists (P1:r1=1 /\\ P1:r2=0)
"""
    found = verify(text, "gfx1030", exploration=Exploration(robust=False))
    made = matrix(found)
    (stores,) = (element for element in made.elements if element.part == "vscnt")
    said = {row.flags: row.cells[stores].words for row in made.rows}
    assert found.verdict == "sound" and [f[1] for f, words in said.items() if words == (NEEDED,)] == [(1,)]
