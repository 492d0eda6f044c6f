"""The lowering: what is documented of targets, reasons, what targets lack, profiles, and the tables themselves.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from axmem.codegen.instructions import EmittedInstruction, InstructionKind
from axmem.codegen.lowering import lower_operation
from axmem.codegen.operations import Operation
from axmem.codegen.program import check_operations, lacks, lower
from axmem.codegen.tables import TableError, TableRow, _check_emitted, _rows, common, families
from axmem.codegen.targets import Target, all_targets, target
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus.syntax import I64, AddressSpace, Ordering, Scope, SyncScope, Type
from axmem.litmus.words import NONE_TAG
from tests.corpus import corpus_tests
from tests.drawn import WHOLE, some
from tests.lowering.cross import operations
from tests.paths import ROOT

GLOBAL = AddressSpace.GLOBAL


def shown(instructions: tuple[EmittedInstruction, ...]) -> str:
    return "; ".join(instruction.text for instruction in instructions)


def at(level: Scope) -> SyncScope:
    return SyncScope(level)


# ---------------------------------------------------------------- what is documented

ACQUIRE_LOADS = [
    ("gfx900", "", Scope.WORKGROUP, "global_load_dword"),
    ("gfx900", "", Scope.AGENT, "global_load_dword glc; s_waitcnt vmcnt(0); buffer_wbinvl1_vol"),
    ("gfx90a", "tgsplit", Scope.WORKGROUP, "global_load_dword glc; s_waitcnt vmcnt(0); buffer_wbinvl1_vol"),
    ("gfx942", "", Scope.WORKGROUP, "global_load_dword sc0"),
    ("gfx942", "", Scope.AGENT, "global_load_dword sc1; s_waitcnt vmcnt(0); buffer_inv sc1"),
    ("gfx1030", "wgp", Scope.WORKGROUP, "global_load_dword glc; s_waitcnt vmcnt(0); buffer_gl0_inv"),
    ("gfx1030", "cu", Scope.WORKGROUP, "global_load_dword"),
    ("gfx1030", "", Scope.AGENT, "global_load_dword glc dlc; s_waitcnt vmcnt(0); buffer_gl1_inv; buffer_gl0_inv"),
    ("gfx1200", "wgp", Scope.WORKGROUP,
     "global_load_b32 scope:SCOPE_SE; s_wait_loadcnt 0x0; global_inv scope:SCOPE_SE"),
    ("gfx1200", "", Scope.AGENT, "global_load_b32 scope:SCOPE_DEV; s_wait_loadcnt 0x0; global_inv scope:SCOPE_DEV"),
    ("gfx1250", "", Scope.WORKGROUP, "global_load_b32; s_wait_loadcnt 0x0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "mode", "scope", "expected"), ACQUIRE_LOADS)
def test_acquire_loads(name: str, mode: str, scope: Scope, expected: str) -> None:
    operation = Operation("load", GLOBAL, Ordering.ACQUIRE, scope=at(scope))
    assert shown(lower_operation(operation, target(name, mode))) == expected


@pytest.mark.parametrize(("name", "store"), [("gfx942", "ds_write_b32"), ("gfx1200", "ds_store_b32")])
def test_a_release_of_one_address_space_waits_for_that_alone(name: str, store: str) -> None:
    """LDS is in order with itself; a release of all spaces waits, and a fence has no space of its own."""
    one_as, all_ = (
        Operation("store", AddressSpace.LDS, Ordering.RELEASE, scope=SyncScope(Scope.AGENT, one_as=each))
        for each in (True, False)
    )
    assert shown(lower_operation(one_as, target(name))) == store
    assert "s_wait" in shown(lower_operation(all_, target(name)))
    assert "s_wait" in shown(lower_operation(replace(one_as, kind="fence"), target(name)))


AV_BITS = [
    ("gfx900", "", ["", "glc", "glc", "glc"], None),
    ("gfx90a", "", ["", "glc", "glc", "glc"], None),
    ("gfx90a", "tgsplit", ["glc", "glc", "glc", "glc"], None),
    ("gfx942", "", ["sc0", "sc1", "sc1", "sc0 sc1"], ["sc0", "sc1", "sc1", "sc0 sc1"]),
    ("gfx1030", "cu", ["", "glc dlc", "glc dlc", "glc dlc"], None),
    ("gfx1030", "wgp", ["glc", "glc dlc", "glc dlc", "glc dlc"], None),
    ("gfx1100", "cu", ["", "glc", "glc", "glc"], None),
    ("gfx1100", "wgp", ["glc", "glc", "glc", "glc"], None),
    ("gfx1200", "cu", ["", "DEV", "DEV", "SYS"], ["", "DEV", "DEV", "SYS"]),
    ("gfx1200", "wgp", ["SE", "DEV", "DEV", "SYS"], ["SE", "DEV", "DEV", "SYS"]),
    ("gfx1250", "", ["", "SE", "DEV", "SYS"], ["", "SE", "DEV", "SYS"]),
]


@pytest.mark.parametrize(("name", "mode", "loads", "stores"), AV_BITS)
def test_av_operations(name: str, mode: str, loads: list[str], stores: list[str] | None) -> None:
    """The bits of llvm.amdgcn.av.load and av.store at workgroup, cluster, agent and system scope; smaller have none."""
    for kind, expected in (("av-load", loads), ("av-store", stores or [""] * 4)):
        for level, bits in zip(Scope, ["", "", *expected], strict=True):
            *waits, access = lower_operation(Operation(kind, GLOBAL, scope=at(level)), target(name, mode))
            found = " ".join(part.text.removeprefix("scope:SCOPE_") for part in access.parts)
            assert found == bits, (kind, level)
            assert shown(tuple(waits)) == ("s_wait_xcnt 0x0" if (name, kind) == ("gfx1250", "av-store") else "")


def orderings() -> list[Operation]:
    found = [Operation("fence", None, o) for o in (Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL)]
    found += [Operation("load", GLOBAL, Ordering.ACQUIRE), Operation("store", GLOBAL, Ordering.RELEASE)]
    return [*found, Operation("rmw", GLOBAL, Ordering.ACQ_REL, update="add", result=True)]


@pytest.mark.parametrize("where", list(all_targets()), ids=lambda where: where.label)
def test_none_leaves_out_what_makes_available_and_visible(where: Target) -> None:
    """What amdgcn-av:none leaves is the rest: waits and the access's own bits; LLVM 22 does not know it."""
    for operation in orderings():
        tagged = replace(operation, tags=frozenset({NONE_TAG}))
        whole, rest = lower_operation(operation, where), lower_operation(tagged, where)
        assert not [i for i in rest if i.kind in (InstructionKind.WRITEBACK, InstructionKind.INVALIDATE)]
        if where.family.name != "gfx1250":
            assert shown(rest) == shown(
                tuple(i for i in whole if i.kind not in (InstructionKind.WRITEBACK, InstructionKind.INVALIDATE))
            )
        older = Target(where.name, where.family, where.mode, "llvm-22")
        assert shown(lower_operation(tagged, older)) == shown(lower_operation(operation, older))


