"""Operations moved up over a branch, anchors moved with what they control, and jumps threaded past a block.

What goes in: a statement and a block, or two blocks. What comes out: the graph in which the statement stands before the
branch, or once for all its ways; in which an anchor stands behind the branch, with the operations of its token; or in
which a block goes past another to where that would go. Invariant: a lane that runs alone does the same as before; who
communicates after could have communicated before ([ConvergentOperations] "Hoisting and sinking").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import SIGNATURES, Branch, Call, ConvergenceToken, Switch
from axmem.litmus.registers import assigned, read
from axmem.litmus.ssa import renamed_once
from axmem.litmus.syntax import AddressOf, Assign, Expr, Load, Register, Statement
from axmem.litmus.walk import expressions, results
from axmem.litmus.words import Ordering, tags_united
from axmem.transform.accesses import PlacedStatement, named
from axmem.transform.body import said
from axmem.transform.constants import folded, number_of
from axmem.transform.crossing import BARRIERS
from axmem.transform.dependence import Moment
from axmem.transform.loops import around
from axmem.transform.rewrite import RegisterNames, defined, redirected, with_blocks, with_edges
from axmem.transform.tails import (
    MODED,
    block_of,
    copy_of,
    divergent_branches,
    dominated,
    held_in,
    is_convergent,
    shape_of,
)
from axmem.transform.transformation import (
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
)

SECTION = '[ConvergentOperations] "Hoisting and sinking"'
OVER_BRANCH = f"over a divergent branch other lanes would communicate ({SECTION})"
LOOPS = f"anchors do not move out of loops or into them ({SECTION})"


def _place(statement: Statement) -> str:
    """Return a statement as a text has it, with its line if that is known."""
    return f"{said(statement)} of line {statement.span.line}" if statement.span.line else said(statement)


def _token(statement: Statement) -> str:
    """Return the token that a statement uses, if it does."""
    return statement.token if isinstance(statement, Call | ConvergenceToken) else ""


def _is_anchor(statement: Statement) -> bool:
    return isinstance(statement, ConvergenceToken) and statement.kind == "anchor"


def _communicates_alone(statement: Statement) -> bool:
    """Whether a statement is a cross-lane operation, which does nothing but give a value."""
    if not isinstance(statement, Call) or statement.operation.startswith(BARRIERS):
        return False
    return statement.operation in SIGNATURES


def _does_nothing(statement: Statement) -> bool:
    """Whether nobody can tell that a statement was executed whose results are not used."""
    return isinstance(statement, Assign | Load) or _is_anchor(statement) or _communicates_alone(statement)


def _needs(statement: Statement) -> set[str]:
    """Return the registers and the token that a statement reads."""
    return {r.name for e in expressions(statement) for r in read(e)} | ({_token(statement)} - {""})


def _own(statements: Sequence[Statement]) -> set[str]:
    """Return the registers and tokens that statements define."""
    return {name for statement in statements for name in defined(statement)}


def _extra(statement: Statement) -> str:
    """Return why a statement may not be executed on a way on which it was not; empty if it may."""
    if not _does_nothing(statement):
        return "it would be executed on the other way, too"
    if not isinstance(statement, Load):
        return ""
    if statement.mode.ordering is not Ordering.NOT_ATOMIC or statement.mode.volatile:
        return "it is not plain, and would be executed on the other way, too"
    address = statement.address
    fixed = address.index is None or number_of(address.index) is not None
    return "" if isinstance(address.base, AddressOf) and fixed else "on the other way its address may be none"


# ---------------------------------------------------------------- hoisting


def _hoisting(context: TransformContext) -> list[TransformRefusal]:
    found, target = named(context.flow, str(context.arguments["statement"])), block_of(context)
    final = next(_unhoistable(context, found, target), "")
    if final:
        return [TransformRefusal(final, final=True)]
    statement, out = found.statement, []
    if len(set(context.flow.successors[target.name])) > 1:
        if is_convergent(statement) and not _is_anchor(statement) and target.name in divergent_branches(context):
            out.append(
                TransformRefusal(f"{_place(statement)} would move before the branch of '{target.name}': {OVER_BRANCH}")
            )
        if why := _extra(statement):
            out.append(TransformRefusal(f"{_place(statement)} would move before the branch of '{target.name}': {why}"))
    moment = Moment(context.flow)
    for before in found.block.statements[: found.number]:
        if why := "" if _is_anchor(statement) else moment.hindrance(before, statement):
            out.append(TransformRefusal(f"{_place(statement)} would move over {said(before)}: {why}"))
    return out


def _unhoistable(context: TransformContext, found: PlacedStatement, target: KernelBlock) -> Iterator[str]:
    """Yield why a statement cannot stand at the end of a block instead."""
    flow, statement, block = context.flow, found.statement, found.block
    if around(context.loops, target.name) != around(context.loops, block.name):
        where = f"'{target.name}' is in other loops than '{block.name}'"
        yield f"{where}: {LOOPS}" if _is_anchor(statement) else where
    if flow.predecessors[block.name] != (target.name,):
        yield f"'{block.name}' does not follow '{target.name}' alone"
    if isinstance(statement, ConvergenceToken) and not _is_anchor(statement):
        yield f"{_place(statement)} stays where the rules of tokens want it"
    here = _own((*block.phis, *block.statements[: found.number]))
    if missing := sorted(_needs(statement) & here):
        yield f"{_place(statement)} needs '{missing[0]}', which is assigned in '{block.name}'"


def _hoist(context: TransformContext) -> TransformStep:
    """Execute a statement at the end of the block before its own."""
    found, target = named(context.flow, str(context.arguments["statement"])), block_of(context)
    body = list(found.block.statements)
    del body[found.number]
    source = replace(found.block, statements=tuple(body))
    blocks = {source.name: source, target.name: _behind(target, found.statement)}
    return TransformStep(with_blocks(context.flow, blocks))


def _behind(block: KernelBlock, statement: Statement) -> KernelBlock:
    return replace(block, statements=(*block.statements, statement))


# ---------------------------------------------------------------- what all ways begin with


def _ways(flow: ControlFlow, block: KernelBlock) -> list[KernelBlock]:
    return [flow.block[name] for name in dict.fromkeys(flow.successors[block.name])]


def _common(context: TransformContext) -> list[TransformRefusal]:
    block = block_of(context)
    final = next(_unlike(context, block), "")
    if final:
        return [TransformRefusal(final, final=True)]
    first = _ways(context.flow, block)[0].statements[0]
    if is_convergent(first) and not _is_anchor(first) and block.name in divergent_branches(context):
        return [TransformRefusal(f"{_place(first)} would be one for all ways: {OVER_BRANCH}")]
    return []


def _unlike(context: TransformContext, block: KernelBlock) -> Iterator[str]:
    """Yield why the first statements of all ways from a block cannot be one before them."""
    flow, ways = context.flow, _ways(context.flow, block)
    if len(ways) < 2:
        yield f"'{block.name}' goes one way only"
    for way in ways:
        if flow.predecessors[way.name] != (block.name,):
            yield f"'{way.name}' does not follow '{block.name}' alone"
        elif around(context.loops, way.name) != around(context.loops, block.name):
            yield f"'{way.name}' is in other loops than '{block.name}'"
        elif not way.statements:
            yield f"'{way.name}' does nothing"
    first = [way.statements[0] for way in ways if way.statements]
    for way, other in zip(ways[1:], first[1:], strict=False):
        if _is_anchor(other) and _is_anchor(first[0]):
            continue
        if shape_of(other) != shape_of(first[0]) or [*expressions(other)] != [*expressions(first[0])]:
            yield f"{said(first[0])} and {said(other)} of '{way.name}' differ in more than tags"
        elif _token(other) != _token(first[0]) or type(other) is not type(first[0]):
            yield f"{said(first[0])} and {said(other)} of '{way.name}' have other tokens"
    if isinstance(first[0], ConvergenceToken) and not _is_anchor(first[0]):
        yield f"{said(first[0])} stays where the rules of tokens want it"
    for way, statement in zip(ways, first, strict=False):
        if missing := sorted(_needs(statement) & _own(way.phis)):
            yield f"{said(statement)} needs '{missing[0]}', which is assigned in '{way.name}'"


def _hoist_common(context: TransformContext) -> TransformStep:
    """Execute what all ways from a block begin with once, before they part; each way has its registers from it."""
    block, flow = block_of(context), context.flow
    ways = _ways(flow, block)
    made = ways[0].statements[0]
    if isinstance(made, MODED):
        tags = made.mode.tags
        for way in ways[1:]:
            tags = tags_united(tags, way.statements[0].mode.tags)  # type: ignore[union-attr]
        made = replace(made, mode=replace(made.mode, tags=tags))
    changed: dict[str, KernelBlock | None] = {block.name: _behind(block, made)}
    types = dict(assigned(made))
    tokens = {defined(way.statements[0])[0]: defined(made)[0] for way in ways} if _is_anchor(made) else {}
    for way in ways:
        given = zip(results(way.statements[0]), results(made), strict=True)
        own = [Assign(mine, Register(theirs, types[theirs])) for mine, theirs in given if mine != theirs]
        changed[way.name] = replace(way, statements=(*own, *way.statements[1:]))
    return TransformStep(_with_tokens(with_blocks(flow, changed), tokens))


def _with_tokens(flow: ControlFlow, tokens: dict[str, str]) -> ControlFlow:
    """Return a graph in which other tokens stand for some."""

    def changed(statement: Statement) -> Statement:
        if isinstance(statement, Call | ConvergenceToken) and statement.token in tokens:
            return replace(statement, token=tokens[statement.token])
        return statement

    return ControlFlow(tuple(replace(b, statements=tuple(map(changed, b.statements))) for b in flow.blocks))


# ---------------------------------------------------------------- anchors that sink


def _controlled(found: PlacedStatement) -> list[int]:
    """Return the numbers of the statements of an anchor's block that use its token."""
    (token,) = defined(found.statement)
    return [n for n, s in enumerate(found.block.statements) if _token(s) == token]


