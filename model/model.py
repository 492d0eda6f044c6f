"""A memory model under one choice of variants: its terms, its rules, and what follows from them alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic
from axmem.litmus.words import AMDGPU, Hierarchy
from axmem.model.analyses import Analyses
from axmem.model.terms import Axiom, Definition, Fixpoint, Foreign, Op, Term, UndefRule, Variant, below


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
        return self.needed(self.roots)

    @cached_property
    def roots(self) -> frozenset[int]:
        """The terms that some axiom, flag or undef rule is about."""
        return frozenset([a.term for a in self.axioms] + [u.term for u in self.undefs])

    def needed(self, roots: Iterable[int]) -> frozenset[int]:
        """Return these terms and all that they are made of."""
        return frozenset(below(self.terms, self.fixpoints, roots))

    @cached_property
    def analyses(self) -> Analyses:
        """What follows from the terms and rules alone, each thing computed once."""
        return Analyses(self.terms, self.fixpoints, self.axioms, self.roots, self.reached)
