"""The findings of docs/findings: their assembly, as llc made it, is as unsound as the pages show, and mended sound.

What the pages say of LLVM itself is checked by `python -m tests.findings`; here, that they say it.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.targets import target
from axmem.commands.verify import _summary
from axmem.litmus.parser import parse
from axmem.mapping.findings import LIMITS, OPEN
from axmem.mapping.findings import pages as explained
from axmem.mapping.verification import Exploration
from axmem.mapping.verification import verify as verified
from axmem.report.verification import NONE, VerificationText
from tests.drawn import in_full
from tests.findings.pages import FINDINGS, VERSIONS, claims, pages
from tests.paths import ROOT

PLACE = "docs/findings/"

MENDED: dict[str, list[tuple[str, str]]] = {
    "fixed/missing-wait-after-writeback.gfx942": [
        ("buffer_wbl2 sc0 sc1\n", "buffer_wbl2 sc0 sc1\n\ts_waitcnt vmcnt(0)\n")
    ],
    "fixed/missing-wait-after-writeback.gfx90a": [("buffer_wbl2\n", "buffer_wbl2\n\ts_waitcnt vmcnt(0)\n")],
    "fixed/stale-scalar-load.gfx942": [
        ("s_load_dword s6, s[0:1], 0x0\n", "global_load_dword v2, v3, s[0:1]\n"),
        ("s_waitcnt lgkmcnt(0)\n\tv_mov_b32_e32 v2, s6\n", "s_waitcnt vmcnt(0) lgkmcnt(0)\n"),
    ],
    "fixed/replayed-store.gfx1250": [
        ("global_wb scope:SCOPE_DEV\n", "s_wait_storecnt 0x0\n\tglobal_wb scope:SCOPE_DEV\n")
    ],
    "cluster-release.gfx1250": [
        ("s_wait_storecnt 0x0\n", "s_wait_storecnt 0x0\n\tglobal_wb scope:SCOPE_SE\n\ts_wait_storecnt 0x0\n")
    ],
    "unawaited-scalar-load.gfx1200": [("global_atomic_add_u32", "s_wait_kmcnt 0x0\n\tglobal_atomic_add_u32")],
    "unawaited-scalar-load.gfx1250": [("global_atomic_add_u32", "s_wait_kmcnt 0x0\n\tglobal_atomic_add_u32")],
    "fixed/overtaken-scalar-load.gfx942": [("\tglobal_atomic_add", "\ts_waitcnt lgkmcnt(0)\n\tglobal_atomic_add")],
    "replayed-read-modify-write.gfx1250": [("global_atomic_add_u32", "s_wait_xcnt 0x0\n\tglobal_atomic_add_u32")],
    "unawaited-invalidate.gfx90a": [
        (
            "s_waitcnt lgkmcnt(0)\n\tglobal_store_dword v0, v1,",
            "s_waitcnt vmcnt(0) lgkmcnt(0)\n\tglobal_store_dword v0, v1,",
        )
    ],
    "fixed/merged-scopes.gfx942": [
        (
            "global_store_dword v0, v1, s[4:5] sc0\n",
            "buffer_wbl2 sc1\n\ts_waitcnt vmcnt(0)\n\tglobal_store_dword v0, v1, s[4:5] sc1\n",
        )
    ],
}
"""What has to be changed in each file, as the pages say it in their tables."""


HAZARDS = {
    "overwritten-source.gfx1250": ("\tv_mov_b64_e32 v[2:3], 9\n", "\ts_wait_xcnt 0x1\n\tv_mov_b64_e32 v[2:3], 9\n")
}
"""What overwrites a register before it is read, whatever memory holds: no test shows it, and what mends it."""


IN_NO_ASSEMBLY = "fixed/merged-scopes.gfx942"
"""What no change of the assembly undoes; with llc it is known, too."""


def verify(finding: str, file: str) -> list[str]:
    """Return the command that verifies a file of a finding."""
    test, _, gpu = finding.rpartition(".")
    return ["verify", f"{PLACE}{test}.litmus", "--asm", file, "--target", gpu, "--profile", "llvm-22"]


def test_every_file_is_here() -> None:
    here = {str(path.relative_to(FINDINGS).with_suffix("")) for path in FINDINGS.rglob("*.s")}
    assert here == {*MENDED, *HAZARDS}


COMPILED = sorted({name.partition(".")[0] for name in MENDED})


@pytest.mark.parametrize("page", COMPILED)
def test_a_page_says_what_versions_make_of_its_test(page: str) -> None:
    said = list(claims(page, dict(pages())[page]))
    assert {one.compiler for one in said} == {f"llc-{version}" for version in VERSIONS.values()}
    assert {one.verdict for one in said} <= {"sound", "unsound"}
    assert all(((FINDINGS / page).parent / one.test).exists() for one in said)


@pytest.mark.parametrize("finding", HAZARDS)
def test_a_hazard_is_found_without_a_test_and_mended(
    finding: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    file = f"{PLACE}{finding}.s"
    assert main(["verify", "--waits", file]) == 1
    page = (FINDINGS / f"{finding.partition('.')[0]}.md").read_text(encoding="utf-8")
    assert f"$ axmem verify --waits {file}\n{capsys.readouterr().out}```" in page
    text, (before, after) = Path(file).read_text(encoding="utf-8"), HAZARDS[finding]
    assert text.count(before) == 1
    mended = tmp_path / "mended.s"
    mended.write_text(text.replace(before, after), encoding="utf-8")
    assert main(["verify", "--waits", str(mended)]) == 0


LONGEST = ("fixed/replayed-store.gfx1250", "unawaited-invalidate.gfx90a")
"""That they are sound when mended is tested always; that they are unsound takes longer than of all others together."""


@pytest.mark.parametrize(
    "finding", [pytest.param(each, marks=in_full) if each in LONGEST else each for each in sorted(MENDED)]
)
def test_a_finding_is_what_its_page_shows(
    finding: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    test, _, gpu = finding.rpartition(".")
    file = f"{PLACE}{finding}.s"
    assert main(verify(finding, file)) == 1
    said = capsys.readouterr().out.replace(file, "llc-22")
    assert (NONE in said) == (finding == IN_NO_ASSEMBLY)
    found = said.replace(f"not known: {NONE}", f"known: {PLACE}{test}.md")
    assert f"  known: {PLACE}{test}.md\n" in found
    command = f"$ axmem verify {PLACE}{test}.litmus --llc llc-22 --target {gpu}\n"
    page = (FINDINGS / f"{test}.md").read_text(encoding="utf-8")
    (block,) = re.findall(re.escape(f"```\n{command}") + "(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    # A line with an ellipsis stands for any lines.
    assert re.fullmatch(re.escape(block).replace("\\ \\ \\ \\ …\\\n", "(?s:.*)"), found), found


@pytest.mark.parametrize("finding", sorted(MENDED))
def test_a_mended_file_is_sound(
    finding: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    text = (FINDINGS / f"{finding}.s").read_text(encoding="utf-8")
    for before, after in MENDED[finding]:
        assert text.count(before) == 1
        text = text.replace(before, after)
    file = tmp_path / "mended.s"
    file.write_text(text, encoding="utf-8")
    assert main(verify(finding, str(file))) == 0
    assert re.search(r"  sound(  | under )", capsys.readouterr().out)


def test_what_no_finding_explains_is_not_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    text = (FINDINGS / "fixed/stale-scalar-load.gfx942.s").read_text(encoding="utf-8")
    for before, after in MENDED["fixed/stale-scalar-load.gfx942"]:
        text = text.replace(before, after)
    file = tmp_path / "faulty.s"
    file.write_text(text.replace("\tbuffer_inv sc1\n", ""), encoding="utf-8")
    assert main(verify("fixed/stale-scalar-load.gfx942", str(file))) == 1
    assert f"  not known: {NONE}\n" in capsys.readouterr().out


def test_unsound_tests_are_counted_by_page() -> None:
    found = [
        VerificationText("a", "unsound", "unsound (documented)", pages=("docs/findings/a.md",)),
        VerificationText("b", "unsound", "unsound (documented)", pages=("docs/findings/a.md", "docs/findings/b.md")),
        VerificationText("c", "unsound", "unsound if (open)", pages=()),
        VerificationText("d", "unsound", "unsound if (open)"),
        VerificationText("e", "sound", "sound"),
    ]
    assert _summary(found) == (
        "5 tests: 1 sound, 2 unsound (documented), 2 unsound if (open)\n"
        "  2 unsound by docs/findings/a.md\n  1 unsound by docs/findings/b.md\n  1 unsound by no known fault\n"
    )


DEAF = '"Threads that do not hear of each other"\nempty (rf & ext) \\ (IW * _) as unheard\n'
"""A model that no machine follows."""


@pytest.mark.parametrize("known", [True, False])
def test_hardware_explains_only_what_is_sound_without_it(known: bool, tmp_path: Path) -> None:
    """That the tables are unsound, too, explains nothing: they may be so for any reason."""
    (tmp_path / "deaf.cat").write_text(DEAF, encoding="utf-8")
    model = "amdgpu" if known else str(tmp_path / "deaf.cat")
    test = parse((FINDINGS / "relayed-store.litmus").read_text(encoding="utf-8"))
    found = verified(test, target("gfx942"), model, exploration=Exploration(robust=False))
    assert found.verdict == "unsound" and explained(found) == ((OPEN,) if known else ())


@pytest.mark.parametrize("beside", ["", "thread P1 {\n  r1 = load atomic y monotonic\n}\n"])
def test_a_store_that_is_replayed_alone_is_one_of_the_limits(beside: str) -> None:
    """With another thread, too: what counts is that it is sound on hardware that replays nothing."""
    text = "litmus replayed\nglobal x = 0, y = 0\nthread P0 {\n  store 1, y\n  store 1, x\n  store 2, x\n}\nobserve x\n"
    found = verified(parse(text + beside), target("gfx1250"), "amdgpu", exploration=Exploration(robust=False))
    assert found.verdict == "unsound" and explained(found) == (LIMITS,)


@pytest.mark.parametrize("profile", ["repaired", "llvm-24", "llvm-22"])
def test_a_release_to_the_cluster_writes_back_by_the_repaired_tables_alone(profile: str) -> None:
    test = parse((FINDINGS / "cluster-release.litmus").read_text(encoding="utf-8"))
    found = verified(test, target("gfx1250", profile=profile), "amdgpu", exploration=Exploration(robust=False))
    assert found.verdict == ("sound" if profile == "repaired" else "unsound")
    assert explained(found) == ()  # hardware is no cause where the repaired tables are sound on it
