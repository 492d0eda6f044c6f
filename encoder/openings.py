"""What a test leaves open: which sets events are in, which pairs relations have, which arms choices take.

What goes in: literals of a circuit. What comes out: the bounds of the primitives that they are about. A test with
openings is a family of tests: whatever makes the literals true or false makes one of it, whose events are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.outlines import Given
from axmem.encoder.statics import Statics
from axmem.encoder.words import Word
from axmem.front.records import dataclass, field
from axmem.model import relation as rel
from axmem.model.model import Model
from axmem.model.terms import Op, Term

Key = tuple[bool, str]
"""A primitive: whether it is the set of the events that carry a tag, and its name."""


def key_of(term: Term) -> Key:
    """Return which primitive a term is."""
    return term.op is Op.TAGGED, term.name


@dataclass(frozen=True, slots=True)
class Openings:
    """Literals of a circuit for what is open.

    `members[key][e]` is the literal that event e, if it executes, is in a set; `pairs[key][i, j]` that two events, if
    both execute, are in a relation; `arms[c]` are those of the arms of a choice, of which at most one holds;
    `written[e]` is the word that an event writes, `given[k]` that of a parameter. What is not mentioned is as the test
    has it. `unknown` are the results of functions of which nothing is known, by what they are applied to.
    """

    circuit: Circuit
    members: Mapping[Key, Mapping[int, int]] = field(default_factory=dict)
    pairs: Mapping[Key, Mapping[tuple[int, int], int]] = field(default_factory=dict)
    arms: Mapping[int, Sequence[int]] = field(default_factory=dict)
    written: Mapping[int, Word] = field(default_factory=dict)
    given: Mapping[int, Word] = field(default_factory=dict)
    unknown: dict[Hashable, tuple[int, ...]] = field(default_factory=dict)

    def opened(
        self, given: Iterable[Given], model: Model, statics: Statics, events: tuple[int, int]
    ) -> Iterator[Given]:
        """Yield the bounds of a model's primitives with what is open; `events` are those that may and do execute."""
        present, always = events
        for index, may, must in given:
            key = key_of(model.terms[index])
            if key in self.members and isinstance(may, int) and isinstance(must, int):
                literals = self.members[key]
                yield index, _members(may, literals, FALSE) & present, _members(must, literals, TRUE) & always
            elif key in self.pairs:
                raw = statics.value(model.terms[index])
                assert isinstance(raw, tuple)
                literals_of_pairs = self.pairs[key]
                above = statics.shape.possible(_related(raw, literals_of_pairs, statics.size, FALSE))
                below = _related(raw, literals_of_pairs, statics.size, TRUE)
                yield index, statics.shape.among(above, present), statics.shape.among(below, always)
            else:
                yield index, may, must


def _members(known: int, literals: Mapping[int, int], decided: int) -> int:
    """Return a set in which an open event is if its literal is TRUE, or (`decided` FALSE) is not FALSE."""
    for e, literal in literals.items():
        inside = literal == TRUE if decided == TRUE else literal != FALSE
        known = known | 1 << e if inside else known & ~(1 << e)
    return known


def _related(raw: rel.Relation, literals: Mapping[tuple[int, int], int], size: int, decided: int) -> rel.Relation:
    rows = [*raw] if raw else [0] * size
    for (i, j), literal in literals.items():
        inside = literal == TRUE if decided == TRUE else literal != FALSE
        rows[i] = rows[i] | 1 << j if inside else rows[i] & ~(1 << j)
    return rel.relation(rows)
