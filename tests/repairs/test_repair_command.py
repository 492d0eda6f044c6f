"""`axmem repair`: what it prints and writes, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import docutils.core
import pytest

from axmem.cli import main
from tests.paths import ROOT

NONE = str(ROOT / "litmus/corpus/amdgpu/MP+st-rel.none+acq-ld.litmus")
STALE = "P1:r0=1 /\\ P1:r1=0"
FEW = ["--forbid", STALE, "--limit", "2"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["repair", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def written(tmp_path: Path, text: str, name: str = "T.litmus") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_repair_is_printed_as_a_difference_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, NONE, *FEW)
    assert (code, err) == (0, "")
    assert out == """\
MP+st-rel.none+acq-ld: forbid P1:r0=1 /\\ P1:r1=0
  under llvm, amdgpu; cost on gfx942 (cu mode), repaired
  1. cost 4, size 2, 1 edit
       P0:9     - store 1, x, align 4
                + av.store.b32 1, x syncscope("agent"), align 4
                  plain → av at agent
                  adds global_store_dword sc1
                  drops global_store_dword
  2. cost 32, size 1, 1 edit
       P0:10    - store atomic 1, f syncscope("agent") release, align 4 # amdgcn-av:none
                + store atomic 1, f syncscope("agent") release, align 4
                  without amdgcn-av:none
                  adds buffer_wbl2 sc1
  2 minimal repairs, the cheapest first; there may be more (10 places with 34 states, 20 programs judged)
