"""A memory model as a graph of terms.

What the cat front end makes of a model's text under one choice of variants, and what the bounds pass, the solver
encoding and the oracle all walk over. Terms are hash-consed (equal terms have one index) and stand in an order in
which every argument comes before its user, except that a `fix` comes after the bodies of its fixpoint and a `recvar`
before them. Functions are inlined, variants decided, includes spliced; nothing here depends on a litmus test.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Source, Span
from axmem.litmus.words import AMDGPU, Hierarchy


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


@dataclass(frozen=True, eq=False)
class Model:
    """A model under one choice of variants, ready to be evaluated or encoded. Compared by identity.

    `chosen` gives every declared variant's value, sorted by name; `title` is the string that heads the cat text;
    `levels` are the scopes that the model speaks of, `foreign` the events that it has no meaning for; `dialect` names
    the tradition that its file is read in, if that is another's; `warnings` are about its text.
    """

    name: str
    title: str
    terms: tuple[Term, ...]
    fixpoints: tuple[Fixpoint, ...]
    axioms: tuple[Axiom, ...]
    undefs: tuple[UndefRule, ...]
    definitions: tuple[Definition, ...]
    variants: tuple[Variant, ...]
    chosen: tuple[tuple[str, str], ...]
    levels: Hierarchy = AMDGPU
    foreign: tuple[Foreign, ...] = ()
    dialect: str = ""
    warnings: tuple[Diagnostic, ...] = ()

    @cached_property
    def choice(self) -> dict[str, str]:
        """The chosen value of every variant."""
        return dict(self.chosen)

    @cached_property
    def changed(self) -> tuple[tuple[str, str], ...]:
        """The chosen values that are not the defaults, sorted by variant."""
        defaults = {v.name: v.default for v in self.variants}
        return tuple((name, value) for name, value in self.chosen if defaults.get(name) != value)

    @cached_property
    def base_names(self) -> frozenset[str]:
        """The primitives of the vocabulary that the model's axioms, undef rules and flags reach."""
        reached = self.reached
        return frozenset(t.name for i, t in enumerate(self.terms) if t.op is Op.BASE and i in reached)

    @cached_property
    def reached(self) -> frozenset[int]:
        """The terms that some axiom, flag or undef rule needs."""
        return self.needed([a.term for a in self.axioms] + [u.term for u in self.undefs])

    def needed(self, roots: Iterable[int]) -> frozenset[int]:
        """Return these terms and all that they are made of."""
        return frozenset(below(self.terms, self.fixpoints, roots))


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
