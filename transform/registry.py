"""The transformations that there are, by name."""

from __future__ import annotations

from axmem.transform.accesses import DROP_LOOP_METADATA, DROP_TAGS, MERGE
from axmem.transform.distribution import DISTRIBUTE
from axmem.transform.interchange import INTERCHANGE
from axmem.transform.invariants import LICM, VERSION
from axmem.transform.jamming import JAM
from axmem.transform.lockstep import INTERLEAVE, VECTORIZE
from axmem.transform.motion import HOIST, HOIST_COMMON, SINK_ANCHOR, THREAD
from axmem.transform.rotation import ROTATE
from axmem.transform.tails import DUPLICATE_TAIL, MERGE_TAILS, SINK
from axmem.transform.transformation import Transformation
from axmem.transform.unrolling import UNROLL

_LOOPS = (UNROLL, JAM, DISTRIBUTE, VECTORIZE, INTERLEAVE, INTERCHANGE, LICM, VERSION, ROTATE)
_MOTION = (HOIST, HOIST_COMMON, SINK, SINK_ANCHOR, THREAD)
_OTHERS = (MERGE, MERGE_TAILS, DUPLICATE_TAIL, *_MOTION, DROP_TAGS, DROP_LOOP_METADATA)

TRANSFORMATIONS: dict[str, Transformation] = {each.name: each for each in (*_LOOPS, *_OTHERS)}
"""Each transformation by the name that a text has for it."""
