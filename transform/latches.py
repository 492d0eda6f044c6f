"""Loops with several latches as LLVM's passes see them: `loop-simplify` gives each one latch first.

What goes in: a control flow graph with single assignments. What comes out: the graph in which a block goes back to the
header of each such loop, with the LoopID that a latch had. Invariant: every lane does the same as before.
"""

from __future__ import annotations

from axmem.convergence.cycles import ControlCycle, llvm_hierarchy
from axmem.convergence.graph import flow_graph
from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, Incoming, Phi, Switch
from axmem.litmus.syntax import Register

BACKEDGE = "backedge"
"""What the block is called after the header."""
NESTED = 8
"""Of fewer latches LLVM makes a loop in a loop where the header keeps a value along some of them."""


def with_one_latch(flow: ControlFlow) -> ControlFlow:
    """Return a graph in which each loop has one latch, but for those of which LLVM makes two loops."""
    waiting = list(llvm_hierarchy(flow_graph(flow.successors)).cycles)
    while waiting:
        cycle = waiting.pop()
        waiting += cycle.children
        before = dict.fromkeys(flow.predecessors[cycle.header])
        latches = [block for block in before if block in cycle.blocks and block in flow.reachable]
        if cycle.reducible and len(latches) > 1 and not _is_nest(flow, cycle, latches):
            flow = _merged(flow, cycle, latches)
    return flow


def _is_nest(flow: ControlFlow, cycle: ControlCycle, latches: list[str]) -> bool:
    """Tell whether a value stays along one of the latches: LLVM takes those for a loop in the loop of the others."""
    header = flow.block[cycle.header]
    stays = (
        isinstance(each.value, Register) and each.value.name == phi.register and each.block in latches
        for phi in header.phis
        for each in phi.incoming
    )
    return len(latches) < NESTED and any(stays)


def _merged(flow: ControlFlow, cycle: ControlCycle, latches: list[str]) -> ControlFlow:
    name = f"{cycle.header}.{BACKEDGE}"
    while name in flow.block:
        name += "_"
    # Where latches say different things LLVM keeps what the last one says.
    identities = [getattr(flow.block[latch].terminator, "loop", None) for latch in reversed(latches)]
    identity = next((each for each in identities if each is not None), None)
    header, phis, made = flow.block[cycle.header], [], []
    for phi in header.phis:
        register = f"{phi.register}.{name}"
        back = tuple(each for each in phi.incoming if each.block in latches)
        made.append(Phi(register, phi.type, back))
        rest = tuple(each for each in phi.incoming if each.block not in latches)
        phis.append(replace(phi, incoming=(*rest, Incoming(Register(register, phi.type), name))))
    blocks = []
    for block in flow.blocks:
        if block.name == cycle.header:
            block = replace(block, phis=tuple(phis))
        if block.name in latches:
            block = _to(block, cycle.header, name)
        blocks.append(block)
    last = max(index for index, block in enumerate(blocks) if block.name in latches)
    backedge = KernelBlock(name, tuple(made), (), Branch((cycle.header,), loop=identity))
    return ControlFlow((*blocks[: last + 1], backedge, *blocks[last + 1 :]))


def _to(block: KernelBlock, old: str, new: str) -> KernelBlock:
    """Return a latch that goes to the new block, and says nothing of the loop."""
    match block.terminator:
        case Branch(targets=targets) as branch:
            there = tuple(new if target == old else target for target in targets)
            return replace(block, terminator=replace(branch, targets=there, loop=None))
        case Switch(default=default, cases=cases) as switch:
            moved = tuple(replace(case, block=new if case.block == old else case.block) for case in cases)
            return replace(block, terminator=replace(switch, default=new if default == old else default, cases=moved))
    return block
