"""Unrolling: several iterations of a loop become one.

What goes in: a graph with a loop, a factor. What comes out: the graph unrolled, in the shapes of LLVM. Fully, where the
trip count is constant and at most the factor. Partly: with one test per round where the factor divides a constant
trip count (A); with a test in every copy where it does not (B), or where there is no formula for the trip count; else,
by a formula, in rounds as long as there are enough iterations left, with another loop for the remainder, after the
rounds (C, epilogue) or before them (prologue). Invariant: every lane that runs alone does the same as before.

Of convergence control the documented rule holds ([ConvergentOperations]): the heart of the loop stays once, other
definitions of tokens are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from axmem.litmus.blocks import Block, ControlFlow
from axmem.litmus.kernels import Branch, Call, ConvergenceToken, Incoming
from axmem.litmus.loops import LoopID
from axmem.litmus.syntax import Expr
from axmem.transform.constants import constant, operation
from axmem.transform.identities import Identities
from axmem.transform.loops import Loop, around_again, loops, trips
from axmem.transform.rewrite import (
    Copy,
    Names,
    copied,
    pruned,
    redirected,
    simplified,
    with_blocks,
    with_edges,
    without_edge,
)
from axmem.transform.transformation import (
    Context,
    Held,
    Made,
    Parameter,
    Refusal,
    Step,
    Transformation,
    held_by,
    iteration,
    iteration_number,
)

MOST = 128
"""The largest number of iterations of which there may be copies."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a loop is unrolled: `full`, `A`, `B`, `epilogue` or `prologue`, and how many copies of the body there are."""

    name: str
    copies: int


def shape(flow: ControlFlow, loop: Loop, factor: int | None, how: str = "") -> Shape | None:
    """Return the shape in which a loop is unrolled; None where a full one needs a trip count that is not constant."""
    found = trips(flow, loop)
    count = None if found is None or found.count is None else found.count + found.rotated
    if factor is None or (count is not None and factor >= count and not how):
        return None if count is None else Shape("full", count)
    if how == "tests":
        return Shape("B", factor)
    if count is not None and not how:
        return Shape("B" if count % factor else "A", factor)
    if found is None or found.taken is None or found.exit not in (loop.latch, loop.header):
        return None if how else Shape("B", factor)
    return Shape(how or "epilogue", factor)


def _shape(context: Context) -> Shape | None:
    factor = context.arguments.get("factor")
    how = str(context.arguments.get("how", ""))
    return shape(context.flow, context.loop, None if factor is None else int(factor), how)


# ---------------------------------------------------------------- when it would be wrong


def heart_of(flow: ControlFlow, loop: Loop) -> ConvergenceToken | None:
    """Return the heart of a loop: the definition of a token by `loop` in its header."""
    found = (s for s in flow.block[loop.header].statements if isinstance(s, ConvergenceToken) and s.kind == "loop")
    return next(found, None)


def from_outside(flow: ControlFlow, loop: Loop) -> list[str]:
    """Return the convergent operations of a loop whose lanes are chosen outside of it, in words.

    They have no token, or one from outside, or that of the loop's heart.
    """
    heart = heart_of(flow, loop)
    statements = [s for block in flow.blocks if block.name in loop.blocks for s in block.statements]
    tokens = {s.register for s in statements if isinstance(s, ConvergenceToken)} - {heart.register if heart else ""}
    found = []
    for statement in statements:
        if isinstance(statement, Call) and statement.convergent and statement.token not in tokens:
            named = f"has the token {statement.token} from outside" if statement.token else "has no token"
            named = "has the token of the loop's heart" if heart and statement.token == heart.register else named
            found.append(f"{statement.operation} {named}")
        inner = isinstance(statement, ConvergenceToken) and statement.kind == "loop" and statement is not heart
        if isinstance(statement, ConvergenceToken) and inner and statement.token not in tokens:
            found.append(f"the heart {statement.register} has the token {statement.token} from outside")
    return found


def _legality(context: Context) -> list[Refusal]:
    loop, found = context.loop, _shape(context)
    how = str(context.arguments.get("how", ""))
    if found is None and how:
        return [Refusal("there is no formula for the trip count by which a remainder could be split off", final=True)]
    if found is None:
        return [Refusal("the trip count is not constant, so the loop cannot be unrolled fully", final=True)]
    if found.copies > MOST:
        return [Refusal(f"there would be {found.copies} copies of the body; {MOST} are the most", final=True)]
    if found.name == "prologue" and found.copies & (found.copies - 1):
        return [Refusal("a prologue needs a factor that is a power of two: kernels have no remainder operation", True)]
    if found.name in ("full", "A") or loop.header not in context.divergent:
        return []
    bare = from_outside(context.flow, loop)
    if found.name == "B":
        bare = [words for words in bare if words.endswith("no token")]
    where = "in a loop whose lanes leave it in different iterations"
    what = "in copies with a test each" if found.name == "B" else "with a remainder"
    return [Refusal(f"{words}, {where}: unrolled {what}, other lanes may take part") for words in bare]


