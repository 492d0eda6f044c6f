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

from axmem.front.records import dataclass
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Call, ConvergenceToken
from axmem.litmus.syntax import Expr
from axmem.transform.chains import chained, heart_of, inner_copies, with_identity
from axmem.transform.constants import constant, operation
from axmem.transform.identities import Identities
from axmem.transform.loops import Loop, loops
from axmem.transform.remainders import with_remainder
from axmem.transform.rewrite import (
    RegisterNames,
    pruned,
    simplified,
    with_blocks,
)
from axmem.transform.transformation import (
    Held,
    MadeLoop,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    held_by,
    iteration,
    iteration_number,
    too_many,
)
from axmem.transform.trips import trips


@dataclass(frozen=True, slots=True)
class UnrollShape:
    """How a loop is unrolled: `full`, `A`, `B`, `epilogue` or `prologue`, and how many copies of the body there are."""

    name: str
    copies: int


def shape(flow: ControlFlow, loop: Loop, factor: int | None, how: str = "") -> UnrollShape | None:
    """Return the shape in which a loop is unrolled; None where a full one needs a trip count that is not constant."""
    found = trips(flow, loop)
    count = None if found is None or found.count is None else found.count + found.rotated
    if factor is None or (count is not None and factor >= count and not how):
        return None if count is None else UnrollShape("full", count)
    if how == "tests":
        return UnrollShape("B", factor)
    if count is not None and not how:
        return UnrollShape("B" if count % factor else "A", factor)
    uncounted = iteration_number(flow, loop) == iteration(loop.header)
    if found is None or found.taken is None or uncounted or found.exit not in (loop.latch, loop.header):
        return None if how else UnrollShape("B", factor)
    return UnrollShape(how or "epilogue", factor)


def _shape(context: TransformContext) -> UnrollShape | None:
    factor = context.arguments.get("factor")
    how = str(context.arguments.get("how", ""))
    return shape(context.flow, context.loop, None if factor is None else int(factor), how)


# ---------------------------------------------------------------- when it would be wrong


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


def _legality(context: TransformContext) -> list[TransformRefusal]:
    loop, found = context.loop, _shape(context)
    how = str(context.arguments.get("how", ""))
    if found is None and how:
        return [
            TransformRefusal(
                "there is no formula for the trip count by which a remainder could be split off", final=True
            )
        ]
    if found is None:
        return [TransformRefusal("the trip count is not constant, so the loop cannot be unrolled fully", final=True)]
    if words := too_many(context.flow, loop, found.copies):
        return [TransformRefusal(words, final=True)]
    if found.name == "prologue" and found.copies & (found.copies - 1):
        return [
            TransformRefusal(
                "a prologue needs a factor that is a power of two: kernels have no remainder operation", True
            )
        ]
    if found.name in ("full", "A") or loop.header not in context.divergent:
        return []
    bare = from_outside(context.flow, loop)
    if found.name == "B":
        bare = [words for words in bare if words.endswith("no token")]
    where = "in a loop whose lanes leave it in different iterations"
    what = "in copies with a test each" if found.name == "B" else "with a remainder"
    return [TransformRefusal(f"{words}, {where}: unrolled {what}, other lanes may take part") for words in bare]


def _apply(context: TransformContext) -> TransformStep:
    found = _shape(context)
    assert found is not None
    header = context.loop.header
    flow = simplified(context.flow, header, context.kernel)
    loop = next(loop for loop in loops(flow) if loop.header == header)
    if found.name in ("epilogue", "prologue"):
        return with_remainder(context, flow, loop, found.copies, prologue=found.name == "prologue")
    counted = trips(flow, loop)
    first = counted is not None and not counted.rotated
    names = RegisterNames(flow, context.kernel)
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
    results = inner_copies(flow, loop, made)
    if found.name != "full":
        identity = Identities(new, context.reserved).made("unroll", "unrolled", loop.identity)
        latch = made[-1].label(loop.latch)
        new = with_blocks(new, {latch: with_identity(new.block[latch], identity)})
        results[header] = MadeLoop(header, "unrolled")
    return TransformStep(pruned(new), tuple(held), results)


UNROLL = Transformation(
    "unroll",
    (
        TransformParameter("loop", "loop"),
        TransformParameter("factor", "count", optional=True, least=2),
        TransformParameter("how", "word", optional=True, words=("epilogue", "prologue", "tests")),
    ),
    _legality,
    _apply,
)
"""Several iterations become one: fully, or by a factor."""
