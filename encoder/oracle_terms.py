"""The values of a model's terms for the oracle: in which steps they are computed, and from scratch each time.

What goes in: a model. What comes out: which terms follow from what is executed, from reads-from, and from coherence
(`plan_of`), and their values on one execution (`Terms`), by relation algebra on bit rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from operator import or_

from axmem.front.records import dataclass
from axmem.model.evaluation import Values, applications, run_fixpoint
from axmem.model.model import Model
from axmem.model.relation import Relation, bits
from axmem.model.terms import Axiom, Op, Term


@dataclass(frozen=True, slots=True)
class EvaluationStep:
    """Terms to evaluate, as bits, and what is to be met then: an axiom, or that reads are undef where rules say so."""

    terms: int
    axiom: Axiom | None = None
    undefs: bool = False


def _joined(sets: Iterable[int]) -> int:
    """Return the union of sets of terms, each as bits."""
    return reduce(or_, sets, 0)


@lru_cache(maxsize=256)
def plan_of(model: Model) -> tuple[tuple[EvaluationStep, ...], ...]:
    """Return the steps by what they depend on (nothing; `rf`; `co`), the cheapest first, at last what is left over."""
    stage, order, inputs = model.analyses.stages, model.analyses.order, _inputs(model)
    needed: dict[int, int] = {}
    for index in order:
        needed[index] = 1 << index
        for argument in inputs[index]:
            needed[index] |= needed[argument]
    undefs = _joined(needed[u.term] for u in model.undefs)
    last = max([1, *(stage[u.term] for u in model.undefs)])
    due: list[tuple[int, Axiom | None, int]] = [
        *((max(1, stage[a.term]), a, needed[a.term]) for a in model.axioms if not a.flag), (last, None, undefs),
    ]  # fmt: skip
    known = _joined(1 << index for index in order if stage[index] == 0)
    plan: list[list[EvaluationStep]] = [[], [], []]
    for now in (1, 2):
        while some := [check for check in due if check[0] == now]:
            chosen = min(some, key=lambda check: (check[2] & ~known).bit_count())
            due.remove(chosen)
            _, axiom, asked = chosen
            plan[now].append(EvaluationStep(asked & ~known, axiom, axiom is None))
            known |= asked
        left = _joined(1 << index for index in order if stage[index] == now) & ~known
        plan[now].append(EvaluationStep(left))
        known |= left
    return tuple(map(tuple, plan))


@lru_cache(maxsize=256)
def _inputs(model: Model) -> tuple[tuple[int, ...], ...]:
    """Return for every term those of which its value is made; of a fixpoint those outside that its rounds ask for."""
    found = [arguments for _, arguments in model.analyses.operations]
    for index, term in enumerate(model.terms):
        if term.op is Op.ORDER:
            # What it orders is known, and the same whatever order is chosen.
            found[index] = ()
        if term.op is Op.FIX:
            fixpoint = model.fixpoints[term.fixpoint]
            inside = {*fixpoint.members, *fixpoint.variables}
            asked = {a for m in fixpoint.members for a in found[m]} | set(fixpoint.bodies)
            found[index] = tuple(sorted(asked - inside))
    return tuple(found)


def known_from_the_start(model: Model) -> int:
    """Return the terms, as bits, that what is executed alone decides."""
    stage = model.analyses.stages
    return _joined(1 << index for index in model.analyses.order if stage[index] == 0)


@lru_cache(maxsize=256)
def asked_of_co(model: Model) -> tuple[tuple[int, ...], ...] | None:
    """Return the relations, known from the start, with which a model intersects `co`; None if it asks for all of it."""
    stage, terms = model.analyses.stages, model.terms
    roots = {a.term for a in model.axioms} | {b for f in model.fixpoints for b in f.bodies}

    def is_co(index: int) -> bool:
        return terms[index].op is Op.BASE and terms[index].name == "co"

    users = [terms[index] for index in model.reached if any(map(is_co, terms[index].arguments))]
    if any(map(is_co, roots)) or any(user.op is not Op.INTERSECTION for user in users):
        return None
    return tuple(tuple(a for a in user.arguments if stage[a] == 0) for user in users)


_CHOSEN = (Op.BASE, Op.TAGGED, Op.ORDER)
"""Terms that are given for each execution."""


class Terms:
    """The values of a model's terms on one execution after another: what is asked for is computed anew each time."""

    def __init__(self, model: Model, size: int) -> None:
        self.model = model
        self.size = size
        self.values: Values = [0] * len(model.terms)
        self.how = applications(model, size)

    def update(self, order: int, base: Callable[[Term], int | Relation]) -> None:
        """Set the values of terms, given as bits, whose arguments are known or among them, with lower numbers."""
        values, how, terms = self.values, self.how, self.model.terms
        done: set[int] = set()
        for index in bits(order):
            term = terms[index]
            if term.op in _CHOSEN:
                values[index] = base(term)
            elif term.op is Op.FIX:
                fixpoint = self.model.fixpoints[term.fixpoint]
                if term.fixpoint not in done:
                    # All that are defined together are computed with the first.
                    done.add(term.fixpoint)
                    run_fixpoint(self.model, term.fixpoint, values, self.size)
                values[index] = values[fixpoint.bodies[term.position]]
            else:
                function, arguments = how[index]
                values[index] = function(*[values[a] for a in arguments])
