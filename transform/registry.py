"""The transformations that there are, by name."""

from __future__ import annotations

from axmem.transform.distribution import DISTRIBUTE
from axmem.transform.interchange import INTERCHANGE
from axmem.transform.lockstep import INTERLEAVE, VECTORIZE
from axmem.transform.transformation import Transformation
from axmem.transform.unrolling import UNROLL

TRANSFORMATIONS: dict[str, Transformation] = {
    each.name: each for each in (UNROLL, DISTRIBUTE, VECTORIZE, INTERLEAVE, INTERCHANGE)
}
"""Each transformation by the name that a text has for it."""
