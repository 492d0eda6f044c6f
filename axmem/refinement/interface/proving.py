"""Is a change of a test sound in contexts of any size, thread by thread?

What goes in: the tests before and after, in which what is compared has one name, and a model. What comes out: a
`Proved`, or why nothing is proved. Invariant: what the tests have that is not argued is refused by name; nothing is
proved of what was not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import AMDGPU
from axmem.refinement.interface.models import unargued
from axmem.refinement.interface.operations import MOST, Refused, Values
from axmem.refinement.interface.paths import Path, paths_of
from axmem.refinement.interface.rows import OTHER, Proof, proved

WITHOUT = ("dependencies", "accesses of other sizes", "barriers", "DMA operations", "tags of Vulkan")
"""What contexts have not of which the argument speaks."""
MERGED = "scopes and tags of seq_cst operations"
"""What they have not either, where steps of the order of seq_cst are joined."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A change that is sound in every context that has none of `without`; the proof for each thread that changed."""

    threads: tuple[tuple[str, Proof], ...]
    without: tuple[str, ...]


def proved_change(before: ast.LitmusTest, after: ast.LitmusTest, model: ModelChoice) -> Proved | str:
    """Return a proof, or why there is none.

    Each thread that changed is a context of the others: if each change is sound in every context, so are all together.
    """
    if reasons := unargued(model):
        return reasons[0]
    if reason := next(_unlike(before, after), ""):
        return reason
    values = Values()
    found: list[tuple[str, Proof]] = []
    units = list(zip(walk.units(before), walk.units(after), strict=True))
    paths: list[tuple[list[Path], list[Path]]] = []
    for number, (old, new) in enumerate(units):
        try:
            first = 2 * MOST * number
            paths.append((paths_of(old, values, first), paths_of(new, values, first + MOST)))
        except Refused as why:
            return f"{old.name}: {why}"
    if reason := next(_beyond(paths, values), ""):
        return reason
    for (old, new), (olds, news) in zip(units, paths, strict=True):
        for path in news if old.body != new.body else ():
            answers = [proved(each, path, values) for each in olds]
            proof = next((each for each in answers if isinstance(each, Proof)), None)
            if proof is None:
                return f"{old.name}: {min(map(str, answers), key=lambda each: each == OTHER)}"
            found.append((old.name, proof))
    merges = any(proof.merges for _, proof in found)
    return Proved(tuple(found), (*WITHOUT, *[MERGED] * merges))


def _unlike(before: ast.LitmusTest, after: ast.LitmusTest) -> Iterator[str]:
    """Yield what two tests have that is not argued, or in what they differ besides the bodies of threads."""
    for test in (before, after):
        if test.barriers:
            yield "barriers"
        if test.levels != AMDGPU:
            yield "another hierarchy than AMDGPU's"
    names = [[(type(u), u.name, u.placement) for u in walk.units(test)] for test in (before, after)]
    if names[0] != names[1]:
        yield "threads that stand elsewhere"
    if before.locations != after.locations:
        yield "other memory"


def _beyond(units: Sequence[tuple[list[Path], list[Path]]], values: Values) -> Iterator[str]:
    """Yield what the paths together have that is not argued: cells that overlap, dependencies beside other threads."""
    paths = [path for pair in units for side in pair for path in side]
    operations = [o for path in paths for o in path.row.operations]
    cells = list(dict.fromkeys(o.cell for o in operations if o.cell is not None))
    if any(one.overlaps(other) for one, other in combinations(cells, 2)):
        yield "accesses that overlap in part"
    depends = any(path.conditions for path in paths) or any(
        o.writes and values.within(iter([o.value])) for o in operations
    )
    if len(units) > 1 and depends:
        yield "values that depend on what is read, beside other threads"