def _sinking(context: TransformContext) -> list[TransformRefusal]:
    found, target = named(context.flow, str(context.arguments["anchor"])), block_of(context)
    final = next(_unsinkable(context, found, target), "")
    if final:
        return [TransformRefusal(final, final=True)]
    moving, out, moment = {found.number, *_controlled(found)}, [], Moment(context.flow)
    for number in sorted(moving - {found.number}):
        statement = found.block.statements[number]
        for at, behind in enumerate(found.block.statements[number + 1 :], number + 1):
            if at not in moving and (why := moment.hindrance(statement, behind)):
                out.append(TransformRefusal(f"{_place(statement)} would move over {said(behind)}: {why}"))
    return out


def _unsinkable(context: TransformContext, found: PlacedStatement, target: KernelBlock) -> Iterator[str]:
    """Yield why an anchor cannot stand in a block instead, with the operations of its token."""
    flow, block = context.flow, found.block
    if not _is_anchor(found.statement):
        yield f"{_place(found.statement)} is no anchor, whose lanes are the implementation's choice ({SECTION})"
        return
    if around(context.loops, target.name) != around(context.loops, block.name):
        yield f"'{target.name}' is in other loops than '{block.name}': {LOOPS}"
    if flow.predecessors[target.name] != (block.name,):
        yield f"'{target.name}' does not follow '{block.name}' alone"
    moving = [found.statement, *(block.statements[n] for n in _controlled(found))]
    for statement in moving[1:]:
        if not _communicates_alone(statement):
            yield f"{_place(statement)} would not be executed on the other way"
    own, inside = _own(moving), dominated(flow, target.name)
    for other in flow.blocks:
        if other.name in inside:
            continue
        for each in (*other.statements, other.terminator):
            if each not in moving and (used := sorted(_needs(each) & own)):
                yield f"'{used[0]}' is used outside of '{target.name}', by {said(each)}"
        for phi in other.phis:
            taken = {r.name for i in phi.incoming if i.block not in inside for r in read(i.value)}
            if used := sorted(taken & own):
                yield f"'{used[0]}' is used outside of '{target.name}', by {said(phi)}"


