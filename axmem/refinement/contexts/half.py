"""One program in contexts that are open.

What goes in: its events in the placeholders of a shape, the `Setting` that says what these are, a model. What comes
out: the circuit of its executions, with the literals from which is read what an execution shows (`Half`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from axmem.encoder.bounds import Bounds
from axmem.encoder.constraints import undef_of
from axmem.encoder.open_encoding import OpenEncoding, encode_open
from axmem.events.graph import EventGraph
from axmem.model.model import Model
from axmem.refinement.contexts.slots import Setting
from axmem.refinement.contexts.unshared import changed_meanwhile


class Half:
    """One program in open contexts: its events, and the circuit of its executions."""

    def __init__(self, graph: EventGraph, setting: Setting, model: Model, known: Bounds | None = None) -> None:
        self.setting = setting
        self.graph, self.openings = setting.opened(graph, model)
        self.parts = setting.parts
        encoding = encode_open(self.graph, model, self.openings, known)
        self.encoding: OpenEncoding = encoding
        self.candidate = encoding.candidate
        self.circuit = encoding.circuit
        self.undef = undef_of(encoding.literals, self.candidate) if model.undefs else {}
        self.bad = self.circuit.disjunction(list(encoding.undefined.values()))
        self.lanes = encoding.lanes

    @cached_property
    def changed(self) -> dict[str, int]:
        """The literals that somebody conflicts meanwhile with what is unshared (`unshared.py`)."""
        literals = self.encoding.literals
        found = changed_meanwhile(self.graph, self.setting, self.parts, literals)
        if found and literals.unproved:
            self.circuit.cut_cycles()
        return found

    def wanted(self) -> Iterator[int]:
        """Yield the literals of an execution."""
        candidate = self.candidate
        yield from (x for sources in candidate.sources.values() for x in sources.values())
        yield from candidate.orders.values()
        yield from (x for arms in candidate.arms for x in arms)
        yield from candidate.executed
        yield from self.undef.values()
        yield from (x for lane in self.lanes for x in lane.literals())
        yield self.bad
