"""Where there are no limits of resources, no locks of files and no alarms: on Windows and in browsers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

BARE = """
import pkgutil, signal, sys
from importlib import import_module

sys.modules["resource"] = sys.modules["fcntl"] = None
for name in ("setitimer", "getitimer", "SIGALRM", "ITIMER_REAL"):
    delattr(signal, name)
import axmem
"""
TEST = "litmus/corpus/amdgpu/MP+st-rel.none+acq-ld.litmus"


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BARE + program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_every_module_is_imported_and_a_test_is_judged() -> None:
    done = run(
        "for module in pkgutil.walk_packages(axmem.__path__, 'axmem.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        import_module(module.name)\n"
        f"result = axmem.outcomes(axmem.parse_file({TEST!r}), 'amdgpu')\n"
        "print(result.verdict, result.states())\n"
    )
    assert (done.stdout, done.stderr) == ("sometimes ('P1:r0=0  P1:r1=undef', 'P1:r0=1  P1:r1=undef')\n", "")


MAIN = "from axmem.cli import main\nsys.exit(main(sys.argv[1:]))\n"


def test_a_suite_runs_and_is_found_again(tmp_path: Path) -> None:
    arguments = ("run", TEST, "--model", "llvm", "--timeout", "3600", "--run", str(tmp_path))
    first, second = run(MAIN, *arguments), run(MAIN, *arguments)
    assert (first.returncode, first.stderr) == (0, "")
    assert (second.returncode, second.stderr) == (0, f"axmem: 1 answers were in {tmp_path}\n")
    assert "1 test, 2 checks, 0 mismatches, 0 unknown, 0 errors" in first.stdout


def test_a_limit_that_cannot_be_kept_is_refused() -> None:
    done = run(MAIN, "run", TEST, "--memory", "100")
    assert done.returncode == 2
    assert "--memory: error: this system does not limit the memory of a process" in done.stderr
