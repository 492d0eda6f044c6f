"""What LLVM 22 makes of loops with metadata, against LoopIDs, decisions and warnings as axmem has them."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parent / "recorded.json.xz"
"""What LLVM 22 made of a sample of loops, with their text."""
