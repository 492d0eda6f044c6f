"""The page needs no module that a browser lacks: everything it asks is asked with these out of reach."""

from __future__ import annotations

import subprocess
import sys

import axmem

LACKING = (
    "multiprocessing", "_multiprocessing", "subprocess", "_posixsubprocess", "resource", "fcntl", "termios", "pty",
    "dask", "distributed", "llvmlite", "cvc5", "readline", "curses",
)  # fmt: skip

PROGRAM = """
import sys

class Browser:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LACKING:
            raise ModuleNotFoundError(f"no browser has {name}", name=name)

sys.meta_path.insert(0, Browser())
from axmem.playground.answers import ASKED, answer

assert not [name for name in LACKING if name in sys.modules], "Python itself imports it"
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
base = {"text": text, "after": text, "models": ["llvm", "amdgpu"], "target": "gfx942", "seconds": 60, "closed": True,
        "under": "amdgpu", "outcome": "P1:r0=1", "name": "amdgpu", "relations": ["po"]}
for ask in ASKED:
    for form in ("markdown", "lit"):
        found = answer({**base, "ask": ask, "form": form})
        assert "fault" not in found and "needs" not in found and "unknown" not in found, (ask, found)
print("asked", len(ASKED))
"""


TEST = axmem.shipped("corpus/amdgpu/MP+st-rel.none+acq-ld.litmus")


def run(program: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a program that cannot import what a browser lacks, nor these modules."""
    text = f"LACKING = {(*LACKING, *more)!r}\n{program}"
    return subprocess.run([sys.executable, "-c", text, TEST], capture_output=True, text=True, check=False)


def test_no_view_imports_what_a_browser_lacks() -> None:
    done = run(PROGRAM)
    assert done.stdout.startswith("asked"), done.stdout + done.stderr


def test_outcomes_by_tables_and_code_need_no_library() -> None:
    asked = "in ('model', 'outcomes', 'lower', 'ir'):"
    done = run(PROGRAM.replace("in ASKED:", asked), "z3", "networkx", "tabulate")
    assert done.stdout.startswith("asked"), done.stdout + done.stderr


def test_an_import_that_a_browser_lacks_is_found() -> None:
    done = run(PROGRAM, "tomllib")  # Lowering reads its tables with it.
    assert done.returncode and "tomllib" in done.stderr
