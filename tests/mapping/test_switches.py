"""On which assumptions about the hardware verdicts rest, what documents say of them, and what exit codes follow.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.machine.evidence import Row, evidence_in, evidence_of, rows, standing
from axmem.codegen.machine.families import SWITCHES, HardwareSwitch, MachineTableError, machine_of, machines
from axmem.codegen.tables import families
from axmem.litmus.printer import print_test
from axmem.mapping import verification
from axmem.mapping.suite import classical
from axmem.mapping.verification import Exploration, Verification, verify
from tests.drawn import in_full
from tests.paths import ROOT

TESTS = {test.name: test for test in classical()}
PAGE = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")


# ---------------------------------------------------------------- what documents say


ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \| .* \|(.*)\|$", PAGE, re.MULTILINE)
"""The switches of the page: the name, the values, those for which a document speaks."""
ORDER = tuple(machines())


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.name)
def test_the_page_has_the_values_and_those_for_which_a_document_speaks(switch: HardwareSwitch) -> None:
    (values, documented) = next((values, documented) for name, values, documented in ROWS if name == switch.name)
    assert values.replace("**", "").split("; ")[0] == ", ".join(switch.values)
    assert documented.strip() == "; ".join(_spoken(switch))


def test_the_page_has_a_row_for_each_switch() -> None:
    assert [name for name, _, _ in ROWS] == [switch.name for switch in SWITCHES]


def _spoken(switch: HardwareSwitch) -> Iterator[str]:
    """Yield the values of a switch for which a document speaks, with the families of which it does."""
    found = {family: each.value for family in ORDER if (each := evidence_of(family, switch.name))}
    for value in dict.fromkeys(value for _, name, value, _ in rows() if name == switch.name):
        lack = [family for family in ORDER if found.get(family) != value]
        have = ", ".join(family for family in ORDER if family not in lack)
        yield f"`{value}`: {'all' if not lack else f'all but {lack[0]}' if len(lack) == 1 else have}"


def test_no_default_is_contradicted() -> None:
    for family in families():
        defaults = machine_of(family).defaults
        assert "contradicted" not in {standing(family, name, value) for name, value in defaults.items()}


def test_standings() -> None:
    """By hand from the sentences: buffer_wbl2 does nothing with a single L2; of stores to lines of L0 there is none."""
    assert standing("gfx942", "wb_traverses", "off") == "documented"
    assert standing("gfx942", "wb_traverses", "on") == "contradicted"
    assert standing("gfx90a", "wb_traverses", "on") == "open"
    assert {standing(family, "l0_write", "update") for family in families()} == {"open"}
    assert evidence_of("gfx10", "gl1_write") is None


WRONG_ROWS: list[tuple[list[Row], str]] = [
    ([("gfx942", "inv", "on", "")], "no switch has 'inv=on'"),
    ([("gfx942", "inv_counted", "yes", "")], "no switch has 'inv_counted=yes'"),
    ([("gfx942 gfx943", "inv_counted", "on", "")], "'gfx943' is no family"),
    (
        [("gfx942", "inv_counted", "on", ""), ("gfx90a gfx942", "inv_counted", "on", "")],
        "'gfx942' .* has inv_counted twice",
    ),
]


@pytest.mark.parametrize(("table", "message"), WRONG_ROWS)
def test_wrong_rows_are_refused(table: list[Row], message: str) -> None:
    with pytest.raises(MachineTableError, match=message):
        evidence_in(table)


# ---------------------------------------------------------------- sets of assumptions


def found(name: str, gpu: str, mode: str = "") -> Verification:
    return verify(TESTS[name], gpu, mode=mode)


def turning(name: str, gpu: str, mode: str) -> Iterator[frozenset[str]]:
    """Yield the smallest sets of switches about caches that make an unsound test sound, tried one by one."""
    smallest: list[frozenset[str]] = []
    for size in (1, 2):
        for some in map(frozenset, combinations(("single_channel", "l0_write", "gl1_write", "inv_async"), size)):
            strong = {s.name: s.values[1] for s in SWITCHES if s.name in some}
            if any(known <= some for known in smallest):
                continue
            run = Exploration(switches=strong, robust=False)
            if verify(TESTS[name], gpu, mode=mode, exploration=run).verdict == "sound":
                smallest.append(some)
                yield some


def test_smallest_sets() -> None:
    """In CU mode P1 may see the store of P0, which shares its CU, in L0 or in GL1 before it is in L2: each has to drop
    its line for that not to be."""
    grounds = found("WRC.wg.ag", "gfx1030", "cu").grounds
    assert grounds.alone == (("single_channel", "off"),)
    assert grounds.together == ((("l0_write", "update"), ("gl1_write", "update")),)
    assert set(turning("WRC.wg.ag", "gfx1030", "cu")) == {
        frozenset({"single_channel"}), frozenset({"l0_write", "gl1_write"})
    }  # fmt: skip


STANDINGS = [
    ("ISA2.wg.ag", "gfx90a", "unsound (documented)"),
    ("WRC.wg.ag", "gfx90a", "unsound if (open)"),
    ("MP.ag", "gfx90a", "sound"),
]
"""That operations on different addresses take different ways is documented; what a store does to lines of L0 is not."""


@pytest.mark.parametrize(("name", "gpu", "word"), STANDINGS)
def test_standings_of_verdicts(name: str, gpu: str, word: str) -> None:
    assert found(name, gpu).word == word


@pytest.mark.parametrize("more", [0, 1_000_000])
def test_what_a_sound_verdict_rests_on_is_looked_for_in_so_many_states(
    monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    """Where they are over it stays sound, and says what is not known of it."""
    monkeypatch.setattr(verification, "STATES_MORE", more)
    sound = verify(TESTS["MP.ag"], "gfx942")
    assert (sound.verdict, sound.rests) == ("sound", ())
    if more:
        assert sound.incomplete == ()
        return
    (reason,) = sound.incomplete
    assert reason.startswith("the limit of ")
    assert reason.endswith(" states was reached before it was known what the verdict rests on")


# ---------------------------------------------------------------- the command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("ISA2.wg.ag", "WRC.wg.ag"):
        (tmp_path / f"{name}.litmus").write_text(print_test(TESTS[name]), encoding="utf-8")
    return tmp_path


def test_open_assumptions_count_where_the_worst_is_assumed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(files / "WRC.wg.ag.litmus")
    assert main(["verify", path, "--target", "gfx90a"]) == 0
    out = capsys.readouterr().out
    assert "unsound if {single_channel=off, l0_write=update (open)}" in out
    assert out.endswith("1 test: 1 unsound if (open)\n")
    assert main(["verify", path, "--target", "gfx90a", "--assume", "worst"]) == 1
    assert main(["verify", str(files / "ISA2.wg.ag.litmus"), "--target", "gfx90a", "--assume", "documented"]) == 1
    assert "unsound (documented) under {single_channel=off}" in capsys.readouterr().out


@in_full
def test_the_worst_is_assumed_of_a_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    """The finding rests on `inv_async=on`, which is open."""
    page = ROOT / "docs" / "findings" / "unawaited-invalidate"
    asked = ["verify", f"{page}.litmus", "--asm", f"{page}.gfx90a.s", "--target", "gfx90a"]
    assert main(asked) == 1
    assert "inv_async=on (open)" in capsys.readouterr().out
    assert main([*asked, "--assume", "documented"]) == 0
    capsys.readouterr()
    assert main(["verify", f"{page}.litmus", "--target", "gfx90a", "--necessity", "--assume", "worst"]) == 2
    assert "--assume: error: only verdicts on tests have a standing" in capsys.readouterr().err
