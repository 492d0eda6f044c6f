"""What the suites of other tools ask and expect, read in place.

What goes in: a folder with checkouts called `Dat3M`, `herdtools7` and `Vulkan-MemoryModel`. What comes out: `Case`s,
one for each test and each model it is judged by, and the names of the checkouts that are not there. Nothing is copied:
a case has paths, and what is expected of it.

- Dartagnan: a file `NAME-expected.csv` has lines `TEST,1` or `TEST,0`: the statement holds or does not. The statement
  is the test's question, or, in files about data races, that no execution raises a flag of the model; about liveness,
  that every execution ends. The tests that Dartagnan skips count, too: what its files say of them is what herd
  answers.
  Its tests of kernels have lists in Java, of programs in SPIR-V; their sources are judged (`tests.peers.kernels`).
- herd: a file `TEST.litmus.expected` is the log of herd7, with all final states.
- Khronos: the statements stand in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from axmem.front.records import dataclass
from tests.peers.kernels import entries


class Asked(Enum):
    """What is asked of a test, and compared with what the suite says."""

    STATEMENT = "statement"  # Whether its question, with the quantifier, holds.
    FLAGS = "flags"  # Whether no execution that the filter keeps raises a flag of the model.
    ENDING = "ending"  # Whether every execution ends.
    STATES = "states"  # The states of a log of herd7.
    CHECKS = "checks"  # The statements that stand in the test.
    KERNEL = "kernel"  # Whether the question of a kernel holds, of its source as clang compiles it.
    RACES = "races"  # Whether such a kernel has no data race.
    FILTERED = "filtered"  # Whether no execution of it that the filter keeps has one.


@dataclass(frozen=True, slots=True)
class Case:
    """A test of a suite and a model that judges it.

    `file` is the path below the checkout, `path` the whole one. `under` is the model's name in the table, `model` how
    it is loaded. `expected` is `holds` or `fails`, or empty where it stands in the test, or the path of a log.
    """

    suite: str
    kind: str
    file: str
    path: str
    under: str
    model: str
    asked: Asked
    expected: str

    @property
    def key(self) -> str:
        """What names the case in the list of explained differences: `suite kind model file`."""
        return f"{self.suite} {self.kind} {self.under} {self.file}"


@dataclass(frozen=True, slots=True)
class Expectations:
    """A csv of Dartagnan: which model of its own judges these tests, which of ours does, and what is asked.

    Where it is asked whether executions end, ours is the model of progress.
    """

    file: str
    theirs: str
    ours: str = ""
    asked: Asked = Asked.STATEMENT


DARTAGNAN = (
    Expectations("ARM8", "aarch64", "aarch64"),
    Expectations("TSO", "tso", "tso"),
    Expectations("C11", "c11"),
    Expectations("RC11", "rc11", "rc11"),
    Expectations("OPENCL", "opencl", "opencl"),
    Expectations("OPENCL-DR", "opencl", "opencl", Asked.FLAGS),
    Expectations("PTXv6_0", "ptx-v6.0", "ptx"),
    Expectations("PTXv7_5", "ptx-v7.5", "ptx"),
    Expectations("VULKAN", "vulkan", "vulkan"),
    Expectations("VULKAN-DR", "vulkan", "vulkan", Asked.FLAGS),
    Expectations("VULKAN-NOCHAINS", "vulkan-nochains", "vulkan[chains=off]"),
    Expectations("VULKAN-DR-NOCHAINS", "vulkan-nochains", "vulkan[chains=off]", Asked.FLAGS),
    Expectations("PPC", "power"),
    Expectations("RISCV", "riscv"),
    Expectations("LKMM", "linux-kernel"),
    Expectations("LKMM-DR", "linux-kernel", asked=Asked.FLAGS),
    Expectations("PTXv6_0-Liveness", "", "fair", Asked.ENDING),
    Expectations("PTXv7_5-Liveness", "", "fair", Asked.ENDING),
    Expectations("VULKAN-Liveness-Fair", "", "fair", Asked.ENDING),
    Expectations("VULKAN-Liveness-HSA", "", "hsa", Asked.ENDING),
    Expectations("VULKAN-Liveness-HSA_OBE", "", "hsa-obe", Asked.ENDING),
    Expectations("VULKAN-Liveness-LOBE", "", "lobe", Asked.ENDING),
    Expectations("VULKAN-Liveness-OBE", "", "obe", Asked.ENDING),
)
"""Its files of expected results; `LKMM-NDR` and the older models of the kernel are of the same tests as `LKMM`."""

KERNELS = {"PASS": "holds", "FAIL": "fails"}
"""What its lists say of kernels; of what Dartagnan does not know at its bound nothing is expected."""

HERD = {
    "AArch64": ("aarch64", "aarch64"), "AArch64.ASL": ("aarch64", "aarch64"), "AArch64.mixed": ("aarch64", "aarch64"),
    "C": ("rc11", "rc11"), "X86_64": ("x86tso-mixed", "tso"), "ARM": ("arm", ""), "PPC": ("ppc", ""),
    "RISCV": ("riscv", ""), "MIPS": ("mips", ""),
}  # fmt: skip
"""Of each folder of herd's tests of instructions the model of herd that its logs are of, and ours."""


