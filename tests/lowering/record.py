"""What LLVM said, kept in a file for where there is no LLVM.

What goes in: for each target what became of the operations. What comes out: the file, a compressed JSON document in
which each distinct sequence stands once; and read back, the sequences by target.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from axmem.codegen.targets import Target
from tests.lowering.canonical import Sequence

FILE = Path(__file__).parent / "recorded.json.xz"


def write(found: Iterable[tuple[Target, list[Sequence | None]]]) -> None:
    """Write the record: for each target what became of the operations of the thin cross product."""
    sequences: dict[Sequence, int] = {}
    targets = {}
    for target, made in found:
        whole = [sequence for sequence in made if sequence is not None]
        assert len(whole) == len(made)
        targets[f"{target.name} {target.mode}"] = [sequences.setdefault(s, len(sequences)) for s in whole]
    document = {"llvm": "22.1.8, after si-memory-legalizer", "sequences": list(sequences), "targets": targets}
    text = json.dumps(document, separators=(",", ":"))
    FILE.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


@cache
def read() -> dict[str, list[Sequence]]:
    """Return for each target, `gfx942 cu`, what LLVM made of the operations of the thin cross product."""
    document = json.loads(lzma.decompress(FILE.read_bytes()))
    sequences = [tuple(words) for words in document["sequences"]]
    return {target: [sequences[index] for index in made] for target, made in document["targets"].items()}
