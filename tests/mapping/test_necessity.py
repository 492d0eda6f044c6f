"""What `axmem verify` says of lowerings over many tests: `--needs --by operation`, `--strategy`, `--savings`, and the
committed tables. `make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from axmem.check.results import outcomes
from axmem.cli import main
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.layout import settings
from axmem.codegen.machine.mutants import without
from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, Target, target
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.mapping import trials
from axmem.mapping.bounds import SuiteBound, bound_of
from axmem.mapping.cases import VerificationCase
from axmem.mapping.ending import Ending
from axmem.mapping.hardware import Hardware
from axmem.mapping.matrix import NEEDED, PROGRESS
from axmem.mapping.necessity import VERDICTS
from axmem.mapping.rules import rules
from axmem.mapping.suite import classical, suite
from axmem.mapping.verification import choose, judge, verify, verify_program
from axmem.model.library import load
from tests.drawn import some
from tests.exploring import VERDICT_ALONE
from tests.origins import unmarked
from tests.paths import ROOT

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")


def in_suite(name: str) -> LitmusTest:
    return next(test for test in suite() if test.name == name)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "tests"
    folder.mkdir()
    for name in ("MP.ag", "CoRR.ag", "SB.ag", "MP.sc.ag"):
        (folder / f"{name}.litmus").write_text(print_test(in_suite(name)), encoding="utf-8")
    return folder


# ---------------------------------------------------------------- necessity and strategy


def test_necessity_and_strategy(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(files / "MP.ag.litmus")
    assert main(["verify", path, "--target", "gfx900", "--needs", "--by", "operation", "--format", "json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["bound"] == {
        "threads": {"2": 1}, "operations": 2, "locations": 2, "placements": "all", "classical": 1, "needed": {},
        "others": 0,
    }  # fmt: skip
    by_rule = {(r["operation"], r["instruction"], r["part"]): r for r in table["rules"]}
    drop = by_rule["load acquire agent global", "buffer_wbinvl1_vol", None]
    assert (drop["verdict"], drop["test"], drop["outcome"]) == ("needed", "MP.ag", "P1:r0=1  P1:r1=0")
    assert drop["rests"] == {}
    wait = by_rule["load acquire agent global", "s_waitcnt vmcnt(0)", "vmcnt"]
    assert (wait["verdict"], wait["rests"]) == ("needed", {"single_channel": "off"})
    idle = by_rule["store release agent global", "s_waitcnt vmcnt(0) lgkmcnt(0)", "lgkmcnt"]
    assert idle["verdict"] == "–, waits for nothing"
    assert main(["verify", path, "--target", "gfx900", "--strategy", "--format", "json"]) == 0
    least = json.loads(capsys.readouterr().out)
    assert least["saved"]["invalidate"] == least["saved"]["wait"] == 0 and least["idle_emitted"]["wait"] == 1


def test_tables_say_what_programs_they_hold_for() -> None:
    """Counted by hand: `rel.fence.lw.wg` is needed by releasing, has two threads, and three operations on LDS and
    global memory; the other is not of the suite, and has a thread and an operation more."""
    text = print_test(next(test for test in suite() if test.name == "rel.fence.lw.wg"))
    other = "thread P2 {\n  store 1, z\n}\n\nexists"
    more = text.replace("global y", "global z = 0\nglobal y").replace("exists", other)
    cases = [
        VerificationCase(
            name="", text=each, target="gfx900", mode="", profile="repaired", model="amdgpu", placement="packed",
            switches=(), divergent=False, format="text", limit=1,
        ) for each in (text, more)
    ]  # fmt: skip
    assert bound_of(cases) == SuiteBound({2: 1, 3: 1}, 3, 3, "packed", 0, {"rel": 1}, 1)
    assert bound_of([]) == SuiteBound()


def test_redundant_rules_rest_on_switches_too(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If a load that goes past a cache leaves the line there, a later one without the bit reads it."""
    path = str(files / "CoRR.ag.litmus")
    assert main(["verify", path, "--target", "gfx900", "--needs", "--by", "operation", "--format", "json"]) == 0
    (bit,) = json.loads(capsys.readouterr().out)["rules"]
    assert (bit["verdict"], bit["rests"]) == ("progress", {"bypass": "evict"})
    assert main(["verify", path, "--target", "gfx900", "--needs", "--by", "operation", "--switch", "bypass=keep"]) == 0
    assert "| needed | CoRR.ag |" in capsys.readouterr().out


