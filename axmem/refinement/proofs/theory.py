"""What a proof speaks of: the models of a claim as terms of one builder, names for them, and what is known of them.

What goes in: the text of a model, and, for a claim about two executions, the text of the model of the execution that
follows, with the primitives that differ. What comes out: a `Theory`. The definitions of the execution that follows are
those with a prime: `hb'` is the happens-before of the program before a change, `hb` that of the program after it.
Invariant: whatever is in `known` is true in every pair of executions that the claim is about, if what was added to it
is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from axmem.encoder.firstorder import Language, TermInclusion
from axmem.front.records import dataclass, field
from axmem.front.source import Source
from axmem.front.typing import override
from axmem.model.builder import Builder
from axmem.model.elaborate import Elaborator
from axmem.model.facts import Fact, as_cat, facts
from axmem.model.files import PRELUDE_SOURCE
from axmem.model.library import elaborated
from axmem.model.parser import parse as parse_cat
from axmem.model.primitives import primitives
from axmem.model.quantities import Quantity, QuantityKind, Value
from axmem.model.terms import Axiom, AxiomKind, Op
from axmem.refinement.proofs.changes import FOLLOWED, Primed


@dataclass(frozen=True, slots=True)
class ModelText:
    """The text of a model and its variants."""

    source: Source
    variants: Mapping[str, str]


class _Varied(Builder):
    """A builder of the same terms in which some primitives are those of the execution that follows."""

    def __init__(self, builder: Builder, primed: Primed) -> None:
        self.__dict__.update(builder.__dict__)
        self._primed = primed

    @override
    def base(self, name: str, is_set: bool) -> int:
        return super().base(f"{name}'" if name in self._primed.varied or name == "rf" else name, is_set)

    @override
    def tagged(self, tag: str) -> int:
        return super().tagged(f"{tag}'" if self._primed.tags_lost else tag)


@dataclass
class Theory:
    """The terms and names of a proof, and what is known, by name: facts, axioms, lemmas as they are proved."""

    model: Elaborator
    follower: Elaborator | None = None
    known: dict[str, tuple[TermInclusion, ...]] = field(default_factory=dict)
    titles: dict[int, str] = field(default_factory=dict)
    counterparts: dict[int, int | None] = field(default_factory=dict)

    @property
    def builder(self) -> Builder:
        """The builder of all terms."""
        return self.model.builder

    @property
    def names(self) -> dict[str, Value]:
        """What the names of expressions stand for."""
        return self.model.names

    def __post_init__(self) -> None:
        """Make what writes the terms as formulas."""
        self.language = Language(self.builder, self.titles)

    def define(self, name: str, value: Value) -> None:
        """Add a name, which shadows others."""
        self.model.names = {**self.names, name: value}
        if isinstance(value, Quantity):
            self.builder.named.add(value.term)
            self.titles.setdefault(value.term, name)
            self.language = Language(self.builder, self.titles)

    def suppose(self, some: Iterable[Fact], builder: Builder, names: Mapping[str, Value]) -> None:
        """Add facts to what is known, as terms of a builder; those of both executions have one name."""
        levels = self.model.reader.levels
        reader = Elaborator({}, lambda name, including: None, builder=builder)
        reader.names = dict(names)
        text = as_cat("facts", tuple(some), levels)
        reader.whole(text, parse_cat(text))
        reader.check()
        for axiom in reader.axioms:
            self.known[axiom.name] = (*self.known.get(axiom.name, ()), self.stated(axiom))

    def stated(self, axiom: Axiom) -> TermInclusion:
        """Return what an axiom says, its negation aside."""
        builder, term = self.builder, axiom.term
        if axiom.kind is AxiomKind.EMPTY:
            found = builder.terms[term]
            return TermInclusion(*found.arguments) if found.op is Op.DIFFERENCE else self.nothing(term)
        looping = builder.plus(term) if axiom.kind is AxiomKind.ACYCLIC else term
        return self.nothing(builder.intersection((looping, builder.id)))

    def nothing(self, term: int) -> TermInclusion:
        """Return that a term is empty."""
        return TermInclusion(term, self.builder.empty(self.builder.is_set(term)))

    def image(self, index: int) -> int | None:
        """Return the term of the first execution that is made as this one of the execution that follows.

        None if a definition that it is made of is not one of both.
        """
        if index not in self.counterparts:
            self.counterparts[index] = self._image(index)
        return self.counterparts[index]

    def _image(self, index: int) -> int | None:
        term, builder = self.builder.terms[index], self.builder
        if term.op in (Op.BASE, Op.TAGGED):
            plain = term.name.removesuffix("'")
            return builder.tagged(plain) if term.op is Op.TAGGED else builder.base(plain, term.is_set)
        if index in self.titles and self.titles[index].endswith("'"):
            return None
        if term.op in (Op.FIX, Op.RECVAR, Op.EMPTY):
            return index if term.op is Op.EMPTY else None
        found = [self.image(a) for a in term.arguments]
        images = [i for i in found if i is not None]
        return None if len(images) < len(found) else _made(builder, term.op, images)


def _made(builder: Builder, op: Op, parts: list[int]) -> int:
    match op:
        case Op.UNION:
            return builder.union(parts)
        case Op.INTERSECTION:
            return builder.intersection(parts)
        case Op.SEQUENCE:
            return builder.sequence(parts)
        case Op.DOMAIN | Op.RANGE:
            return builder.end(op, parts[0])
        case Op.THROUGH:
            return builder.through(*parts)
        case Op.DIFFERENCE:
            return builder.difference(*parts)
        case Op.CROSS:
            return builder.cross(*parts)
        case Op.INVERSE:
            return builder.inverse(*parts)
        case Op.PLUS:
            return builder.plus(*parts)
        case Op.IDENTITY:
            return builder.identity(*parts)
    raise AssertionError(f"{op} is made of no other terms")


def theory(model: ModelText, follower: ModelText | None, primed: Primed) -> Theory:
    """Return what is known of the executions of a model, and of those of another that follow them.

    Raises InputError for what is wrong with a model's text.
    """
    first = elaborated(model.source, model.variants, Builder())
    found = Theory(first)
    for d in first.definitions:
        # What the prelude names is so short that it is written out.
        if d.source != PRELUDE_SOURCE:
            found.titles.setdefault(d.term, d.name)
    levels = first.reader.levels
    for axiom in first.axioms:
        if not axiom.flag and not axiom.negated:
            found.known[axiom.name] = (found.stated(axiom),)
    found.suppose(facts(levels), found.builder, {})
    if follower is not None:
        second = elaborated(follower.source, follower.variants, _Varied(found.builder, primed))
        _follow(found, second, primed)
        found.suppose(facts(levels), second.builder, {})
        found.suppose((FOLLOWED, *primed.facts), found.builder, found.names)
        if primed.tags_lost:
            _tags_lost(found)
    return found


def _follow(theory: Theory, second: Elaborator, primed: Primed) -> None:
    """Give the definitions of the execution that follows names with a prime."""
    theory.follower = second
    first = {d.name: d.term for d in theory.model.definitions}
    for d in second.definitions:
        if d.source == PRELUDE_SOURCE:
            continue
        kind = QuantityKind.SET if theory.builder.is_set(d.term) else QuantityKind.RELATION
        theory.define(f"{d.name}'", Quantity(kind, d.term))
        if d.name in first:
            theory.counterparts[d.term] = first[d.name]
    known = primitives(theory.model.reader.levels)
    for name in ("rf", *sorted(primed.varied)):
        kind = QuantityKind.SET if known[name].is_set else QuantityKind.RELATION
        theory.define(f"{name}'", Quantity(kind, second.builder.base(name, known[name].is_set)))


def _tags_lost(theory: Theory) -> None:
    tags = [t.name.removesuffix("'") for t in theory.builder.terms if t.op is Op.TAGGED and t.name.endswith("'")]
    for tag in tags:
        fewer, more = Builder.tagged(theory.builder, tag), Builder.tagged(theory.builder, f"{tag}'")
        theory.known[f"fewer-{tag}"] = (TermInclusion(fewer, more),)
