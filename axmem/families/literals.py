"""Literals of a model's terms on a symbolic program.

What goes in: a model, the vocabulary of a symbolic program, the literals of an execution. What comes out: on demand the
literal that a pair is in a term's relation. Unlike on a test, the primitives themselves are variables. Terms that two
models have in common, and that depend on the same choices, are built once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from axmem.encoder.bounds import Bounds, TermBounds
from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.literals import OpenLiterals, Pair
from axmem.encoder.recursion import follows_acyclic
from axmem.families.sharing import TermNames
from axmem.families.vocabulary import Vocabulary
from axmem.front.typing import override
from axmem.model import relation as rel
from axmem.model.evaluation import Value, order_of, stages
from axmem.model.terms import Model, Op, Term

Choose = Callable[[int, int], int]
"""The literal of a pair of `rf`, or of `co`."""

Table = dict[Pair, int]


@dataclass(slots=True)
class Tables:
    """What has been built, by term name: shared by all that have the same program, reads-from or coherence."""

    names: TermNames = field(default_factory=TermNames)
    by_choice: dict[object, dict[int, Table]] = field(default_factory=dict)

    def table(self, choice: object, name: int) -> Table:
        """Return the table of a term under a choice."""
        return self.by_choice.setdefault(choice, {}).setdefault(name, {})


@dataclass(frozen=True, slots=True)
class Choices:
    """Reads-from and coherence of an execution; the keys tell equal ones."""

    rf: Choose
    co: Choose
    rf_key: object = "rf"
    co_key: object = "co"


class SymbolicLiterals(OpenLiterals):
    """Builds literals whose primitives come from a symbolic program."""

    def __init__(self, model: Model, vocabulary: Vocabulary, choices: Choices, tables: Tables) -> None:
        self.vocabulary = vocabulary
        found = _bounds(model, vocabulary, choices)
        super().__init__(model, found, vocabulary.circuit, vocabulary.executed, self._chosen)
        self.choices = choices
        names = tables.names.of(model)
        keys = (None, choices.rf_key, (choices.rf_key, choices.co_key))
        self._tables = [tables.table(keys[s], name) for s, name in zip(stages(model), names, strict=True)]
        self._shared = [tables.table(("closure", keys[s]), n) for s, n in zip(stages(model), names, strict=True)]

    def _chosen(self, name: str, i: int, j: int) -> int:
        return self.choices.rf(i, j) if name == "rf" else self.choices.co(i, j)

    @override
    def member(self, term: int, i: int) -> int:
        """Return the literal that event i is in a set term."""
        may, must = self.may[term], self.must[term]
        assert isinstance(may, int) and isinstance(must, int)
        if not may >> i & 1:
            return FALSE
        if must >> i & 1:
            return TRUE
        table = self._tables[term]
        if (i, i) not in table:
            table[i, i] = self._member(term, i)
            self._finish()
        return table[i, i]

    @override
    def static_member(self, term: int, i: int) -> int:
        """Return the literal that an event is in a primitive set."""
        return self.vocabulary.set_of(self.terms[term])[i]

    @override
    def pair(self, term: int, i: int, j: int) -> int:
        """Return the literal that (i, j) is in a relation term."""
        may, must = self.may[term], self.must[term]
        assert isinstance(may, tuple) and isinstance(must, tuple)
        if not may or not may[i] >> j & 1:
            return FALSE
        if must and must[i] >> j & 1:
            return TRUE
        table = self._tables[term]
        known = table.get((i, j))
        if known is None:
            known = table[i, j] = self._pair(term, i, j)
            self._finish()
        return known

    @override
    def static_pair(self, term: int, i: int, j: int) -> int:
        """Return the literal that two events are in a primitive relation other than rf and co."""
        return self.vocabulary.relation_of(self.terms[term].name)[i][j]

    @override
    def _closure(self, term: int) -> Table:
        shared = self._shared[term]
        if not shared:
            shared.update(super()._closure(term))
            shared.setdefault((-1, -1), FALSE)
        return shared

    @override
    def _rule(self, term: int, i: int, j: int) -> int:
        node = self.terms[term]
        fixpoint = self.model.fixpoints[node.fixpoint]
        table = self._tables[fixpoint.variables[node.position]]
        if (i, j) not in table:
            table[i, j] = self.circuit.rule()
            self._pending.append((table[i, j], fixpoint.bodies[node.position], i, j))
        if not follows_acyclic(self.model, node.fixpoint):
            self.unproved = True
        return table[i, j]


def _bounds(model: Model, vocabulary: Vocabulary, choices: Choices) -> Bounds:
    """Return the bounds of every term whatever the program."""
    size = vocabulary.size
    everything = (1 << size) - 1

    def base(term: Term) -> tuple[Value, Value]:
        if term.name not in ("rf", "co") or term.op is not Op.BASE:
            return vocabulary.bounds(term)
        choose = choices.rf if term.name == "rf" else choices.co
        rows = [[choose(i, j) for j in range(size)] for i in range(size)]
        may = rel.relation([sum(1 << j for j, x in enumerate(row) if x != FALSE) for row in rows])
        return may, rel.relation([sum(1 << j for j, x in enumerate(row) if x == TRUE) for row in rows])

    terms = TermBounds(model, size)
    terms.evaluate(order_of(model), base)
    return Bounds(terms.may, terms.must, rel.EMPTY, rel.EMPTY, 0, everything)
