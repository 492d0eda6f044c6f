"""A sample of `python -m tests.long.seeded`: faults next to those of pages, in assembly that llc-22 made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from axmem.codegen.assembly.text import read_listing
from axmem.codegen.machine.program import HazardKind, RegisterHazard
from axmem.codegen.targets import target
from axmem.formats.reading import parse_file
from axmem.front.source import Span
from axmem.mapping import faults, findings
from axmem.mapping.faults import FAULTS, LOST, OLDEST, KernelCode
from axmem.mapping.findings import WITHOUT
from axmem.mapping.findings import pages as explained
from axmem.mapping.verification import CodeSource, Exploration, verify
from tests.drawn import some
from tests.findings.pages import FINDINGS, claims, pages
from tests.mapping.seeded_faults import sought

MASKED = Path(__file__).parent / "Masked.gfx942.s"
SEEDED = [MASKED, *(FINDINGS / f"{name}.s" for name in (
    "fixed/missing-wait-after-writeback.gfx942", "fixed/overtaken-scalar-load.gfx942", "fixed/stale-scalar-load.gfx942",
    "unawaited-scalar-load.gfx1200", "unawaited-scalar-load.gfx1250", "cluster-release.gfx1250",
    "replayed-read-modify-write.gfx1250",
))]  # fmt: skip


@pytest.mark.parametrize("file", SEEDED, ids=lambda path: path.stem)
def test_a_fault_next_to_that_of_a_page_is_not_known(file: Path) -> None:
    test, gpu = parse_file(file.with_suffix("").with_suffix(".litmus")), file.stem.partition(".")[2]
    found = list(sought(test, target(gpu, "", OLDEST), file.read_text(encoding="utf-8"), {}))
    assert [each for each in found if each.pages] == []
    assert file != MASKED or {"vector-wait-with-lds"} <= {each.fault for each in found if each.seen}


@pytest.mark.parametrize("name", some(["fixed/missing-wait-after-writeback.gfx942", "fixed/replayed-store.gfx1250"]))
def test_what_a_version_has_right_is_not_known_of_it(name: str) -> None:
    """The assembly of LLVM 22 would be a new fault of LLVM 24."""
    file = FINDINGS / f"{name}.s"
    test = parse_file(file.with_suffix("").with_suffix(".litmus"))
    code, bounded = CodeSource((file.name, file.read_text(encoding="utf-8"))), Exploration(robust=False, limit=100_000)
    gpu = name.partition(".")[2]
    assert explained(verify(test, gpu, profile="llvm-24", code=code, exploration=bounded)) == ()


def test_versions_are_those_of_the_pages() -> None:
    """A page's own tables say on which targets LLVM 24 is right."""
    texts = dict(pages())
    for page, _ in WITHOUT:
        assert "| LLVM 24.0.0git | right |" in texts[page]
    for fault in FAULTS:
        said = {(one.test, one.target, one.compiler): one.verdict for one in claims(fault.page, texts[fault.page])}
        for (test, gpu, compiler), verdict in said.items():
            if compiler == "llc-22" and verdict == "unsound" and gpu.startswith(fault.targets):
                mended = said.get((test, gpu, "llc-24")) == "sound"
                assert mended == (bool(fault.mended) and gpu.startswith(fault.mended)), (fault.page, gpu)
        assert fault.mended != ("gfx",) or "| LLVM 24.0.0git | right |" in texts[fault.page]


def test_a_page_that_asks_for_its_change_everywhere_hides_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative control: the wait after every writeback mends what another fault dropped."""
    everywhere = replace(FAULTS[0], places=lambda code: code.named("buffer_wbl2"))
    monkeypatch.setattr(findings, "FAULTS", (everywhere,))
    test, text = parse_file(MASKED.with_name("Masked.litmus")), MASKED.read_text(encoding="utf-8")
    found = list(sought(test, target("gfx942", "", OLDEST), text, {}, ["vector-wait-with-lds"]))
    assert [each.pages for each in found] == [("docs/findings/fixed/missing-wait-after-writeback.md",)]


UPDATE = "global_atomic_add_u32 v1, v0, v2, s[2:3] th:TH_ATOMIC_RETURN"


@pytest.mark.parametrize(("before", "lost"), [
    ("global_store_b32 v0, v1, s[0:1]", True),
    ("global_store_b32 v0, v3, s[0:1]", False),
    ("ds_store_b32 v0, v1", False),
    ("global_store_b32 v0, v1, s[0:1]\n\ts_wait_xcnt 0x0", False),
])  # fmt: skip
def test_a_wait_is_lost_where_a_result_overwrites_what_is_still_to_be_translated(before: str, lost: bool) -> None:
    """By the page: LDS translates nothing, and what was waited for is translated."""
    (kernel,) = read_listing(f"P0:\n\t{before}\n\t{UPDATE}\n\ts_endpgm\n", "p.s").kernels.values()
    (fault,) = (fault for fault in FAULTS if fault.page == LOST)
    found = [kernel.lines[index].mnemonic for index in fault.places(KernelCode(kernel, target("gfx1250"), ()))]
    assert found == ["global_atomic_add_u32"] * lost


@pytest.mark.parametrize(("between", "after", "free"), [
    (("v_mov_b32_e32 v5, 1", UPDATE), "s_nop 0", True),
    (("v_mov_b32_e32 v5, 1",), UPDATE, False),
    (("s_nop 0",), "s_nop 0", False),
])  # fmt: skip
def test_a_source_is_overwritten_for_free_behind_an_access_whose_result_overwrites_another(
    between: tuple[str, ...], after: str, free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An access behind the line that overwrites takes nothing for free."""
    lines = ["P0:", "global_store_b32 v0, v1, s[0:1]", *between, "v_mov_b32_e32 v0, 2", after, "s_endpgm"]
    (kernel,) = read_listing("\n\t".join(lines) + "\n", "p.s").kernels.values()
    code = KernelCode(kernel, target("gfx1250"), ())
    monkeypatch.setattr(faults, "codes", lambda *_: [code])
    first, last = (Span(number, 1) for number in (2, 3 + len(between)))
    hazard = RegisterHazard("P0", HazardKind.SOURCE, ("v0",), "xcnt", lines[-3], last, lines[1], first)
    test = parse_file(MASKED.with_name("Masked.litmus"))
    assert faults.taken_for_free(test, code.target, "", hazard) is free


@pytest.mark.parametrize(("between", "alone"), [
    ("", True),
    ("ds_write_b32 v0, v1", True),
    ("s_waitcnt vmcnt(0)", False),
    ("global_load_dword v2, v0, s[0:1]", False),
])  # fmt: skip
def test_an_invalidate_is_not_awaited_where_nothing_else_is_on_its_way(between: str, alone: bool) -> None:
    """By the page: what else vmcnt counts has the wait, and so does the invalidate before it."""
    text = f"P0:\n\tbuffer_inv sc1\n\t{between or 's_nop 0'}\n\tglobal_store_dword v0, v1, s[0:1]\n\ts_endpgm\n"
    (kernel,) = read_listing(text, "p.s").kernels.values()
    (fault,) = (fault for fault in FAULTS if fault.page == "unawaited-invalidate" and fault.targets == ("gfx942",))
    found = [kernel.lines[index].mnemonic for index in fault.places(KernelCode(kernel, target("gfx942"), ()))]
    assert found == ["global_store_dword"] * alone
