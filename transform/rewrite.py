"""Control flow graphs rewritten, and made kernels again.

What goes in: graphs with single assignments. What comes out: such graphs, in which blocks are copied, loops have the
simple form, straight lines are one block; and the kernel of a graph, which parses, prints and runs. Invariant: every
function here but `copied` leaves what a lane does as it is; `copied` gives blocks that nothing goes to yet.

In the simple form a loop has a preheader, its exits are entered from it alone, and what it assigns is read after it
through phis of its exits only (LLVM's loop-simplify and LCSSA forms).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count

from axmem.convergence.graph import Dominators, flow_graph
from axmem.front.records import dataclass, replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import IDS, Branch, Call, Case, ConvergenceToken, Incoming, Label, Phi, Switch, Terminator
from axmem.litmus.registers import assigned, read, substituted, with_reads, with_results
from axmem.litmus.ssa import liveness, renamed_once
from axmem.litmus.syntax import Expr, Kernel, Register, Statement, Type
from axmem.litmus.walk import expressions, results
from axmem.transform.loops import Loop, loops


def kernel_of(flow: ControlFlow, kernel: Kernel) -> Kernel:
    """Return a kernel with the blocks of a graph as its body, one label each."""
    body: list[Statement] = []
    for block in flow.blocks:
        body += [Label(block.name), *block.phis, *block.statements, block.terminator]
    return replace(kernel, body=tuple(body))


class RegisterNames:
    """Gives names that no register, token or block of a graph has; those it has given count."""

    def __init__(self, flow: ControlFlow, kernel: Kernel | None = None) -> None:
        self._taken = {block.name for block in flow.blocks} | set(IDS)
        self._taken |= {parameter.name for parameter in kernel.parameters} if kernel is not None else set()
        for block in flow.blocks:
            for statement in (*block.phis, *block.statements):
                self._taken |= {*defined(statement), statement.label}

    def fresh(self, stem: str) -> str:
        """Return a name that begins as another; what was numbered is numbered anew."""
        head, dot, tail = stem.rpartition(".")
        stem = head if dot and tail.isdigit() else stem
        stem = f"v{stem}" if stem[:1].isdigit() else stem
        name = next(n for k in count(1) if (n := f"{stem}.{k}") not in self._taken)
        self._taken.add(name)
        return name


def defined(statement: Statement) -> tuple[str, ...]:
    """Return the registers and the token that a statement defines."""
    return (statement.register,) if isinstance(statement, ConvergenceToken) else results(statement)


def types_of(flow: ControlFlow) -> dict[str, Type]:
    """Return the types of the registers that a graph assigns."""
    return {n: t for block in flow.blocks for s in (*block.phis, *block.statements) for n, t in assigned(s)}


def targets_changed(terminator: Terminator, change: Callable[[str], str]) -> Terminator:
    """Return a terminator that goes elsewhere."""
    match terminator:
        case Branch(targets=targets):
            return replace(terminator, targets=tuple(map(change, targets)))
        case Switch(default=default, cases=cases):
            moved = tuple(Case(case.value, change(case.block), case.span) for case in cases)
            return replace(terminator, default=change(default), cases=moved)
    return terminator


def redirected(block: KernelBlock, old: str, new: str) -> KernelBlock:
    """Return a block that goes to `new` where it went to `old`."""
    return replace(block, terminator=targets_changed(block.terminator, lambda name: new if name == old else name))


def with_blocks(
    flow: ControlFlow,
    changed: Mapping[str, KernelBlock | None],
    added: Mapping[str, Iterable[KernelBlock]] | None = None,
) -> ControlFlow:
    """Return a graph with other blocks for some (None: without them), and more of them after some."""
    out: list[KernelBlock] = []
    for block in flow.blocks:
        new = changed.get(block.name, block)
        out += [] if new is None else [new]
        out += (added or {}).get(block.name, ())
    return ControlFlow(tuple(replace(block, paths=()) for block in out))


def reading(block: KernelBlock, change: Callable[[Register], Expr]) -> KernelBlock:
    """Return a block in which something else stands for the registers that it reads, in its phis too."""
    terminator = with_reads(block.terminator, change)
    phis = tuple(with_reads(phi, change) for phi in block.phis)
    statements = tuple(with_reads(statement, change) for statement in block.statements)
    return replace(block, phis=phis, statements=statements, terminator=terminator)  # type: ignore[arg-type]


# ---------------------------------------------------------------- the simple form


def simplified(flow: ControlFlow, header: str, kernel: Kernel) -> ControlFlow:
    """Return the graph of a kernel in which the loop with a header has the simple form."""
    names = RegisterNames(flow, kernel)
    flow = _with_preheader(flow, _loop(flow, header), names)
    loop = _loop(flow, header)
    for target in dict.fromkeys(target for _, target in loop.exits):
        if not set(flow.predecessors[target]) <= loop.blocks:
            inside = [b for b in flow.predecessors[target] if b in loop.blocks]
            flow = _split(flow, inside, target, names)
    return closed(flow, _loop(flow, header), names)


def _loop(flow: ControlFlow, header: str) -> Loop:
    return next(loop for loop in loops(flow) if loop.header == header)


def _with_preheader(flow: ControlFlow, loop: Loop, names: RegisterNames) -> ControlFlow:
    if loop.preheader is not None:
        return flow
    outside = [b for b in flow.predecessors[loop.header] if b not in loop.blocks]
    return _split(flow, outside, loop.header, names)


def _split(flow: ControlFlow, before: Collection[str], target: str, names: RegisterNames) -> ControlFlow:
    """Put a block between some predecessors of a block and it; phis merge there what they bring."""
    old, name = flow.block[target], names.fresh(target)
    own, rest = [], []
    for phi in old.phis:
        mine = tuple(each for each in phi.incoming if each.block in before)
        others = tuple(each for each in phi.incoming if each.block not in before)
        values = {each.value for each in mine}
        if len(values) == 1:
            brought = values.pop()
        else:
            register = names.fresh(phi.register)
            own.append(replace(phi, register=register, incoming=mine))
            brought = Register(register, phi.type)
        rest.append(replace(phi, incoming=(*others, Incoming(brought, name))))
    between = KernelBlock(name, tuple(own), (), Branch((target,)), span=old.span)
    changed: dict[str, KernelBlock | None] = {b: redirected(flow.block[b], target, name) for b in before}
    changed[target] = replace(changed.get(target) or old, phis=tuple(rest))
    place = max((b.name for b in flow.blocks if b.name in before), key=lambda b: _index(flow, b))
    return with_blocks(flow, changed, {place: [between]})


def _index(flow: ControlFlow, name: str) -> int:
    return next(i for i, block in enumerate(flow.blocks) if block.name == name)


def closed(flow: ControlFlow, loop: Loop, names: RegisterNames) -> ControlFlow:
    """Return a graph in which what a loop assigns is read after it through phis of its exits only."""
    live = liveness(flow)
    exits = dict.fromkeys(target for _, target in loop.exits)
    types = {n: t for name in loop.blocks for n, t in _assigned_in(flow.block[name])}
    outside = {r for b in flow.blocks if b.name not in loop.blocks for r in _read_in(b, loop.blocks)}
    used = sorted(outside & set(types))
    other = {register: names.fresh(register) for register in used}

    def renamed(register: Register) -> Expr:
        return replace(register, name=other.get(register.name, register.name))

    changed: dict[str, KernelBlock | None] = {}
    for block in flow.blocks:
        if block.name in loop.blocks:
            continue
        new = reading(replace(block, phis=()), renamed)
        phis = [_with_incoming(phi, lambda each: each.block in loop.blocks, renamed) for phi in block.phis]
        if block.name in exits:
            before = [b for b in flow.predecessors[block.name] for t in flow.successors[b] if t == block.name]
            for register in used:
                if register in live[block.name]:
                    incoming = tuple(Incoming(Register(register, types[register]), b) for b in before)
                    phis.append(Phi(other[register], types[register], incoming, span=block.span))
        changed[block.name] = replace(new, phis=tuple(phis))
    return renamed_once(with_blocks(flow, changed), {other[r] for r in used}, {other[r]: types[r] for r in used})


def _with_incoming(phi: Phi, stays: Callable[[Incoming], bool], change: Callable[[Register], Expr]) -> Phi:
    """Return a phi that takes something else, but from where what it takes stays."""
    incoming = (each if stays(each) else replace(each, value=substituted(each.value, change)) for each in phi.incoming)
    return replace(phi, incoming=tuple(incoming))


def _assigned_in(block: KernelBlock) -> list[tuple[str, Type]]:
    return [pair for statement in (*block.phis, *block.statements) for pair in assigned(statement)]


def _read_in(block: KernelBlock, without: Collection[str]) -> set[str]:
    """Return the registers that a block reads; what its phis take from some blocks is not counted."""
    found = {r.name for s in (*block.statements, block.terminator) for e in expressions(s) for r in read(e)}
    taken = (each.value for phi in block.phis for each in phi.incoming if each.block not in without)
    return found | {r.name for value in taken for r in read(value)}


# ---------------------------------------------------------------- copies


@dataclass(frozen=True, slots=True)
class BlockCopy:
    """A copy of some blocks: the new ones by the names of the old, and what stands for the old registers in it.

    A label that begins with `@` stands for a statement without a result, and is copied like a register.
    """

    blocks: Mapping[str, KernelBlock]
    registers: Mapping[str, Expr]

    def label(self, name: str) -> str:
        """Return what the block with a name is called in the copy; a block that is not copied keeps its name."""
        return self.blocks[name].name if name in self.blocks else name

    def value(self, expr: Expr) -> Expr:
        """Return what stands for an expression in the copy."""
        return substituted(expr, lambda register: self.registers.get(register.name, register))


def copied(
    flow: ControlFlow,
    blocks: Collection[str],
    names: RegisterNames,
    values: Mapping[str, Expr] | None = None,
    kept_tokens: Collection[str] = (),
) -> BlockCopy:
    """Return a copy of some blocks with registers, tokens and labels of its own.

    `values` stand for registers that the blocks assign; the phis among these are left out, the phis that stay take what
    they take from copied blocks from the copies. Tokens in `kept_tokens` are not defined again: their definitions are
    left out, and the copy uses those that there are.
    """
    chosen = [block for block in flow.blocks if block.name in blocks]
    labels = {block.name: names.fresh(block.name) for block in chosen}
    known: dict[str, Expr] = dict(values or {})
    other: dict[str, str] = {}
    tokens: dict[str, str] = {}
    for block in chosen:
        for statement in (*block.phis, *block.statements):
            for name, type_ in assigned(statement):
                if name not in known:
                    other[name] = names.fresh(name)
                    known[name] = Register(other[name], type_)
            if isinstance(statement, ConvergenceToken) and statement.register not in kept_tokens:
                tokens[statement.register] = names.fresh(statement.register)

    def new(statement: Statement) -> Statement:
        made = with_results(with_reads(statement, lambda r: known.get(r.name, r)), other)
        if isinstance(made, ConvergenceToken):
            made = replace(made, register=tokens[made.register])
        if isinstance(made, Call | ConvergenceToken):
            made = replace(made, token=tokens.get(made.token, made.token))
        label = names.fresh(made.label) if made.label.startswith("@") else ""
        if label:
            known[made.label] = Register(label)
        return replace(made, label=label) if made.label else made

    found: dict[str, KernelBlock] = {}
    for block in chosen:
        phis = []
        for phi in (phi for phi in block.phis if phi.register not in (values or {})):
            made = new(phi)
            assert isinstance(made, Phi)
            incoming = tuple(replace(each, block=labels.get(each.block, each.block)) for each in made.incoming)
            phis.append(replace(made, incoming=incoming))
        kept = [s for s in block.statements if not (isinstance(s, ConvergenceToken) and s.register in kept_tokens)]
        end = targets_changed(block.terminator, lambda name: labels.get(name, name))
        terminator = with_reads(end, lambda r: known.get(r.name, r))
        statements = tuple(map(new, kept))
        found[block.name] = KernelBlock(labels[block.name], tuple(phis), statements, terminator, span=block.span)  # type: ignore[arg-type]
    return BlockCopy(found, known)


def with_edges(block: KernelBlock, edges: Iterable[tuple[str, str, BlockCopy | None]]) -> KernelBlock:
    """Return a block whose phis take along new edges what they take along old ones.

    Each edge is the new predecessor, the old one, and the copy in which the values are looked up (None: as they are).
    """
    phis = []
    for phi in block.phis:
        more = []
        for new, old, copy in edges:
            for each in phi.incoming:
                if each.block == old:
                    more.append(replace(each, block=new, value=copy.value(each.value) if copy else each.value))
        phis.append(replace(phi, incoming=(*phi.incoming, *more)))
    return replace(block, phis=tuple(phis))


def without_edge(block: KernelBlock, before: str) -> KernelBlock:
    """Return a block whose phis take nothing from a predecessor."""
    phis = (replace(phi, incoming=tuple(i for i in phi.incoming if i.block != before)) for phi in block.phis)
    return replace(block, phis=tuple(phis))


# ---------------------------------------------------------------- tidying


def tidied(flow: ControlFlow, kept: Collection[str] = ()) -> tuple[ControlFlow, dict[str, Expr]]:
    """Return a graph without blocks that nothing goes to, phis of one value, and straight lines in several blocks.

    Blocks in `kept` are not made part of the one before, nor blocks with a heart: no convergent operation may stand
    before it in its block ([ConvergentOperations], "llvm.experimental.convergence.loop"). The second result says what
    stands for phis that are gone.
    """
    flow, stands = _without_trivial_phis(pruned(flow))
    while (pair := _straight(flow, kept)) is not None:
        flow = _merged(flow, *pair)
    return flow, stands


def _straight(flow: ControlFlow, kept: Collection[str]) -> tuple[str, str] | None:
    """Return a block and the only one after it, which has no other before it."""
    for block in flow.blocks:
        after = flow.successors[block.name]
        if len(after) != 1 or not isinstance(block.terminator, Branch) or after[0] in (*kept, block.name):
            continue
        if any(map(_is_heart, flow.block[after[0]].statements)):
            continue
        if flow.predecessors[after[0]] == (block.name,):
            return block.name, after[0]
    return None


def _is_heart(statement: Statement) -> bool:
    return isinstance(statement, ConvergenceToken) and statement.kind == "loop"


def pruned(flow: ControlFlow) -> ControlFlow:
    """Return a graph without the blocks that nothing goes to, and without what phis took along edges that are gone."""
    changed: dict[str, KernelBlock | None] = {}
    for block in flow.blocks:
        before = {name for name in flow.predecessors[block.name] if name in flow.reachable}
        phis = (replace(p, incoming=tuple(i for i in p.incoming if i.block in before)) for p in block.phis)
        changed[block.name] = replace(block, phis=tuple(phis)) if block.name in flow.reachable else None
    return with_blocks(flow, changed)


def _without_trivial_phis(flow: ControlFlow) -> tuple[ControlFlow, dict[str, Expr]]:
    """Put for each phi that takes one value alone this value, where its definition dominates the phi; say which."""
    stands: dict[str, Expr] = {}

    def value(register: Register) -> Expr:
        found = stands.get(register.name)
        return register if found is None else substituted(found, value)

    again = True
    while again:
        again = False
        for block in flow.blocks:
            for phi in block.phis:
                if phi.register in stands:
                    continue
                taken = {substituted(each.value, value) for each in phi.incoming}
                others = {v for v in taken if not (isinstance(v, Register) and v.name == phi.register)}
                if len(others) == 1 and (len(flow.predecessors[block.name]) == 1 or _dominating(flow, block, others)):
                    stands[phi.register] = others.pop()
                    again = True
    if not stands:
        return flow, {}
    changed: dict[str, KernelBlock | None] = {}
    for block in flow.blocks:
        kept = tuple(phi for phi in block.phis if phi.register not in stands)
        changed[block.name] = reading(replace(block, phis=kept), value)
    return with_blocks(flow, changed), {name: substituted(found, value) for name, found in stands.items()}


def _dominating(flow: ControlFlow, block: KernelBlock, values: Collection[Expr]) -> bool:
    """Whether what values read is assigned before a block on every way to it."""
    (value,) = values
    names = {register.name for register in read(value)}
    if not names:
        return True
    places = {n: b.name for b in flow.blocks for s in (*b.phis, *b.statements) for n in results(s) if n in names}
    dominators = Dominators(flow_graph(flow.successors))
    return all(dominators.strictly(place, block.name) for place in places.values())


def _merged(flow: ControlFlow, first: str, second: str) -> ControlFlow:
    """Make a block and the only one after it, which has no phis, one."""
    one, two = flow.block[first], flow.block[second]
    new = replace(one, statements=(*one.statements, *two.statements), terminator=two.terminator)
    changed: dict[str, KernelBlock | None] = {first: new, second: None}
    for name in dict.fromkeys(flow.successors[second]):
        block = changed.get(name) or flow.block[name]
        phis = []
        for phi in block.phis:
            moved = tuple(replace(i, block=first) if i.block == second else i for i in phi.incoming)
            phis.append(replace(phi, incoming=moved))
        changed[name] = replace(block, phis=tuple(phis))
    return with_blocks(flow, changed)
