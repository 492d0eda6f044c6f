"""`python -m tests.long.limits`: how late `--timeout` is on inputs that would take hours; exit 1 if it is too late.

A command may be late by a second or a tenth of its limit, which is for each test and model: where two models are asked,
two limits follow each other. What is measured is each command in a process of its own, without what it takes to begin
and to end: the time of `axmem check` on a small test is taken off. Where the machine is busy with something else, a
command is late by no more than its own work exceeds the limit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.commands.test_time_limits import CASES, CONDITION, INPUTS, MEMORY, threads
from tests.paths import CORPUS, ROOT

SECONDS = 3.0
MORE = {
    "thousand": MEMORY + threads(1000, "store #, x\n r0 = load y") + CONDITION,
    "SB-24": "litmus SB\nglobal " + ", ".join(f"x{i} = 0" for i in range(24)) + "\n"
    + "".join(f"thread P{i} {{ store 1, x{i}\n r0 = load x{(i + 1) % 24} }}\n" for i in range(24)) + CONDITION,
    "FA-12": MEMORY + threads(12, "r0 = atomicrmw add x, 1 monotonic") + CONDITION,
    "SB-4": MEMORY + threads(4, "store #, x\n r0 = load y\n store #, y\n r1 = load x") + CONDITION,
    "deep": f"{MEMORY}thread P0 {{ r0 = load x }}\nexists ({'(' * 10_000}P0:r0=0{')' * 10_000})\n",
    "lets": '"lets"\nlet a0 = po\n' + "".join(f"let a{i} = a{i - 1} | (a{i - 1} ; a{i - 1})\n" for i in range(1, 400))
    + "acyclic a399 | rf as last\n",
}  # fmt: skip
FURTHER = [
    *(("run --model amdgpu", name) for name in ("thousand", "SB-24", "FA-12", "SB-4", "deep")),
    *(("verify --target gfx942", name) for name in ("SB-24", "FA-12", "SB-4")),
    ("explain --model amdgpu", "SB-24"), ("repair --model amdgpu", "SB-24"), ("run --model lets.cat", "small"),
    ("compare --models llvm,amdgpu", "FA-12"),
]  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure; return the exit code."""
    argparse.ArgumentParser(prog="python -m tests.long.limits", description=__doc__).parse_args(arguments)
    late = 0
    with tempfile.TemporaryDirectory() as folder:
        small = (CORPUS / "base" / "MP+rel+acq.litmus").read_text(encoding="utf-8")
        for name, text in {**INPUTS, **MORE, "small": small}.items():
            ending = "cat" if name == "lets" else "litmus"
            (Path(folder) / f"{name}.{ending}").write_text(text, encoding="utf-8")
        start, began, _ = measured(["check", "small.litmus"], folder)
        for command, name in [*((command, name) for command, name, _ in CASES), *FURTHER]:
            taken, worked, code = measured([*command.split(), f"{name}.litmus", "--timeout", str(SECONDS)], folder)
            limit = SECONDS * (2 if "--models" in command else 1)
            over = max(0.0, min(taken - start, worked - began) - limit)
            wrong = over > max(1.0, limit / 10) or code not in (0, 1, 2, 3)
            late += wrong
            print(f"{'LATE' if wrong else 'ok':4}  {over:6.2f} s  [{code}]  {command} {name}", flush=True)
    return 1 if late else 0


def measured(arguments: list[str], folder: str) -> tuple[float, float, int]:
    """Return how many seconds a command took, how many of them it worked, and its exit code."""
    begun, before = time.monotonic(), worked()
    command = [sys.executable, "-m", "axmem", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, env={"PYTHONPATH": str(ROOT)})
    return time.monotonic() - begun, worked() - before, done.returncode


def worked() -> float:
    """Return how many seconds processes that this one has begun and that have ended have worked."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    sys.exit(main())
