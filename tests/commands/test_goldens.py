"""What the commands print, word for word.

Each case runs in the folder of small tests `goldens/cli/inputs` and is compared with a file of `goldens/cli`: the
arguments, the exit code, the standard output and the standard error.
`AXMEM_UPDATE_GOLDENS=1 pytest tests/commands/test_goldens.py` writes the files anew.
"""

from __future__ import annotations

import pytest

from tests.golden import compare_command
from tests.paths import GOLDENS

FOLDER = GOLDENS / "cli"
INPUTS = FOLDER / "inputs"

CASES = {
    "run-text": "run . --model two.cat",
    "run-outcomes": "run . --model two.cat --outcomes",
    "run-default-model": "run Unexpected.litmus",
    "run-list": "run @some.list --model two.cat",
    "run-variant": "run SB.litmus Unexpected.litmus --model two.cat --variant order=weak",
    "run-choice": "run SB.litmus --model two.cat[order=weak]",
    "run-two-models": "run Wrong.litmus --model two.cat --model sc --model two.cat",
    "run-robust": "run SB.litmus Undefined.litmus --model two.cat --robust",
    "run-limit": "run Unexpected.litmus Undefined.litmus --model two.cat --max-outcomes 1",
    "run-oracle": "run . --model two.cat --oracle --outcomes",
    "run-workers": "run . --model two.cat --outcomes -j 2",
    "herd": "run Wrong.litmus Vector.litmus Undefined.litmus --model two.cat --format herd",
    "herd-variants": "run SB.litmus --model two.cat --format herd",
    "herd-limit": "run Unexpected.litmus --model two.cat --format herd --max-outcomes 1",
    "json": "run . Nowhere.litmus --model two.cat --format json",
    "json-robust": "run SB.litmus --model two.cat --format json --robust",
    "junit": "run . Nowhere.litmus --model two.cat --format junit",
    "junit-limit": "run Unexpected.litmus --model two.cat --format junit --max-outcomes 1",
    "github": "run . Nowhere.litmus --model two.cat --format github",
    "github-limit": "run Unexpected.litmus --model two.cat --format github --max-outcomes 1",
    "check": "check .",
    "check-github": "check . --format github",
    "check-werror": "check SB.litmus Undefined.litmus two.cat --werror",
    "fmt": "fmt SB.litmus",
    "fmt-check": "fmt --check SB.litmus Vector.litmus Long.litmus",
    "fmt-comments": "fmt Long.litmus",
    "models": "models two.cat",
    "models-rules": "models two.cat --rules",
    "models-diff": "models amdgpu[vis.instance=literal] --diff",
    "models-diff-of-nothing": "models two.cat --diff",
    "models-variants": "models two.cat --variants",
    "models-json": "models two.cat --format json",
    "models-text": "models two.cat --text",
    "models-unknown": "models amdgup",
    "models-text-of-none": "models --text",
    "error-model": "run SB.litmus --model amdgup",
    "error-choice": "run SB.litmus --model two.cat[order]",
    "error-value": "run SB.litmus --model two.cat --variant order=weka",
    "error-variant": "run SB.litmus --model two.cat --variant odrer=weak",
    "error-setting": "run SB.litmus --variant order",
    "error-model-in-test": "run SB.litmus",
    "error-list": "run @none.list @circle.list @empty.list",
    "error-directory": "run empty-directory",
    "error-encoding": "run latin1.litmus",
}

@pytest.mark.parametrize("name", CASES)
def test_prints(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints what its golden file says."""
    monkeypatch.chdir(INPUTS)
    monkeypatch.setenv("COLUMNS", "100")
    compare_command(CASES[name], FOLDER / f"{name}.txt", capsys)


def test_no_golden_is_forgotten() -> None:
    """Every golden file belongs to a case."""
    assert {f.stem for f in FOLDER.glob("*.txt")} == set(CASES)
