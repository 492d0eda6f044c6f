"""Loop interchange: of two loops, one directly inside the other, the inner becomes the outer.

What goes in: two loops that are all that either does, neither count depending on the other's counter. What comes out:
the same iterations in the other order, each header heading the loop that counts as it did, with its LoopID. Invariant:
of two iterations that change places, the table of crossings allows it for all that they do; read-modify-writes are
never reordered, and no lane leaves a loop when others stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, ConvergenceToken, Incoming, Phi
from axmem.litmus.registers import read, substituted
from axmem.litmus.syntax import (
    I1,
    I32,
    Assign,
    Expr,
    IntegerOperation,
    Register,
    RmwStatement,
    Statement,
    Type,
)
from axmem.litmus.walk import results
from axmem.transform.body import ahead, chain, computes, needed, outputs, said, taking_from, turns
from axmem.transform.constants import constant, operation
from axmem.transform.dependence import EARLIER, LATER, Dependences, jammed_access
from axmem.transform.loops import Loop, around, defined_in, induction, loops
from axmem.transform.rewrite import RegisterNames, redirected, simplified, with_blocks
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


def _pair(context: TransformContext) -> tuple[Loop, Loop]:
    return context.loop_named(str(context.arguments["outer"])), context.loop_named(str(context.arguments["inner"]))


def _legality(context: TransformContext) -> list[TransformRefusal]:
    outer, inner = _pair(context)
    final = list(_impossible(context.flow, outer, inner))
    if final:
        return [TransformRefusal(reason, final=True) for reason in final]
    found = [
        TransformRefusal(f"lanes leave the loop '{loop.header}' in different iterations")
        for loop in (outer, inner)
        if loop.header in context.divergent
    ]
    dependences = Dependences(context.flow, outer)
    spots = dependences.statements
    words: dict[str, None] = {}
    for _, statement in spots:
        if isinstance(statement, RmwStatement):
            words[f"{said(statement)} is a read-modify-write, which stays in order"] = None
    for first in spots:
        for second in spots:
            if why := dependences.hindrance(first, second, {outer.header: LATER, inner.header: EARLIER}):
                later = f"{said(second[1])} of a later iteration of '{outer.header}'"
                words[f"{later} would move before {said(first[1])}: {why}"] = None
    return found + [TransformRefusal(reason) for reason in words]


def _impossible(flow: ControlFlow, outer: Loop, inner: Loop) -> Iterator[str]:
    """Yield why the loops have no other order at all."""
    inside = [loop for loop in loops(flow) if loop.blocks < outer.blocks]
    if inside != [inner]:
        yield f"'{inner.header}' is not the only loop inside '{outer.header}'"
        return
    if chain(flow, inner) is None or line(flow, outer, inner) is None:
        yield "the body branches"
        return
    known = OuterExpressions(flow, outer)
    for loop in (outer, inner):
        count = turns(flow, loop)
        if count is None:
            yield f"how often '{loop.header}' goes round is not known before it begins"
        elif known(count) is None:
            yield f"how often '{loop.header}' goes round depends on '{outer.header}'"
        counters = {each.register: each for each in induction(flow, loop)}
        for phi in flow.block[loop.header].phis:
            if phi.register not in counters:
                yield f"'{phi.register}' goes from one iteration of '{loop.header}' to the next"
            elif known(counters[phi.register].start) is None:
                yield f"where '{phi.register}' begins depends on '{outer.header}'"
    for name in sorted(outer.blocks - inner.blocks):
        for statement in flow.block[name].statements:
            if not computes(statement):
                yield f"{said(statement)} stands between the loops"
    before = ahead(flow, inner)
    if before is not None:
        yield f"{said(before)} stands before the test, and is executed once more than the rest"
    for register in sorted(outputs(flow, outer)):
        yield f"'{register}' is read after the loops"
    if any(isinstance(s, ConvergenceToken) for name in inner.blocks for s in flow.block[name].statements):
        yield "a convergence token is defined in it"


def line(flow: ControlFlow, outer: Loop, inner: Loop) -> tuple[list[str], list[str]] | None:
    """Return the blocks of the outer loop before and behind the inner one, if they are a straight line."""
    found: list[str] = []
    name, before = outer.header, len(outer.blocks)
    while True:
        if name in inner.blocks:
            before = len(found)
            after = [target for _, target in inner.exits]
        else:
            found.append(name)
            after = [target for target in dict.fromkeys(flow.successors[name]) if target in outer.blocks]
        if len(set(after)) != 1 or len(found) > len(outer.blocks):
            return None
        name = after[0]
        if name == outer.header:
            whole = len(found) + len(inner.blocks) == len(outer.blocks)
            return (found[:before], found[before:]) if whole else None


class OuterExpressions:
    """Gives an expression over what stands before a loop; None if it depends on what the loop does."""

    def __init__(self, flow: ControlFlow, loop: Loop) -> None:
        self.definitions = defined_in(flow, loop)

    def __call__(self, expr: Expr | None) -> Expr | None:
        """Return the expression."""
        while expr is not None:
            inside = {r.name: self.definitions[r.name][1] for r in read(expr) if r.name in self.definitions}
            if not inside:
                return expr
            values = {name: s.value for name, s in inside.items() if isinstance(s, Assign)}
            if len(values) < len(inside):
                return None
            expr = _replaced(expr, values)
        return None


def _replaced(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    return substituted(expr, lambda register: values.get(register.name, register))


# ---------------------------------------------------------------- the loops


def _apply(context: TransformContext) -> TransformStep:
    outer, _ = _pair(context)
    context = context.with_flow(simplified(context.flow, outer.header, context.kernel))
    return _Built(context).step()


class _Built:
    """The two loops with their roles exchanged: each header heads the loop that counts as it did."""

    def __init__(self, context: TransformContext) -> None:
        self.flow = context.flow
        self.outer, self.inner = _pair(context)
        self.names = RegisterNames(self.flow, context.kernel)
        self.known = OuterExpressions(self.flow, self.outer)

    def step(self) -> TransformStep:
        """Return the graph with both loops."""
        outer, inner, preheader = self.outer, self.inner, self.outer.preheader
        assert preheader is not None
        ((exiting, target),) = outer.exits
        before, latch, body = (self.names.fresh(name) for name in (outer.header, inner.latch, outer.latch))
        entry, counts = self.flow.block[preheader], list[Statement]()
        head, again = self.header(inner, (preheader, latch), (before, target), counts)
        nested, step = self.header(outer, (before, body), (body, latch), counts)
        copies = [Assign(old, Register(new, type_)) for old, (new, type_) in self.counters.items()]
        work = (*copies, *self.body(), *step)
        blocks = needed(
            [
                head,
                KernelBlock(before, (), (), Branch((outer.header,))),
                nested,
                KernelBlock(body, (), work, Branch((outer.header,), loop=outer.identity)),
                KernelBlock(latch, (), tuple(again), Branch((inner.header,), loop=inner.identity)),
            ]
        )
        changed: dict[str, KernelBlock | None] = dict.fromkeys(outer.blocks, None)
        begun = replace(entry, statements=(*entry.statements, *counts))
        changed[preheader] = redirected(begun, outer.header, inner.header)
        changed[target] = taking_from(self.flow.block[target], inner.header, exiting)
        flow = with_blocks(self.flow, changed, {preheader: blocks})
        made = {inner.header: MadeLoop(inner.header, "outer"), outer.header: MadeLoop(outer.header, "inner")}
        return TransformStep(flow, tuple(self.held(blocks[3])), made)

    @cached_property
    def counters(self) -> dict[str, tuple[str, Type]]:
        """What the registers that count are called where they count, and their types."""
        found = [each for loop in (self.outer, self.inner) for each in induction(self.flow, loop)]
        return {each.register: (self.names.fresh(each.register), each.type) for each in found}

    def header(
        self, loop: Loop, before: tuple[str, str], after: tuple[str, str], counts: list[Statement]
    ) -> tuple[KernelBlock, list[Statement]]:
        """Return a header, and what counts on behind the work; how often it goes round is counted in front of both."""
        count = self.known(turns(self.flow, loop))
        assert count is not None
        type_ = count.type or I32
        number, done, following = (self.names.fresh(f"{loop.header}.{stem}") for stem in ("count", "done", "done"))
        counts.append(Assign(number, count))
        ways: list[tuple[str, Type, Expr, str]] = [(done, type_, constant(0, type_), following)]
        again: list[Statement] = [Assign(following, operation("add", Register(done, type_), 1))]
        for each in induction(self.flow, loop):
            start, (register, counted) = self.known(each.start), self.counters[each.register]
            assert start is not None
            then = self.names.fresh(each.register)
            ways.append((register, counted, start, then))
            again.append(Assign(then, operation("add", Register(register, counted), each.step)))
        phis = []
        for register, counted, start, then in ways:
            incoming = (Incoming(start, before[0]), Incoming(Register(then, counted), before[1]))
            phis.append(Phi(register, counted, incoming))
        more = IntegerOperation("ult", (Register(done, type_), Register(number, type_)), I1)
        return KernelBlock(loop.header, tuple(phis), (), Branch(after, more)), again

    def body(self) -> tuple[Statement, ...]:
        """Return what the loops do, with the computations of both."""
        parts = line(self.flow, self.outer, self.inner)
        blocks = chain(self.flow, self.inner)
        assert parts is not None and blocks is not None
        names = [*parts[0], *(block.name for block in blocks), *parts[1]]
        identities = self.outer.identity, self.inner.identity
        return tuple(jammed_access(s, *identities) for name in names for s in self.flow.block[name].statements)

    def held(self, body: KernelBlock) -> Iterator[Held]:
        """Yield what the work of an iteration holds."""
        found = loops(self.flow)
        numbers = {loop.header: iteration_number(self.flow, loop) for loop in found}
        numbers |= {loop.header: iteration(loop.header) for loop in (self.outer, self.inner)}
        places = {name: block for name, (block, _) in defined_in(self.flow, self.outer).items()}
        places |= {s.label: b for b in self.outer.blocks for s in self.flow.block[b].statements if s.label}
        for statement in body.statements:
            for name in (*results(statement), statement.label):
                if name in places:
                    iterations = tuple(numbers[loop.header] for loop in around(found, places[name]))
                    yield Held(name, iterations, Register(name))


INTERCHANGE = Transformation(
    "interchange",
    (TransformParameter("outer", "loop"), TransformParameter("inner", "loop")),
    _legality,
    _apply,
)
"""Of two loops, one directly inside the other, make the inner the outer."""
