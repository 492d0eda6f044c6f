"""What is read off the terms of a model once, whatever test it is asked about.

What goes in: the terms of a model, its fixpoints, its axioms, and the terms that its rules need. What comes out: the
order of evaluation, what each term depends on, which terms are fixed by a test, which operators give the values, which
terms are empty because others are (`emptiness`), and what is plain about recursion and containment (`recursion`). The
engines read these fields of `Model.analyses`; each is computed when it is first read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from axmem.model.emptiness import Emptiness
from axmem.model.primitives import CHOSEN
from axmem.model.recursion import Recursion
from axmem.model.terms import Axiom, Fixpoint, Op, Term

Selection = Literal["rows", "columns"]
Kind = tuple[bool, Op | Selection, bool]
"""Whether a term is a set, its operator, and whether that is applied to other than two arguments."""

_POINTWISE = (Op.UNION, Op.INTERSECTION, Op.DIFFERENCE, Op.CROSS, Op.IDENTITY, Op.INVERSE)


class Analyses:
    """What follows from the terms and the rules of a model alone; terms are given by their index."""

    def __init__(
        self,
        terms: Sequence[Term],
        fixpoints: Sequence[Fixpoint],
        axioms: Sequence[Axiom],
        roots: frozenset[int],
        reached: frozenset[int],
    ) -> None:
        """`roots` are the terms that axioms, flags and undef rules are about, `reached` all that these need."""
        self._terms = terms
        self._fixpoints = fixpoints
        self._axioms = axioms
        self._roots = roots
        self._reached = reached

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The needed terms in an order of evaluation; members of a fixpoint come with its first FIX."""
        # A member of a fixpoint has no value of its own before the iteration, which leaves that of the last round.
        inner = {m for f in self._fixpoints for m in (*f.members, *f.variables)}
        return tuple(i for i in sorted(self._reached) if i not in inner)

    @cached_property
    def chosen_orders(self) -> tuple[int, ...]:
        """The needed terms that are orders which an execution chooses."""
        return tuple(i for i in sorted(self._reached) if self._terms[i].op is Op.ORDER)

    @cached_property
    def stages(self) -> tuple[int, ...]:
        """For every term what it depends on: 0 the test alone, 1 also `rf`, 2 also `co` or another order."""
        stage = [0] * len(self._terms)
        for index, term in enumerate(self._terms):
            if term.op is Op.BASE:
                stage[index] = {"rf": 1, "co": 2}.get(term.name, 0)
            elif term.op is Op.ORDER:
                stage[index] = 2
            elif term.op is Op.FIX:
                # A variable counts as 0, and so may members; they are evaluated with the FIX, which counts them all.
                fixpoint = self._fixpoints[term.fixpoint]
                stage[index] = max(stage[m] for m in (*fixpoint.members, *fixpoint.bodies))
            else:
                stage[index] = max((stage[a] for a in term.arguments), default=0)
        return tuple(stage)

    @cached_property
    def pointwise(self) -> frozenset[int]:
        """The terms whose facts are fixed by the test and about the related events alone.

        Such a fact holds in every execution in which its events execute. A composition is not of this kind (it also
        asks that the event in the middle executes), unless it only selects, as `[S] ; r`.
        """
        found: set[int] = set()
        for index, term in enumerate(self._terms):
            fixed = term.op in (Op.TAGGED, Op.EMPTY) or (term.op is Op.BASE and term.name not in CHOSEN)
            selects = term.op is Op.SEQUENCE and any(self._terms[a].op is Op.IDENTITY for a in term.arguments)
            if fixed or ((term.op in _POINTWISE or selects) and found.issuperset(term.arguments)):
                found.add(index)
        return frozenset(found)

    @cached_property
    def emptiness(self) -> Emptiness:
        """Which terms are empty because others are."""
        return Emptiness(self._terms, self._fixpoints, self._roots, self._reached, self.order)

    @cached_property
    def recursion(self) -> Recursion:
        """What is plain about recursion, containment, and values out of thin air."""
        return Recursion(self._terms, self._fixpoints, self._axioms)

    @cached_property
    def operations(self) -> tuple[tuple[Op | Selection, tuple[int, ...]], ...]:
        """For every term what is done with the values of which terms."""
        return tuple(self._selection(term) or (term.op, term.arguments) for term in self._terms)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of operations that occur, each once."""
        return self._numbered[0]

    @property
    def numbers(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For every term which of `kinds` gives its value, and from those of which terms."""
        return self._numbered[1]

    @cached_property
    def _numbered(self) -> tuple[tuple[Kind, ...], tuple[tuple[int, tuple[int, ...]], ...]]:
        kinds: dict[Kind, int] = {}
        found = []
        for term, (operator, arguments) in zip(self._terms, self.operations, strict=True):
            kind = term.is_set, operator, operator in (Op.UNION, Op.INTERSECTION) and len(arguments) != 2
            found.append((kinds.setdefault(kind, len(kinds)), arguments))
        return tuple(kinds), tuple(found)

    def _selection(self, term: Term) -> tuple[Selection, tuple[int, ...]] | None:
        """Tell whether a term is `[S] ; r` or `r ; [S]`, which selects rows or columns by the set itself.

        With the arguments of the selection, in their order.
        """
        if term.op is Op.SEQUENCE:
            left, right = (self._terms[a] for a in term.arguments)
            if left.op is Op.IDENTITY:
                return "rows", (*left.arguments, term.arguments[1])
            if right.op is Op.IDENTITY:
                return "columns", (term.arguments[0], *right.arguments)
        return None
