"""Loop rotation: a loop that tests before its body tests behind it.

What goes in: a loop with its test in the header. What comes out: the header once before the loop, deciding whether it
is entered, and in the loop as its last block; the loop has the name of the block that followed the header. Invariant:
each lane executes the same statements in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import ConvergenceToken
from axmem.litmus.registers import assigned
from axmem.litmus.ssa import renamed_once
from axmem.litmus.syntax import Assign, Expr, Register
from axmem.litmus.walk import results
from axmem.transform.chains import with_identity
from axmem.transform.constants import constant, operation
from axmem.transform.loops import Loop, around, loops
from axmem.transform.rewrite import RegisterNames, pruned, simplified, with_blocks, with_edges
from axmem.transform.transformation import (
    Held,
    MadeLoop,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    iteration,
    iteration_number,
)


def _legality(context: TransformContext) -> list[TransformRefusal]:
    flow, loop = context.flow, context.loop
    if loop.header not in loop.exiting or loop.header == loop.latch:
        return [TransformRefusal("its header has no test, or nothing behind it", final=True)]
    after = [target for target in dict.fromkeys(flow.successors[loop.header]) if target in loop.blocks]
    if len(after) != 1 or flow.predecessors[after[0]] != (loop.header,):
        return [TransformRefusal("its body does not begin behind the test alone", final=True)]
    if any(isinstance(s, ConvergenceToken) for s in flow.block[loop.header].statements):
        return [TransformRefusal("a convergence token is defined in its header", final=True)]
    return []


def _apply(context: TransformContext) -> TransformStep:
    flow = simplified(context.flow, context.loop.header, context.kernel)
    (loop,) = (each for each in loops(flow) if each.header == context.loop.header)
    assert loop.preheader is not None
    head, preheader = flow.block[loop.header], loop.preheader
    (body,) = (target for target in dict.fromkeys(flow.successors[loop.header]) if target in loop.blocks)
    names = RegisterNames(flow, context.kernel)
    # The header is written twice with the same registers; those get names of their own below.
    begin = [Assign(phi.register, each.value) for phi in head.phis for each in phi.incoming if each.block == preheader]
    labels = {s.label: names.fresh(s.label) for s in head.statements if s.label.startswith("@")}
    once = [replace(s, label=labels.get(s.label, "")) if s.label else s for s in head.statements]
    before = flow.block[preheader]
    place = len(before.statements)
    first = replace(before, statements=(*before.statements, *begin, *once), terminator=head.terminator)
    changed: dict[str, KernelBlock | None] = {preheader: first}
    for target in dict.fromkeys(flow.successors[loop.header]):
        changed[target] = with_edges(flow.block[target], [(preheader, loop.header, None)])
    latch = with_identity(changed.get(loop.latch) or flow.block[loop.latch], None)
    changed[loop.latch] = latch
    changed[loop.header] = with_identity(head, loop.identity)
    again = [(n, t) for s in (*head.phis, *head.statements) for n, t in assigned(s)]
    moved = pruned(with_blocks(flow, changed))
    new = renamed_once(moved, [name for name, _ in again], dict(again))
    held = tuple(_held(flow, loop, new, body, place, labels))
    return TransformStep(new, held, {body: MadeLoop(loop.header, "rotated")})


def _held(
    flow: ControlFlow, loop: Loop, new: ControlFlow, body: str, place: int, labels: dict[str, str]
) -> Iterator[Held]:
    """Yield what the header holds before the loop and, one iteration later, in it; and what the rest of it holds."""
    assert loop.preheader is not None
    found = loops(flow)
    head = flow.block[loop.header]
    outer = tuple(iteration_number(flow, each) for each in around(found, loop.header)[:-1])
    now: Expr = iteration(body)
    values: list[tuple[str, Register]] = []
    for old, made in zip(head.statements, new.block[loop.preheader].statements[place + len(head.phis) :], strict=True):
        values += zip(results(old), (Register(n, t) for n, t in assigned(made)), strict=True)
        values += [(old.label, Register(labels[old.label]))] if old.label in labels else []
    for phi, copy in zip(head.phis, new.block[loop.preheader].statements[place:], strict=False):
        values.append((phi.register, Register(results(copy)[0], phi.type)))
    yield from (Held(name, (*outer, constant(0)), value) for name, value in values)
    own = new.block[loop.header]
    pairs = [(old, made) for old, made in zip(head.statements, own.statements, strict=True)]
    pairs += [(phi, made) for phi, made in zip(head.phis, own.phis, strict=False)]
    for old, made in pairs:
        for register, (name, type_) in zip(results(old), assigned(made), strict=True):
            yield Held(register, (*outer, operation("add", now, 1)), Register(name, type_))
        if old.label in labels:
            yield Held(old.label, (*outer, operation("add", now, 1)), Register(old.label))
    for name in sorted(loop.blocks - {loop.header}):
        within = tuple(iteration_number(flow, each) for each in around(found, name) if each.blocks < loop.blocks)
        for statement in (*flow.block[name].phis, *flow.block[name].statements):
            for register in results(statement) or (statement.label,):
                if register:
                    yield Held(register, (*outer, now, *within), Register(register))


ROTATE = Transformation(
    "rotate",
    (TransformParameter("loop", "loop"),),
    _legality,
    _apply,
)
"""A loop that tests before its body tests behind it."""
