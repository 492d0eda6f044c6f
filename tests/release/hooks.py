"""The hooks for pre-commit, run by pre-commit itself: `python -m tests.release.hooks`.

What goes in: the last commit of this repository, from which pre-commit installs axmem as it does for its users. What
comes out: what went wrong; exit code 1 if something did. A repository of its own has good and bad files: the hooks must
pass the good ones, name the bad ones, and put into canonical form what is not. It needs the package registry.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.paths import ROOT
from tests.repository.test_ci_files import TEST

CONFIG = """repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: axmem-fmt
      - id: axmem-check
"""
WRONG = TEST.replace("store", "stroe")
LOOSE = TEST.replace("\n\n", "\n")


def run(folder: Path, *command: str) -> tuple[int, str]:
    """Run a command in a folder; return its exit code and what it printed."""
    environment = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
                   "GIT_COMMITTER_EMAIL": "a@b", "PRE_COMMIT_HOME": str(folder.parent / "pre-commit")}  # fmt: skip
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    """Run the hooks on a repository, and print what went wrong."""
    with tempfile.TemporaryDirectory() as base:
        wrong = [*tried(Path(base))]
    print(*wrong, f"{len(wrong)} wrong", sep="\n")
    return int(bool(wrong))


def tried(base: Path) -> list[str]:
    """Return what went wrong."""
    folder = base / "repository"
    folder.mkdir()
    revision = run(ROOT, "git", "rev-parse", "HEAD")[1].strip()
    (folder / ".pre-commit-config.yaml").write_text(CONFIG.format(repo=ROOT.as_uri(), rev=revision), encoding="utf-8")
    program = [sys.executable, "-m", "pre_commit"]
    wrong = []

    def expect(what: str, code: int, *said: str, **files: str) -> None:
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
        run(folder, "git", "add", "-A")
        found, output = run(folder, *program, "run", "--color", "never")
        if bool(found) != bool(code) or not all(re.search(each, output) for each in said):
            wrong.append(f"{what}: exit code {found}\n{output}")

    if run(ROOT, *program, "validate-manifest", ".pre-commit-hooks.yaml")[0]:
        wrong.append(".pre-commit-hooks.yaml is not valid")
    run(folder, "git", "init", "-q")
    passed = (r"canonical form.*Passed", r"syntax.*Passed")
    expect("good files", 0, *passed, good_litmus=TEST, good_cat='"a"\nacyclic po as x\n')
    run(folder, "git", "commit", "-q", "--no-verify", "-m", "good")
    changed = "files were modified by this hook"
    expect("what is not canonical", 1, r"canonical form.*Failed", changed, loose_litmus=LOOSE)
    if (folder / "loose.litmus").read_text(encoding="utf-8") != TEST:
        wrong.append("the hook did not put the test into canonical form")
    expect("what was put into canonical form", 0, *passed)
    expect("a bad test and a bad model", 1, r"wrong\.litmus:6:3: error", r"wrong\.cat:2:9: error",
           wrong_litmus=WRONG, wrong_cat='"b"\nacyclic rg as x\n')  # fmt: skip
    return wrong


if __name__ == "__main__":
    sys.exit(main())
