"""Every context of a test, one after the other.

What goes in: the scalars of memory that a test accesses, where its threads stand, a number of operations, a space. What
comes out: the threads of each context of so many operations, at each place in the hierarchy, none twice up to the order
of threads: a thread that accesses nothing is left out, since it synchronizes with nobody. Each is judged as the tests
that it makes, to check what is said of all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, product

from axmem.check.selection import loaded
from axmem.events.unroll import event_graph
from axmem.events.values import Constant
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.words import PLACED, OperationKind, Ordering, Scope
from axmem.refinement.bounded.bound import Bound, operations
from axmem.refinement.bounded.operations import BoundedOperation
from axmem.refinement.bounded.placements import placements
from axmem.refinement.bounded.programs import statement
from axmem.refinement.bounded.skeleton import shapes
from axmem.refinement.changed import Change, within
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.placeholders import APART
from axmem.refinement.contexts.places import Place, pieces, wholes
from axmem.refinement.inclusion import SOUND, UNSOUND

Word = tuple[BoundedOperation, ...]
SMALL = Bound(
    kinds=(OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE),
    orderings=(Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE),
    apart=True,
    finals=False,
)
"""Few operations, and every thread in an agent of its own."""


def refuting(change: Change, model: ast.ModelChoice, events: int, space: Bound) -> int | None:
    """Return the least number of operations, up to some, of a context that refutes a change; None if none does."""
    graphs = [event_graph(test) for test in (change.before, change.after)]
    memory, larger = pieces(*graphs), wholes(*graphs)
    written = {e.value.value for g in graphs for e in g.events if isinstance(e.value, Constant)}
    fresh = max((v for v in written if isinstance(v, int)), default=0) + 1
    change = replace(change, memory=memory)
    for size in range(events + 1):
        for threads in contexts(space, size, (*memory, *larger), graphs[0].placements, fresh):
            found, _, _ = within(change, Context(threads), loaded(model))
            assert found.verdict in (SOUND, UNSOUND)
            if found.verdict == UNSOUND:
                return size
    return None


def contexts(
    space: Bound, size: int, memory: Sequence[Place], fixed: Sequence[ast.Placement], fresh: int
) -> Iterator[tuple[ast.Thread, ...]]:
    """Yield the threads of every context of so many operations beside threads at fixed places.

    Each write writes a number of its own, from `fresh` on.
    """
    alphabet = [op for x in range(-1, len(memory)) for op in operations(space, x)]
    for shape in shapes(size) if size else iter(((),)):
        places = list(_placed(space, fixed, len(shape)))
        for words in _words(alphabet, shape):
            for here in places:
                yield tuple(_threads(words, here, memory, fresh))


def _words(alphabet: Sequence[BoundedOperation], shape: Sequence[int]) -> Iterator[tuple[Word, ...]]:
    """Yield the words of threads of these lengths, those of one length in one order."""
    groups = []
    for length in sorted(set(shape), reverse=True):
        words = [w for w in product(alphabet, repeat=length) if any(op.location >= 0 for op in w)]
        groups.append(list(combinations_with_replacement(words, shape.count(length))))
    for chosen in product(*groups):
        yield tuple(word for group in chosen for word in group)


def _placed(space: Bound, fixed: Sequence[ast.Placement], more: int) -> Iterator[tuple[ast.Placement, ...]]:
    """Yield places of further threads beside those that are fixed.

    Where the space does not vary a level, a further thread is with another there if it is so at the level inside it.
    """
    count = len(fixed)
    # Who is together at a level is so at every level around it.
    least = min((*space.levels, *(a.meeting(b) for a, b in combinations(fixed, 2))), default=Scope.SYSTEM)
    varied = {level for level in PLACED if level >= least}
    for places in placements(count + more, replace(space, levels=varied, apart=True)):
        near = {
            (a, b): [places[a][:depth] == places[b][:depth] for depth in range(1, len(PLACED) + 1)]
            for a, b in combinations(range(count + more), 2)
        }
        if all(_allowed(space, fixed, pair, together) for pair, together in near.items()):
            yield tuple(_beside(places, fixed, k) for k in range(count, count + more))


def _allowed(space: Bound, fixed: Sequence[ast.Placement], pair: tuple[int, int], together: Sequence[bool]) -> bool:
    """Whether two threads may be together at these levels: as they are if both are fixed, else as the space has it."""
    a, b = pair
    if b < len(fixed):
        return all(
            here == (fixed[a].numbers[: depth + 1] == fixed[b].numbers[: depth + 1])
            for depth, here in enumerate(together)
        )
    inside = [*together[1:], False]
    return all(
        level in space.levels or here == inner for level, here, inner in zip(PLACED, together, inside, strict=True)
    )


def _beside(places: Sequence[tuple[int, ...]], fixed: Sequence[ast.Placement], k: int) -> ast.Placement:
    """Return the place of a further thread: with a fixed one as far as both are together, apart from there on."""
    mine = places[k]
    numbers: list[int | None] = []
    for depth in range(len(PLACED)):
        near = [f for f, place in zip(fixed, places, strict=False) if place[: depth + 1] == mine[: depth + 1]]
        numbers.append(near[0].numbers[depth] if near else APART + mine[depth])
    return ast.Placement((*numbers, APART + k))


def _threads(
    words: Sequence[Word], places: Sequence[ast.Placement], memory: Sequence[Place], fresh: int
) -> Iterator[ast.Thread]:
    number = fresh
    for k, (word, place) in enumerate(zip(words, places, strict=True)):
        body = []
        for i, op in enumerate(word):
            at = memory[op.location]
            body.append(statement(op, f"r{i}", ast.Number(number, at.type), at.address, at.type))
            number += op.writes
        yield ast.Thread(f"C{k}", place, tuple(body))
