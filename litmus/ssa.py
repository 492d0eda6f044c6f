"""Registers that are assigned once.

What goes in: a control flow graph whose registers may be assigned again. What comes out: the same graph in which every
register has one assignment, which dominates its uses: a phi stands where assignments meet and the register is still
read (the dominance frontiers of its assignments, where it is live). Blocks that the entry does not reach are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock, PlacedKernel, control_flow
from axmem.litmus.kernels import Call, Incoming, Return
from axmem.litmus.registers import assigned, read, substituted, with_reads, with_results
from axmem.litmus.syntax import (
    AddressOf,
    Assign,
    Expr,
    Kernel,
    Number,
    Phi,
    Register,
    Statement,
    Type,
    UndefValue,
)
from axmem.litmus.walk import expressions, results

if TYPE_CHECKING:
    import networkx

END = "axmem.end "
"""What the names of calls begin with that are none, and say what a register holds at the end (`with_ends`)."""


def single_assignment(kernel: Kernel) -> ControlFlow:
    """Return the control flow graph of a kernel with single assignments."""
    return _single_assignment(PlacedKernel(kernel))


@lru_cache(maxsize=256)
def _single_assignment(placed: PlacedKernel) -> ControlFlow:
    return _assigned_once(placed.kernel, ())


def with_ends(kernel: Kernel, asked: Collection[str]) -> ControlFlow:
    """Return the graph of a kernel with single assignments in which calls say what some registers hold at the end.

    Such a call, of `END` with the register behind it, is the last statement of each block that returns, and has the
    register's value there as its operand: 0 if nothing has assigned it.
    """
    return _assigned_once(kernel, tuple(asked))


def _assigned_once(kernel: Kernel, asked: Sequence[str]) -> ControlFlow:
    flow = control_flow(kernel)
    blocks = tuple(_without(block, flow) for block in flow.blocks if block.name in flow.reachable)
    flow = ControlFlow(blocks)
    types = {name: type_ for block in blocks for s in _definitions(block) for name, type_ in assigned(s)}
    times: dict[str, int] = {}
    for block in blocks:
        for statement in _definitions(block):
            for name in results(statement):
                times[name] = times.get(name, 0) + 1
    again = {name for name, number in times.items() if number > 1}
    again |= {name for name in times if name in {p.name for p in kernel.parameters}}
    ends = {name: types[name] for name in asked if name in types}
    if ends:
        again |= {name for name in ends if not _certain(flow, name)}
        flow = ControlFlow(tuple(_ending(block, ends) for block in flow.blocks))
    if not again:
        return flow
    begin = {p.name: Register(p.name, p.type) for p in kernel.parameters if p.name in again}
    found = _Renaming(_with_phis(flow, again, types), again, set(times)).flow(begin)
    never = again - {*begin}
    return found if not ends else ControlFlow(tuple(_never_assigned(block, never) for block in found.blocks))


def _certain(flow: ControlFlow, register: str) -> bool:
    """Say whether a register is assigned wherever a lane returns: in the entry, or in each block that does."""
    where = {block.name for block in flow.blocks for s in _definitions(block) if register in results(s)}
    return flow.entry.name in where or all(b.name in where for b in flow.blocks if isinstance(b.terminator, Return))


def _ending(block: KernelBlock, asked: Mapping[str, Type]) -> KernelBlock:
    """Return a block with calls that read what is asked for, if it returns."""
    if not isinstance(block.terminator, Return):
        return block
    calls = tuple(Call(f"{END}{name}", (Register(name, type_),)) for name, type_ in asked.items())
    above = len(block.phis) + len(block.statements)
    paths = (*block.paths[:above], *[()] * len(calls), *block.paths[above:])
    return replace(block, statements=(*block.statements, *calls), paths=paths)


def _never_assigned(block: KernelBlock, again: Collection[str]) -> KernelBlock:
    """Return a block in which 0 is what a register holds at the end if nothing on the way there has assigned it."""

    def known(register: Register) -> Expr:
        return Number(0, register.type) if register.name in again else register

    def ending(statement: Statement) -> Statement:
        end = isinstance(statement, Call) and statement.operation.startswith(END)
        return with_reads(statement, known) if end else statement

    return replace(block, statements=tuple(map(ending, block.statements)))


def renamed_once(flow: ControlFlow, again: Collection[str], types: Mapping[str, Type]) -> ControlFlow:
    """Return a graph in which the registers `again`, which may be assigned several times, have single assignments.

    One that has a single assignment keeps its name; what it is read for before an assignment is 0.
    """
    definitions = [name for block in flow.blocks for s in _definitions(block) for name in results(s)]
    several = {name for name in again if definitions.count(name) > 1}
    if not several:
        return flow
    return _Renaming(_with_phis(flow, several, types), several, set(definitions)).flow({})


def without_copies(flow: ControlFlow) -> ControlFlow:
    """Return a graph with single assignments in which what a register is a copy of stands for it."""
    plain = (Register, Number, UndefValue, AddressOf)
    assigns = [s for block in flow.blocks for s in block.statements if isinstance(s, Assign)]
    copies: dict[str, Expr] = {s.register: s.value for s in assigns if isinstance(s.value, plain)}

    def original(register: Register) -> Expr:
        value = copies.get(register.name)
        return register if value is None else substituted(value, original)

    def block(old: KernelBlock) -> KernelBlock:
        body = tuple(
            with_reads(s, original) for s in old.statements if not (isinstance(s, Assign) and s.register in copies)
        )
        terminator = with_reads(old.terminator, original)
        phis = tuple(with_reads(phi, original) for phi in old.phis)
        return KernelBlock(old.name, phis, body, terminator)  # type: ignore[arg-type]

    return ControlFlow(tuple(map(block, flow.blocks)))


def _definitions(block: KernelBlock) -> tuple[Statement, ...]:
    return (*block.phis, *block.statements)


def _without(block: KernelBlock, flow: ControlFlow) -> KernelBlock:
    """Return a block whose phis take nothing from blocks that are not reached."""
    phis = tuple(replace(p, incoming=tuple(i for i in p.incoming if i.block in flow.reachable)) for p in block.phis)
    return replace(block, phis=phis)


def liveness(flow: ControlFlow, at_end: frozenset[str] = frozenset()) -> dict[str, frozenset[str]]:
    """Return the registers that are read after the phis of each block, before they are assigned again.

    Those in `at_end` are also read where a lane returns.
    """
    used: dict[str, set[str]] = {}
    killed: dict[str, set[str]] = {}
    for block in flow.blocks:
        reads, kills = set[str](), {phi.register for phi in block.phis}
        for statement in (*block.statements, block.terminator):
            reads |= {r.name for e in expressions(statement) for r in read(e)} - kills
            kills |= set(results(statement))
        if isinstance(block.terminator, Return):
            reads |= at_end - kills
        used[block.name], killed[block.name] = reads, kills
    live = {name: frozenset(reads) for name, reads in used.items()}
    waiting = [block.name for block in flow.blocks]
    while waiting:
        name = waiting.pop()
        after = {register for target in flow.successors[name] for register in live_on_edge(flow, live, name, target)}
        now = frozenset(used[name] | (after - killed[name]))
        if now != live[name]:
            live[name] = now
            waiting += flow.predecessors[name]
    return live


def live_on_edge(flow: ControlFlow, live: Mapping[str, frozenset[str]], block: str, target: str) -> set[str]:
    """Return the registers that are read after a block if it goes to a target."""
    phis = flow.block[target].phis
    taken = {r.name for phi in phis for each in phi.incoming if each.block == block for r in read(each.value)}
    return taken | (live[target] - {phi.register for phi in phis})


def _with_phis(flow: ControlFlow, again: Iterable[str], types: Mapping[str, Type]) -> ControlFlow:
    """Add a phi of each register that is assigned again, where its assignments meet and it is live."""
    import networkx  # noqa: PLC0415 -- heavy, and kernels without such registers do not need it

    frontiers = networkx.dominance_frontiers(_edges(flow), flow.entry.name)
    live = liveness(flow)
    added: dict[str, list[Phi]] = {block.name: [] for block in flow.blocks}
    for register in sorted(again):
        waiting = [b.name for b in flow.blocks if any(register in results(s) for s in _definitions(b))]
        seen = {b.name for b in flow.blocks if any(phi.register == register for phi in b.phis)}
        while waiting:
            for join in sorted(frontiers.get(waiting.pop(), ())):
                if join not in seen and register in live[join]:
                    seen.add(join)
                    waiting.append(join)
                    pairs = [b.name for b in flow.blocks for target in flow.successors[b.name] if target == join]
                    incoming = tuple(Incoming(Register(register, types[register]), block) for block in pairs)
                    added[join].append(Phi(register, types[register], incoming, span=flow.block[join].span))
    return ControlFlow(tuple(_with_more(block, added[block.name]) for block in flow.blocks))


def _edges(flow: ControlFlow) -> networkx.DiGraph[str]:
    """Return a control flow graph as networkx has graphs; one without edges has its entry."""
    import networkx  # noqa: PLC0415 -- heavy

    return networkx.DiGraph({name: list(targets) for name, targets in flow.successors.items()})


def _with_more(block: KernelBlock, phis: list[Phi]) -> KernelBlock:
    """Return a block with more phis, which no statement of the text stands behind."""
    own = len(block.phis)
    paths = (*block.paths[:own], *[()] * len(phis), *block.paths[own:])
    return replace(block, phis=(*block.phis, *phis), paths=paths)


class _Renaming:
    """Gives each assignment of some registers a name of its own, down the tree of dominators."""

    def __init__(self, flow: ControlFlow, again: set[str], taken: set[str]) -> None:
        self.graph = flow
        self.again = again
        self.taken = taken
        self.done: dict[str, KernelBlock] = {}
        self.at_end: dict[str, Mapping[str, Expr]] = {}

    def flow(self, begin: Mapping[str, Expr]) -> ControlFlow:
        """Rename everything; `begin` is what some registers hold at the entry."""
        import networkx  # noqa: PLC0415 -- heavy

        above = dict(networkx.immediate_dominators(_edges(self.graph), self.graph.entry.name))
        entry = self.graph.entry.name
        below: dict[str, list[str]] = {}
        for block in self.graph.blocks:
            if block.name != entry:
                below.setdefault(above[block.name], []).append(block.name)
        waiting: list[tuple[str, Mapping[str, Expr]]] = [(entry, begin)]
        while waiting:
            name, names = waiting.pop()
            self.at_end[name] = self.block(name, dict(names))
            waiting += [(child, self.at_end[name]) for child in reversed(below.get(name, []))]
        return ControlFlow(tuple(self.with_incoming(self.done[block.name]) for block in self.graph.blocks))

    def fresh(self, register: str) -> str:
        """Return a name that no register has."""
        name = next(n for k in count(1) if (n := f"{register}.{k}") not in self.taken)
        self.taken.add(name)
        return name

    def block(self, name: str, names: dict[str, Expr]) -> Mapping[str, Expr]:
        """Rename what a block reads and assigns; return what the registers are called at its end."""
        block = self.graph.block[name]

        def known(register: Register) -> Expr:
            return names.get(register.name, register)

        def defined(statement: Statement) -> Statement:
            new = {r: self.fresh(r) for r in results(statement) if r in self.again}
            types = dict(assigned(statement))
            names.update({old: Register(name, types[old]) for old, name in new.items()})
            return with_results(statement, new)

        phis = tuple(phi for phi in map(defined, block.phis) if isinstance(phi, Phi))
        body = tuple(defined(with_reads(statement, known)) for statement in block.statements)
        terminator = with_reads(block.terminator, known)
        self.done[name] = replace(block, phis=phis, statements=body, terminator=terminator)  # type: ignore[arg-type]
        return names

    def with_incoming(self, block: KernelBlock) -> KernelBlock:
        """Rename what the phis of a block take from its predecessors; what is not assigned there is 0."""

        def taken(each: Incoming) -> Incoming:
            names = self.at_end[each.block]

            def known(register: Register) -> Expr:
                unassigned = Number(0, register.type) if register.name in self.again else register
                return names.get(register.name, unassigned)

            return replace(each, value=substituted(each.value, known))

        return replace(block, phis=tuple(replace(p, incoming=tuple(map(taken, p.incoming))) for p in block.phis))
