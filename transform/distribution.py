"""Loop distribution: one loop becomes several, each of which does a part of the body.

What goes in: a loop and where to cut its body; cuts are between the operations that it does, in the order of the text,
and without any given wherever nothing speaks against one. What comes out: the loops one after the other. Computations
are done in each that needs them. Where pointers might be the same place, a check decides at run time between them and
the loop as it was. Invariant: of two operations that change places, one of a later iteration moving before one of an
earlier, the table of crossings allows it; no loop reads what another loads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from axmem.front.records import replace
from axmem.litmus.blocks import KernelBlock
from axmem.litmus.kernels import Branch, ConvergenceToken
from axmem.litmus.registers import read, with_results
from axmem.litmus.syntax import I1, Assign, Expr, Register, Statement
from axmem.litmus.walk import expressions, results
from axmem.transform.aliases import apart
from axmem.transform.body import convergent, needed, outputs, said, taking_from
from axmem.transform.chains import with_identity
from axmem.transform.dependence import LATER, Dependences, Spot
from axmem.transform.final_registers import mark_of
from axmem.transform.identities import Identities
from axmem.transform.loops import defined_in, loops
from axmem.transform.rewrite import (
    BlockCopy,
    RegisterNames,
    copied,
    reading,
    redirected,
    simplified,
    with_blocks,
    with_edges,
)
from axmem.transform.transformation import (
    Held,
    MadeLoop,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    called,
    held_by,
)

COINCIDENT, SEQUENTIAL, FALLBACK = "coincident", "sequential", "fallback"
CUTS = 4
"""How many cuts a text can name."""


class _Parts:
    """What of a loop may be done apart from what else."""

    def __init__(self, context: TransformContext) -> None:
        self.context, self.flow, self.loop = context, context.flow, context.loop
        self.dependences = Dependences(self.flow, self.loop)
        self.spots = self.dependences.statements
        self.definitions = defined_in(self.flow, self.loop)
        self.steps = {self.loop.header: LATER}

    def sources(self, expr: Expr) -> frozenset[int]:
        """Return which operations of the loop, by their numbers, an expression depends on through computations."""
        return frozenset().union(*(self.behind(r.name) for r in read(expr)))

    def behind(self, register: str) -> frozenset[int]:
        """Return which operations a register depends on, in this iteration or one before."""
        return self._behind.get(register, frozenset())

    @cached_property
    def _behind(self) -> Mapping[str, frozenset[int]]:
        """Return for each register of the loop the operations behind it: the least solution, round by round."""
        number = {id(s): n for n, (_, s) in enumerate(self.spots)}
        found: dict[str, frozenset[int]] = dict.fromkeys(self.definitions, frozenset())
        changed = True
        while changed:
            changed = False
            for register, (_, statement) in self.definitions.items():
                own = number.get(id(statement))
                if own is not None:
                    now = frozenset((own,))
                else:
                    reads = {r.name for e in expressions(statement) for r in read(e)}
                    now = frozenset().union(*(found.get(name, frozenset()) for name in reads))
                changed |= now != found[register]
                found[register] = now
        return found

    @cached_property
    def controlling(self) -> frozenset[int]:
        """The operations that decide where the loop goes."""
        blocks = [self.flow.block[name] for name in self.loop.blocks]
        return frozenset().union(*(self.sources(e) for block in blocks for e in expressions(block.terminator)))

    def needed(self, number: int) -> frozenset[int]:
        """Return the operations that one of them reads from, itself aside."""
        return frozenset().union(*(self.sources(e) for e in expressions(self.spots[number][1]))) - {number}

    def against(self, cut: int) -> Iterator[tuple[str, tuple[Spot, Spot] | None]]:
        """Yield what speaks against doing the operations before a cut in another loop than those behind it.

        With a reason come the two that would change places, where that is all.
        """
        for number in range(len(self.spots)):
            for other in sorted(self.needed(number)):
                if (number < cut) != (other < cut):
                    yield f"{said(self.spots[number][1])} reads what {said(self.spots[other][1])} gives", None
        for register in sorted(outputs(self.flow, self.loop)):
            sources = self.behind(register)
            if min(sources, default=cut) < cut <= max(sources, default=0):
                yield f"'{register}', which is read after the loop, depends on operations on both sides", None
        for behind in self.spots[cut:]:
            for ahead in self.spots[:cut]:
                if why := self.dependences.hindrance(behind, ahead, self.steps):
                    words = f"{said(ahead[1])} of a later iteration would move before {said(behind[1])}: {why}"
                    yield words, (behind, ahead)

    def checkable(self, pair: tuple[Spot, Spot]) -> bool:
        """Whether a check at run time can tell that two operations may change places."""
        if self.dependences.hindrance(*pair, self.steps, apart=True):
            return False
        return self.condition([pair]) is not None

    def condition(self, pairs: Sequence[tuple[Spot, Spot]]) -> Expr | None:
        """Return the condition that the accesses of each pair are apart in all iterations."""
        once_more = any(self.dependences.once_more(block) for pair in pairs for block, _ in pair)
        places = [tuple(self.dependences.place(s, block) for block, s in pair) for pair in pairs]
        return apart([(a, b) for a, b in places], self.flow, self.loop, self.context.kernel, once_more=once_more)

    def is_sequential(self, first: int, last: int) -> bool:
        """Whether some operations have a dependence between iterations that keeps them from going in lock step."""
        mine = range(first, last)
        return any(
            self.dependences.hindrance(self.spots[b], self.spots[a], self.steps) for b in mine for a in mine if a <= b
        )


def _cuts(context: TransformContext, parts: _Parts) -> tuple[list[int], list[str]]:
    """Return the cuts that are asked for, by the number of the operation behind each, and what is wrong with them."""
    asked = [str(context.arguments[name]) for name in _names() if name in context.arguments]
    starts = [n for n, (_, s) in enumerate(parts.spots) if not mark_of(s)]
    if not asked:
        legal = [n for n in starts[1:] if all(p and parts.checkable(p) for _, p in parts.against(n))]
        return _one_sequential(parts, legal), []
    found, wrong = [], []
    for word in asked:
        named = [n for n, (_, s) in enumerate(parts.spots) if word in called(s)]
        number = starts.index(named[0]) if named and named[0] in starts else int(word) if word.isdigit() else 0
        if not 0 < number < len(starts):
            wrong.append(f"no operation of the loop is behind the cut '{word}': it has {len(starts)}")
        else:
            found.append(starts[number])
    return sorted(set(found)), wrong


def _one_sequential(parts: _Parts, cuts: list[int]) -> list[int]:
    """Return cuts after which at most one loop has dependences between its iterations, as the document has it."""
    edges = [0, *cuts, len(parts.spots)]
    dependent = [n for n, (a, b) in enumerate(pairwise(edges)) if parts.is_sequential(a, b)]
    if not dependent:
        return cuts
    inside = edges[dependent[0] + 1 : dependent[-1] + 1]
    return [cut for cut in cuts if cut not in inside]


def _names() -> tuple[str, ...]:
    return tuple(f"cut{'' if n == 1 else n}" for n in range(1, CUTS + 1))


# ---------------------------------------------------------------- when it would be wrong


def _legality(context: TransformContext) -> list[TransformRefusal]:
    flow, loop = context.flow, context.loop
    parts = _Parts(context)
    if len({target for _, target in loop.exits}) != 1 or len(loop.exiting) != 1:
        return [TransformRefusal("it has several exits", final=True)]
    if parts.controlling:
        first = parts.spots[min(parts.controlling)][1]
        return [TransformRefusal(f"where it goes depends on {said(first)}", final=True)]
    if any(isinstance(s, ConvergenceToken) for _, s in parts.spots):
        return [TransformRefusal("a convergence token is defined in it", final=True)]
    cuts, wrong = _cuts(context, parts)
    if wrong:
        return [TransformRefusal(reason, final=True) for reason in wrong]
    if not cuts:
        against = (words for words, p in parts.against(1) if not (p and parts.checkable(p)))
        why = next(against, "") if len(parts.spots) > 1 else "it does one thing"
        return [TransformRefusal(f"nothing can be done apart: {why or 'two loops would have dependences'}", final=True)]
    found: dict[str, TransformRefusal] = {}
    for cut in cuts:
        for words, pair in parts.against(cut):
            if pair is None:
                found[words] = TransformRefusal(words, final=True)
            elif not parts.checkable(pair):
                found[words] = TransformRefusal(words)
    if loop.header in context.divergent:
        for statement in convergent(flow, loop):
            words = f"{said(statement)} is convergent, and lanes leave the loop in different iterations"
            found[words] = TransformRefusal(words)
    return list(found.values())


# ---------------------------------------------------------------- the loops


def _apply(context: TransformContext) -> TransformStep:
    context = context.with_flow(simplified(context.flow, context.loop.header, context.kernel))
    parts = _Parts(context)
    cuts, _ = _cuts(context, parts)
    return _Built(context, parts, cuts).step()


class _Built:
    """The loops of the parts, one after the other; the last has the labels of the loop as it was."""

    def __init__(self, context: TransformContext, parts: _Parts, cuts: list[int]) -> None:
        self.context, self.parts, self.flow, self.loop = context, parts, context.flow, context.loop
        edges = [0, *cuts, len(parts.spots)]
        self.ranges = [range(a, b) for a, b in pairwise(edges)]
        self.number = {id(s): n for n, (_, s) in enumerate(parts.spots)}
        self.names = RegisterNames(self.flow, context.kernel)
        self.identities = Identities(self.flow, context.reserved)
        self.made: dict[str, MadeLoop] = {}
        self.held: list[Held] = []
        pairs = [pair for cut in cuts for _, pair in parts.against(cut) if pair is not None]
        self.check = parts.condition([p for p in dict.fromkeys(pairs) if parts.checkable(p)])
        ((self.exiting, self.target),) = self.loop.exits

    def step(self) -> TransformStep:
        """Return the graph with all loops."""
        preheader = self.loop.preheader
        assert preheader is not None
        last = len(self.ranges) - 1
        entries, blocks = [], list[KernelBlock]()
        before = preheader
        for part in range(last):
            copy = self.named(copied(self.flow, self.loop.blocks, self.names), part)
            between = self.names.fresh(f"{self.loop.header}.between")
            mine = self.part(copy, part, before)
            mine[self.exiting] = redirected(mine[self.exiting], self.target, between)
            entries.append(copy.label(self.loop.header))
            if blocks:
                blocks[-1] = redirected(blocks[-1], self.loop.header, entries[-1])
            blocks += [
                *needed(mine.values(), self.owned(part)),
                KernelBlock(between, (), (), Branch((self.loop.header,))),
            ]
            before = between
        itself = BlockCopy(self.old, {})
        changed: dict[str, KernelBlock | None] = {**self.part(itself, last, before)}
        target, fallback = self.flow.block[self.target], None
        if self.check is not None:
            fallback = copied(self.flow, self.loop.blocks, self.names)
            target = with_edges(target, [(fallback.label(self.exiting), self.exiting, fallback)])
            blocks += self.noted(fallback, FALLBACK, fallback.blocks)
            changed[self.target] = target
        changed[preheader] = self.entry(self.flow.block[preheader], entries[0], fallback)
        flow = with_blocks(self.flow, changed, {preheader: blocks})
        return TransformStep(flow, tuple(self.held), self.made)

    @cached_property
    def old(self) -> dict[str, KernelBlock]:
        """The blocks of the loop as it was."""
        return {block.name: block for block in self.flow.blocks if block.name in self.loop.blocks}

    def owner(self, register: str) -> int | None:
        """Return the part that a register belongs to; None if all can compute it."""
        sources = self.parts.behind(register)
        return next((n for n, part in enumerate(self.ranges) if sources & set(part)), None)

    def owned(self, part: int) -> frozenset[str]:
        """Return the registers that belong to a part alone."""
        return frozenset(register for register in self.parts.definitions if self.owner(register) == part)

    def belongs(self, statement: Statement, part: int) -> bool:
        """Whether a statement of the loop is done in a part."""
        number = self.number.get(id(statement))
        if number is not None:
            return number in self.ranges[part]
        return all(self.owner(register) in (None, part) for register in results(statement))

    def named(self, copy: BlockCopy, part: int) -> BlockCopy:
        """Return a copy in which what is done in a part alone has its old registers and labels."""
        own = self.owned(part)
        done = {
            s.label
            for b in self.old.values()
            for s in b.statements
            if s.label in copy.registers and self.belongs(s, part)
        }
        fresh = {copy.registers[name].name: name for name in own | done}  # type: ignore[union-attr]

        def known(register: Register) -> Expr:
            return replace(register, name=fresh.get(register.name, register.name))

        blocks = {}
        for name, old in self.old.items():
            new = reading(copy.blocks[name], known)
            phis = tuple(with_results(phi, fresh) for phi in new.phis)
            body = [with_results(statement, fresh) for statement in new.statements]
            for n, (was, now) in enumerate(zip(old.statements, body, strict=True)):
                if was.label and self.belongs(was, part):
                    body[n] = replace(now, label=was.label)
            blocks[name] = replace(new, phis=phis, statements=tuple(body))  # type: ignore[arg-type]
        registers = {
            name: known(value) if isinstance(value, Register) else value for name, value in copy.registers.items()
        }
        return BlockCopy(blocks, registers)

    def part(self, copy: BlockCopy, part: int, before: str) -> dict[str, KernelBlock]:
        """Return the blocks of a copy with what a part does, entered from a block."""
        found = {}
        for name, old in self.old.items():
            new = copy.blocks[name]
            phis = [b for a, b in zip(old.phis, new.phis, strict=True) if self.belongs(a, part)]
            body = [b for a, b in zip(old.statements, new.statements, strict=True) if self.belongs(a, part)]
            found[name] = replace(new, phis=tuple(phis), statements=tuple(body))
        found[self.loop.header] = taking_from(found[self.loop.header], before, self.loop.preheader)
        kind = SEQUENTIAL if self.parts.is_sequential(self.ranges[part].start, self.ranges[part].stop) else COINCIDENT
        kept = {name for block in self.old.values() for s in (*block.phis, *block.statements) if self.belongs(s, part)
                for name in (*results(s), getattr(s, "label", ""))}  # fmt: skip
        done = self.noted(copy, kind, found, kept)
        return dict(zip(found, done, strict=True))

    def noted(
        self,
        copy: BlockCopy,
        kind: str,
        blocks: Mapping[str, KernelBlock],
        kept: frozenset[str] | set[str] | None = None,
    ) -> list[KernelBlock]:
        """Note what a copy of the loop is and holds; return its blocks, with the LoopID of its kind."""
        header = copy.label(self.loop.header)
        self.made[header] = MadeLoop(self.loop.header, kind)
        for inner in loops(self.flow):
            if inner.blocks < self.loop.blocks and copy.label(inner.header) != inner.header:
                self.made[copy.label(inner.header)] = MadeLoop(inner.header, "copy")
        held = held_by(self.flow, copy, sorted(self.loop.blocks))
        self.held += [each for each in held if kept is None or each.register in kept]
        identity = self.identities.made("distribute", kind, self.loop.identity)
        return [with_identity(b, identity) if name == self.loop.latch else b for name, b in blocks.items()]

    def entry(self, block: KernelBlock, first: str, fallback: BlockCopy | None) -> KernelBlock:
        """Return the preheader, which goes to the first of the loops, or if the check fails to the loop as it was."""
        if fallback is None or self.check is None:
            return redirected(block, self.loop.header, first)
        check = Assign(self.names.fresh(f"{self.loop.header}.check"), self.check)
        branch = Branch((first, fallback.label(self.loop.header)), Register(check.register, I1))
        return replace(block, statements=(*block.statements, check), terminator=branch)


DISTRIBUTE = Transformation(
    "distribute",
    (TransformParameter("loop", "loop"), *(TransformParameter(name, "cut", optional=True) for name in _names())),
    _legality,
    _apply,
)
"""Cut the body into several loops, before the operations of these numbers or names; else wherever it may be cut."""
