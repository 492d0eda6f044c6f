"""Iterations in lock step: `vectorize` and `interleave`.

What goes in: a loop whose body is a straight line, and how many iterations W are to go together. What comes out: a loop
that executes the statements of W iterations statement by statement, the first for all of them before the second, as
long as there are as many left; and behind it the loop as it was, for the rest. Where pointers might be the same place,
a check decides at run time whether the first is entered at all. Computations stand where they are needed first.
Invariant: of two statements of different iterations that change places, the table of crossings allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, ConvergenceToken, Incoming, Phi
from axmem.litmus.registers import assigned, substituted, with_reads, with_results
from axmem.litmus.syntax import I1, I32, Assign, Expr, IntegerOperation, Register, Statement
from axmem.litmus.walk import results
from axmem.transform.aliases import apart
from axmem.transform.body import ahead, chain, convergent, is_innermost, said, turns
from axmem.transform.chains import with_identity
from axmem.transform.constants import constant, number_of, operation
from axmem.transform.crossing import role
from axmem.transform.dependence import AccessPlace, Dependences, IterationDistance, Spot
from axmem.transform.final_registers import mark_of
from axmem.transform.identities import Identities
from axmem.transform.loops import Loop, around, around_again, defined_in, loops
from axmem.transform.rewrite import BlockCopy, RegisterNames, redirected, simplified, with_blocks, without_edge
from axmem.transform.transformation import (
    Held,
    MadeLoop,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    held_by,
    iteration,
    iteration_number,
    too_many,
)
from axmem.transform.trips import trips

VECTORIZED, EPILOGUE = "vectorized", "epilogue"


# ---------------------------------------------------------------- when it would be wrong


def _legality(context: TransformContext, *, vectors: bool) -> list[TransformRefusal]:
    """Return what speaks against it; `vectors` are operations on W elements at once, which are not atomic."""
    final = list(_impossible(context.flow, context.loop, int(context.arguments["width"])))
    if final:
        return [TransformRefusal(reason, final=True) for reason in final]
    flow, loop = context.flow, context.loop
    found = [TransformRefusal(f"{said(s)} is convergent") for s in convergent(flow, loop)]
    for _, statement in Dependences(flow, loop).statements:
        what = role(statement)
        if vectors and what is not None and (what.atomic or what.fence):
            found.append(TransformRefusal(f"{said(statement)} is atomic, and no vector is"))
    crossings = _Crossings(context)
    found += [TransformRefusal(f"{said(b[1])} of a later iteration would move before {said(a[1])}: {why}")
              for a, b, why in crossings.hindered]  # fmt: skip
    return found


def _impossible(flow: ControlFlow, loop: Loop, width: int) -> Iterator[str]:
    """Yield why there is no such loop at all."""
    if words := too_many(flow, loop, width):
        yield words
        return
    if not is_innermost(flow, loop):
        yield "there is a loop inside"
        return
    blocks = chain(flow, loop)
    if blocks is None:
        yield "its body branches"
        return
    known = trips(flow, loop)
    if known is None or known.taken is None:
        yield "how often it goes round is not known before it begins"
        return
    count = known.count
    if count is not None and count + known.rotated < width:
        yield f"it goes round {count + known.rotated} times only"
    before = ahead(flow, loop)
    if before is not None:
        yield f"{said(before)} stands before the test, and is executed once more than the rest"
    if any(isinstance(s, ConvergenceToken) for block in blocks for s in block.statements):
        yield "a convergence token is defined in it"
    try:
        _Lockstep(flow, loop, 2, RegisterNames(flow)).statements()
    except _Unready as error:
        yield str(error)


class _Crossings:
    """The pairs of statements that would change places and may not; `checked` are those that a check can keep apart."""

    def __init__(self, context: TransformContext) -> None:
        flow, loop, width = context.flow, context.loop, int(context.arguments["width"])
        dependences = Dependences(flow, loop)
        steps = {loop.header: IterationDistance(1, width - 1)}
        self.checked: list[tuple[AccessPlace | None, AccessPlace | None]] = []
        self.hindered: list[tuple[Spot, Spot, str]] = []
        statements = dependences.statements
        for number, second in enumerate(statements):
            for first in statements[number + 1 :]:
                why = dependences.hindrance(first, second, steps)
                if not why:
                    continue
                places = (dependences.place(first[1], first[0]), dependences.place(second[1], second[0]))
                unchecked = dependences.hindrance(first, second, steps, apart=True)
                if unchecked or apart([places], flow, loop, context.kernel) is None:
                    self.hindered.append((first, second, why))
                else:
                    self.checked.append(places)
        self.condition = apart(self.checked, flow, loop, context.kernel)


# ---------------------------------------------------------------- the loop in lock step


class _Unready(Exception):
    """A value of the iteration before is needed before there is one."""


class _Lockstep:
    """Writes W iterations statement by statement; a computation is written where something needs it first."""

    def __init__(self, flow: ControlFlow, loop: Loop, width: int, names: RegisterNames) -> None:
        self.flow, self.loop, self.width, self.names = flow, loop, width, names
        self.written: list[Statement] = []
        self.definitions = defined_in(flow, loop)
        self.phis = {phi.register: phi for phi in flow.block[loop.header].phis}
        self.begin = {name: Register(names.fresh(name), phi.type) for name, phi in self.phis.items()}
        self.values: dict[tuple[str, int], Expr] = {}
        self.labels: dict[tuple[str, int], str] = {}

    def statements(self) -> tuple[Statement, ...]:
        """Write everything that is done."""
        blocks = chain(self.flow, self.loop) or ()
        body = [s for block in blocks for s in block.statements if not isinstance(s, Assign) or mark_of(s)]
        for statement in body:
            for turn in range(self.width):
                self.write(statement, turn)
        return tuple(self.written)

    def write(self, statement: Statement, turn: int) -> None:
        """Write a statement of one of the iterations."""
        made = with_reads(statement, lambda register: self.value(register, turn))
        new = {name: self.names.fresh(name) for name in results(statement)}
        made = with_results(made, new)
        if statement.label.startswith("@"):
            self.labels[statement.label, turn] = self.names.fresh(statement.label)
        made = replace(made, label=self.labels.get((statement.label, turn), "")) if statement.label else made
        self.written.append(made)
        for name, type_ in assigned(statement):
            self.values[name, turn] = Register(new[name], type_)

    def value(self, register: Register, turn: int) -> Expr:
        """Return what a register is in one of the iterations; raise `_Unready` if it has no value yet."""
        name = register.name
        if name in self.phis:
            return self.after(name, turn) if turn else self.begin[name]
        if name not in self.definitions:
            return register
        if (name, turn) not in self.values:
            _, statement = self.definitions[name]
            if not isinstance(statement, Assign) or mark_of(statement):
                raise _Unready(f"what {said(statement)} gives is needed before it is executed")
            self.write(statement, turn)
        return self.values[name, turn]

    def after(self, phi: str, turns: int) -> Expr:
        """Return what a phi of the header is after so many iterations."""
        return self.stands(around_again(self.loop, self.phis[phi]), turns - 1)

    def stands(self, expr: Expr, turn: int) -> Expr:
        """Return what an expression is in one of the iterations."""
        return substituted(expr, lambda register: self.value(register, turn))

    def held(self, counter: Expr, outer: tuple[Expr, ...]) -> tuple[Held, ...]:
        """Return what was written, the counter being the number of the first iteration of each step."""
        found = [(name, turn, value) for (name, turn), value in self.values.items()]
        found += [(label, turn, Register(new)) for (label, turn), new in self.labels.items()]
        found += [(name, 0, value) for name, value in self.begin.items()]
        return tuple(Held(name, (*outer, operation("add", counter, turn)), value) for name, turn, value in found)


def _apply(context: TransformContext) -> TransformStep:
    """Put the loop in lock step before the loop as it is."""
    context = context.with_flow(simplified(context.flow, context.loop.header, context.kernel))
    return _Built(context, RegisterNames(context.flow, context.kernel)).step()


class _Built:
    """The blocks of the two loops, the first entered where there are enough iterations and nothing meets."""

    def __init__(self, context: TransformContext, names: RegisterNames) -> None:
        self.names, self.flow, self.loop = names, context.flow, context.loop
        self.width = int(context.arguments["width"])
        self.main = names.fresh(f"{self.loop.header}.vector")
        self.middle = names.fresh(f"{self.loop.header}.middle")
        count = turns(self.flow, self.loop)
        assert count is not None
        self.type = count.type or I32
        self.count: Expr = count
        self.whole = number_of(count) is not None and not number_of(count) % self.width  # type: ignore[operator]
        self.apart = _Crossings(context).condition
        self.done = Register(names.fresh(f"{self.loop.header}.done"), self.type)
        self.lock = _Lockstep(self.flow, self.loop, self.width, names)
        ((self.exiting, self.target),) = self.loop.exits
        self.rotated = self.exiting == self.loop.latch
        self.identities = Identities(self.flow, context.reserved)

    def step(self) -> TransformStep:
        """Return the graph with both loops; without the rest if nothing is ever left for it."""
        header, preheader = self.loop.header, self.loop.preheader
        assert preheader is not None
        before, enters = self.before(self.flow.block[preheader])
        vector, after = self.vector(preheader)
        middle, leaves, goes_on = self.between()
        rest = self.flow.block[header]
        if goes_on:
            rest = _taking(rest, self.middle, after)
        if not enters:
            rest = without_edge(rest, preheader)
        changed: dict[str, KernelBlock | None] = {preheader: before, header: rest}
        if leaves:
            changed[self.target] = _taking(self.flow.block[self.target], self.middle, self.left)
        latch = self.loop.latch
        identity = self.identities.made("vectorize", EPILOGUE, self.loop.identity)
        changed[latch] = with_identity(changed.get(latch) or self.flow.block[latch], identity)
        done = self.number_of_rest(changed, preheader, enters=enters, goes_on=goes_on)
        flow = with_blocks(self.flow, changed, {preheader: [vector, middle]})
        outer = tuple(iteration_number(self.flow, loop) for loop in around(loops(self.flow), header)[:-1])
        held = self.lock.held(self.done, outer)
        made = {self.main: MadeLoop(header, VECTORIZED)}
        if enters or goes_on:
            itself = BlockCopy({name: self.flow.block[name] for name in self.loop.blocks}, {})
            held += held_by(self.flow, itself, sorted(self.loop.blocks), {header: done})
            made[header] = MadeLoop(header, EPILOGUE)
        return TransformStep(flow, held, made)

    def before(self, block: KernelBlock) -> tuple[KernelBlock, bool]:
        """Return the preheader, which decides which loop is entered, and whether that may be the old one."""
        header = self.loop.header
        enough = _enough(self.count, self.width)
        conditions = [c for c in (self.apart, enough) if c is not None and number_of(c) != 1]
        if not conditions:
            return redirected(block, header, self.main), False
        statements = list(block.statements)
        registers: list[Expr] = []
        for condition in conditions:
            registers.append(Register(self.names.fresh(f"{header}.check"), I1))
            statements.append(Assign(registers[-1].name, condition))  # type: ignore[union-attr]
        goes = registers[0] if len(registers) == 1 else IntegerOperation("and", tuple(registers), I1)
        branch = Branch((self.main, header), goes, span=block.terminator.span)
        return replace(block, statements=tuple(statements), terminator=branch), True

    def vector(self, preheader: str) -> tuple[KernelBlock, dict[str, Expr]]:
        """Return the loop in lock step, and what the phis of the header are after it."""
        self.lock.statements()
        after = {name: self.lock.after(name, self.width) for name in self.lock.phis}
        self.left = {
            phi.register: self.lock.stands(each.value, self.width - self.rotated)
            for phi in self.flow.block[self.target].phis
            for each in phi.incoming
            if each.block == self.exiting
        }
        phis = []
        for name, phi in self.lock.phis.items():
            start = next(each.value for each in phi.incoming if each.block != self.loop.latch)
            phis.append(self.phi(self.lock.begin[name].name, (start, preheader), (after[name], self.main), phi))
        following = Register(self.names.fresh(self.done.name), self.type)
        phis.append(self.phi(self.done.name, (constant(0, self.type), preheader), (following, self.main)))
        self.following = following
        again = Register(self.names.fresh(f"{self.main}.again"), I1)
        added = (
            Assign(following.name, operation("add", self.done, self.width)),
            Assign(again.name, _enough(operation("sub", self.count, following), self.width)),
        )
        identity = self.identities.made("vectorize", VECTORIZED, self.loop.identity)
        branch = Branch((self.main, self.middle), again, identity)
        span = self.flow.block[self.loop.header].span
        return KernelBlock(self.main, tuple(phis), (*self.lock.written, *added), branch, span=span), after

    def phi(self, name: str, start: tuple[Expr, str], again: tuple[Expr, str], old: Phi | None = None) -> Phi:
        """Return a phi of two ways in."""
        incoming = tuple(Incoming(value, block) for value, block in (start, again))
        return Phi(name, old.type if old is not None else self.type, incoming)

    def between(self) -> tuple[KernelBlock, bool, bool]:
        """Return the block between the loops, and whether it may leave both, and whether it may go on with the rest.

        A loop with its test in front finds out by itself that nothing is left.
        """
        header = self.loop.header
        if self.whole:
            return KernelBlock(self.middle, (), (), Branch((self.target,))), True, False
        if not self.rotated or number_of(self.count) is not None:
            return KernelBlock(self.middle, (), (), Branch((header,))), False, True
        ended = Register(self.names.fresh(f"{header}.ended"), I1)
        compared = Assign(ended.name, IntegerOperation("eq", (self.following, self.count), I1))
        return KernelBlock(self.middle, (), (compared,), Branch((self.target, header), ended)), True, True

    def number_of_rest(
        self, changed: dict[str, KernelBlock | None], preheader: str, *, enters: bool, goes_on: bool
    ) -> Expr:
        """Return the number of the iteration in the rest; where no register of it says so, one is added."""
        number = iteration_number(self.flow, self.loop)
        if number != iteration(self.loop.header):
            return number
        header, latch = changed[self.loop.header], changed.get(self.loop.latch) or self.flow.block[self.loop.latch]
        assert header is not None
        counter = Register(self.names.fresh(self.done.name), self.type)
        following = Register(self.names.fresh(self.done.name), self.type)
        ways = [(constant(0, self.type), preheader)] * enters + [(self.following, self.middle)] * goes_on
        incoming = tuple(Incoming(value, block) for value, block in [*ways, (following, self.loop.latch)])
        step = Assign(following.name, operation("add", counter, 1))
        phi = Phi(counter.name, self.type, incoming)
        if latch.name == header.name:
            header = replace(header, statements=(*header.statements, step))
        else:
            changed[latch.name] = replace(latch, statements=(*latch.statements, step))
        changed[header.name] = replace(header, phis=(*header.phis, phi))
        return counter


def _enough(count: Expr, width: int) -> Expr:
    """Return the condition that at least as many iterations are left."""
    return operation("uge", count, width)


def _taking(block: KernelBlock, before: str, values: Mapping[str, Expr]) -> KernelBlock:
    """Return a block whose phis take these values from one more predecessor."""
    phis = (replace(p, incoming=(*p.incoming, Incoming(values[p.register], before))) for p in block.phis)
    return replace(block, phis=tuple(phis))


def _transformation(name: str, *, vectors: bool) -> Transformation:
    parameters = (TransformParameter("loop", "loop"), TransformParameter("width", "count", least=2))
    return Transformation(name, parameters, lambda context: _legality(context, vectors=vectors), _apply)


VECTORIZE = _transformation("vectorize", vectors=True)
"""Execute W iterations in lock step, as vectors; the loop as it was does the rest."""
INTERLEAVE = _transformation("interleave", vectors=False)
"""Execute W iterations in lock step, statement by statement; atomics stay."""
