"""Where mutants of the program are tried: in copies of the tree, each of which one thread of work owns.

What goes in: which mutants, a seed. What comes out: of each whether a test of its room fails. The tree itself is never
changed. Neither mutmut nor cosmic-ray serves here: the one runs mutants inside the process of the tests, which start
processes of their own, and wants one package of sources, which the rooms at the top of the repository are not; the
other changes the tree in place, and restores it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.code_mutants.mutations import CodeMutation, candidates, leaves_python
from tests.paths import ROOT

SECONDS, ASLEEP = 240, 3600
"""How long a process of a mutant's tests may compute, and how long it may take if it does not: one that goes on for
longer has been noticed, however busy the machine is."""
ROOMS: dict[str, tuple[str, ...]] = {
    "codegen/assembly/waits.py": ("tests/codegen/test_families.py", "tests/codegen/test_registers.py"),
    "codegen/assembly/scoreboard.py": ("tests/codegen/test_registers.py",),
    "codegen/assembly/loops.py": ("tests/codegen/test_assembly_loops.py",),
    "codegen/assembly/mutants.py": ("tests/mapping/test_left_out.py",),
    "codegen/machine/waits.py": ("tests/codegen/test_machine.py",),
    "codegen/machine/replays.py": ("tests/codegen/test_machine.py",),
    "codegen/lowering.py": ("tests/codegen/test_lowering.py",),
    "events/values.py": ("tests/events/test_values.py",),
    "events/awaits.py": ("tests/events/test_awaits.py",),
    "axmem/check/compare.py": ("tests/check/test_compare.py", "tests/check/test_differing.py"),
    "axmem/mapping/faults.py": ("tests/mapping/test_seeded_faults.py",),
    "axmem/refinement/bounded/inclusion.py": ("tests/refinement/test_inclusion.py", "tests/refinement/test_printed.py"),
    "encoder/circuit.py": ("tests/encoder/test_circuit.py",),
}
"""Central modules, each with the tests of its room that are asked about it: those that take seconds."""
KILLED, SURVIVED = "killed", "survived"


@dataclass(frozen=True)
class CodeMutant:
    """A change of a module, and the tests that are asked about it."""

    module: str
    mutation: CodeMutation
    tests: tuple[str, ...]

    @property
    def text(self) -> str:
        """The line as it is then, without blanks at its ends."""
        made = self.mutation.made((ROOT / self.module).read_text(encoding="utf-8"))
        return made.split("\n")[self.mutation.line - 1].strip()


def mutants(count: int, seed: int) -> list[CodeMutant]:
    """Return so many mutants, drawn by a seed: one of each module in turn."""
    drawn = {module: _drawn(module, seed) for module in ROOMS}
    chosen: list[CodeMutant] = []
    while drawn and len(chosen) < count:
        for module in [*drawn][: count - len(chosen)]:
            mutation = next(drawn[module], None)
            if mutation is None:
                del drawn[module]
            else:
                chosen.append(CodeMutant(module, mutation, ROOMS[module]))
    return chosen


def _drawn(module: str, seed: int) -> Iterator[CodeMutation]:
    text = (ROOT / module).read_text(encoding="utf-8")
    every = candidates(text)
    for each in Random(f"{seed} {module}").sample(every, len(every)):
        if leaves_python(each, text):
            yield each


class Laboratory:
    """A copy of what git has of the tree, in which one mutant after the other is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            place, source = folder / name, ROOT / name
            if not os.path.lexists(source):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place, follow_symlinks=False)

    def passes(self, tests: Sequence[str]) -> bool:
        """Say whether tests pass in the copy as it is."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # fmt: skip
        limited = ["sh", "-c", f'ulimit -t {SECONDS} && exec "$@"', "sh"]
        command = [*limited, sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, check=False, timeout=ASLEEP
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def tried(self, mutant: CodeMutant) -> str:
        """Return whether the tests kill a mutant."""
        file, whole = self.folder / mutant.module, (ROOT / mutant.module).read_text(encoding="utf-8")
        file.write_text(mutant.mutation.made(whole), encoding="utf-8")
        survived = self.passes(mutant.tests)
        file.write_text(whole, encoding="utf-8")
        return SURVIVED if survived else KILLED
