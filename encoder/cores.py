"""Which rules of a model exclude an outcome.

What goes in: a test's events, a model and an outcome that the model does not permit. What comes out: a minimal set of
named axioms and undef rules that together exclude it: without any one of them some execution would have the outcome.
"""

from __future__ import annotations

from axmem.encoder.circuit import TRUE
from axmem.encoder.constraints import ModelRule, encode
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
    core = dict(encoding.rules)
    for rule in list(core):
        selector = core.pop(rule)
        if query.check([*wanted, *core.values()]) != UNSAT:
            core[rule] = selector
    return tuple(rule for rule in encoding.rules if rule in core)
