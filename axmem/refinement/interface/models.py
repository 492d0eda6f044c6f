"""Of which models the argument about rows holds: whether each rule of a text follows from what a row carries.

What goes in: a model. What comes out: why the argument does not hold of it, or nothing. Invariant: nothing is assumed
of a rule of the text but what is read off its terms; what is carried (`CARRIED`) is argued in the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from axmem.check.selection import loaded
from axmem.litmus.syntax import ModelChoice
from axmem.model.model import Model
from axmem.refinement.bounded.lemmas import AROUND, WITHIN, directions

MODELS = frozenset({"llvm"})
"""Models of whose happens-before and order of seq_cst it is argued what a row carries."""
CARRIED = ("hb-threads", "hb", "hbv", "strongly-hb", "sc-order")
"""Definitions that have no more facts before a change than after it, on what axioms see, if a row carries no more."""
EMPTY = ("groundless", "left-over")
"""Definitions that are empty: without dependencies of contexts; without accesses that overlap in part."""


@lru_cache(maxsize=64)
def unargued(choice: ModelChoice) -> tuple[str, ...]:
    """Return why rows are not argued about under a model."""
    if choice.model not in MODELS or choice.variants:
        return (f"nothing is argued of the model {choice.label}",)
    return tuple(_changing(loaded(choice)))


def _changing(model: Model) -> Iterator[str]:
    """Yield which rules may forbid more, or make fewer reads undef, as what is carried loses facts.

    An axiom must follow from less, and the reads that are undef must grow. A read that one undef rule leaves to another
    is undef by that.
    """
    terms = {d.name: d.term for d in model.definitions}
    missing = [name for name in (*CARRIED, *EMPTY) if name not in terms]
    if missing or not model.undefs:
        yield f"{model.name} does not define {', '.join(missing) or 'undef'}"
        return
    less = {terms[name] for name in CARRIED}
    gone = {terms[name] for name in EMPTY}
    grows = directions(model, frozenset(), gone, less)
    for axiom in model.axioms:
        if not axiom.flag and (axiom.negated or not grows[axiom.term] & WITHIN):
            yield f"{axiom.name} of {model.name} may forbid more where less happens before"
    for rule in model.undefs:
        others = {other.term for other in model.undefs if other is not rule}
        if not directions(model, frozenset(), gone | others, less)[rule.term] & AROUND:
            yield f"{rule.name} of {model.name} may make fewer reads undef where less happens before"
