"""What explanations say: sentences, the definitions they rest on, and what they claim of an execution.

What goes in: nothing; these are the records in which `words` says something and the printers print it.
"""

from __future__ import annotations

from axmem.encoder.constraints import ModelRule
from axmem.explanations.concrete import Fact
from axmem.explanations.mending import AnnotationChange
from axmem.front.records import dataclass, field


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

    `claims` are what it says of the execution; sentences of the same text and definition are the same.
    """

    text: str
    by: ModelRule | None = None
    lacking: bool = False
    claims: tuple[SentenceClaim, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class PathEdge:
    """A labelled edge of a path; `back` if the relation leads from the second event to the first."""

    first: int
    label: str
    second: int
    back: bool = False
