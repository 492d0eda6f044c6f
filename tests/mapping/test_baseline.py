"""`axmem verify --baseline`: what an earlier run has found does not fail again, and what is new does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.cli import main
from tests.mapping.test_launched_code import MASKED, MASKED_CODE


def judged(folder: Path, mask: int, *options: str) -> int:
    """Ask about code that masks with other bits than its source, which is 5."""
    (folder / "k.ll").write_text(MASKED)
    (folder / "k.s").write_text("\t; a line more\n" * mask + MASKED_CODE.replace("s6, 5", f"s6, {mask}"))
    launch = ["--launch", "k<<<1, 1>>>(p, m=0)"]
    return main(["verify", str(folder / "k.ll"), "--asm", str(folder / "k.s"), "--target", "gfx942", *launch, *options])


def test_only_what_is_new_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With 4 for a mask n = 1 goes wrong; with 6 so does n = 2, whatever lines they stand on."""
    old = str(tmp_path / "old.json")
    assert judged(tmp_path, 4, "--format", "json", "-o", old) == 1
    assert judged(tmp_path, 4) == 1
    capsys.readouterr()
    assert judged(tmp_path, 4, "--baseline", old) == 0
    assert capsys.readouterr().out.count(f"  as in {old}\n") == 1
    assert judged(tmp_path, 6, "--baseline", old) == 1
    out = capsys.readouterr().out
    assert out.count(f"  as in {old}\n") == 1 and out.count("unsound (documented)  (") == 2
    other = json.loads(Path(old).read_text())
    for one in other["verifications"]:
        one["violations"] = []
    Path(old).write_text(json.dumps(other))
    assert judged(tmp_path, 4, "--baseline", old) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read"), ("{}", "is not what axmem verify --format json writes"), ("[", "is not what axmem")],
)
def test_what_is_no_earlier_run_is_said(
    text: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "old.json"
    if text is not None:
        old.write_text(text)
    assert judged(tmp_path, 5, "--baseline", str(old)) == 2
    assert message in capsys.readouterr().err