def test_what_a_strategy_leaves_out_can_be_left_out(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of it at once keeps every test sound; any further rule makes some test unsound, or is for progress."""
    for name in ("SB.ag", "MP.sc.ag"):  # a wait of theirs reads as another one that is needed
        (files / f"{name}.litmus").unlink()
    arguments = ["verify", str(files), "--target", "gfx1200", "--format", "json"]
    assert main([*arguments, "--needs", "--by", "operation"]) == 0
    rows = json.loads(capsys.readouterr().out)["rules"]
    every, waited = {_key(rule) for rule in rows}, {_key(rule) for rule in rows if rule["verdict"] == PROGRESS}
    assert main([*arguments, "--strategy", "-j", "2"]) == 0
    least = json.loads(capsys.readouterr().out)
    gone = {_key(rule) for rule in (*least["left_out"], *least["idle"])}
    assert gone < every and len(every - gone) == least["kept"] and least["left_out"]
    assert _all_sound(files, gone)
    assert waited and not waited & gone
    for rule in some(sorted(every - gone - waited), of=4):
        assert not _all_sound(files, gone | {rule}), rule


def _key(rule: dict[str, str]) -> tuple[str, str, str]:
    return rule["operation"], rule["instruction"], rule["part"] or ""


def _all_sound(files: Path, gone: set[tuple[str, str, str]]) -> bool:
    for path in sorted(files.iterdir()):
        test, on = in_suite(path.stem), target("gfx1200")
        lowered = lower(test, on)
        program = machine_program(lowered)
        left_out = [e for e, r in rules(lowered, program) if (r.operation, r.instruction, r.part) in gone]
        if verify_program(without(program, left_out), test, on, load("amdgpu"), VERDICT_ALONE).verdict != "sound":
            return False
    return True


def test_answers_are_kept(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run explores nothing, prints the same, and repairs what is damaged."""
    kept = tmp_path / "kept"
    arguments = ["verify", str(files), "--target", "gfx900", "--needs", "--by", "operation"]
    assert main([*arguments, "-j", "2", "--run", str(kept)]) == 0
    first = capsys.readouterr().out
    asked: list[str] = []
    trials.prepared.cache_clear()

    def counted(*given: Any, **more: Any) -> Any:
        asked.append("")
        return judge(*given, **more)

    monkeypatch.setattr("axmem.mapping.trials.judge", counted)
    assert main([*arguments, "--run", str(kept)]) == 0
    assert (capsys.readouterr().out, asked) == (first, [])
    # Two processes may ask more than one does, by who is first: what is damaged is what one asks.
    alone = tmp_path / "alone"
    assert main([*arguments, "--run", str(alone)]) == 0
    whole = len(asked)
    assert (capsys.readouterr().out, whole > 10) == (first, True)
    for number, path in enumerate(sorted(alone.rglob("*.json"))):
        path.write_text(("[", '["fine", ""]')[number % 2], encoding="utf-8")
    assert main([*arguments, "--run", str(alone)]) == 0
    assert (capsys.readouterr().out, len(asked)) == (first, 2 * whole)
    asked.clear()
    assert main([*arguments, "--run", str(kept), "--switch", "bypass=keep"]) == 0
    assert len(asked) > 10
    assert main(arguments) == 0


# ---------------------------------------------------------------- the committed tables


def made_for(gpu: str) -> Target:
    """Return the target with the profile that the tables are of."""
    return target(gpu, "", NEWEST_LLVM)


def rows_of(page: Path) -> list[list[str]]:
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [
        [cell.strip().replace("\\_", "_").strip("`") for cell in line.strip("|").split(" | ")] for line in lines[2:]
    ]


@pytest.mark.parametrize("gpu", some(TARGETS, of=6))
def test_tables_have_every_rule(gpu: str) -> None:
    """Each table has just the rules of the suite's lowering; what is needed names a test and its outcome."""
    page = ROOT / "results" / "necessity" / f"{gpu}.md"
    rows = rows_of(page)
    _, _, unsound = page.read_text(encoding="utf-8").partition("Not sound as they are, and so not among them: ")
    excluded = set(unsound.partition(".\n")[0].split(", "))
    assert {line.split()[0] for line in verdicts(gpu) if "  unsound" in line} <= excluded
    expected = set()
    for test in suite():
        if test.name not in excluded:
            lowered = lower(test, made_for(gpu))
            expected |= {(r.operation, r.what) for _, r in rules(lowered, machine_program(lowered))}
    assert {(row[0], row[1]) for row in rows} == expected
    for row in rows:
        assert row[2] in VERDICTS
        assert bool(row[3] and row[4]) is (row[2] in (NEEDED, PROGRESS))


def verdicts(gpu: str) -> list[str]:
    lines = (ROOT / "results" / "verdicts" / f"{gpu}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if f"  {gpu}" in line and line[0] != " "]


@pytest.mark.parametrize("gpu", TARGETS)
def test_kills_of_the_tables_happen(gpu: str) -> None:
    """Each table's first needed rule for a release and for an acquire kills the test that it names."""
    rows = [row for row in rows_of(ROOT / "results" / "necessity" / f"{gpu}.md") if row[2] == "needed"]
    for start in ("load acquire agent", "store release agent"):
        operation, what, _, name, state, *_ = next(row for row in rows if row[0].startswith(start))
        test, on = in_suite(name), made_for(gpu)
        lowered = lower(test, on)
        program = machine_program(lowered)
        permitted, switches = outcomes(test, "amdgpu"), settings(program.family, {})
        ending = Ending(test, load("amdgpu"))
        killed = (
            state in {violation.state for violation in judged.violations}
            for element, rule in rules(lowered, program)
            if (rule.operation, rule.what) == (operation, what)
            for placed in (Hardware((place,), switches) for place in choose(program, "all"))
            for judged in (judge(without(program, (element,)), test, permitted, placed, ending=ending),)
        )
        assert any(killed)


@pytest.mark.parametrize("gpu", TARGETS)
def test_verdicts_are_current(gpu: str) -> None:
    """Every test of the suite has its line, and that of one test is what verification says now."""
    lines = verdicts(gpu)
    assert [line.split()[0] for line in lines] == [test.name for test in classical()]
    found = verify(in_suite("MP.neighbour.ag"), made_for(gpu), load("amdgpu"))
    (line,) = (line for line in lines if line.startswith("MP.neighbour.ag "))
    assert f"  {found.verdict}" in line and all(f"{name}={value}" in line for name, value in found.rests)


def test_savings_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    """Unless the page itself says that it was made from an older corpus: `make stale` names it then."""
    page = (ROOT / "results" / "savings" / "gfx1250.md").read_text(encoding="utf-8")
    if page != unmarked(page):
        pytest.skip("the page says that it is older")
    corpus = str(ROOT / "litmus" / "corpus" / "amdgpu")
    arguments = ["verify", "--suite", "--classical", corpus, "--profile", NEWEST_LLVM, "--target", "gfx1250"]
    assert main([*arguments, "--savings"]) == 0
    assert capsys.readouterr().out == page
