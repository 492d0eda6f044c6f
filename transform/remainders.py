"""Unrolling by a formula for the trip count: rounds of several iterations, and a loop for what remains.

What goes in: a graph with a loop in the simple form that counts by one, a factor, whether the remainder comes after the
rounds (an epilogue) or before them (a prologue). What comes out: the graph unrolled so. The rounds have one test; as
often as the loop goes back is computed before it, and counted down. A remainder for a factor of 2 is no loop.
Invariant: the iterations that a lane executes are those of the loop, in their order, whatever the trip count is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from axmem.front.records import dataclass, replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, Incoming, Phi
from axmem.litmus.syntax import I32, Assign, Expr, Register
from axmem.transform.chains import chained, inner_copies, with_identity, with_only_edges
from axmem.transform.constants import operation
from axmem.transform.identities import Identities
from axmem.transform.loops import Loop, around_again, loops
from axmem.transform.rewrite import BlockCopy, RegisterNames, copied, pruned, with_blocks
from axmem.transform.transformation import Held, MadeLoop, TransformContext, TransformStep, held_by
from axmem.transform.trips import trips


@dataclass(frozen=True, slots=True)
class ResultKind:
    """A loop after, by its header: which loop before it comes from, and as what kind of result."""

    header: str
    source: Loop
    kind: str


@dataclass(frozen=True, slots=True)
class Rounds:
    """Several iterations as one, in the place of the loop in a graph; nothing leaves them, and their latch goes back.

    `last` says what stands for registers in the last of the iterations, `kinds` which loops there are.
    """

    flow: ControlFlow
    last: BlockCopy
    latch: str
    held: tuple[Held, ...]
    kinds: tuple[ResultKind, ...]
    copies: Mapping[str, MadeLoop]


def with_remainder(
    context: TransformContext, flow: ControlFlow, loop: Loop, factor: int, *, prologue: bool
) -> TransformStep:
    """Return a loop unrolled so."""
    split = Split(context, flow, loop, factor, "unroll")
    if prologue:
        return split.before()
    new, copies = chained(flow, loop, factor, split.names, lambda _: True)
    return split.after(split.rounds(new, copies), (ResultKind(split.rest.label(loop.header), loop, "remainder"),))


class Split:
    """A loop that goes in rounds, and a copy of it for what remains; `pass_` is what makes their LoopIDs."""

    def __init__(self, context: TransformContext, flow: ControlFlow, loop: Loop, factor: int, pass_: str) -> None:
        counted = trips(flow, loop)
        assert counted is not None and counted.taken is not None and loop.preheader is not None
        self.context, self.flow, self.loop, self.factor, self.pass_ = context, flow, loop, factor, pass_
        self.rotated, self.taken, self.count = counted.rotated, counted.taken, counted.count
        self.type = self.taken.type or I32
        self.names = RegisterNames(flow, context.kernel)
        self.preheader: str = loop.preheader
        self.exit = next(target for _, target in loop.exits)
        self.rest = copied(flow, loop.blocks, self.names)
        self.rest_blocks = dict(self.rest.blocks)

    def rounds(self, new: ControlFlow, copies: tuple[BlockCopy, ...]) -> Rounds:
        """Return copies of the loop that follow one another as rounds."""
        held = tuple(h for copy in copies for h in held_by(self.flow, copy, self.loop.blocks))
        kinds = (ResultKind(self.loop.header, self.loop, "unrolled"),)
        latch = copies[-1].label(self.loop.latch)
        return Rounds(new, copies[-1], latch, held, kinds, inner_copies(self.flow, self.loop, copies))

    def after(self, rounds: Rounds, kinds: tuple[ResultKind, ...]) -> TransformStep:
        """Return the rounds first, while enough iterations are left; then the loop for those that are.

        `kinds` are the loops of the remainder.
        """
        loop, rest, factor, latch = self.loop, self.rest, self.factor, rounds.latch
        setup, total, enough = self.counts()
        left, after = self.names.fresh(f"{loop.header}.left"), self.names.fresh(f"{loop.header}.left")
        counter = Phi(left, self.type, (Incoming(total, self.preheader), Incoming(_of(after, total), latch)))
        less = Assign(after, operation("sub", _of(left, total), factor))
        again = operation("uge", _of(after, total), factor)
        middle = self.names.fresh(f"{loop.header}.rest")
        header = self.rest_blocks[loop.header]
        before = middle if self.rotated else latch
        self.rest_blocks[loop.header] = _entered(header, before, self.flow.block[loop.header], loop, rounds.last)
        edges: list[tuple[str, str, BlockCopy | None]] = [(rest.label(loop.exiting[0]), loop.exiting[0], rest)]
        more = [*self.rest_blocks.values()]
        goes_on = rest.label(loop.header)
        if self.rotated:
            edges.append((middle, loop.exiting[0], rounds.last))
            whole = self.count is not None and (self.count + 1) % factor == 0
            some = operation("ne", _of(after, total), 0)
            on = Branch((self.exit,)) if whole else Branch((goes_on, self.exit), some)
            more.insert(0, KernelBlock(middle, (), (), on))
            goes_on = middle
        new = rounds.flow
        main = new.block[loop.header]
        changed: dict[str, KernelBlock | None] = {loop.header: replace(main, phis=(*main.phis, counter))}
        end = changed.get(latch) or new.block[latch]
        branch = Branch((loop.header, goes_on), again)
        changed[latch] = replace(end, statements=(*end.statements, less), terminator=branch)
        entry = new.block[self.preheader]
        start = Branch((loop.header, rest.label(loop.header)), enough)
        fewest = factor - 1 if self.rotated else factor
        start = Branch((loop.header,)) if self.count is not None and self.count >= fewest else start
        changed[self.preheader] = replace(entry, statements=(*entry.statements, *setup), terminator=start)
        changed[self.exit] = with_only_edges(self.flow.block[self.exit], edges, loop)
        return self.done(rounds, changed, more, kinds)

    def before(self) -> TransformStep:
        """Return the remainder first, counted; then rounds of which there is a whole number."""
        loop, rest, factor = self.loop, self.rest, self.factor
        first = 0 if not self.rotated else factor - 1
        new, copies = chained(self.flow, loop, factor, self.names, lambda index: None if index == first else True)
        setup, total, enough = self.counts()
        extra = self.names.fresh(f"{loop.header}.extra")
        setup = [*setup, Assign(extra, operation("and", total, factor - 1))]
        left, after = self.names.fresh(f"{loop.header}.left"), self.names.fresh(f"{loop.header}.left")
        latch = rest.label(loop.latch)
        counter = Phi(
            left, self.type, (Incoming(_of(extra, total), self.preheader), Incoming(_of(after, total), latch))
        )
        for name in {loop.exiting[0], loop.latch}:
            self.rest_blocks[name] = _going_on(self.flow.block[name], self.rest_blocks[name], loop)
        header = self.rest_blocks[loop.header]
        self.rest_blocks[loop.header] = replace(header, phis=(*header.phis, counter))
        end = self.rest_blocks[loop.latch]
        less = Assign(after, operation("sub", _of(left, total), 1))
        some = operation("ne", _of(after, total), 0)
        middle = self.names.fresh(f"{loop.header}.rest")
        branch = Branch((middle,)) if factor == 2 else Branch((rest.label(loop.header), middle), some)
        self.rest_blocks[loop.latch] = replace(end, statements=(*end.statements, less), terminator=branch)
        on = Branch((loop.header, self.exit), enough) if self.rotated else Branch((loop.header,))
        source = loop.exiting[0]
        edges: list[tuple[str, str, BlockCopy | None]] = [(copies[first].label(source), source, copies[first])]
        edges += [(middle, source, rest)] if self.rotated else []
        entry = new.block[self.preheader]
        start = Branch((rest.label(loop.header), loop.header), operation("ne", _of(extra, total), 0))
        changed: dict[str, KernelBlock | None] = {
            self.preheader: replace(entry, statements=(*entry.statements, *setup), terminator=start),
            loop.header: _entered(new.block[loop.header], middle, self.flow.block[loop.header], loop, rest),
            self.exit: with_only_edges(self.flow.block[self.exit], edges, loop),
        }
        kinds = (ResultKind(rest.label(loop.header), loop, "remainder"),)
        more = [*self.rest_blocks.values(), KernelBlock(middle, (), (), on)]
        return self.done(self.rounds(new, copies), changed, more, kinds)

    def counts(self) -> tuple[list[Assign], Register, Expr]:
        """Return what is computed before the loop, how often its body is executed, whether that is enough for a round.

        The number may be too large for its type by one, and then is 0: the test is of how often the loop goes back.
        """
        taken = self.names.fresh(f"{self.loop.header}.taken")
        setup = [Assign(taken, self.taken)]
        back = Register(taken, self.type)
        if not self.rotated:
            return setup, back, operation("uge", back, self.factor)
        total = self.names.fresh(f"{self.loop.header}.trips")
        setup.append(Assign(total, operation("add", back, 1)))
        return setup, Register(total, self.type), operation("uge", back, self.factor - 1)

    def done(
        self,
        rounds: Rounds,
        changed: dict[str, KernelBlock | None],
        more: Iterable[KernelBlock],
        kinds: tuple[ResultKind, ...],
    ) -> TransformStep:
        """Return the graph with its LoopIDs, and what is held."""
        loop, rest = self.loop, self.rest
        flow = with_blocks(rounds.flow, changed, {rounds.latch: more})
        own = held_by(self.flow, rest, loop.blocks)
        held = [*rounds.held, *own]
        once = [each for each in loops(flow) if each.header == rest.label(loop.header) and self.factor == 2]
        # A header with the test is executed once more than the body.
        times = 1 if self.rotated else 2
        for remainder in once:
            names = RegisterNames(flow, self.context.kernel)
            flow, all_ = chained(flow, remainder, times, names, lambda n: False if n == times - 1 else None)
            for copy in all_[1:]:
                held += [Held(h.register, tuple(map(copy.value, h.iterations)), copy.value(h.value)) for h in own]
        flow = pruned(flow)
        identities = Identities(flow, self.context.reserved)
        made = dict(rounds.copies) | inner_copies(self.flow, loop, (rest, rest))
        for kind in (*rounds.kinds, *kinds):
            for each in (each for each in loops(flow) if each.header == kind.header):
                inner = kind.source.identity if kind.source.header != loop.header else None
                identity = identities.made(self.pass_, kind.kind, loop.identity, inner)
                flow = with_blocks(flow, {each.latch: with_identity(flow.block[each.latch], identity)})
                made[each.header] = MadeLoop(kind.source.header, kind.kind)
        return TransformStep(flow, tuple(held), made)


def _of(name: str, like: Register) -> Register:
    return Register(name, like.type)


def _entered(header: KernelBlock, before: str, old: KernelBlock, loop: Loop, copy: BlockCopy) -> KernelBlock:
    """Return a header that is also entered after an iteration in a copy, from a block."""
    phis = []
    for phi, original in zip(header.phis, old.phis, strict=True):
        value = copy.value(around_again(loop, original))
        phis.append(replace(phi, incoming=(*phi.incoming, Incoming(value, before))))
    return replace(header, phis=tuple(phis))


def _going_on(old: KernelBlock, block: KernelBlock, loop: Loop) -> KernelBlock:
    """Return a copy of a block without its exit."""
    branch, before = block.terminator, old.terminator
    assert isinstance(branch, Branch) and isinstance(before, Branch)
    targets = [new for new, original in zip(branch.targets, before.targets, strict=True) if original in loop.blocks]
    return replace(block, terminator=Branch((targets[0],), span=branch.span))
