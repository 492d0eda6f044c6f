"""Copies of a loop that follow one another.

What goes in: a graph with a loop in the simple form, and of each copy whether it keeps its test. What comes out: the
graph in which the latch of each copy goes to the next, that of the last to the first. Invariant: with all tests kept
every lane does the same as before; each copy is an iteration.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, ConvergenceToken, Incoming
from axmem.litmus.loops import LoopID
from axmem.transform.loops import Loop, around_again, loops
from axmem.transform.rewrite import BlockCopy, RegisterNames, copied, redirected, with_blocks, with_edges, without_edge
from axmem.transform.transformation import MadeLoop


def heart_of(flow: ControlFlow, loop: Loop) -> ConvergenceToken | None:
    """Return the heart of a loop: the definition of a token by `loop` in its header."""
    found = (s for s in flow.block[loop.header].statements if isinstance(s, ConvergenceToken) and s.kind == "loop")
    return next(found, None)


Decision = Callable[[int], bool | None]
"""Of a copy: whether its test stays (None), is left out, going on (True), or is left out, leaving (False)."""


def chained(
    flow: ControlFlow, loop: Loop, number: int, names: RegisterNames, decision: Decision
) -> tuple[ControlFlow, tuple[BlockCopy, ...]]:
    """Return a graph in which so many copies of a loop follow one another, the loop itself the first of them.

    The loop has the simple form; a decision needs one exit. Where the last copy goes on, it goes to the first.
    """
    heart = heart_of(flow, loop)
    kept = [heart.register] if heart is not None else []
    header, latch = flow.block[loop.header], loop.latch
    copies = [BlockCopy({name: flow.block[name] for name in _in_order(flow, loop)}, {})]
    while len(copies) < number:
        values = {phi.register: copies[-1].value(around_again(loop, phi)) for phi in header.phis}
        copies.append(copied(flow, loop.blocks, names, values, kept))
    changed: dict[str, KernelBlock | None] = {}
    blocks: list[dict[str, KernelBlock]] = []
    left: dict[str, list[tuple[str, str, BlockCopy | None]]] = {}
    for index, copy in enumerate(copies):
        mine = dict(copy.blocks)
        following = copies[(index + 1) % number].label(loop.header)
        mine[latch] = redirected(mine[latch], copy.label(loop.header), following)
        if index < number - 1:
            mine[latch] = with_identity(mine[latch], None)
        decided = decision(index)
        for source, target in loop.exits:
            if decided is not None:
                mine[source] = _decided(flow.block[source], mine[source], loop, going_on=decided)
            if not decided:
                left.setdefault(target, []).append((copy.label(source), source, copy))
        blocks.append(mine)
    blocks[0][loop.header] = _from_last(blocks[0][loop.header], loop, copies)
    changed |= blocks[0]
    for target in dict.fromkeys(target for _, target in loop.exits):
        changed[target] = with_only_edges(flow.block[target], left.get(target, []), loop)
    more = [block for mine in blocks[1:] for block in mine.values()]
    new = with_blocks(flow, changed, {_in_order(flow, loop)[-1]: more})
    return new, tuple(copies)


def _in_order(flow: ControlFlow, loop: Loop) -> list[str]:
    return [block.name for block in flow.blocks if block.name in loop.blocks]


def with_only_edges(block: KernelBlock, edges: list[tuple[str, str, BlockCopy | None]], loop: Loop) -> KernelBlock:
    """Return a block after a loop whose phis take along these edges what they took along the edges from the loop."""
    before = [name for name in loop.blocks if any(each.block == name for phi in block.phis for each in phi.incoming)]
    more = with_edges(block, [edge for edge in edges if edge[0] != edge[1]])
    for name in before:
        if not any(new == name for new, _, _ in edges):
            more = without_edge(more, name)
    return more


def with_identity(block: KernelBlock, identity: LoopID | None) -> KernelBlock:
    """Return a block whose branch says so of the loop that it ends an iteration of."""
    branch = block.terminator
    return replace(block, terminator=replace(branch, loop=identity)) if isinstance(branch, Branch) else block


def _decided(old: KernelBlock, block: KernelBlock, loop: Loop, *, going_on: bool) -> KernelBlock:
    """Return a copy of a block with an exit in which it is decided where it goes."""
    branch, before = block.terminator, old.terminator
    assert isinstance(branch, Branch) and isinstance(before, Branch)
    pairs = zip(branch.targets, before.targets, strict=True)
    target = next(new for new, original in pairs if (original in loop.blocks) == going_on)
    return replace(block, terminator=replace(branch, targets=(target,), condition=None, loop=None))


def _from_last(header: KernelBlock, loop: Loop, copies: list[BlockCopy]) -> KernelBlock:
    """Return the header, whose phis take from the last latch what that copy has."""
    last = copies[-1]

    def taken(each: Incoming) -> Incoming:
        return each if each.block != loop.latch else Incoming(last.value(each.value), last.label(loop.latch), each.span)

    phis = (replace(phi, incoming=tuple(map(taken, phi.incoming))) for phi in header.phis)
    return replace(header, phis=tuple(phis))


def inner_copies(flow: ControlFlow, loop: Loop, copies: tuple[BlockCopy, ...]) -> dict[str, MadeLoop]:
    """Return the loops inside a loop that was copied, as copies of what they were."""
    inside = [each.header for each in loops(flow) if each.blocks < loop.blocks]
    return {copy.label(header): MadeLoop(header, "copy") for copy in copies[1:] for header in inside}
