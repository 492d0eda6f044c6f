"""The record: for each target, in llc's form, the assembly of some tests, and of a few the disassembly.

What goes in: nothing. What comes out: `read()`, a mapping from (target, mode, test, form) to text; a form is `llc` or
`objdump`. Each distinct line stands once in the file.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import tempfile
from pathlib import Path

from axmem.codegen.ir_module import llc_options, module
from axmem.codegen.program import lower
from axmem.codegen.targets import Target, target
from axmem.formats.reading import parse_file
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from tests.paths import ROOT

FILE = Path(__file__).parent / "recorded.json.xz"
TARGETS = ("gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx90a:tgsplit", "gfx942", "gfx942:tgsplit", "gfx1030",
           "gfx1030:cu", "gfx1100", "gfx1100:cu", "gfx1200", "gfx1200:cu", "gfx1250")  # fmt: skip
TESTS = (
    "docs/findings/fixed/stale-scalar-load.litmus",
    "docs/findings/fixed/missing-wait-after-writeback.litmus",
    "docs/findings/fixed/replayed-store.litmus",
    "docs/findings/fixed/merged-scopes.litmus",
    "tests/assembly/Branch.litmus",
    "tests/assembly/Cmpxchg.litmus",
    "tests/assembly/Floats.litmus",
    "tests/assembly/Narrow.litmus",
    "tests/assembly/Index.litmus",
    "tests/assembly/Lds.litmus",
    "tests/assembly/Loops.litmus",
    "tests/assembly/Mask.litmus",
    "tests/assembly/Parts.litmus",
    "tests/assembly/Pointer.litmus",
    "tests/assembly/Sums.litmus",
    "tests/assembly/Updates.litmus",
    "tests/assembly/Volatile.litmus",
)
FINDINGS = (
    ("fixed/missing-wait-after-writeback", "gfx942"),
    ("fixed/missing-wait-after-writeback", "gfx90a"),
    ("fixed/stale-scalar-load", "gfx942"),
    ("fixed/replayed-store", "gfx1250"),
    ("fixed/merged-scopes", "gfx942"),
    ("unawaited-scalar-load", "gfx1200"),
    ("unawaited-scalar-load", "gfx1250"),
    ("replayed-read-modify-write", "gfx1250"),
    ("unawaited-invalidate", "gfx90a"),
    ("fixed/overtaken-scalar-load", "gfx942"),
)
"""Each page of docs/findings with the targets whose assembly stands beside it."""
UNSELECTED = ("tests/assembly/Volatile.litmus",)
"""What llc fails to select for gfx600."""
NUMBERS = ("tests/assembly/Floats.litmus", "tests/assembly/Sums.litmus")
"""What has arithmetic of floating point, which is not known of the first families."""
DISASSEMBLED = ("tests/assembly/Branch.litmus", "tests/assembly/Index.litmus", "tests/assembly/Lds.litmus")
Key = tuple[str, str, str, str]


def make() -> dict[Key, str]:
    """Compile every test for every target that has its operations."""
    found: dict[Key, str] = {}
    for name in TARGETS:
        processor, _, mode = name.partition(":")
        where = target(processor, mode, "llvm-22")
        for path in TESTS:
            test = parse_file(ROOT / path)
            if not _has(test, where) or (processor == "gfx600" and path in UNSELECTED):
                continue
            if path in NUMBERS and not where.family.floats:
                continue
            text = module(test, "llvm-22", where).text
            command = ["llc-22", *llc_options(where)]
            found[processor, mode, path, "llc"] = _run([*command, "-o", "-"], text)
            if path in DISASSEMBLED and processor not in ("gfx600", "gfx700"):
                with tempfile.NamedTemporaryFile(suffix=".o") as file:
                    _run([*command, "-filetype=obj", "-o", file.name], text)
                    shown = _run(["llvm-objdump-22", "-d", "-r", file.name], "")
                found[processor, mode, path, "objdump"] = shown.replace(file.name, "test.o")
    return found


def write_findings() -> None:
    """Write the assembly of each finding, as llc makes it, to docs/findings."""
    for name, processor in FINDINGS:
        where = target(processor, "", "llvm-22")
        text = module(parse_file(ROOT / "docs" / "findings" / f"{name}.litmus"), "llvm-22", where).text
        made = _run(["llc-22", *llc_options(where), "-o", "-"], text)
        (ROOT / "docs" / "findings" / f"{name}.{processor}.s").write_text(made, encoding="utf-8")


def _has(test: LitmusTest, where: Target) -> bool:
    """Say whether a target has all operations of a test."""
    try:
        lower(test, where)
    except InputError:
        return False
    return True


def _run(command: list[str], text: str) -> str:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def write(found: dict[Key, str]) -> None:
    """Write the record; padding after the code is left out."""
    lines: dict[str, int] = {}
    entries = {}
    for key, text in found.items():
        kept = [x for x in text.splitlines() if "s_code_end" not in x and not x.startswith("\ts_nop 0     ")]
        entries["|".join(key)] = [lines.setdefault(line, len(lines)) for line in kept]
    document = json.dumps({"llvm": "22.1.8", "lines": list(lines), "texts": entries}, separators=(",", ":"))
    FILE.write_bytes(lzma.compress(document.encode(), preset=9 | lzma.PRESET_EXTREME))


def read() -> dict[Key, str]:
    """Return the record."""
    document = json.loads(lzma.decompress(FILE.read_bytes()))
    found = {}
    for key, numbers in document["texts"].items():
        processor, mode, path, form = key.split("|")
        found[processor, mode, path, form] = "\n".join(document["lines"][number] for number in numbers) + "\n"
    return found
