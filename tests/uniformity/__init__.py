"""What LLVM 22 says of random kernels, against cycles, uniformity and tokens as axmem has them."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parent / "recorded.json.xz"
"""What LLVM 22 said of a sample of random kernels, with their text."""
