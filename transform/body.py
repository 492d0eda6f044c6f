"""The body of a loop as what reorders it sees it: what is done in which order, and words for it.

What goes in: a loop. What comes out: its blocks as one straight line, if they are one; how often it goes round; where
the computations and loads that a register depends on stand. Invariant: what is observed of a register at the end of a
kernel counts as something that is done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import IDS, Call, ConvergenceToken, Phi
from axmem.litmus.printer import statement_line
from axmem.litmus.registers import read
from axmem.litmus.syntax import I32, Assign, Expr, Kernel, LitmusTest, Statement, Type
from axmem.litmus.walk import expressions, results
from axmem.transform.constants import operation
from axmem.transform.final_registers import mark_of
from axmem.transform.loops import Loop, defined_in, loops
from axmem.transform.rewrite import types_of
from axmem.transform.trips import trips


def said(statement: Statement) -> str:
    """Return a statement as a text has it, in quotes."""
    shown = statement if not hasattr(statement, "label") else replace(statement, label="")
    return f"'{statement_line(LitmusTest('', '', (), ()), shown)}'"


def chain(flow: ControlFlow, loop: Loop) -> tuple[KernelBlock, ...] | None:
    """Return the blocks of a loop from its header to its latch, if each goes to the next alone or out of the loop."""
    found = [loop.header]
    while True:
        inside = [name for name in dict.fromkeys(flow.successors[found[-1]]) if name in loop.blocks]
        if len(inside) != 1:
            return None
        if inside[0] == loop.header:
            return tuple(flow.block[name] for name in found) if len(found) == len(loop.blocks) else None
        found.append(inside[0])


def is_innermost(flow: ControlFlow, loop: Loop) -> bool:
    """Whether a loop has none inside."""
    return not any(each.blocks < loop.blocks for each in loops(flow))


def turns(flow: ControlFlow, loop: Loop) -> Expr | None:
    """Return how often the latch of a loop is executed, over what stands before the loop; None if that is not known.

    A loop with the test at its end goes round once at least; its number wraps to 0 where it does not fit.
    """
    found = trips(flow, loop)
    if found is None or found.taken is None:
        return None
    return operation("add", found.taken, 1) if found.rotated else found.taken


def convergent(flow: ControlFlow, loop: Loop) -> tuple[Statement, ...]:
    """Return the convergent operations and the definitions of tokens in a loop."""
    inside = (s for block in flow.blocks if block.name in loop.blocks for s in block.statements)
    return tuple(s for s in inside if isinstance(s, ConvergenceToken) or (isinstance(s, Call) and s.convergent))


def known_types(flow: ControlFlow, kernel: Kernel) -> Mapping[str, Type]:
    """Return the types of everything that a kernel can read: its parameters, the numbers of lanes, what it assigns."""
    types = dict.fromkeys(IDS, I32) | {parameter.name: parameter.type for parameter in kernel.parameters}
    return types | types_of(flow)


def ahead(flow: ControlFlow, loop: Loop) -> Statement | None:
    """Return an operation of a straight loop that is executed once more than its latch, standing before the test."""
    blocks, known = chain(flow, loop), trips(flow, loop)
    if blocks is None or known is None or known.rotated:
        return None
    tested = [block.name for block in blocks].index(known.exit)
    found = (s for block in blocks[: tested + 1] for s in block.statements if not isinstance(s, Assign) or mark_of(s))
    return next(found, None)


def outputs(flow: ControlFlow, loop: Loop) -> frozenset[str]:
    """Return the registers that a loop assigns and that are read outside of it."""
    found: set[str] = set()
    for block in flow.blocks:
        if block.name not in loop.blocks:
            taken = [each.value for phi in block.phis for each in phi.incoming]
            taken += [e for s in (*block.statements, block.terminator) for e in expressions(s)]
            found |= {r.name for value in taken for r in read(value)}
    return frozenset(found & set(defined_in(flow, loop)))


def computes(statement: Statement) -> bool:
    """Whether a statement is a computation: nothing is lost without it if nobody reads what it gives."""
    return isinstance(statement, Phi) or (isinstance(statement, Assign) and not mark_of(statement))


def needed(blocks: Collection[KernelBlock], kept: Collection[str] = ()) -> list[KernelBlock]:
    """Return blocks without computations that nothing in them needs; registers in `kept` are needed elsewhere."""
    definitions = {n: s for b in blocks for s in (*b.phis, *b.statements) if computes(s) for n in results(s)}
    waiting = [name for name in definitions if name in kept]
    for block in blocks:
        done = (s for s in (*block.statements, block.terminator) if not computes(s))
        waiting += [r.name for s in done for e in expressions(s) for r in read(e)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in found:
            found.add(name)
            waiting += [r.name for e in expressions(definitions[name]) for r in read(e)]
    out = []
    for block in blocks:
        phis = tuple(phi for phi in block.phis if phi.register in found)
        body = tuple(s for s in block.statements if not computes(s) or not found.isdisjoint(results(s)))
        out.append(replace(block, phis=phis, statements=body))
    return out


def taking_from(block: KernelBlock, new: str, old: str | None) -> KernelBlock:
    """Return a block whose phis take from another predecessor what they took from one."""
    phis = []
    for phi in block.phis:
        incoming = tuple(replace(each, block=new) if each.block == old else each for each in phi.incoming)
        phis.append(replace(phi, incoming=incoming))
    return replace(block, phis=tuple(phis))