def _sink_anchor(context: TransformContext) -> TransformStep:
    """Execute an anchor and the operations of its token at the beginning of a block."""
    found, target = named(context.flow, str(context.arguments["anchor"])), block_of(context)
    moving = {found.number, *_controlled(found)}
    stays = tuple(s for n, s in enumerate(found.block.statements) if n not in moving)
    sunk = tuple(s for n, s in enumerate(found.block.statements) if n in moving)
    changed = {found.block.name: replace(found.block, statements=stays)}
    changed[target.name] = replace(target, statements=(*sunk, *target.statements))
    return TransformStep(with_blocks(context.flow, changed))


# ---------------------------------------------------------------- jump threading


def _way_from(flow: ControlFlow, block: KernelBlock, before: str) -> str | None:
    """Return to where a block goes when one comes from another, if constants decide it."""
    taken = {phi.register: i.value for phi in block.phis for i in phi.incoming if i.block == before}
    values: dict[str, Expr] = {r: v for r, v in taken.items() if number_of(v) is not None}
    for statement in block.statements:
        if isinstance(statement, Assign) and number_of(value := folded(statement.value, values.get)) is not None:
            values[statement.register] = value
    match block.terminator:
        case Branch(targets=(target,)):
            return target
        case Branch(targets=(yes, no), condition=condition) if condition is not None:
            number = number_of(folded(condition, values.get))
            return None if number is None else yes if number else no
        case Switch(value=value, default=default, cases=cases):
            number = number_of(folded(value, values.get))
            chosen = (c.block for c in cases if number_of(c.value) == number)
            return None if number is None else next(chosen, default)
    return None


