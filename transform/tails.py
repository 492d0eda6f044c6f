"""What stands around a branch moved over it: tails merged and duplicated, a statement sunk.

What goes in: a block, or a statement and the block that it sinks into. What comes out: the graph in which the last
statements of all blocks before a block stand in it, once; or in which each of them has the block for itself; or in
which a statement is executed on one way only. Invariant: a lane that runs alone does the same as before; convergent
operations are executed by other lanes together, and are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from axmem.convergence.kernels import function_of
from axmem.convergence.uniformity import sound
from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import IDS, Call, ConvergenceToken, Incoming, Phi
from axmem.litmus.registers import assigned, read, with_results
from axmem.litmus.ssa import renamed_once
from axmem.litmus.syntax import (
    AccessStatement,
    AddressOf,
    Assign,
    AtomicRmw,
    CmpXchg,
    Expr,
    Fence,
    IntegerOperation,
    Load,
    Make,
    Number,
    Register,
    Statement,
    Store,
    UndefValue,
    WritingStatement,
)
from axmem.litmus.walk import children, expressions, rebuilt, results
from axmem.litmus.words import Ordering, tags_united
from axmem.transform.accesses import PlacedStatement, named
from axmem.transform.body import said
from axmem.transform.dependence import Moment
from axmem.transform.loops import around
from axmem.transform.rewrite import BlockCopy, RegisterNames, kernel_of, redirected, with_blocks, with_edges
from axmem.transform.transformation import (
    Held,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    held_by,
)

_LEAVES = (Register, Number, AddressOf, UndefValue)
MODED = (AccessStatement, Fence)


def block_of(context: TransformContext) -> KernelBlock:
    """Return the block that an argument names."""
    return context.flow.block[str(context.arguments["block"])]


def is_convergent(statement: Statement) -> bool:
    """Whether other lanes decide what a statement does, as the tokens of convergence are taken to."""
    return isinstance(statement, ConvergenceToken) or (isinstance(statement, Call) and statement.convergent)


# ---------------------------------------------------------------- tails merged


def _merging(context: TransformContext) -> list[TransformRefusal]:
    block = block_of(context)
    final = next(_unmergeable(context.flow, block), "")
    if final:
        return [TransformRefusal(final, final=True)]
    last = _last(context.flow, block)[0]
    return (
        [TransformRefusal(f"{said(last)} is convergent: lanes of all ways would take part")]
        if is_convergent(last)
        else []
    )


def _last(flow: ControlFlow, block: KernelBlock) -> list[Statement]:
    """Return the last statement of each block before a block."""
    before = flow.predecessors[block.name]
    return [flow.block[name].statements[-1] for name in before if flow.block[name].statements]


def _unmergeable(flow: ControlFlow, block: KernelBlock) -> Iterator[str]:
    """Yield why the last statements before a block cannot be one."""
    before = flow.predecessors[block.name]
    if len(before) < 2:
        yield f"one block at most goes to '{block.name}'"
        return
    astray = [name for name in before if set(flow.successors[name]) != {block.name}]
    if astray:
        yield f"'{astray[0]}' goes elsewhere, too"
        return
    last = _last(flow, block)
    if len(last) < len(before):
        yield f"a block before '{block.name}' is empty"
        return
    for other in last[1:]:
        pairs = zip(expressions(last[0]), expressions(other), strict=False)
        unlike = (_joined(pair, lambda values: values[0]) is None for pair in pairs)
        if shape_of(other) != shape_of(last[0]) or any(unlike):
            yield f"{said(last[0])} and {said(other)} differ in more than tags and operands"
            return
    if results(last[0]) and _merged_result(flow, block, last) is None:
        yield f"what {said(last[0])} gives does not meet what the others give in a phi"
    if len(results(last[0])) > 1 or isinstance(last[0], ConvergenceToken):
        yield f"{said(last[0])} gives more than a value"


def shape_of(statement: Statement) -> Statement:
    """Return a statement without what may differ: its result, label, tags and operands."""
    nothing = (UndefValue(e.type) for e in expressions(statement))
    plain = with_results(_with_expressions(statement, nothing), dict.fromkeys(results(statement), "_"))
    if isinstance(plain, MODED):
        plain = replace(plain, mode=replace(plain.mode, tags=frozenset()))
    return replace(plain, label="") if hasattr(plain, "label") else plain


def _with_expressions(statement: Statement, new: Iterable[Expr]) -> Statement:
    """Return a statement of a block that reads other expressions, as many as `expressions` gives."""
    values = iter(new)
    if isinstance(statement, AccessStatement):
        old = statement.address
        address = replace(old, base=next(values), index=None if old.index is None else next(values))
        statement = replace(statement, address=address)
    match statement:
        case Store() | AtomicRmw() | Assign():
            return replace(statement, value=next(values))
        case CmpXchg():
            return replace(statement, expected=next(values), desired=next(values))
        case Call():
            return replace(statement, operands=tuple(values))
    return statement


def _joined(values: Sequence[Expr], meet: Callable[[Sequence[Expr]], Expr]) -> Expr | None:
    """Return the expression that stands for several which differ in registers and constants; None if there is none."""
    first = values[0]
    if all(value == first for value in values):
        return first
    if all(isinstance(value, _LEAVES) and value.type == first.type for value in values):
        return meet(values)
    inner = [children(value) for value in values]
    operators = {(v.name, v.type, len(v.operands)) if isinstance(v, IntegerOperation) else None for v in values}
    if len(operators) > 1 or None in operators:
        return None
    joined = [_joined(each, meet) for each in zip(*inner, strict=True)]
    parts = [part for part in joined if part is not None]
    return rebuilt(first, tuple(parts)) if len(parts) == len(joined) else None


def _merged_result(flow: ControlFlow, block: KernelBlock, last: Sequence[Statement]) -> Phi | None:
    """Return the phi of a block in which the results meet, if nothing else reads them."""
    pairs = dict(zip(flow.predecessors[block.name], (results(s)[0] for s in last), strict=True))
    found = [
        phi
        for phi in block.phis
        if all(isinstance(each.value, Register) and each.value.name == pairs[each.block] for each in phi.incoming)
    ]
    names = set(pairs.values())
    elsewhere = (s for b in flow.blocks for s in (*b.phis, *b.statements, b.terminator) if s not in found)
    read_there = {r.name for s in elsewhere for e in expressions(s) for r in read(e)}
    return found[0] if len(found) == 1 and names.isdisjoint(read_there) else None


def _merge(context: TransformContext) -> TransformStep:
    """Put the last statement of all blocks before a block into it; phis choose its operands."""
    block, flow = block_of(context), context.flow
    names = RegisterNames(flow, context.kernel)
    before, last = flow.predecessors[block.name], _last(flow, block)
    phis, taken = list(block.phis), _merged_result(flow, block, last) if results(last[0]) else None

    def meet(values: Sequence[Expr]) -> Expr:
        incoming = tuple(Incoming(value, name) for value, name in zip(values, before, strict=True))
        phis.append(Phi(names.fresh(block.name), values[0].type, incoming, span=block.span))
        return Register(phis[-1].register, values[0].type)

    operands = [_joined(values, meet) for values in zip(*map(expressions, last), strict=True)]
    made = _with_expressions(last[0], [operand for operand in operands if operand is not None])
    if taken is not None:
        phis.remove(taken)
        made = with_results(made, {results(last[0])[0]: taken.register})
    if isinstance(made, MODED):
        tags = made.mode.tags
        for other in last[1:]:
            tags = tags_united(tags, other.mode.tags)  # type: ignore[union-attr]
        made = replace(made, mode=replace(made.mode, tags=tags))
    made = replace(made, label="") if hasattr(made, "label") else made
    changed: dict[str, KernelBlock | None] = {}
    for name in before:
        old = flow.block[name]
        changed[name] = replace(old, statements=old.statements[:-1])
    changed[block.name] = replace(block, phis=tuple(phis), statements=(made, *block.statements))
    return TransformStep(with_blocks(flow, changed))


# ---------------------------------------------------------------- tails duplicated


def _duplicating(context: TransformContext) -> list[TransformRefusal]:
    block, flow = block_of(context), context.flow
    before = flow.predecessors[block.name]
    if len(before) < 2:
        return [TransformRefusal(f"one block at most goes to '{block.name}'", final=True)]
    if any(block.name in (loop.header, loop.latch) for loop in context.loops):
        return [TransformRefusal(f"'{block.name}' is the header or the latch of a loop", final=True)]
    if any(isinstance(s, ConvergenceToken) for s in block.statements):
        return [TransformRefusal("a convergence token is defined in it", final=True)]
    convergent = [s for s in block.statements if is_convergent(s)]
    return [TransformRefusal(f"{said(s)} is convergent: lanes of each way would be by themselves") for s in convergent]


def _duplicate(context: TransformContext) -> TransformStep:
    """Give each block before a block a copy of it; the first keeps it. Phis merge what is read behind."""
    block, flow = block_of(context), context.flow
    names = RegisterNames(flow, context.kernel)
    changed: dict[str, KernelBlock | None] = {}
    before = flow.predecessors[block.name]
    copies: list[KernelBlock] = []
    for number, name in enumerate(before):
        label = names.fresh(block.name) if number else block.name
        copies.append(copy_of(block, name, label, names))
        changed[name] = redirected(changed.get(name) or flow.block[name], block.name, label)
    changed[block.name] = copies[0]
    for target in dict.fromkeys(flow.successors[block.name]):
        edges = [(copy.name, block.name, None) for copy in copies[1:]]
        changed[target] = with_edges(changed.get(target) or flow.block[target], edges)
    own = {name: type_ for s in (*block.phis, *block.statements) for name, type_ in assigned(s)}
    new = renamed_once(with_blocks(flow, changed, {block.name: copies[1:]}), own, own)
    held = [each for copy in copies for each in held_in(flow, block, new.block[copy.name])]
    return TransformStep(new, tuple(held))


def copy_of(block: KernelBlock, before: str, label: str, names: RegisterNames) -> KernelBlock:
    """Return a block that one block goes to, with the registers of another."""
    phis = tuple(replace(phi, incoming=tuple(i for i in phi.incoming if i.block == before)) for phi in block.phis)
    if label == block.name:
        return replace(block, phis=phis)
    statements = [
        replace(s, label=names.fresh(s.label) if s.label.startswith("@") else "") if s.label else s
        for s in block.statements
    ]
    return replace(block, name=label, phis=phis, statements=tuple(statements))


def _own_names(statement: Statement) -> tuple[str, ...]:
    return results(statement) or ((statement.label,) if statement.label else ())


def held_in(flow: ControlFlow, old: KernelBlock, new: KernelBlock) -> tuple[Held, ...]:
    """Return what a copy of a block holds, whose registers have names of their own."""
    pairs = [*zip(old.phis, new.phis, strict=False), *zip(old.statements, new.statements, strict=True)]
    known = {a: Register(b) for was, now in pairs for a, b in zip(_own_names(was), _own_names(now), strict=True)}
    return held_by(flow, BlockCopy({old.name: new}, known), [old.name])


# ---------------------------------------------------------------- sinking


def _sinking(context: TransformContext) -> list[TransformRefusal]:
    found = named(context.flow, str(context.arguments["statement"]))
    target = block_of(context)
    final = next(_unsinkable(context, found, target), "")
    if final:
        return [TransformRefusal(final, final=True)]
    statement, out = found.statement, []
    if is_convergent(statement) and found.block.name in divergent_branches(context):
        out.append(
            TransformRefusal(f"{said(statement)} is convergent, and the branch of '{found.block.name}' is divergent")
        )
    if isinstance(statement, Load) and (statement.mode.ordering is not Ordering.NOT_ATOMIC or statement.mode.volatile):
        out.append(TransformRefusal(f"{said(statement)} is not plain, and would not be executed on the other way"))
    moment = Moment(context.flow)
    for behind in found.block.statements[found.number + 1 :]:
        if why := moment.hindrance(statement, behind):
            out.append(TransformRefusal(f"{said(statement)} would move over {said(behind)}: {why}"))
    return out


def _unsinkable(context: TransformContext, found: PlacedStatement, target: KernelBlock) -> Iterator[str]:
    """Yield why a statement cannot be executed in a block instead."""
    flow, statement, block = context.flow, found.statement, found.block
    if target.name not in flow.successors[block.name] or flow.predecessors[target.name] != (block.name,):
        yield f"'{target.name}' does not follow '{block.name}' alone"
    elif around(context.loops, target.name) != around(context.loops, block.name):
        yield f"'{target.name}' is in other loops than '{block.name}'"
    elif isinstance(statement, WritingStatement | Fence | Make | ConvergenceToken):
        yield f"{said(statement)} would not be executed on the other way"
    else:
        own = set(results(statement))
        inside = dominated(flow, target.name)
        for other in flow.blocks:
            for each in (*other.statements, other.terminator) if other.name not in inside else ():
                if own & {r.name for e in expressions(each) for r in read(e)}:
                    yield f"'{min(own)}' is read outside of '{target.name}'"
            for phi in other.phis:
                if any(own & {r.name for r in read(i.value)} for i in phi.incoming if i.block not in inside):
                    yield f"'{min(own)}' is read outside of '{target.name}'"


def dominated(flow: ControlFlow, name: str) -> set[str]:
    """Return the blocks that a block dominates, itself with them."""
    reached, waiting = {flow.entry.name} - {name}, [flow.entry.name] if flow.entry.name != name else []
    while waiting:
        for target in flow.successors[waiting.pop()]:
            if target != name and target not in reached:
                reached.add(target)
                waiting.append(target)
    return set(flow.block) - reached


def divergent_branches(context: TransformContext) -> frozenset[str]:
    """Return the blocks at whose ends lanes of a wave may part.

    Each lane loads for itself: what is loaded from one address may differ where another thread writes there, so that a
    branch is uniform only if it follows from parameters, constants and what lanes are given together.
    """
    flow = context.flow
    given = {parameter.name for parameter in context.kernel.parameters} | set(IDS)
    statements = [s for block in flow.blocks for s in block.statements]
    given |= {s.register for s in statements if isinstance(s, Call) and s.register}
    while more := {
        s.register
        for s in statements
        if isinstance(s, Assign) and s.register not in given and {r.name for r in read(s.value)} <= given
    }:
        given |= more
    apart = {b.name for b in flow.blocks for e in expressions(b.terminator) if not {r.name for r in read(e)} <= given}
    return frozenset(sound(function_of(kernel_of(flow, context.kernel))).branches) | apart


def _sink(context: TransformContext) -> TransformStep:
    """Execute a statement at the beginning of the block that it sinks into."""
    found, target = named(context.flow, str(context.arguments["statement"])), block_of(context)
    body = list(found.block.statements)
    del body[found.number]
    source = replace(found.block, statements=tuple(body))
    sunk = replace(target, statements=(found.statement, *target.statements))
    return TransformStep(with_blocks(context.flow, {source.name: source, target.name: sunk}))


MERGE_TAILS = Transformation(
    "merge-tails",
    (TransformParameter("block", "block"),),
    _merging,
    _merge,
)
"""Put the last statement of all blocks before a block into it."""
DUPLICATE_TAIL = Transformation(
    "duplicate-tail",
    (TransformParameter("block", "block"),),
    _duplicating,
    _duplicate,
)
"""Give every block before a block a copy of it."""
SINK = Transformation(
    "sink",
    (TransformParameter("statement", "statement"), TransformParameter("block", "block")),
    _sinking,
    _sink,
)
"""Execute a statement on one way of a branch only."""