"""


def test_nothing_to_repair_is_success(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, NONE, "--model", "llvm")
    assert code == 0 and out.endswith("  nothing to repair\n")


def test_no_repair_is_a_failure_that_says_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, NONE, "--forbid", "P1:r0=0")
    assert code == 1
    assert "no repair: even the strongest annotations at every place do not do (10 places with 34 states" in out
    code, out, _ = run(capsys, NONE, "--forbid", "P1:r0=0", "--exhaustive", "--max-edits", "1", "--edits", "scope,none")
    assert code == 1 and "no repair: no set of at most 1 edit does" in out


def test_a_limit_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """It may be reached before the test has been read, or after."""
    code, out, err = run(capsys, NONE, "--timeout", "0.000001")
    found = "unknown: a limit was reached before anything was found"
    assert code == 3 and (found in out or err.endswith("unknown: the time limit was reached\n"))


def test_a_note_tells_that_undef_is_not_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, NONE, "--limit", "1")
    assert "note: the condition speaks of undef; a value that is stale but defined may remain" in out
    _, out, _ = run(capsys, NONE, *FEW)
    assert "note" not in out


def test_patched_tests_are_written_and_pass(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = str(tmp_path / "patched")
    code, _, err = run(capsys, NONE, *FEW, "-o", folder)
    assert code == 0 and err == f"axmem: 2 patched tests in {folder}\n"
    assert sorted(path.name for path in Path(folder).iterdir()) == [
        "MP+st-rel.none+acq-ld.repair1.litmus", "MP+st-rel.none+acq-ld.repair2.litmus"
    ]  # fmt: skip
    assert main(["run", folder]) == 0
    assert capsys.readouterr().out.count(" ok ") == 4
    assert main(["fmt", "--check", folder]) == 0
    assert main(["repair", folder]) == 0
    assert capsys.readouterr().out.count("nothing to repair") == 2


def test_patched_tests_replace_nothing_unless_forced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert run(capsys, NONE, *FEW, "-o", folder)[0] == 0
    code, _, err = run(capsys, NONE, *FEW, "-o", folder)
    assert code == 2 and "this file is there already, and 1 more of the files to be written" in err
    assert run(capsys, NONE, *FEW, "-o", folder, "--force")[0] == 0


def test_nothing_found_writes_no_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(capsys, NONE, "--model", "llvm", "-o", str(tmp_path / "none"))[0] == 0
    assert not (tmp_path / "none").exists()


def test_the_json_has_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, NONE, *FEW, "--format", "json")
    document = json.loads(out)
    (search,) = document["searches"]
    assert (document["version"], search["status"], search["models"]) == (1, "found", ["llvm", "amdgpu"])
    assert search["target"] == "gfx942" and search["exhausted"] is False
    first, second = search["repairs"]
    assert (first["machine"], first["size"], first["edits"]) == (4, 2, 1)
    assert second["changes"] == [{
        "thread": "P0", "line": 10, "before": 'store atomic 1, f syncscope("agent") release, align 4 # amdgcn-av:none',
        "after": 'store atomic 1, f syncscope("agent") release, align 4', "words": ["without amdgcn-av:none"],
        "adds": ["buffer_wbl2 sc1"], "drops": [], "source": None,
    }]  # fmt: skip
    assert second["verdicts"] == {"llvm": "never", "amdgpu": "never"} and second["text"].startswith("litmus ")


@pytest.mark.parametrize("form", ["rst", "markdown", "html"])
def test_tables_have_a_row_per_repair(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, NONE, *FEW, "--format", form)
    assert code == 0 and out.count("buffer_wbl2 sc1") == 1 and out.count("av.store.b32") == 1
    if form == "rst":
        page = docutils.core.publish_string(out, writer="html5", settings_overrides={"halt_level": 1})
        assert "<table" in page.decode()
    _, out, _ = run(capsys, NONE, "--model", "llvm", "--format", form)
    assert "nothing to repair" in out


def test_several_tests_and_a_bad_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = written(tmp_path, "litmus X thread")
    code, out, err = run(capsys, bad, NONE, "--limit", "1")
    assert code == 2 and "1. cost" in out and f"{bad}:1:10: error: " in err


def test_a_test_that_says_for_all_is_made_to_hold(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = Path(NONE).read_text(encoding="utf-8").split("exists")[0] + "forall (P1:r0=0 \\/ P1:r1=1)\n"
    code, out, _ = run(capsys, written(tmp_path, text), "--model", "amdgpu", "--limit", "1")
    assert code == 0 and "require P1:r0=0 \\/ P1:r1=1" in out and "av.store.b32" in out


def test_weakening(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(ROOT / "litmus/corpus/classic/ISA2+rel-acq.litmus")
    code, out, _ = run(capsys, path, "--weaken", "-o", str(tmp_path))
    assert code == 0 and "ISA2+rel-acq: weaken, keep what it expects" in out and "  1. saves " in out
    assert main(["run", str(tmp_path)]) == 0
    capsys.readouterr()
    code, out, _ = run(capsys, path, "--weaken", "--forbid", "P2:r1=1", "--model", "amdgpu")
    assert code == 1 and "nothing to keep: it is not so in the first place" in out


def test_variants_of_models_are_judged_too(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--model", "amdgpu", "--model", "amdgpu[vis.instance=literal]"]
    code, out, _ = run(capsys, NONE, *both, *FEW)
    assert code == 0 and "under amdgpu, amdgpu[vis.instance=literal];" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--forbid", "P1:r9=1"], "--forbid:1:1: error: thread P1 assigns no register 'r9'"),
        (["--require", "P1:r0="], "--require:1:7: error: expected a value"),
        (["--cost", "wait=1,wiat=1"], "--cost:1:8: error: nothing is called 'wiat'"),
        (["--edits", "scope,fences"], "--edits:1:7: error: there are no edits called 'fences'"),
        (["--edits", ","], "--edits:1:1: error: no edits are named"),
        (["--target", "gfx9420"], "--target: error: unknown target 'gfx9420'"),
        (["--target", "none", "--mode", "wgp"], "--mode is about a target"),
        (["--model", "amdgup"], "--model:1:1: error: unknown model 'amdgup'"),
        (["--weaken", "--max-edits", "1"], "--weaken does not go with --max-edits"),
        (["--weaken", "--edits", "scope"], "--weaken does not go with --edits"),
        (["--weaken", "--exhaustive"], "--weaken does not go with --exhaustive"),
        (["--force"], "--force is about the files of -o"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, NONE, *arguments)
    assert (code, out) == (2, "") and message in err


def test_a_test_without_a_condition_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path, "litmus T\nglobal x = 0\nthread P0 {\n  store 1, x\n}\n")
    code, _, err = run(capsys, path)
    assert code == 2 and f"{path}: error: this test has no condition to forbid" in err


def test_an_operation_that_the_target_lacks_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path, "litmus T\nglobal x = 0\nthread P0 {\n  make.available\n}\nexists (x=1)\n")
    code, _, err = run(capsys, path, "--profile", "llvm-22")
    assert code == 2 and f"{path}:4:3: error: gfx942 does not have this operation" in err
    assert run(capsys, path, "--profile", "llvm-22", "--target", "none")[0] == 0