def _threading(context: TransformContext) -> list[TransformRefusal]:
    block, before, flow = block_of(context), str(context.arguments["before"]), context.flow
    if before not in flow.predecessors[block.name]:
        return [TransformRefusal(f"'{before}' does not go to '{block.name}'", final=True)]
    if _way_from(flow, block, before) is None:
        why = f"constants do not decide where '{block.name}' goes when one comes from '{before}'"
        return [TransformRefusal(why, final=True)]
    if any(block.name in (loop.header, loop.latch) for loop in context.loops):
        return [TransformRefusal(f"'{block.name}' is the header or the latch of a loop", final=True)]
    if any(isinstance(s, ConvergenceToken) for s in block.statements):
        return [TransformRefusal("a convergence token is defined in it", final=True)]
    if len(flow.predecessors[block.name]) < 2:
        return [TransformRefusal(f"'{before}' alone goes to '{block.name}'", final=True)]
    where = f"lanes that come from '{before}' would communicate by themselves ({SECTION})"
    return [TransformRefusal(f"{_place(s)} is convergent: {where}") for s in block.statements if is_convergent(s)]


def _thread(context: TransformContext) -> TransformStep:
    """Let a block go past another, whose statements it has a copy of, to where that goes."""
    block, before, flow = block_of(context), str(context.arguments["before"]), context.flow
    target = _way_from(flow, block, before)
    assert target is not None
    names = RegisterNames(flow, context.kernel)
    copy = replace(copy_of(block, before, names.fresh(block.name), names), terminator=Branch((target,)))
    stays = (replace(phi, incoming=tuple(i for i in phi.incoming if i.block != before)) for phi in block.phis)
    changed: dict[str, KernelBlock | None] = {before: redirected(flow.block[before], block.name, copy.name)}
    changed[block.name] = replace(block, phis=tuple(stays))
    changed[target] = with_edges(changed.get(target) or flow.block[target], [(copy.name, block.name, None)])
    own = {name: type_ for s in (*block.phis, *block.statements) for name, type_ in assigned(s)}
    new = renamed_once(with_blocks(flow, changed, {block.name: [copy]}), own, own)
    held = [each for made in (block.name, copy.name) for each in held_in(flow, block, new.block[made])]
    return TransformStep(new, tuple(held))


_STATEMENT, _BLOCK = TransformParameter("statement", "statement"), TransformParameter("block", "block")
HOIST = Transformation("hoist", (_STATEMENT, _BLOCK), _hoisting, _hoist)
"""Execute a statement before the branch behind which it stands."""
HOIST_COMMON = Transformation("hoist-common", (_BLOCK,), _common, _hoist_common)
"""Execute what all ways from a block begin with once, before they part."""
SINK_ANCHOR = Transformation("sink-anchor", (TransformParameter("anchor", "statement"), _BLOCK), _sinking, _sink_anchor)
"""Execute an anchor, with the operations of its token, on one way of a branch only."""
THREAD = Transformation("thread", (_BLOCK, TransformParameter("before", "block")), _threading, _thread)
"""Let a block go past another to where constants say that goes."""
