"""How tests run the machine that want no more than the verdict."""

from __future__ import annotations

from axmem.mapping.verification import Exploration

VERDICT_ALONE = Exploration(robust=False)
"""Without what the verdict rests on."""
