"""The classical families of tests and their names.

What goes in: a cycle, or a name. What comes out: the name of the cycle's family, which depends on the directions of the
first and last event of each thread alone, or a cycle of the family. Invariant: the cycle of a name has that name.
"""

from __future__ import annotations

from axmem.front.source import did_you_mean, mistake
from axmem.generate.cycles import Cycle, parse_cycle

FAMILIES = {
    "CoWW": "PosWW Wsi",
    "CoWR0": "PosWR Fri",
    "CoRW1": "PosRW Rfi",
    "CoRR": "Rfe PosRR Fre",
    "CoRW2": "Rfe PosRW Wse",
    "CoWR": "Wse PosWR Fre",
    "MP": "PodWW Rfe PodRR Fre",
    "SB": "PodWR Fre PodWR Fre",
    "LB": "PodRW Rfe PodRW Rfe",
    "S": "PodWW Rfe PodRW Wse",
    "R": "PodWW Wse PodWR Fre",
    "2+2W": "PodWW Wse PodWW Wse",
    "WRC": "Rfe PodRW Rfe PodRR Fre",
    "RWC": "Rfe PodRR Fre PodWR Fre",
    "WWC": "Rfe PodRW Rfe PodRW Wse",
    "WRW+WR": "Rfe PodRW Wse PodWR Fre",
    "WRR+2W": "Rfe PodRR Fre PodWW Wse",
    "WRW+2W": "Rfe PodRW Wse PodWW Wse",
    "IRIW": "Rfe PodRR Fre Rfe PodRR Fre",
    "IRRWIW": "Rfe PodRR Fre Rfe PodRW Wse",
    "IRWIW": "Rfe PodRW Wse Rfe PodRW Wse",
    "ISA2": "PodWW Rfe PodRW Rfe PodRR Fre",
    "W+RWC": "PodWW Rfe PodRR Fre PodWR Fre",
    "Z6.0": "PodWW Rfe PodRW Wse PodWR Fre",
    "Z6.1": "PodWW Wse PodWW Rfe PodRW Wse",
    "Z6.2": "PodWW Rfe PodRW Rfe PodRW Wse",
    "Z6.3": "PodWW Wse PodWW Rfe PodRR Fre",
    "Z6.4": "PodWW Wse PodWR Fre PodWR Fre",
    "Z6.5": "PodWW Wse PodWW Wse PodWR Fre",
    "3.SB": "PodWR Fre PodWR Fre PodWR Fre",
    "3.LB": "PodRW Rfe PodRW Rfe PodRW Rfe",
    "3.2W": "PodWW Wse PodWW Wse PodWW Wse",
    "4.SB": "PodWR Fre PodWR Fre PodWR Fre PodWR Fre",
    "4.LB": "PodRW Rfe PodRW Rfe PodRW Rfe PodRW Rfe",
    "4.2W": "PodWW Wse PodWW Wse PodWW Wse PodWW Wse",
}
"""A cycle for every classical name."""

_COHERENCE = "Co"


def family_cycle(name: str) -> Cycle:
    """Return the cycle of a classical name; raise InputError for a name that is none."""
    if name in FAMILIES:
        return parse_cycle(FAMILIES[name])
    folded = {known.casefold(): known for known in FAMILIES}
    near = folded.get(name.casefold())
    hint = f"did you mean '{near}'?" if near else did_you_mean(name, FAMILIES) or f"known: {', '.join(FAMILIES)}"
    raise mistake("--family", f"unknown family '{name}'", hint, text=name)


def family_name(cycle: Cycle) -> str:
    """Return the classical name of an oriented cycle, or the directions of its threads, `W+RR+WW`."""
    points = cycle.points()
    if cycle.one_location and sum(not edge.communication for edge in cycle.edges) == 1 and points in _COHERENCE_NAMES:
        return _COHERENCE_NAMES[points]
    return _NAMES.get(points, "+".join(points))


def is_coherence(name: str) -> bool:
    """Tell whether a family is one of violations of coherence at a single location."""
    return name in FAMILIES and name.startswith(_COHERENCE)


_CYCLES = {name: parse_cycle(text) for name, text in FAMILIES.items()}
_COHERENCE_NAMES = {cycle.points(): name for name, cycle in _CYCLES.items() if cycle.one_location}
_NAMES = {cycle.points(): name for name, cycle in _CYCLES.items() if not cycle.one_location}
