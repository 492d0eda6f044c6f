"""A memory model as a graph of terms.

What the cat front end makes of a model's text under one choice of variants, and what the bounds pass, the solver
encoding and the oracle all walk over. Terms are hash-consed (equal terms have one index) and stand in an order in
which every argument comes before its user, except that a `fix` comes after the bodies of its fixpoint and a `recvar`
before them. Functions are inlined, variants decided, includes spliced; nothing here depends on a litmus test.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from axmem.front.records import dataclass
from axmem.front.source import Source, Span


class Op(Enum):
    """What a term does. Sets and relations share the lattice operations; `is_set` tells which it is.

    Derived operators of cat are rewritten: `r?` is `id | r`, `r*` is `id | r+`, `~r` is `_*_ \\ r`, `~S` is `_ \\ S`.
    """

    __hash__ = object.__hash__  # Members are compared by identity; the hash of their names is slow.

    BASE = "base"  # a primitive of the vocabulary, by `name`: `rf`, `po`, `W`, `_`, …
    TAGGED = "tagged"  # the set of events that carry the MMRA tag `name` ("prefix:suffix")
    EMPTY = "empty"  # the empty set or relation
    UNION = "union"  # of two or more arguments
    INTERSECTION = "intersection"  # of two or more arguments
    DIFFERENCE = "difference"
    SEQUENCE = "sequence"  # r ; s
    INVERSE = "inverse"  # r^-1
    PLUS = "plus"  # transitive closure
    IDENTITY = "identity"  # [S]
    CROSS = "cross"  # S * T
    DOMAIN = "domain"
    RANGE = "range"
    RECVAR = "recvar"  # inside a fixpoint's bodies: the value of the round before
    FIX = "fix"  # outside: the least fixpoint
    ORDER = "order"  # chosen by an execution: total on the set that is its argument, or any inside the relation
    THROUGH = "through"  # through(step, link, S, c), see docs/models.md


@dataclass(frozen=True, slots=True)
class Term:
    """One node. `arguments` are indices of terms; `name` belongs to BASE, TAGGED and ORDER.

    For RECVAR and FIX `fixpoint` is the index of the fixpoint and `position` that of the variable in it.
    """

    op: Op
    arguments: tuple[int, ...] = ()
    name: str = ""
    is_set: bool = False
    fixpoint: int = -1
    position: int = -1


@dataclass(frozen=True, slots=True)
class Fixpoint:
    """`let rec v1 = b1 and v2 = b2 …`, all indices of terms.

    `members` are the terms that depend on a variable and that a body needs, in order: what a round recomputes.
    """

    names: tuple[str, ...]
    variables: tuple[int, ...]
    bodies: tuple[int, ...]
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """What a definition says for explanations: `@word "text" … [names]`. docs/models.md tells what each word means."""

    word: str
    texts: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Doc:
    """The doc comment above a definition: `(** [Key] "Section": text @remark … *)`; parts not given are empty."""

    key: str = ""
    section: str = ""
    text: str = ""
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A named set or relation of the model (functions are not kept). Later definitions of a name shadow earlier."""

    name: str
    term: int
    doc: Doc
    source: Source
    span: Span

    def remark(self, word: str) -> Remark | None:
        """Return the remark with this word."""
        return next((r for r in self.doc.remarks if r.word == word), None)


class AxiomKind(Enum):
    """The tests of cat; `~acyclic r` and the like have `negated` set on the axiom."""

    ACYCLIC = "acyclic"
    IRREFLEXIVE = "irreflexive"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Axiom:
    """A test of the model. An execution that fails it is inconsistent; a `flag` marks executions where it holds."""

    kind: AxiomKind
    term: int
    name: str
    negated: bool
    flag: bool
    doc: Doc
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class UndefRule:
    """`undef S as name`: the reads in S return undef, and no others."""

    term: int
    name: str
    doc: Doc
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Foreign:
    """What a model has no meaning for: a test must not have any of the events in a set. `text` says what these are."""

    term: int
    text: str
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Variant:
    """A declared switch of a model: its name, its values, the default, and what it decides."""

    name: str
    values: tuple[str, ...]
    default: str
    text: str


def below(terms: Sequence[Term], fixpoints: Sequence[Fixpoint], roots: Iterable[int]) -> set[int]:
    """Return the terms that these need, and themselves (fixpoints count with variables and bodies)."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        index = stack.pop()
        if index in seen:
            continue
        seen.add(index)
        term = terms[index]
        stack.extend(term.arguments)
        if term.op in (Op.FIX, Op.RECVAR):
            stack.extend(fixpoints[term.fixpoint].bodies)
            stack.extend(fixpoints[term.fixpoint].variables)
    return seen
