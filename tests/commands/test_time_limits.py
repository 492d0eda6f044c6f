"""`--timeout` on inputs that would take hours, wherever the time goes: reading, events, encoding, solving, printing.

Each case ends; that it does is the test, for nothing else ends it. A condition that holds of what was found may be
decided in the time there is, and what is nested or joined too deep be found to be so, on a machine that is fast enough.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from tests.drawn import some

MEMORY = "litmus Long\nglobal x = 0, y = 0\n"
CONDITION = "exists (P0:r0=0)\n"


def threads(number: int, body: str) -> str:
    return "".join(f"thread P{i} {{ {body.replace('#', str(i))} }}\n" for i in range(number))


SUMS = "\n".join(f"r{i + 1} = add r{i}, r{i}" for i in range(2000))
NESTED, CLOSED = "if r0 == 1 {\n" * 2000, "}\n" * 2001
ATOMS = " /\\ ".join(["P0:r0=0"] * 30_000)
INPUTS = {
    "threads": MEMORY + threads(600, "store atomic #, x monotonic\n r0 = load atomic y monotonic") + CONDITION,
    "expression": f"{MEMORY}thread P0 {{\nr0 = load x\n{SUMS}\n}}\nexists (P0:r2000=0)\n",
    "nested": f"{MEMORY}thread P0 {{ r0 = load x\n{NESTED}store 1, y\n{CLOSED}\n{CONDITION}",
    "outcomes": MEMORY + threads(12, "r0 = atomicrmw add x, 1 monotonic") + CONDITION,
    "condition": f"{MEMORY}thread P0 {{ r0 = load x }}\nexists ({ATOMS})\n",
    "races": MEMORY + threads(9, "store #, x\n r0 = load x") + CONDITION,
}
CASES = [
    ("run --model amdgpu", "threads", (3,)),
    ("run --model amdgpu", "expression", (0, 3)),
    ("run --model amdgpu", "nested", (2, 3)),
    ("run --model sc", "outcomes", (0, 3)),
    ("run --model sc --oracle", "outcomes", (3,)),
    ("run --model amdgpu --robust", "outcomes", (0, 3)),
    ("run --model llvm --condition-only", "condition", (2, 3)),
    ("compare --models llvm,amdgpu", "threads", (3,)),
    ("explain --model amdgpu", "expression", (0, 3)),
    ("graph --model amdgpu", "threads", (3,)),
    ("repair --model amdgpu", "threads", (3,)),
    ("repair --model amdgpu", "outcomes", (3,)),
    ("verify --target gfx942", "races", (3,)),
    ("verify --target gfx942", "expression", (0, 3)),
]


@pytest.mark.parametrize(("command", "name", "codes"), some(CASES, of=3), ids=str)
def test_a_command_ends_in_time(
    command: str, name: str, codes: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{name}.litmus"
    path.write_text(INPUTS[name], encoding="utf-8")
    code = main([*command.split(), str(path), "--timeout", "0.3"])
    said = capsys.readouterr()
    assert code in codes
    assert code != 3 or "unknown" in said.out + said.err or "time limit" in said.out + said.err
    assert "Traceback" not in said.err
