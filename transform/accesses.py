"""Single accesses changed: tags dropped, loop metadata dropped, two that are alike made one.

What goes in: statements, by their registers or labels. What comes out: the graph in which they have changed. Invariant:
what is dropped are whole sets of tags, and what stands for two operations has the tags of each prefix that both have
([MMRA] "Consequences", "Merging"); between two that become one nothing keeps them where they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import dataclass, replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch
from axmem.litmus.syntax import Assign, Fence, Load, Make, Register, Statement, Store
from axmem.litmus.words import tags_united
from axmem.transform.body import said
from axmem.transform.dependence import Moment
from axmem.transform.rewrite import with_blocks
from axmem.transform.transformation import (
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    called,
)


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A statement of a graph: its block and its number there."""

    block: KernelBlock
    number: int

    @property
    def statement(self) -> Statement:
        """The statement itself."""
        return self.block.statements[self.number]


def named(flow: ControlFlow, word: str) -> PlacedStatement:
    """Return the statement that assigns a register, or has a label; there is one."""
    everything = (PlacedStatement(block, n) for block in flow.blocks for n in range(len(block.statements)))
    return next(found for found in everything if word in called(found.statement))


# ---------------------------------------------------------------- metadata


def _without_tags(context: TransformContext) -> TransformStep:
    """Drop all tags of the statement that is named, or of all."""
    word = str(context.arguments.get("statement", ""))
    chosen = named(context.flow, word) if word else None

    def changed(block: KernelBlock, number: int, statement: Statement) -> Statement:
        if chosen is not None and (chosen.block.name, chosen.number) != (block.name, number):
            return statement
        if isinstance(statement, Make):
            return replace(statement, tags=frozenset())
        mode = getattr(statement, "mode", None)
        if mode is None:
            return statement
        return replace(statement, mode=replace(mode, tags=frozenset()))

    blocks = (
        replace(block, statements=tuple(changed(block, n, s) for n, s in enumerate(block.statements)))
        for block in context.flow.blocks
    )
    return TransformStep(ControlFlow(tuple(blocks)))


def _without_identity(context: TransformContext) -> TransformStep:
    """Drop the LoopID of the loop that is named, or of all, and the promises of accesses that refer to it."""
    word = context.arguments.get("loop")
    latches = {loop.latch for loop in context.loops if word in (None, loop.header)}
    changed: dict[str, KernelBlock | None] = {}
    for name in latches:
        block = context.flow.block[name]
        if isinstance(block.terminator, Branch):
            changed[name] = replace(block, terminator=replace(block.terminator, loop=None))
    return TransformStep(with_blocks(context.flow, changed))


DROP_TAGS = Transformation(
    "drop-tags",
    (TransformParameter("statement", "statement", optional=True),),
    lambda _: [],
    _without_tags,
)
"""Delete all MMRA tags of a statement, or of all."""
DROP_LOOP_METADATA = Transformation(
    "drop-loop-metadata",
    (TransformParameter("loop", "loop", optional=True),),
    lambda _: [],
    _without_identity,
)
"""Delete the LoopID of a loop, or of all."""

# ---------------------------------------------------------------- two become one


def _pair(context: TransformContext) -> tuple[PlacedStatement, PlacedStatement]:
    first, second = (named(context.flow, str(context.arguments[name])) for name in ("first", "second"))
    return first, second


def _merging(context: TransformContext) -> list[TransformRefusal]:
    pair = _pair(context)
    final = next(_unlike(context.flow, *pair), "")
    if final:
        return [TransformRefusal(final, final=True)]
    moment = Moment(context.flow)
    first, second = pair
    found = []
    for between in first.block.statements[first.number + 1 : second.number]:
        if isinstance(first.statement, Load):
            moved, why = second.statement, moment.hindrance(between, second.statement)
        else:
            moved, why = first.statement, moment.hindrance(first.statement, between)
        found += [TransformRefusal(f"{said(moved)} would move over {said(between)}: {why}")] if why else []
    return found


def _unlike(flow: ControlFlow, first: PlacedStatement, second: PlacedStatement) -> Iterator[str]:
    """Yield why two statements cannot be one."""
    a, b = first.statement, second.statement
    if first.block.name != second.block.name or first.number >= second.number:
        yield f"{said(b)} does not follow {said(a)} in its block"
    elif type(a) is not type(b) or not isinstance(a, Load | Store | Fence) or not isinstance(b, Load | Store | Fence):
        yield f"{said(a)} and {said(b)} are not two loads, stores or fences"
    elif replace(a.mode, tags=frozenset()) != replace(b.mode, tags=frozenset()):
        yield f"{said(a)} and {said(b)} differ in more than their tags"
    elif a.mode.volatile:
        yield f"{said(a)} is volatile"
    elif not isinstance(a, Fence) and not Moment(flow).same(a, b):
        yield f"{said(a)} and {said(b)} need not access the same bytes"


def _merged(context: TransformContext) -> TransformStep:
    """Make one of two: the first load, the second store or fence."""
    first, second = _pair(context)
    body = list(first.block.statements)
    a, b = first.statement, second.statement
    assert isinstance(a, Load | Store | Fence)
    assert isinstance(b, Load | Store | Fence)
    tags = tags_united(a.mode.tags, b.mode.tags)
    if isinstance(a, Load) and isinstance(b, Load):
        body[first.number] = replace(a, mode=replace(a.mode, tags=tags))
        body[second.number] = Assign(b.register, Register(a.register, a.type), span=b.span)
    else:
        body[second.number] = replace(b, mode=replace(b.mode, tags=tags))
        del body[first.number]
    block = replace(first.block, statements=tuple(body))
    return TransformStep(with_blocks(context.flow, {block.name: block}))


MERGE = Transformation(
    "merge",
    (TransformParameter("first", "statement"), TransformParameter("second", "statement")),
    _merging,
    _merged,
)
"""Make one of two loads, stores or fences that differ in their tags at most, with the prefix-wise union of them."""
