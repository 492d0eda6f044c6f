"""Is a change of a test sound in contexts of any size, thread by thread?

What goes in: the tests before and after, in which what is compared has one name, and a model. What comes out: a
`Proved`, or why nothing is proved. Invariant: what the tests have that is not argued is refused by name; nothing is
proved of what was not compared; of a model whose rules do not all follow from what rows carry (`CARRIED`) nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from axmem.check.selection import loaded
from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import AMDGPU, Scope
from axmem.model.model import Model
from axmem.refinement.bounded.lemmas import AROUND, WITHIN, directions
from axmem.refinement.interface.operations import MOST, Cell, Operation, Refused, read_by
from axmem.refinement.interface.paths import Path, paths_of
from axmem.refinement.interface.rows import Proof, proved

WITHOUT = ("dependencies", "accesses of other sizes", "barriers", "DMA operations", "tags")
"""What contexts have not of which the argument does not speak.

Tags: an access without one that stands between operations of its thread with incompatible tags orders them. Without
the access, or behind one of them, nothing does (`NoGo+idle-load`).
"""
PARTS = "pointers to a part of what is accessed"
"""What they have not either, where a thread accesses memory by addresses that it computes."""
MERGED = "scopes and tags of seq_cst operations"
"""What they have not either, where steps of the order of seq_cst are joined."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A change that is sound in every context that has none of `without`; the proof for each thread that changed."""

    threads: tuple[tuple[str, Proof], ...]
    without: tuple[str, ...]


def proved_change(
    before: ast.LitmusTest, after: ast.LitmusTest, model: ModelChoice, own: frozenset[str] = frozenset()
) -> Proved | str:
    """Return a proof, or why there is none.

    Each thread that changed is a context of the others: if each change is sound in every context, so are all together.
    Nobody but the one thread accesses the locations that are its `own`.
    """
    if reasons := unargued(model):
        return reasons[0]
    if reason := next(_unlike(before, after), ""):
        return reason
    found: list[tuple[str, Proof]] = []
    units = list(zip(walk.units(before), walk.units(after), strict=True))
    paths: list[tuple[list[Path], list[Path]]] = []
    for number, (old, new) in enumerate(units):
        try:
            first = 2 * MOST * number
            paths.append((paths_of(old, before, own, first), paths_of(new, after, own, first + MOST)))
        except Refused as why:
            return f"{old.name}: {why}"
    if reason := next(_beyond(paths), ""):
        return reason
    for (old, new), (olds, news) in zip(units, paths, strict=True):
        for path in news if old.body != new.body else ():
            answer = proved(olds, path)
            if isinstance(answer, str):
                return f"{old.name}: {answer}"
            found += [(old.name, proof) for proof in answer]
    merges = any(proof.merges for _, proof in found)
    if merges and any(o.in_order and o.level is not Scope.SYSTEM for o in _operations(paths)):
        return "steps of the order of seq_cst are joined, in which an operation has a narrower scope"
    cells = _cells(paths)
    computed = any(cell.base is not None for cell in cells)
    if not all(proof.alike for _, proof in found):
        if any(one.overlaps(other) for one, other in combinations(cells, 2)):
            return "accesses that overlap in part"
    else:  # Where both do the same, nothing of it rests on who accesses what.
        computed = False
    return Proved(tuple(found), (*WITHOUT, *[PARTS] * computed, *[MERGED] * merges))


def _cells(units: Sequence[tuple[list[Path], list[Path]]]) -> list[Cell]:
    """Return what the paths access."""
    return list(dict.fromkeys(o.cell for o in _operations(units) if o.cell is not None))


def _operations(units: Sequence[tuple[list[Path], list[Path]]]) -> list[Operation]:
    """Return the operations of the paths."""
    return [o for pair in units for side in pair for path in side for o in path.row.operations]


def _unlike(before: ast.LitmusTest, after: ast.LitmusTest) -> Iterator[str]:
    """Yield what two tests have that is not argued, or in what they differ besides the bodies of threads."""
    for test in (before, after):
        if test.barriers:
            yield "barriers"
        if test.levels != AMDGPU:
            yield "another hierarchy than AMDGPU's"
    names = [[(u.name, u.placement) for u in walk.units(test)] for test in (before, after)]
    if names[0] != names[1]:
        yield "threads that stand elsewhere"
    if before.locations != after.locations:
        yield "other memory"


def _beyond(units: Sequence[tuple[list[Path], list[Path]]]) -> Iterator[str]:
    """Yield what the paths together have that is not argued: dependencies beside other threads."""
    paths = [path for pair in units for side in pair for path in side]
    operations = _operations(units)
    if len(units) > 1 and any(cell.base is not None for cell in _cells(units)):
        yield "computed addresses, beside other threads"
    depends = any(path.conditions for path in paths) or any(o.writes and read_by([o.value]) for o in operations)
    if len(units) > 1 and depends:
        yield "values that depend on what is read, beside other threads"


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
