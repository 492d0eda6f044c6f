"""A model over a program of a family: its relations, its axioms and its undef rules as literals.

What goes in: a model, a `SymbolicProgram`, and the literals of reads-from and coherence. What comes out: on demand the
literal that a pair is in a term's relation, and those of the model's axioms and undef rules; nothing is asserted unless
asked. Unlike on a test, the primitives themselves are variables. Bounds keep what no program of the family can have
from being built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from axmem.encoder.bounds import Bounds
from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import assert_axiom
from axmem.encoder.stations import OpenLiterals
from axmem.encoder.termbounds import TermBounds
from axmem.front.records import dataclass
from axmem.front.typing import override
from axmem.litmus.words import NONE_TAG, tag_text
from axmem.model import relation as rel
from axmem.model.evaluation import Value
from axmem.model.model import Model
from axmem.model.primitives import CHOSEN
from axmem.model.terms import Op, Term
from axmem.model.vocabulary import needs, refuse
from axmem.refinement.bounded.attributes import FENCE_TAGS
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.left_out_constructs import refuse_tearing
from axmem.refinement.bounded.skeleton import EventRole
from axmem.refinement.bounded.vocabulary import SymbolicProgram, mask, masks, meant

Choose = Callable[[int, int], int]
"""The literal of a pair of `rf`, or of `co`."""

ENGINE = "the search over families of programs"


class UnsupportedModel(Exception):
    """The model speaks of something that the family leaves out; the message says of what."""


@lru_cache(maxsize=64)
def check_supported(model: Model, bound: Bound) -> None:
    """Raise UnsupportedModel if the model names tags that a family cannot tell apart, or does not say what is read
    from memory that nobody has written; InputError if it reaches a primitive that means nothing here.

    Where no operation has a tag, as the bound then says, tags that a model names hold of nothing.
    """
    refuse(model, ENGINE, meant(bound))
    refuse_tearing(model, ENGINE)
    if bound.uninitialised and not model.undefs:
        raise UnsupportedModel("the model has no rule for reads of memory that is not initialised")
    if not (bound.any_tags or bound.tags or bound.synchronize_as):
        return
    known = {tag_text(tag) for tag in (*bound.tags, NONE_TAG, *FENCE_TAGS * bound.synchronize_as)}
    for index in model.reached:
        term = model.terms[index]
        if term.op is Op.TAGGED and term.name not in known and needs(term) not in bound.without:
            raise UnsupportedModel(f'the model asks for the tag "{term.name}", which the space does not have')


@dataclass(frozen=True, slots=True)
class Choices:
    """Reads-from and coherence of an execution."""

    rf: Choose
    co: Choose


class ModelLiterals(OpenLiterals):
    """The literals of one model over one program and one choice of reads-from and coherence."""

    def __init__(self, model: Model, program: SymbolicProgram, choices: Choices) -> None:
        self.program, self.choices = program, choices
        super().__init__(model, _bounds(model, program, choices), program.circuit, program.executed, self._chosen)

    def _chosen(self, name: str, i: int, j: int) -> int:
        return self.choices.rf(i, j) if name == "rf" else self.choices.co(i, j)

    # ------------------------------------------------------------ terms

    @override
    def static_member(self, term: int, i: int) -> int:
        """Return the literal that an event is in a primitive set."""
        return self.program.set_of(self.terms[term])[i]

    @override
    def static_pair(self, term: int, i: int, j: int) -> int:
        """Return the literal that two events are in a primitive relation other than rf and co."""
        return self.program.pairs(self.terms[term].name)[i][j]

    # ------------------------------------------------------------ rules

    def undef(self, r: int) -> int:
        """Return the literal that some undef rule names an event."""
        return self.circuit.disjunction([self.member(rule.term, r) for rule in self.model.undefs])

    def assert_axioms(self) -> None:
        """Assert every axiom of the model that is no flag."""
        for axiom in self.model.axioms:
            if not axiom.flag:
                assert_axiom(self, axiom)


def _bounds(model: Model, program: SymbolicProgram, choices: Choices) -> Bounds:
    """Return the bounds of every term whatever the program; of final reads only a model that names them speaks."""
    size = program.skeleton.size
    finals = sum(1 << e.index for e in program.skeleton.events if e.role is EventRole.FINAL)
    present = ((1 << size) - 1) & ~(0 if "Fin" in model.base_names else finals)

    def base(term: Term) -> tuple[Value, Value]:
        if term.is_set:
            members = program.set_of(term)
            return mask(members, lambda x: x != FALSE) & present, mask(members, lambda x: x == TRUE) & present
        if term.name in CHOSEN:
            choose = choices.rf if term.name == "rf" else choices.co
            rows = [[choose(i, j) for j in range(size)] for i in range(size)]
        else:
            rows = program.pairs(term.name)
        bounds = masks(rows, lambda x: x != FALSE), masks(rows, lambda x: x == TRUE)
        return rel.restrict(present, bounds[0], present), rel.restrict(present, bounds[1], present)

    terms = TermBounds(model, size)
    terms.evaluate(model.analyses.order, base)
    return Bounds(terms.may, terms.must, rel.EMPTY, rel.EMPTY, always=0, present=present)