def test_gfx1250_has_more_waits_in_llvm_24_and_none_drops_them() -> None:
    release = Operation("fence", None, Ordering.RELEASE, scope=at(Scope.AGENT))
    waits = "s_wait_loadcnt 0x0; s_wait_storecnt 0x0; s_wait_dscnt 0x0"
    assert shown(lower_operation(release, target("gfx1250", "", "llvm-22"))) == f"global_wb scope:SCOPE_DEV; {waits}"
    before = "s_wait_loadcnt 0x0; s_wait_storecnt 0x0; global_wb scope:SCOPE_DEV"
    newer = target("gfx1250", "", "llvm-24")
    assert shown(lower_operation(release, newer)) == f"{before}; {waits}"
    none = replace(release, tags=frozenset({NONE_TAG}))
    assert shown(lower_operation(none, newer)) == waits
    acquire = Operation("load", GLOBAL, Ordering.ACQUIRE, scope=at(Scope.AGENT))
    assert shown(lower_operation(acquire, newer)).endswith("global_inv scope:SCOPE_DEV; s_wait_loadcnt 0x0")


GFX12_LOADS = "s_wait_bvhcnt 0x0; s_wait_samplecnt 0x0; s_wait_loadcnt 0x0; "
SCALAR_WAITS = [
    # By hand: what LLVM has (vector loads and stores; LDS only across address spaces), and the scalar loads' counter.
    ("gfx1200", False, f"{GFX12_LOADS}{{}}s_wait_storecnt 0x0; s_wait_dscnt 0x0", "s_wait_kmcnt 0x0; "),
    ("gfx1200", True, f"{GFX12_LOADS}{{}}s_wait_storecnt 0x0", "s_wait_kmcnt 0x0; "),
    ("gfx942", False, "s_waitcnt vmcnt(0) lgkmcnt(0){}", ""),
    ("gfx942", True, "s_waitcnt vmcnt(0){}", " lgkmcnt(0)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "one_as", "waits", "scalar"), SCALAR_WAITS)
def test_a_repaired_release_waits_for_scalar_loads(name: str, *, one_as: bool, waits: str, scalar: str) -> None:
    """LLVM's does only where their counter is that of LDS and LDS is ordered, too; acquires and loads never do."""
    scope = SyncScope(Scope.AGENT, one_as=one_as)
    for operation in (
        Operation("store", GLOBAL, Ordering.RELEASE, scope=scope),
        Operation("rmw", GLOBAL, Ordering.RELEASE, scope=scope, update="add"),
    ):
        for profile, more in (("llvm-24", ""), ("repaired", scalar), ("rfc-vulkan", scalar)):
            found = shown(lower_operation(operation, target(name, "", profile))[:-1]).removeprefix("buffer_wbl2 sc1; ")
            assert found == waits.format(more)
    for ordering in (Ordering.ACQUIRE, Ordering.SEQ_CST):
        load = Operation("load", GLOBAL, ordering, scope=scope)
        assert lower_operation(load, target(name)) == lower_operation(load, target(name, "", "llvm-24"))


def test_make_operations_are_the_halves_of_a_release_and_an_acquire() -> None:
    where = target("gfx942")
    available = Operation("make.available", scope=at(Scope.AGENT))
    assert shown(lower_operation(available, where)) == "buffer_wbl2 sc1"
    assert shown(lower_operation(Operation("make.visible", scope=at(Scope.AGENT)), where)) == "buffer_inv sc1"
    assert not lower_operation(available, target("gfx1030"))


def test_what_rfc_vulkan_caches_and_passes() -> None:
    """Private accesses may hit in caches; others pass them, so that a nonprivate fence only has to wait."""
    where = target("gfx942", "", "rfc-vulkan")
    private, nonprivate = frozenset({("vulkan", "private")}), frozenset({("vulkan", "nonprivate")})
    assert shown(lower_operation(Operation("load", GLOBAL, tags=private), where)) == "global_load_dword"
    assert shown(lower_operation(Operation("load", GLOBAL, tags=nonprivate), where)) == "global_load_dword sc0 sc1"
    assert shown(lower_operation(Operation("store", GLOBAL), where)) == "global_store_dword sc0 sc1"
    assert shown(lower_operation(Operation("load", GLOBAL, tags=private, uniform=True), where)) == "s_load_dword"
    assert shown(lower_operation(Operation("load", GLOBAL, uniform=True), where)) == "global_load_dword sc0 sc1"
    fence = Operation("fence", None, Ordering.ACQ_REL, scope=at(Scope.AGENT), tags=nonprivate)
    assert shown(lower_operation(fence, where)) == "s_waitcnt vmcnt(0) lgkmcnt(0)"
    untagged = Operation("fence", None, Ordering.ACQ_REL, scope=at(Scope.AGENT))
    assert shown(lower_operation(untagged, where)) == shown(lower_operation(untagged, target("gfx942")))


def test_an_update_that_the_target_lacks_is_a_loop() -> None:
    nand = Operation("rmw", GLOBAL, Ordering.MONOTONIC, update="nand")
    (access,) = lower_operation(nand, target("gfx1100"))
    assert access.mnemonic == "global_atomic_cmpswap_b32" and "in a loop" in access.why
    saturated = Operation("rmw", GLOBAL, Ordering.MONOTONIC, update="usub_sat")
    assert lower_operation(saturated, target("gfx1100"))[0].mnemonic == "global_atomic_cmpswap_b32"
    assert lower_operation(saturated, target("gfx1200"))[0].mnemonic == "global_atomic_sub_clamp_u32"
    number = Operation("rmw", GLOBAL, Ordering.MONOTONIC, update="fadd")
    (access,) = lower_operation(number, target("gfx942"))
    assert access.mnemonic == "global_atomic_cmpswap" and "where the target has no update of such numbers" in access.why


def test_atomics_on_private_memory() -> None:
    update = Operation("rmw", AddressSpace.PRIVATE, Ordering.ACQ_REL, update="add", result=True)
    assert shown(lower_operation(update, target("gfx942"))) == "scratch_load_dword; scratch_store_dword"
    assert "flat_atomic_add_u32 th:TH_ATOMIC_RETURN" in shown(lower_operation(update, target("gfx1250")))


PIECES = [
    ("gfx600", AddressSpace.PRIVATE, I64, "buffer_{} dword glc; s_waitcnt vmcnt(0)", 2),
    ("gfx700", AddressSpace.GENERIC, I64, "flat_{} dword glc; s_waitcnt vmcnt(0)", 2),
    ("gfx803", AddressSpace.PRIVATE, Type(32, 4), "buffer_{} dword glc; s_waitcnt vmcnt(0)", 4),
    ("gfx900", AddressSpace.PRIVATE, I64, "buffer_{} dword glc; s_waitcnt vmcnt(0)", 2),
    ("gfx1030", AddressSpace.PRIVATE, I64, "buffer_{} dword glc dlc; s_waitcnt vmcnt(0)", 2),
    ("gfx600", AddressSpace.LDS, Type(32, 4), "ds_read_b64", 2),
    ("gfx942", AddressSpace.PRIVATE, I64, "scratch_load_dwordx2 sc0 sc1; s_waitcnt vmcnt(0)", 1),
]


@pytest.mark.parametrize(("name", "space", "type_", "piece", "count"), PIECES)
def test_each_piece_of_a_volatile_access_is_waited_for(
    name: str, space: AddressSpace, type_: Type, piece: str, count: int
) -> None:
    """[AMDGPUUsage] "Memory Model GFX6-GFX9", load volatile: the wait "Must happen before any following volatile
    global/generic load/store", which the next piece is. Volatile accesses to LDS have none."""
    load = Operation("load", space, type=type_, volatile=True)
    assert shown(lower_operation(load, target(name))) == "; ".join([piece.replace("{} ", "load_")] * count)
    plain = lower_operation(replace(load, volatile=False), target(name))
    assert [i.kind for i in plain] == [InstructionKind.ACCESS] * count


def test_each_piece_of_a_volatile_store_is_waited_for() -> None:
    store = Operation("store", AddressSpace.PRIVATE, type=I64, volatile=True)
    for name, wait in (("gfx700", "s_waitcnt vmcnt(0)"), ("gfx1030", "s_waitcnt_vscnt null, 0x0")):
        pieces = shown(lower_operation(store, target(name))).split("; ")
        assert pieces[1::2] == [wait] * 2 and all(piece.startswith("buffer_store_dword") for piece in pieces[::2])


# ---------------------------------------------------------------- reasons


@pytest.mark.parametrize("where", some([*all_targets()], of=3), ids=lambda where: where.label)
def test_everything_that_is_emitted_has_a_reason_and_a_source(where: Target) -> None:
    for operation in [*operations(where, thin=True), Operation("make.available"), Operation("make.visible")]:
        for instruction in lower_operation(operation, where):
            explained = [(part.why, part.source) for part in instruction.parts]
            if instruction.why or not explained:
                explained = [(instruction.why, instruction.source)]
            for why, source in explained:
                assert why and source and "{" not in why, f"{operation}: {instruction}"


@pytest.mark.parametrize(("ordering", "why"), [
    (Ordering.ACQUIRE, "the reads that the fence synchronizes through are done before anything after it"),
    (Ordering.RELEASE, "earlier loads have their values before the release can be seen"),
])  # fmt: skip
def test_a_wait_of_a_fence_says_what_its_ordering_asks_for(ordering: Ordering, why: str) -> None:
    fence = lower_operation(Operation("fence", ordering=ordering, scope=at(Scope.AGENT)), target("gfx1200"))
    reasons = {part.name: part.why for each in fence if each.kind is InstructionKind.WAIT for part in each.parts}
    assert reasons["loadcnt"] == why


# ---------------------------------------------------------------- whole tests


def test_every_test_of_the_corpus_is_lowered_where_it_applies() -> None:
    lowered = 0
    for where in all_targets():
        for test in some(corpus_tests(), of=5):
            try:
                found = lower(test, where)
            except InputError as error:
                if any("lowering knows no" in str(d) for d in error.diagnostics):
                    continue
                assert all("does not have this operation" in str(d) for d in error.diagnostics)
                assert where.family.name in ("gfx6", "gfx7") or where.mode == "tgsplit"
                continue
            lowered += 1
            assert [thread.name for thread in found.threads] == [thread.name for thread in test.threads]
    assert lowered > (5000 if WHOLE else 1000)


SCALAR = """\
litmus scalar
global x = 0, y = 0
thread P0 {
  r0 = load x
  if r0 == 1 {
    r1 = load y
    store 1, y
  } else {
    r2 = load y
  }
  r3 = load x
}
thread P1 {
  store 1, x
  r0 = load x
}
"""


def test_a_thread_loads_through_the_scalar_cache_until_it_writes() -> None:
    test = parse(SCALAR, "scalar.litmus")
    found = lower(test, target("gfx942"))
    loads = [shown(s.instructions) for s in found.threads[0].statements if s.operation and s.operation.kind == "load"]
    assert loads == ["s_load_dword", "s_load_dword", "s_load_dword", "global_load_dword"]
    assert [s.depth for s in found.threads[0].statements] == [0, 0, 1, 1, 1, 0]
    divergent = lower(test, target("gfx942"), divergent=True)
    assert "s_load" not in "".join(shown(s.instructions) for thread in divergent.threads for s in thread.statements)


LACKING = {
    "av on GFX8": ("gfx803", "", "llvm-24", "load-visible y", "av operations need GFX9"),
    "av in LLVM 22": ("gfx942", "", "llvm-22", "load-visible y", "LLVM 22 has no av loads and stores"),
    "make in LLVM 22": ("gfx942", "", "llvm-22", "make.visible", "LLVM 22 has no make operations"),
    "flat on GFX6": ("gfx600", "", "llvm-24", "load i32, p", "GFX6 has no flat instructions"),
    "LDS in tgsplit": ("gfx90a", "tgsplit", "llvm-24", "load t", "has no LDS"),
    "wide atomics": ("gfx942", "", "llvm-24", "load atomic i128, x monotonic", "accesses 128 bits atomically"),
    "wide vectors": ("gfx942", "", "llvm-24", "load <8 x i32>, x", "accesses 256 bits at once"),
    "wide private atomics": ("gfx1250", "", "llvm-24", "load atomic i64, q monotonic", "at most 32 bits"),
}


@pytest.mark.parametrize("name", LACKING)
def test_what_a_target_lacks_is_said_at_its_place(name: str) -> None:
    processor, mode, profile, statement, expected = LACKING[name]
    locations = "global <8 x i32> x = 0\nglobal y = 0\nglobal ptr g = &y\nlds t\nprivate i64 q\n"
    test = parse(f"litmus t\n{locations}thread P0 {{\n  p = load g\n  {statement}\n}}\n", "t.litmus")
    with pytest.raises(InputError, match=expected) as raised:
        lower(test, target(processor, mode, profile))
    assert raised.value.diagnostics[0].span.line == 9
    assert ("hint: --profile llvm-24 has it" in str(raised.value)) == (profile == "llvm-22")


UNALIGNED = {
    "LDS of eight bytes": ("gfx942", "load i64, t, align 4", "of lds memory in pieces: 8 bytes, aligned to 4"),
    "LDS of sixteen": ("gfx1200", "store <4 x i32> 0, t, align 8", "of lds memory in pieces: 16 bytes, aligned to 8"),
    "LDS at an index": ("gfx942", "load <2 x i32>, t[i]", "of lds memory in pieces: 8 bytes, aligned to 4"),
    "generic on GFX10": ("gfx10", "load i64, p, align 4", "through a generic address in pieces: 8 bytes, aligned to 4"),
    "private on GFX8": ("gfx803", "load q, align 2", "of private memory in pieces: 4 bytes, aligned to 2"),
    "global on GFX6": ("gfx600", "store i32 0, x, align 1", "of global memory in pieces: 4 bytes, aligned to 1"),
}
_OBJECTS = "global <4 x i32> x = 0\nlds <4 x i32> t\nprivate q\nglobal ptr g = &x\nglobal n = 0\n"


@pytest.mark.parametrize("name", UNALIGNED)
def test_what_llvm_makes_in_pieces_for_its_alignment_is_refused_at_its_place(name: str) -> None:
    """Measured with llc 22.1.8: GFX9 on splits LDS alone, gfx1010 in WGP mode what may be LDS, GFX6 everything."""
    processor, statement, expected = UNALIGNED[name]
    pointer = "  p = load g\n" if " p," in statement else "  i = load n\n"
    test = parse(f"litmus t\n{_OBJECTS}thread P0 {{\n{pointer}  {statement}\n}}\n", "t.litmus")
    with pytest.raises(InputError, match=expected) as raised:
        lower(test, target(processor))
    assert raised.value.diagnostics[0].span.line == 9
    assert "hint: `axmem verify --llc` executes what LLVM makes of it" in str(raised.value)
    check_operations(test, target(processor))  # which is what is asked before LLVM compiles it


def test_narrow_or_unaligned_loads_do_not_go_through_the_scalar_cache() -> None:
    """Measured with llc 22.1.8; s_load_u16 is of GFX12."""
    loads = ("load i16, x", "load i32, x, align 2", "load i64, x, align 4")
    for name, expected in (
        ("gfx942", ("global_load_ushort", "global_load_dword", "s_load_dwordx2")),
        ("gfx1100", ("global_load_u16", "global_load_b32", "s_load_b64")),
        ("gfx1200", ("s_load_u16", "global_load_b32", "s_load_b64")),
    ):
        for load, instruction in zip(loads, expected, strict=True):
            found = lower(parse(f"litmus t\nglobal <4 x i32> x = 0\nthread P0 {{\n  {load}\n}}\n"), target(name))
            assert shown(found.threads[0].statements[0].instructions) == instruction, (name, load)


# ---------------------------------------------------------------- targets and tables


def test_every_processor_is_in_one_family() -> None:
    names = [name for family in families().values() for name in family.targets]
    assert len(set(names)) == len(names) >= 50
    assert target("gfx1030").family is families()["gfx10"]
    assert target("gfx1030").label == "gfx1030" and target("gfx1030", "cu").label == "gfx1030-cu"


def test_unknown_targets_modes_and_profiles() -> None:
    for words, hint in (
        (("gfx94",), "did you mean"),
        (("gfx942", "wgp"), "known: cu, tgsplit"),
        (("gfx942", "", "llvm24"), "did you mean 'llvm-24'?"),
    ):
        with pytest.raises(InputError, match=hint.replace("?", r"\?")):
            target(*words)


def test_no_row_is_dead() -> None:
    """Every row of every table applies to some operation in some mode of its family."""
    for family in families().values():
        rows = {row for table in ("bits", "waits", "writebacks", "invalidates") for row in family.tables[table]}
        for mode in family.modes:
            for profile in ("llvm-22", "llvm-24", "repaired"):
                where = Target(family.name, family, mode, profile)
                rows = {row for row in rows if not any(_applies(row, where, flags) for flags in _FLAGS)}
        assert not rows, (family.name, rows)


_FLAGS = [frozenset(), *map(frozenset, zip(("release", "atomics", "volatile", "nontemporal", "last-use", "atomic")))]
_FLAGS.append(frozenset({"last-use", "volatile"}))


def _applies(row: TableRow, where: Target, flags: frozenset[str]) -> bool:
    return any(
        row.applies(where.circumstances | flags, operation=operation, space=space, scope=scope, subject=subject)
        for operation in row.operations or ("",)
        for space in row.spaces or ("",)
        for scope in row.scopes or ("",)
        for subject in row.subjects or ("",)
    )


BAD_ROWS = {
    "unknown operation 'laod'": ("bits", ["laod", "*", "*", "", "glc", "U"]),
    "unknown address space 'gds'": ("bits", ["load", "gds", "*", "", "glc", "U"]),
    "unknown scope 'group'": ("writebacks", ["group", "", "buffer_wbl2", "U"]),
    "unknown subject 'reads'": ("waits", ["reads", "*", "", "vmcnt", "U"]),
    "unknown circumstance 'split'": ("waits", ["loads", "*", "!split", "vmcnt", "U"]),
    "unknown source 'X'": ("waits", ["loads", "*", "", "vmcnt", "X"]),
    "it has 3 cells, not 4": ("writebacks", ["*", "buffer_wbl2", "U"]),
}


@pytest.mark.parametrize("message", BAD_ROWS)
def test_a_wrong_row_is_found(message: str) -> None:
    table, cells = BAD_ROWS[message]
    with pytest.raises(TableError, match=f"some.toml: {table}, row 1: {message}"):
        _rows("some", table, [cells], {"U": "usage"}, frozenset({"tgsplit"}))


def test_what_is_emitted_must_be_known() -> None:
    family = families()["gfx942"]
    for table, row, message in (
        ("waits", TableRow(emits="vscnt"), "unknown counter 'vscnt'"),
        ("invalidates", TableRow(emits="buffer_inv sc9"), "nothing says what 'buffer_inv sc9' does"),
    ):
        spoiled = {name: getattr(family, name) for name in family.__slots__}
        spoiled["tables"] = {**family.tables, table: (*family.tables[table], row)}
        with pytest.raises(TableError, match=message):
            _check_emitted(type(family)(**spoiled))
    with pytest.raises(TableError, match="no sequence for 'load release'"):
        common().steps("load", "release")


def test_av_operations_begin_with_gfx9() -> None:
    without = [where.name for where in all_targets() if lacks(Operation("av-load", GLOBAL), where)]
    assert without == ["gfx6", "gfx7"]


def test_every_source_of_a_table_resolves() -> None:
    references = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"^## \[([^\]]+)\]$", references, re.MULTILINE))
    for sources in (common().sources, *(family.sources for family in families().values())):
        for source in sources.values():
            assert re.findall(r"\[([^\]]+)\]", source)[0] in keys, source


