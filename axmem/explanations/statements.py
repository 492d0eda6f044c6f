"""What explanations say: sentences, the definitions they rest on, and what they claim of an execution.

What goes in: nothing; these are the records in which `words` says something and the printers print it.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.encoder.constraints import ModelRule
from axmem.explanations.concrete import Fact
from axmem.explanations.mending import AnnotationChange
from axmem.front.records import dataclass, field
from axmem.model.primitives import PICTURED


@dataclass(frozen=True, slots=True)
class SentenceClaim:
    """What a sentence says of an execution, so that it can be checked: whether a term has a fact.

    With `changes` the sentence says this of the execution in which operations are annotated so, and `reads` (pairs,
    write first) read from other writes. `hopeless` says that no other annotation gives the term the fact.
    """

    term: int
    fact: Fact
    holds: bool
    changes: tuple[AnnotationChange, ...] = ()
    reads: tuple[tuple[int, int], ...] = ()
    hopeless: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence without its full stop, the definition or rule it rests on, whether it names something missing.

    `claims` are what it says of the execution; sentences of the same text and definition are the same. With the changes
    `forbidding` the model forbids the outcome, and without any one of them it does not.
    """

    text: str
    by: ModelRule | None = None
    lacking: bool = False
    claims: tuple[SentenceClaim, ...] = field(default=(), compare=False)
    forbidding: tuple[AnnotationChange, ...] = field(default=(), compare=False)

    @property
    def hopeless(self) -> bool:
        """Whether it says that no other annotation helps."""
        return any(claim.hopeless for claim in self.claims)


@dataclass(frozen=True, slots=True)
class PathEdge:
    """A labelled edge of a path; `back` if the relation leads from the second event to the first."""

    first: int
    label: str
    second: int
    back: bool = False


def shown_path(path: Sequence[PathEdge]) -> tuple[PathEdge, ...]:
    """Return a path as herd shows it: with `fr` where it goes from a read to the write that it reads from and on to a
    later one, and a cycle from its first event in the order of the text."""
    found = _with_from_reads(path)
    if not found or found[0].first != found[-1].second:
        return found
    found = _with_from_reads([*found[1:], found[0]])
    start = min(range(len(found)), key=lambda n: found[n].first)
    return (*found[start:], *found[:start])


def _with_from_reads(path: Sequence[PathEdge]) -> tuple[PathEdge, ...]:
    found: list[PathEdge] = []
    for edge in path:
        last = found[-1] if found else None
        if last is not None and last.back and last.label == "rf" and edge.label in COHERENCE and not edge.back:
            found[-1] = PathEdge(last.first, "fr", edge.second)
        else:
            found.append(edge)
    return tuple(found)


COHERENCE = ("co", PICTURED["co"])
"""What paths call the order of the writes to a cell."""
