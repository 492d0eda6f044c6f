"""Litmus tests from cycles of relaxations: what must be relaxed for an execution to contain the cycle.

Here stands what other rooms use of it.
"""

from axmem.generate.cycles import Cycle, parse_cycle
from axmem.generate.edges import CycleEdge, matching_edges
from axmem.generate.enumeration import Decorations, cycles
from axmem.generate.families import FAMILIES, family_cycle
from axmem.generate.files import write_suite
from axmem.generate.marks import MarkError, fault, parse_mark, parse_scope
from axmem.generate.places import parse_places
from axmem.generate.suites import Generated, Placing, check_places, suite

__all__ = [
    "FAMILIES", "Cycle", "CycleEdge", "Decorations", "Generated", "MarkError", "Placing", "check_places", "cycles",
    "family_cycle", "fault", "matching_edges", "parse_cycle", "parse_mark", "parse_places", "parse_scope", "suite",
    "write_suite",
]  # fmt: skip