@pytest.mark.parametrize(
    ("type_", "counts"),
    [
        ("<2 x i16>", {"gfx600": 2, "gfx700": 2, "gfx7": 2, "gfx803": 1, "gfx900": 1, "gfx1250": 1}),
        ("<4 x i16>", {"gfx600": 4, "gfx700": 4, "gfx803": 1, "gfx942": 1}),
        ("<4 x i8>", {"gfx600": 4, "gfx803": 4, "gfx90a": 4, "gfx1200": 4}),
        ("<2 x i32>", {"gfx600": 1, "gfx700": 1}),
    ],
)
@pytest.mark.parametrize("mark", ["volatile ", ""])
def test_volatile_vectors_are_accessed_by_elements_that_have_no_registers(
    type_: str, counts: dict[str, int], mark: str
) -> None:
    """As llc-22 does; what is not volatile is one access."""
    text = f"litmus v\nglobal {type_} x = 0\nthread P0 {{\n  r0 = load {mark}{type_}, x\n}}\nobserve P0:r0\n"
    for name, count in counts.items():
        (statement,) = lower(text, name, divergent=True).threads[0].statements
        made = [i for i in statement.instructions if i.kind is InstructionKind.ACCESS]
        assert len(made) == (count if mark else 1), name


def test_what_llvm_emits_is_shown_unless_another_profile_is_asked_for() -> None:
    text = "litmus r\nglobal x = 0\nthread P0 {\n  store atomic 1, x release\n}\nobserve x\n"
    assert lower(text, "gfx1200").target.profile == "llvm-24"
    shown, repaired = (
        [i.text for s in lower(text, "gfx1200", profile=profile).threads[0].statements for i in s.instructions]
        for profile in ("llvm-24", "repaired")
    )
    assert not any("kmcnt" in each for each in shown) and any("kmcnt" in each for each in repaired)
