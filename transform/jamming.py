"""Unroll-and-jam: several iterations of an outer loop go through the inner loop together.

What goes in: a loop with one loop inside, both straight lines, and a factor. What comes out: rounds of so many outer
iterations: what each does before the inner loop, then the inner loop, whose body is that of all of them one after the
other, then what each does behind it; and the loops as they were for the outer iterations that remain. Computations
stand where they are needed first. Invariant: of two statements that change places, the table of crossings allows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, ConvergenceToken, Incoming, Phi
from axmem.litmus.registers import assigned, read, substituted, with_reads, with_results
from axmem.litmus.syntax import Assign, Expr, Register, Statement
from axmem.litmus.walk import expressions, results
from axmem.transform.body import ahead, chain, convergent, said, turns
from axmem.transform.constants import number_of, operation
from axmem.transform.dependence import ANY, EARLIER, Dependences, IterationDistance, Spot, jammed_access
from axmem.transform.final_registers import mark_of
from axmem.transform.interchange import OuterExpressions, line
from axmem.transform.loops import Loop, around, around_again, defined_in, loops
from axmem.transform.remainders import ResultKind, Rounds, Split
from axmem.transform.rewrite import BlockCopy, RegisterNames, simplified, with_blocks
from axmem.transform.transformation import (
    Held,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    iteration,
    iteration_number,
    too_many,
)
from axmem.transform.trips import trips


def _inside(flow: ControlFlow, loop: Loop) -> tuple[Loop, ...]:
    return tuple(each for each in loops(flow) if each.blocks < loop.blocks)


# ---------------------------------------------------------------- when it would be wrong


def _legality(context: TransformContext) -> list[TransformRefusal]:
    final = list(_impossible(context))
    if final:
        return [TransformRefusal(reason, final=True) for reason in final]
    flow, loop = context.flow, context.loop
    found = [TransformRefusal(f"{said(s)} is convergent") for s in convergent(flow, loop)]
    return found + [
        TransformRefusal(f"{said(b[1])} of a later iteration would move before {said(a[1])}: {why}")
        for a, b, why in _hindered(flow, loop, int(context.arguments["factor"]))
    ]


def _impossible(context: TransformContext) -> Iterator[str]:
    """Yield why there are no such loops at all."""
    flow, loop = context.flow, context.loop
    if words := too_many(flow, loop, int(context.arguments["factor"])):
        yield words
        return
    inside = _inside(flow, loop)
    if len(inside) != 1:
        yield f"there {'is no loop' if not inside else f'are {len(inside)} loops'} inside"
        return
    (inner,) = inside
    if chain(flow, inner) is None or line(flow, loop, inner) is None:
        yield "the body branches"
        return
    known = trips(flow, loop)
    if known is None or known.taken is None or iteration_number(flow, loop) == iteration(loop.header):
        yield f"how often '{loop.header}' goes round is not known before it begins"
    elif known.count is not None and known.count + known.rotated < int(context.arguments["factor"]):
        yield f"'{loop.header}' goes round {known.count + known.rotated} times only"
    count = turns(flow, inner)
    if count is None:
        yield f"how often '{inner.header}' goes round is not known before it begins"
    elif OuterExpressions(flow, loop)(count) is None:
        yield f"how often '{inner.header}' goes round depends on '{loop.header}'"
    before = ahead(flow, inner)
    if before is not None:
        yield f"{said(before)} stands before the test, and is executed once more than the rest"
    if any(isinstance(s, ConvergenceToken) for name in loop.blocks for s in flow.block[name].statements):
        yield "a convergence token is defined in it"
    try:
        simple = simplified(simplified(flow, loop.header, context.kernel), inner.header, context.kernel)
        _Jam(simple, loop.header, 2, RegisterNames(simple)).blocks()
    except Unready as error:
        yield str(error)


def _hindered(flow: ControlFlow, loop: Loop, factor: int) -> Iterator[tuple[Spot, Spot, str]]:
    """Yield the pairs of statements that would change places and may not.

    What stands before the inner loop moves over all that earlier iterations do from there on, what stands in it over
    what they do behind it and in later iterations of the inner loop.
    """
    (inner,) = _inside(flow, loop)
    parts = line(flow, loop, inner)
    assert parts is not None
    place = dict.fromkeys(parts[0], 0) | dict.fromkeys(inner.blocks, 1) | dict.fromkeys(parts[1], 2)
    dependences = Dependences(flow, loop)
    rounds, count = IterationDistance(1, factor - 1), turns(flow, inner)
    once = count is not None and number_of(count) in (0, 1)
    for first in dependences.statements:
        for second in dependences.statements:
            one, other = place[first[0]], place[second[0]]
            if one < other or (one == other and (one != 1 or once)):
                continue
            steps = {loop.header: rounds, inner.header: EARLIER if one == other else ANY}
            if why := dependences.hindrance(first, second, steps):
                yield first, second, why


# ---------------------------------------------------------------- the loops together


class Unready(Exception):
    """What an earlier iteration gives is needed before it is there."""


class _Jam:
    """Writes the statements of several outer iterations, part by part."""

    def __init__(self, flow: ControlFlow, header: str, factor: int, names: RegisterNames) -> None:
        self.flow, self.factor, self.names = flow, factor, names
        self.loop = next(loop for loop in loops(flow) if loop.header == header)
        (self.inner,) = _inside(flow, self.loop)
        self.definitions = defined_in(flow, self.loop)
        self.phis = {phi.register: phi for phi in flow.block[header].phis}
        self.values: dict[tuple[str, int], Expr] = {}
        self.labels: dict[tuple[str, int], str] = {}
        self.written: list[Statement] = []
        for name, phi in self.phis.items():
            self.values[name, 0] = Register(name, phi.type)

    def blocks(self) -> list[KernelBlock]:
        """Return the blocks of a round; the last goes back to the first, whose phis take nothing from it yet."""
        parts = line(self.flow, self.loop, self.inner)
        assert parts is not None
        before, behind = parts
        head = self.flow.block[self.loop.header]
        found = self.begun()
        work = (*self.part(before), *self.inputs(found))
        first = KernelBlock(head.name, head.phis, work, Branch((found[0].name,)), span=head.span)
        inside = self.inside(found)
        end = behind[-1]
        for exit_ in behind:
            for phi in self.flow.block[exit_].phis:
                for turn in range(self.factor):
                    self.values[phi.register, turn] = self.stands(phi.incoming[0].value, turn)
        last = KernelBlock(end, (), self.part(behind), Branch((head.name,)), span=self.flow.block[end].span)
        # What the next round begins with is written before this one ends.
        self.next = {
            name: self.stands(around_again(self.loop, phi), self.factor - 1) for name, phi in self.phis.items()
        }
        last = replace(last, statements=(*last.statements, *self.take()))
        return [first, *inside, last]

    def take(self) -> tuple[Statement, ...]:
        """Return what has been written since the last time."""
        found, self.written = tuple(self.written), []
        return found

    def part(self, names: list[str]) -> tuple[Statement, ...]:
        """Write what stands in some blocks, iteration after iteration."""
        for turn in range(self.factor):
            for name in names:
                for statement in self.flow.block[name].statements:
                    self.write(statement, turn)
        return self.take()

    def begun(self) -> tuple[KernelBlock, ...]:
        """Return the blocks of the inner loop, and give its phis names for every outer iteration."""
        found = chain(self.flow, self.inner)
        assert found is not None
        for phi in found[0].phis:
            for turn in range(self.factor):
                name = phi.register if turn == 0 else self.names.fresh(phi.register)
                self.values[phi.register, turn] = Register(name, phi.type)
        return found

    def inputs(self, found: tuple[KernelBlock, ...]) -> tuple[Statement, ...]:
        """Write what the inner loop reads and the outer one computes."""
        reads = [
            r for b in found for s in (*b.phis, *b.statements, b.terminator) for e in expressions(s) for r in read(e)
        ]
        for turn in range(self.factor):
            for register in reads:
                if self.definitions.get(register.name, ("",))[0] not in self.inner.blocks:
                    self.value(register, turn)
        return self.take()

    def inside(self, found: tuple[KernelBlock, ...]) -> list[KernelBlock]:
        """Write the inner loop; it goes on as it does in the first of the iterations, for all of them."""
        tested = next(n for n, block in enumerate(found) if block.name == self.inner.exiting[0])
        out = []
        for names in (found[: tested + 1], found[tested + 1 :]):
            if not names:
                continue
            body = self.part([block.name for block in names])
            body = tuple(jammed_access(s, self.loop.identity, self.inner.identity) for s in body)
            end = with_reads(names[-1].terminator, lambda register: self.value(register, 0))
            assert isinstance(end, Branch)
            out.append(KernelBlock(names[0].name, (), body, end, span=names[0].span))
        latch = out[-1].name
        phis = []
        entering = self.loop.header
        for phi in found[0].phis:
            for turn in range(self.factor):
                incoming = [
                    Incoming(self.stands(each.value, turn), latch if each.block == self.inner.latch else entering)
                    for each in phi.incoming
                ]
                own = self.values[phi.register, turn]
                assert isinstance(own, Register)
                phis.append(Phi(own.name, phi.type, tuple(incoming), span=phi.span))
        out[0] = replace(out[0], phis=tuple(phis))
        target = {block.name for block in found}
        (exit_,) = {t for _, t in self.inner.exits}
        behind = self.loop.latch
        for n, block in enumerate(out):
            branch = block.terminator
            assert isinstance(branch, Branch)
            out[n] = replace(block, terminator=_to(branch, {exit_: behind}, target, out))
        return out

    def write(self, statement: Statement, turn: int) -> None:
        """Write a statement of one of the iterations, unless it is written."""
        if isinstance(statement, Assign) and (statement.register, turn) in self.values:
            return
        made = with_reads(statement, lambda register: self.value(register, turn))
        new = {name: name if turn == 0 else self.names.fresh(name) for name in results(statement)}
        made = with_results(made, new)
        if statement.label:
            self.labels[statement.label, turn] = statement.label if turn == 0 else self.names.fresh(statement.label)
            made = replace(made, label=self.labels[statement.label, turn])
        self.written.append(made)
        for name, type_ in assigned(statement):
            self.values[name, turn] = Register(new[name], type_)

    def value(self, register: Register, turn: int) -> Expr:
        """Return what a register is in one of the iterations; raise `Unready` if it has no value yet."""
        name = register.name
        if name not in self.definitions or (name, turn) in self.values:
            return self.values.get((name, turn), register)
        if name in self.phis:
            return self.stands(around_again(self.loop, self.phis[name]), turn - 1)
        block, statement = self.definitions[name]
        if not isinstance(statement, Assign) or mark_of(statement) or block in self.inner.blocks:
            raise Unready(f"what {said(statement)} gives is needed before it is executed")
        self.write(statement, turn)
        return self.values[name, turn]

    def stands(self, expr: Expr, turn: int) -> Expr:
        """Return what an expression is in one of the iterations."""
        return substituted(expr, lambda register: self.value(register, turn))

    def held(self) -> Iterator[Held]:
        """Yield what is held, iteration by iteration."""
        found = loops(self.flow)
        number = iteration_number(self.flow, self.loop)
        outer = tuple(iteration_number(self.flow, each) for each in around(found, self.loop.header)[:-1])
        within = iteration_number(self.flow, self.inner)
        labels = {key: Register(name) for key, name in self.labels.items()}
        blocks = {s.label: name for name in self.loop.blocks for s in self.flow.block[name].statements if s.label}
        for (name, turn), value in (self.values | labels).items():
            block = blocks[name] if (name, turn) in labels else self.definitions[name][0]
            now = operation("add", self.stands(number, 0), turn)
            inside = (self.stands(within, 0),) if block in self.inner.blocks else ()
            yield Held(name, (*outer, now, *inside), value)


def _to(branch: Branch, changed: dict[str, str], inside: set[str], blocks: list[KernelBlock]) -> Branch:
    """Return a branch of the inner loop that goes to the blocks that there are."""
    starts = {block.name for block in blocks}
    body = blocks[-1].name
    targets = (changed.get(t, t if t in starts or t not in inside else body) for t in branch.targets)
    return replace(branch, targets=tuple(targets))


def _apply(context: TransformContext) -> TransformStep:
    header, factor = context.loop.header, int(context.arguments["factor"])
    flow = simplified(context.flow, header, context.kernel)
    (inner,) = _inside(flow, context.loop)
    flow = simplified(flow, inner.header, context.kernel)
    loop = next(each for each in loops(flow) if each.header == header)
    (inner,) = _inside(flow, loop)
    split = Split(context, flow, loop, factor, "unroll-and-jam")
    jam = _Jam(flow, header, factor, split.names)
    blocks = jam.blocks()
    head = blocks[0]
    latch = blocks[-1].name
    phis = (
        replace(p, incoming=tuple(_again(i, loop, jam.next[p.register], latch) for i in p.incoming)) for p in head.phis
    )
    blocks[0] = replace(head, phis=tuple(phis))
    changed: dict[str, KernelBlock | None] = dict.fromkeys(loop.blocks)
    registers = {name: value for (name, turn), value in jam.values.items() if turn == factor - 1}
    last = BlockCopy({loop.latch: blocks[-1]}, registers)
    changed[loop.header] = blocks[0]
    new = with_blocks(flow, changed, {loop.header: blocks[1:]})
    kinds = (ResultKind(header, loop, "outer"), ResultKind(inner.header, inner, "inner"))
    rounds = Rounds(new, last, latch, tuple(jam.held()), kinds, {})
    rest = (
        ResultKind(split.rest.label(header), loop, "remainder outer"),
        ResultKind(split.rest.label(inner.header), inner, "remainder inner"),
    )
    return split.after(rounds, rest)


def _again(incoming: Incoming, loop: Loop, value: Expr, latch: str) -> Incoming:
    return Incoming(value, latch) if incoming.block == loop.latch else incoming


JAM = Transformation(
    "jam",
    (TransformParameter("loop", "loop"), TransformParameter("factor", "count", least=2)),
    _legality,
    _apply,
)
"""Unroll-and-jam: several iterations of a loop go through the loop inside together."""
