"""Which rules of a model exclude an outcome.

What goes in: a test's events, a model and an outcome that the model does not permit. What comes out: a minimal set of
named axioms and undef rules that together exclude it: without any one of them some execution would have the outcome.
An execution is one in which reads take the values of writes: that a read is undef without a reason is considered of
outcomes with undef alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from axmem.encoder.circuit import TRUE
from axmem.encoder.constraints import DEFINED, ModelRule, encode
from axmem.encoder.limits import UNSAT
from axmem.encoder.solve import Row
from axmem.encoder.solver import Query, Session
from axmem.events.graph import EventGraph
from axmem.model.model import Model
from axmem.model.terms import Doc

NO_SUCH_VALUE = ModelRule("values", Doc(text="no write of the test can give a read this value"))


def excluding_rules(graph: EventGraph, model: Model, row: Row, session: Session | None = None) -> tuple[ModelRule, ...]:
    """Return a minimal set of rules that excludes an outcome; empty if the model permits it.

    Minimal: removing any one rule from the set permits the outcome. Where the outcome is not among the values that the
    program can compute, the answer is the pseudo-rule `values`.
    """
    encoding = encode(graph, model, selectable=True)
    assert encoding is not None
    wanted: list[int] = [-encoding.beyond]
    for lanes, values in zip(encoding.lanes, row, strict=True):
        for lane, value in zip(lanes, values, strict=True):
            if value not in lane:
                return (NO_SUCH_VALUE,)
            wanted.append(lane[value])
    wanted = [x for x in wanted if x != TRUE]
    selectors = list(encoding.rules.values())
    clauses = encoding.circuit.all_clauses([*wanted, *selectors])
    query = Query(session or Session(), encoding.circuit.variables, clauses)
    if query.check(wanted) == UNSAT:
        return (NO_SUCH_VALUE,)
    if query.check([*wanted, *selectors]) != UNSAT:
        return ()
    given = taken_as_given(encoding.rules, undef=any(not isinstance(value, int) for lanes in row for value in lanes))

    def excludes(rules: Sequence[ModelRule]) -> bool:
        return query.check([*wanted, *(encoding.rules[rule] for rule in rules)]) == UNSAT

    return (NO_SUCH_VALUE,) if excludes(given) else minimal(list(encoding.rules), given, excludes)


def taken_as_given(rules: Iterable[ModelRule], *, undef: bool) -> tuple[ModelRule, ...]:
    """Return which rules hold of all executions in question: where nobody asks about `undef`, that reads take the
    values of writes unless a rule says otherwise."""
    return tuple(rule for rule in rules if rule == DEFINED and not undef)


def minimal(
    rules: Sequence[ModelRule], given: Sequence[ModelRule], excludes: Callable[[Sequence[ModelRule]], bool]
) -> tuple[ModelRule, ...]:
    """Return a minimal set of rules that excludes something together with what is given.

    What stands last is given up first: undef rules before axioms, and the axioms that say what a read may see before
    those that say which executions there are.
    """
    core = [rule for rule in rules if rule not in given]
    for rule in reversed(core):
        rest = [r for r in core if r != rule]
        if excludes([*given, *rest]):
            core = rest
    return tuple(core)
