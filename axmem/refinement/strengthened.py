"""Changes that only strengthen annotations: sound in contexts of any size, by what is proved without a bound.

What goes in: a test before and after a change, and a model. What comes out: the rules of which the change is made, each
of which is proved for the model (`axmem.refinement.proofs`), or None. A rule changes one operation; a change is a row
of them, and each program of the row refines the one before. Invariant: the programs meet every premise of the proofs,
and what contexts must not have, for the premises to hold of them too, is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import chain

from axmem.check.run.fingerprint import model_digest
from axmem.check.selection import loaded
from axmem.events.unroll import event_graph
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import NONE_TAG, VULKAN_PREFIX, Ordering
from axmem.refinement import proofs

TABLE = "proved.json"
"""What is proved of which model, beside the proofs; a test makes it again."""
WIDEN, ORDER, DROP, NONE = "widen-scope", "strengthen-atomic", "drop-prefix", "drop-av-none"
RULES = {
    WIDEN: "wider scopes",
    ORDER: "stronger orderings of atomics",
    DROP: "fewer tags",
    NONE: "no amdgcn-av:none",
}
"""The rules that only strengthen, and what they do, in words."""
WITHOUT = ("dependencies", "accesses of other sizes", "DMA operations", "tags of Vulkan")
"""What contexts have not of which the proofs speak."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A rule that is proved for a model, by the digest of the model; `premises` say of which programs."""

    rule: str
    model: str
    digest: str
    premises: tuple[str, ...]


@cache
def table() -> tuple[Proved, ...]:
    """Return what is proved."""
    text = resources.files(proofs).joinpath(TABLE).read_text(encoding="utf-8")
    return tuple(Proved(**{**each, "premises": tuple(each["premises"])}) for each in json.loads(text))


def strengthened(before: ast.LitmusTest, after: ast.LitmusTest, model: ModelChoice) -> tuple[str, ...] | None:
    """Return the rules of which a change consists, if it only strengthens and all are proved for the model."""
    if not _alike(before, after):
        return None
    bodies = ((b.body, a.body) for b, a in zip(before.threads, after.threads, strict=True))
    pairs = list(chain.from_iterable(zip(*both, strict=True) for both in bodies))
    steps = [_steps(b, a) for b, a in pairs]
    found = tuple(dict.fromkeys(rule for some in steps for rule in some or ()))
    if None in steps or not found:
        return None
    digest = model_digest(loaded(model))
    known = {each.rule for each in table() if each.digest == digest}
    if not known.issuperset(found) or not _meets_premises(before):
        return None
    return found


def in_words(found: tuple[str, ...]) -> str:
    """Return how a change is found to be sound that consists of some rules."""
    return f"proved for executions of any size: {', '.join(RULES[rule] for rule in found)} ({', '.join(found)})"


def _alike(before: ast.LitmusTest, after: ast.LitmusTest) -> bool:
    """Whether two tests have the same memory, and threads of as many statements, without kernels."""
    if before.kernels or after.kernels or before.barriers != after.barriers or before.levels != after.levels:
        return False
    threads = [[(t.name, t.placement, len(t.body)) for t in test.threads] for test in (before, after)]
    return before.locations == after.locations and threads[0] == threads[1]


def _steps(before: ast.Statement, after: ast.Statement) -> tuple[str, ...] | None:
    """Return the rules by which one statement becomes another; None if there are none."""
    if before == after:
        return () if _is_plain(before) else None
    kinds = ast.Load | ast.Store | ast.AtomicRmw | ast.Fence
    if not isinstance(before, kinds) or not isinstance(after, kinds) or not _is_plain(before):
        return None
    old, new = before.mode, after.mode
    if replace(before, mode=new) != after:
        return None
    same = replace(old, ordering=new.ordering, scope=new.scope, tags=new.tags)
    if same != new or old.scope.one_as != new.scope.one_as:
        return None
    found = (*_by_ordering(old, new), *_by_tags(old, new))
    if old.scope != new.scope:
        found = (*found, WIDEN if old.scope.level <= new.scope.level else "")
    return None if "" in found else found


def _by_ordering(old: ast.AccessMode, new: ast.AccessMode) -> Iterator[str]:
    """Yield the rule by which an ordering becomes another, or an empty name; nothing is said of what is not atomic."""
    if old.ordering is not new.ordering:
        stronger = new.ordering.at_least(old.ordering) and old.ordering is not Ordering.NOT_ATOMIC
        yield ORDER if stronger else ""


def _by_tags(old: ast.AccessMode, new: ast.AccessMode) -> Iterator[str]:
    """Yield the rules by which tags become others: those of a whole prefix go; an empty name if there are none."""
    gone = old.tags - new.tags
    if new.tags - old.tags or any(prefix == VULKAN_PREFIX for prefix, _ in old.tags):
        yield ""
    if NONE_TAG in gone:
        yield NONE
    left = {prefix for prefix, _ in new.tags}
    for prefix in sorted({prefix for prefix, _ in gone - {NONE_TAG}}):
        yield DROP if prefix not in left else ""


def _is_plain(statement: ast.Statement) -> bool:
    """Whether an operation of a thread depends on none before it: what a proof without dependencies speaks of."""
    match statement:
        case ast.Fence() | ast.Barrier():
            return True
        case ast.Load(address=address, mode=mode):
            return _is_fixed(address) and not mode.elementwise
        case ast.Store(address=address, value=value, mode=mode):
            return _is_fixed(address) and isinstance(value, ast.Number) and not mode.elementwise
        case ast.AtomicRmw(address=address, value=value, operation="xchg", mode=mode):
            return _is_fixed(address) and isinstance(value, ast.Number) and not mode.elementwise
        case ast.Assign():  # What is stored, or where, comes from no register.
            return True
    return False


def _is_fixed(address: ast.Address) -> bool:
    return isinstance(address.base, ast.AddressOf) and (address.index is None or isinstance(address.index, ast.Number))


def _meets_premises(test: ast.LitmusTest) -> bool:
    """Whether each location is one cell, which every access accesses as a whole, and nothing has tags of Vulkan."""
    graph = event_graph(test)
    cells = [cell.location for cell in graph.cells]
    tagged = any(prefix == VULKAN_PREFIX for e in graph.events for prefix, _ in e.tags)
    return len(cells) == len(set(cells)) and all(len(e.footprint) <= 1 for e in graph.events) and not tagged