def suites(folder: Path) -> tuple[list[Case], list[str]]:
    """Return the cases of all suites that are found in a folder, and the names of those that are not."""
    cases: list[Case] = []
    missing: list[str] = []
    for name, found in (("Dat3M", _dartagnan), ("herdtools7", _herd), ("Vulkan-MemoryModel", _khronos)):
        if (folder / name).is_dir():
            cases += found(folder)
        else:
            missing.append(name)
    return cases, missing


def _dartagnan(folder: Path) -> Iterator[Case]:
    root = folder / "Dat3M"
    resources = root / "dartagnan" / "src" / "test" / "resources"
    for entry in DARTAGNAN:
        lists = resources / f"{entry.file}-expected.csv"
        for file, holds in _lines(lists) if lists.is_file() else ():
            theirs = (f"{entry.theirs}.cat", f"dartagnan:{root / 'cat' / entry.theirs}.cat")
            for under, model in (theirs,) * bool(entry.theirs) + ((entry.ours, entry.ours),) * bool(entry.ours):
                expected = "holds" if holds else "fails"
                yield Case("Dartagnan", entry.file, file, str(root / file), under, model, entry.asked, expected)
    for kernel in entries(root):
        asked = (Asked.FILTERED if kernel.filtered else Asked.RACES) if kernel.races else Asked.KERNEL
        kind = "kernels: races" if kernel.races else "kernels"
        path, expected = str(root / kernel.file), KERNELS.get(kernel.expected, "")
        yield Case("Dartagnan", kind, kernel.file, path, "amdgpu", "amdgpu", asked, expected)


def _lines(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield the tests of a csv with what is expected, those too that a semicolon keeps from Dartagnan."""
    for line in file.read_text(encoding="utf-8").splitlines():
        test, comma, value = line.removeprefix(";").partition(",")
        if comma and not line.startswith("//"):
            yield test.strip(), value.strip() == "1"


def _herd(folder: Path) -> Iterator[Case]:
    root = folder / "herdtools7"
    tests = root / "herd" / "tests" / "instructions"
    for directory in sorted(path for path in tests.iterdir() if path.is_dir()) if tests.is_dir() else ():
        theirs, ours = HERD.get(directory.name, ("", ""))
        herds = (f"{theirs}.cat", f"herd:{root / 'herd' / 'libdir' / theirs}.cat") if theirs else ("", "")
        for log in sorted(directory.glob("*.litmus.expected")):
            path = log.with_suffix("")
            file = path.relative_to(root).as_posix()
            for under, model in (herds, (ours, ours)) if ours else (herds,):
                yield Case("herd", directory.name, file, str(path), under, model, Asked.STATES, str(log))


def _khronos(folder: Path) -> Iterator[Case]:
    root = folder / "Vulkan-MemoryModel"
    dartagnan = folder / "Dat3M" / "cat" / "vulkan.cat"
    for path in sorted((root / "alloy" / "tests").glob("*.test")):
        file = path.relative_to(root).as_posix()
        yield Case("Khronos", "alloy", file, str(path), "vulkan", "vulkan", Asked.CHECKS, "")
        if dartagnan.is_file():
            yield Case("Khronos", "alloy", file, str(path), "vulkan.cat", f"dartagnan:{dartagnan}", Asked.CHECKS, "")