# ---------------------------------------------------------------- the copies


Decision = Callable[[int], bool | None]
"""Of a copy: whether its test stays (None), is left out, going on (True), or is left out, leaving (False)."""


def chained(
    flow: ControlFlow, loop: Loop, number: int, names: Names, decision: Decision
) -> tuple[ControlFlow, tuple[Copy, ...]]:
    """Return a graph in which so many copies of a loop follow one another, the loop itself the first of them.

    The loop has the simple form; a decision needs one exit. Where the last copy goes on, it goes to the first.
    """
    heart = heart_of(flow, loop)
    kept = [heart.register] if heart is not None else []
    header, latch = flow.block[loop.header], loop.latch
    copies = [Copy({name: flow.block[name] for name in _in_order(flow, loop)}, {})]
    while len(copies) < number:
        values = {phi.register: copies[-1].value(around_again(loop, phi)) for phi in header.phis}
        copies.append(copied(flow, loop.blocks, names, values, kept))
    changed: dict[str, Block | None] = {}
    blocks: list[dict[str, Block]] = []
    left: dict[str, list[tuple[str, str, Copy | None]]] = {}
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


def with_only_edges(block: Block, edges: list[tuple[str, str, Copy | None]], loop: Loop) -> Block:
    """Return a block after a loop whose phis take along these edges what they took along the edges from the loop."""
    before = [name for name in loop.blocks if any(each.block == name for phi in block.phis for each in phi.incoming)]
    more = with_edges(block, [edge for edge in edges if edge[0] != edge[1]])
    for name in before:
        if not any(new == name for new, _, _ in edges):
            more = without_edge(more, name)
    return more


def with_identity(block: Block, identity: LoopID | None) -> Block:
    """Return a block whose branch says so of the loop that it ends an iteration of."""
    branch = block.terminator
    return replace(block, terminator=replace(branch, loop=identity)) if isinstance(branch, Branch) else block


def _decided(old: Block, block: Block, loop: Loop, *, going_on: bool) -> Block:
    """Return a copy of a block with an exit in which it is decided where it goes."""
    branch, before = block.terminator, old.terminator
    assert isinstance(branch, Branch) and isinstance(before, Branch)
    pairs = zip(branch.targets, before.targets, strict=True)
    target = next(new for new, original in pairs if (original in loop.blocks) == going_on)
    return replace(block, terminator=replace(branch, targets=(target,), condition=None))


def _from_last(header: Block, loop: Loop, copies: list[Copy]) -> Block:
    """Return the header, whose phis take from the last latch what that copy has."""
    last = copies[-1]

    def taken(each: Incoming) -> Incoming:
        return each if each.block != loop.latch else Incoming(last.value(each.value), last.label(loop.latch), each.span)

    phis = (replace(phi, incoming=tuple(map(taken, phi.incoming))) for phi in header.phis)
    return replace(header, phis=tuple(phis))


def _apply(context: Context) -> Step:
    found = _shape(context)
    assert found is not None
    header = context.loop.header
    flow = simplified(context.flow, header, context.kernel)
    loop = next(loop for loop in loops(flow) if loop.header == header)
    counted = trips(flow, loop)
    first = counted is not None and not counted.rotated
    names = Names(flow, context.kernel)
    copies = found.copies
    if found.name == "full" and first:
        copies += 1

    def decision(index: int) -> bool | None:
        match found.name:
            case "full":
                return index < copies - 1
            case "A":
                return None if index == (0 if first else copies - 1) else True
        return None

    new, made = chained(flow, loop, copies, names, decision)
    pseudo = iteration_number(flow, loop) == iteration(header)
    held: list[Held] = []
    for index, copy in enumerate(made):
        number: Expr = constant(index)
        if found.name != "full":
            number = operation("add", operation("mul", iteration(header), copies), index)
        known = {header: number} if found.name == "full" or pseudo else None
        held += held_by(flow, copy, loop.blocks, known)
    results = _inner(flow, loop, made)
    if found.name != "full":
        identity = Identities(new, context.reserved).made("unroll", "unrolled", loop.identity)
        latch = made[-1].label(loop.latch)
        new = with_blocks(new, {latch: with_identity(new.block[latch], identity)})
        results[header] = Made(header, "unrolled")
    return Step(pruned(new), tuple(held), results)


def _inner(flow: ControlFlow, loop: Loop, copies: tuple[Copy, ...]) -> dict[str, Made]:
    """Return the loops inside a loop that was copied, as copies of what they were."""
    inside = [each.header for each in loops(flow) if each.blocks < loop.blocks]
    return {copy.label(header): Made(header, "copy") for copy in copies[1:] for header in inside}


UNROLL = Transformation(
    "unroll",
    (
        Parameter("loop", "loop"),
        Parameter("factor", "count", optional=True, least=2),
        Parameter("how", "word", optional=True, words=("epilogue", "prologue", "tests")),
    ),
    "several iterations become one: fully, or by a factor",
    _legality,
    _apply,
)
