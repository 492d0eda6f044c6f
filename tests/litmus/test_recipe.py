"""CONTRIBUTING's recipe for a statement kind, followed: `clear x`, which stores 0, in a copy of the sources."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recipes import Edit, copied, edited, ran, recipe, rewritten

RECORD = '''
@dataclass(frozen=True, slots=True)
class Clear(WritingStatement):
    """`clear address …`: stores 0."""

    WORD = "clear"
    type: Type | None
    address: Address
    mode: AccessMode
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Fence:
'''
READ = """        if word == "clear":
            attributes = Attributes(start.span)
            parse_leading(cursor, attributes)
            address = parse_address(cursor)
            parse_trailing(cursor, attributes, self.known)
            mode = mode_of(cursor, attributes, OperationKind.STORE)
            return Clear(None, address, mode, label, cursor.since(start.span))
        if word == "fence":
"""
PRINT = """            case Clear(address=address, mode=mode):
                return _finished(f"clear {address_text(address)}", mode)
            case CmpXchg():
"""
STEPS: tuple[Edit, ...] = (
    ("litmus/syntax.py", "\n@dataclass(frozen=True, slots=True)\nclass Fence:\n", RECORD),
    ("litmus/syntax.py", "    Load | Store | AtomicRmw | CmpXchg | Fence",
     "    Load | Store | Clear | AtomicRmw | CmpXchg | Fence"),
    ("litmus/statements.py", '        if word == "fence":\n', READ),
    ("litmus/printer.py", "            case CmpXchg():\n", PRINT),
    ("litmus/walk.py", "        case AtomicRmw():\n",
     "        case Clear():\n            return OperationKind.STORE\n        case AtomicRmw():\n"),
    ("litmus/registers.py", "        case Load():\n", "        case Load() | Clear():\n"),
    ("litmus/names.py", "            case Load():\n", "            case Load() | Clear():\n"),
    ("litmus/inference.py", "            case CmpXchg():\n                self.cmpxchg(statement)\n",
     "            case Clear(address=address, type=stated):\n                self.accessed(address, stated)\n"
     "            case CmpXchg():\n                self.cmpxchg(statement)\n"),
    ("litmus/resolution.py", "            case CmpXchg():\n                return self.cmpxchg(statement)\n",
     "            case Clear(address=address):\n"
     "                type_ = self.access_type(address, statement.type)\n"
     "                return changed(statement, type=type_, address=self.address(address))\n"
     "            case CmpXchg():\n                return self.cmpxchg(statement)\n"),
    ("events/accesses.py", "            case ast.Store(value=value):\n",
     "            case ast.Clear():\n"
     "                self.write(self.builder.lanes(ast.Number(0, self.type), self.type, self.state))\n"
     "                return ()\n            case ast.Store(value=value):\n"),
    ("codegen/operations.py", "        case Store():\n", "        case Store() | Clear():\n"),
)  # fmt: skip
"""In the order of the recipe."""
TEST = """litmus Cleared
global i32 x = 7
global i32 flag = 0
thread P0 {
  clear x monotonic
  store atomic 1, flag release
}
thread P1 {
  r0 = load atomic flag acquire
  r1 = load atomic x monotonic
}
exists (P1:r0=1 /\\ P1:r1=7)
expect llvm never
expect amdgpu never
"""


def followed(place: Path) -> None:
    """Write the sources with the kind to a place, and import it wherever stores are imported in a row of names."""
    copied(place)
    edited(place, STEPS)
    for name in {name for name, _, _ in STEPS} - {"litmus/syntax.py"}:
        text = (place / name).read_text(encoding="utf-8")
        if "    Store,\n" in text:
            rewritten(place / name, text.replace("    Store,\n", "    Clear,\n    Store,\n", 1))


@pytest.mark.skipif(os.name == "nt", reason="the copy is made of links")
def test_a_statement_kind_is_a_record_and_a_case_for_each_stage(tmp_path: Path) -> None:
    place = tmp_path / "sources"
    followed(place)
    test = tmp_path / "Cleared.litmus"
    test.write_text(TEST, encoding="utf-8")
    where = subprocess.run(
        [sys.executable, "-P", "-c", "import axmem.litmus.syntax as s; print(s.__file__)"], cwd=place, text=True,
        env={**os.environ, "PYTHONPATH": str(place)}, capture_output=True, check=True,
    ).stdout  # fmt: skip
    assert where.startswith(str(place))

    done = ran(place, "run", str(test))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 mismatches" in done.stdout
    for engine in ("oracle", "z3"):
        assert ran(place, "run", str(test), "--engine", engine).returncode == 0
    checked = ran(place, "check", str(test))
    assert (checked.returncode, checked.stderr) == (0, "")
    lowered = ran(place, "lower", str(test), "--target", "gfx942")
    assert re.search(r"clear x monotonic.*\n.*global_store_dword", lowered.stdout), lowered.stdout + lowered.stderr
    wrong = test.with_name("wrong.litmus")
    wrong.write_text(TEST.replace("clear x monotonic", "clear x acquire"), encoding="utf-8")
    refused = ran(place, "run", str(wrong))
    assert refused.returncode == 2 and re.search(r"wrong\.litmus:5:\d+: error: ", refused.stderr)


def test_the_recipe_names_every_file() -> None:
    assert all(f"`{name}`" in recipe("A statement kind") for name, _, _ in STEPS)
