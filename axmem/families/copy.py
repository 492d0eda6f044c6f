"""A model over a program of a family: its relations, its axioms and its undef rules as literals.

What goes in: a model, a `Program`, and the literals of reads-from and coherence. What comes out: literals; nothing is
asserted unless asked. Bounds keep what no program of the family can have from being built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from axmem.encoder.bounds import Bounds, TermBounds
from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import assert_axiom, truth_of
from axmem.encoder.literals import OpenLiterals
from axmem.families.program import KNOWN, Program, empty_in
from axmem.families.skeleton import Space
from axmem.front.typing import override
from axmem.litmus.words import NONE_TAG, tag_text
from axmem.model import relation as rel
from axmem.model.evaluation import Value, order_of
from axmem.model.relation import Relation
from axmem.model.terms import Model, Op, Term
from axmem.model.vocabulary import refuse

Edge = Callable[[int, int], int]
"""The literal of a pair of events."""


class UnsupportedModel(Exception):
    """The model speaks of something that the family leaves out; the message says of what."""


def supported(model: Model, space: Space) -> None:
    """Raise UnsupportedModel if the model names tags that a family cannot tell apart, or does not say what is read
    from memory that nobody has written; InputError if it reaches a primitive that means nothing here."""
    refuse(model, "the search over families of programs", KNOWN | empty_in(space))
    if space.uninitialised and not model.undefs:
        raise UnsupportedModel("the model has no rule for reads of memory that is not initialised")
    suffixes = space.tags == "two"
    for index in model.reached:
        term = model.terms[index]
        if term.op is Op.TAGGED and term.name != tag_text(NONE_TAG) and not (suffixes and term.name in ("f:a", "f:b")):
            raise UnsupportedModel(f'the model asks for the tag "{term.name}", which the space does not have')


class Copy:
    """The literals of one model over one program and one choice of reads-from and coherence."""

    def __init__(self, model: Model, program: Program, rf: dict[tuple[int, int], int], co: Edge) -> None:
        supported(model, program.skeleton.space)
        self.model = model
        self.program = program
        size = program.skeleton.size
        rows = [0] * size
        for (w, r), literal in rf.items():
            if literal != FALSE:
                rows[w] |= 1 << r
        writes = [e.index for e in program.skeleton.events if e.part in ("write", "initial")]
        orders = {(a, b): co(a, b) for a in writes for b in writes if a != b}
        possible = _relation(orders, size, lambda x: x != FALSE)
        certain = _relation(orders, size, lambda x: x == TRUE)
        reading = rel.relation(rows)
        terms = TermBounds(model, size)
        present = _present(model, program)
        terms.evaluate(order_of(model), partial(_known, program, present, (reading, rel.EMPTY), (possible, certain)))
        found = Bounds(terms.may, terms.must, reading, possible, 0, present)

        def primitive(name: str, i: int, j: int) -> int:
            return rf.get((i, j), FALSE) if name == "rf" else orders.get((i, j), FALSE)

        self.literals = _SymbolicLiterals(model, found, program, primitive)

    def undef(self, r: int) -> int:
        """Return the literal that some undef rule names a read."""
        circuit = self.program.circuit
        return circuit.disjunction([self.literals.member(rule.term, r) for rule in self.model.undefs])

    def assert_axioms(self) -> None:
        """Assert every axiom of the model that is no flag."""
        for axiom in self.model.axioms:
            if not axiom.flag:
                assert_axiom(self.literals, axiom)

    def consistent(self) -> int:
        """Return the literal that every axiom of the model holds."""
        return self.program.circuit.conjunction(
            [truth_of(self.literals, axiom) for axiom in self.model.axioms if not axiom.flag]
        )


def _relation(orders: dict[tuple[int, int], int], size: int, test: Callable[[int], bool]) -> Relation:
    rows = [0] * size
    for (a, b), literal in orders.items():
        if test(literal):
            rows[a] |= 1 << b
    return rel.relation(rows)


def _present(model: Model, program: Program) -> int:
    """Return the events that the model speaks of: final reads are those of models that name them."""
    finals = sum(1 << e.index for e in program.skeleton.events if e.part == "final")
    return ((1 << program.skeleton.size) - 1) & ~(0 if "Fin" in model.base_names else finals)


Pair = tuple[Value, Value]


def _known(program: Program, present: int, rf: Pair, co: Pair, term: Term) -> Pair:
    """Return what a primitive may be and must be over all programs of the family."""
    if term.name in ("rf", "co"):
        return rf if term.name == "rf" else co
    if term.is_set:
        literals = program.members(term.name)
        may = sum(1 << i for i, x in enumerate(literals) if x != FALSE)
        return may & present, sum(1 << i for i, x in enumerate(literals) if x == TRUE) & present
    table = program.pairs(term.name)
    may_rows = [sum(1 << j for j, x in enumerate(row) if x != FALSE) for row in table]
    must_rows = [sum(1 << j for j, x in enumerate(row) if x == TRUE) for row in table]
    bounds = (rel.relation(may_rows), rel.relation(must_rows))
    return rel.restrict(present, bounds[0], present), rel.restrict(present, bounds[1], present)


class _SymbolicLiterals(OpenLiterals):
    """Literals whose primitives are those of the program."""

    def __init__(
        self, model: Model, found: Bounds, program: Program, primitive: Callable[[str, int, int], int]
    ) -> None:
        super().__init__(model, found, program.circuit, [TRUE] * program.skeleton.size, primitive)
        self.program = program

    @override
    def static_member(self, term: int, i: int) -> int:
        return self.program.members(self.terms[term].name)[i]

    @override
    def static_pair(self, term: int, i: int, j: int) -> int:
        return self.program.pairs(self.terms[term].name)[i][j]
