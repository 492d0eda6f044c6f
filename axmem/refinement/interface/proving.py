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
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import AMDGPU
from axmem.refinement.interface.models import unargued
from axmem.refinement.interface.operations import Refused, Row, Values, row_of
from axmem.refinement.interface.rows import Proof, proved

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
    first = 0
    rows: list[tuple[Row, Row]] = []
    for old, new in zip(before.threads, after.threads, strict=True):
        try:
            mine = row_of(old, values, first)
            theirs = row_of(new, values, first + len(mine.operations))
        except Refused as why:
            return f"{old.name}: {why}"
        first += len(mine.operations) + len(theirs.operations)
        rows.append((mine, theirs))
    if reason := next(_beyond(rows, values), ""):
        return reason
    for (old, new), pair in zip(zip(before.threads, after.threads, strict=True), rows, strict=True):
        if old.body == new.body:
            continue
        answer = proved(*pair, values)
        if isinstance(answer, str):
            return f"{old.name}: {answer}"
        found.append((old.name, answer))
    merges = any(proof.merges for _, proof in found)
    return Proved(tuple(found), (*WITHOUT, *[MERGED] * merges))


def _unlike(before: ast.LitmusTest, after: ast.LitmusTest) -> Iterator[str]:
    """Yield what two tests have that is not argued, or in what they differ besides the bodies of threads."""
    for test in (before, after):
        if test.kernels:
            yield "functions with branches"
        if test.barriers:
            yield "barriers"
        if test.levels != AMDGPU:
            yield "another hierarchy than AMDGPU's"
    if [(t.name, t.placement) for t in before.threads] != [(t.name, t.placement) for t in after.threads]:
        yield "threads that stand elsewhere"
    if before.locations != after.locations:
        yield "other memory"


def _beyond(rows: Sequence[tuple[Row, Row]], values: Values) -> Iterator[str]:
    """Yield what the rows together have that is not argued: cells that overlap, dependencies beside other threads."""
    operations = [o for pair in rows for row in pair for o in row.operations]
    cells = list(dict.fromkeys(o.cell for o in operations if o.cell is not None))
    if any(one.overlaps(other) for one, other in combinations(cells, 2)):
        yield "accesses that overlap in part"
    if len(rows) > 1 and any(o.writes and values.within(iter([o.value])) for o in operations):
        yield "values that depend on what is read, beside other threads"
