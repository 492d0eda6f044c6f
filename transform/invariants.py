"""What a loop does again and again at one place, moved out of it: LICM, and the version of it with a check.

What goes in: a loop. What comes out: loads of addresses that stay the same stand before it (`hoist`), those whose
results are only read after it behind it (`sink`); a place that is stored to is kept in a register inside the loop,
loaded before it and stored behind it (`promote`). Later loads so become the first, all but the last store are gone.
With a check at run time that the places are apart (`version`), in a copy of the loop. Invariant: of two operations that
change places the table of crossings allows it, and no store is executed that was not.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from axmem.convergence.graph import Dominators, flow_graph
from axmem.front.records import dataclass, replace
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch
from axmem.litmus.registers import read
from axmem.litmus.ssa import liveness, renamed_once
from axmem.litmus.syntax import (
    I1,
    I32,
    Address,
    AddressOf,
    Assign,
    Expr,
    Load,
    Ordering,
    Register,
    Statement,
    Store,
)
from axmem.litmus.walk import expressions
from axmem.transform.aliases import apart
from axmem.transform.body import said, taking_from
from axmem.transform.chains import with_identity
from axmem.transform.constants import constant, number_of
from axmem.transform.dependence import ANY, AccessPlace, Dependences, Spot
from axmem.transform.identities import Identities
from axmem.transform.interchange import OuterExpressions
from axmem.transform.loops import Loop, around, loops
from axmem.transform.rewrite import BlockCopy, RegisterNames, copied, simplified, with_blocks, with_edges
from axmem.transform.transformation import (
    Held,
    MadeLoop,
    Transformation,
    TransformContext,
    TransformParameter,
    TransformRefusal,
    TransformStep,
    held_by,
    iteration_number,
)
from axmem.transform.unrolling import from_outside

HOIST, SINK, PROMOTE = "hoist", "sink", "promote"

_WEAK = (Ordering.NOT_ATOMIC, Ordering.UNORDERED)
"""The orderings of stores that are kept in registers; loads may be monotonic, too."""


@dataclass(frozen=True, slots=True)
class LoopMove:
    """Accesses of a loop to one place, over what stands before it, and what becomes of them; `speaking` against it."""

    kind: str
    spots: tuple[Spot, ...]
    address: Address
    speaking: tuple[str, ...]
    checked: tuple[tuple[AccessPlace | None, AccessPlace | None], ...] = ()


class _Moves:
    """What can be moved out of a loop; with `versioned` places may be checked to be apart."""

    def __init__(self, flow: ControlFlow, loop: Loop, *, versioned: bool = False) -> None:
        self.flow, self.loop, self.versioned = flow, loop, versioned
        self.dependences = Dependences(flow, loop)
        self.spots = self.dependences.statements
        self.known = OuterExpressions(flow, loop)

    @cached_property
    def _dominators(self) -> Dominators:
        return Dominators(flow_graph(self.flow.successors))

    def found(self, what: str) -> list[LoopMove]:
        """Return the moves of a kind; without one the hoists and the promotions."""
        groups: dict[tuple[Address, object], list[Spot]] = {}
        for spot in self.spots:
            statement = spot[1]
            if (
                isinstance(statement, Load | Store)
                and _may_move(statement)
                and (address := self.address(statement.address)) is not None
            ):
                groups.setdefault((address, statement.type), []).append(spot)
        out: list[LoopMove | None] = []
        for (address, _), spots in groups.items():
            stored = any(isinstance(s, Store) for _, s in spots)
            if stored and what in ("", PROMOTE):
                out.append(self.promotion(spots, address))
            elif not stored and what != PROMOTE:
                out += [self.load(spot, address, what or HOIST) for spot in spots]
        return [move for move in out if move is not None]

    def address(self, address: Address) -> Address | None:
        """Return an address over what stands before the loop; None if it does not stay the same."""
        base = self.known(address.base)
        index = None if address.index is None else self.known(address.index)
        if base is None or (index is None and address.index is not None):
            return None
        return replace(address, base=base, index=index)

    def load(self, spot: Spot, address: Address, kind: str) -> LoopMove | None:
        """Return the move of a load out of the loop; sunk, it is one whose result only stands behind the loop."""
        statement = spot[1]
        assert isinstance(statement, Load)
        if kind == SINK and statement.register in self._read_inside:
            return None
        speaking, checked = self.crossings(spot, (s for s in self.spots if s != spot), moving_up=kind == HOIST)
        if kind == SINK and not self.always(spot[0]):
            speaking.append(f"{said(statement)} might not be executed")
        if kind == HOIST and not self.always(spot[0]) and not self.inside_its_location(address):
            speaking.append(f"{said(statement)} might not be executed, and its address be none")
        return LoopMove(kind, (spot,), address, tuple(dict.fromkeys(speaking)), tuple(checked))

    def promotion(self, spots: list[Spot], address: Address) -> LoopMove:
        """Return the move of all accesses of a place into a register."""
        speaking: list[str] = []
        checked: list[tuple[AccessPlace | None, AccessPlace | None]] = []
        others = [spot for spot in self.spots if spot not in spots]
        for spot in spots:
            statement = spot[1]
            assert isinstance(statement, Load | Store)
            against, check = self.crossings(spot, others, moving_up=isinstance(statement, Load))
            speaking += against
            checked += check
        if not any(isinstance(s, Store) and self.always(block) for block, s in spots):
            stores = next(s for _, s in spots if isinstance(s, Store))
            speaking.append(f"{said(stores)} might not be executed, and the store behind the loop is")
        return LoopMove(PROMOTE, tuple(spots), address, tuple(dict.fromkeys(speaking)), tuple(checked))

    def crossings(
        self, spot: Spot, others: Iterable[Spot], *, moving_up: bool
    ) -> tuple[list[str], list[tuple[AccessPlace | None, AccessPlace | None]]]:
        """Return why an access may not move over what else the loop does, and which places a check would keep apart."""
        speaking, checked = [], []
        steps = {each.header: ANY for each in loops(self.flow) if each.blocks <= self.loop.blocks}
        for other in others:
            pair = (other, spot) if moving_up else (spot, other)
            why = self.dependences.hindrance(*pair, steps)
            if why and self.versioned and not self.dependences.hindrance(*pair, steps, apart=True):
                checked.append((self.place(other), self.place(spot)))
            elif why:
                over = "before" if moving_up else "behind"
                speaking.append(f"{said(spot[1])} would move {over} {said(other[1])}: {why}")
        return speaking, checked

    def place(self, spot: Spot) -> AccessPlace | None:
        """Return where an access goes."""
        return self.dependences.place(spot[1], spot[0])

    def always(self, block: str) -> bool:
        """Whether a block is executed before the loop can be left, whenever it is entered."""
        return all(self._dominators.dominates(block, source) for source in self.loop.exiting)

    @staticmethod
    def inside_its_location(address: Address) -> bool:
        """Whether an address is that of a location itself, so that reading it does no harm."""
        return isinstance(address.base, AddressOf) and (address.index is None or number_of(address.index) == 0)

    @cached_property
    def _read_inside(self) -> frozenset[str]:
        found: set[str] = set()
        for block in self.flow.blocks:
            if block.name in self.loop.blocks:
                taken = [each.value for phi in block.phis for each in phi.incoming]
                taken += [e for s in (*block.statements, block.terminator) for e in expressions(s)]
                found |= {r.name for value in taken for r in read(value)}
        return frozenset(found)


def _may_move(statement: Load | Store) -> bool:
    """Whether an access is one of those that are moved: no volatile one, none that orders others, no atomic store."""
    weak = (*_WEAK, Ordering.MONOTONIC) if isinstance(statement, Load) else _WEAK
    return not statement.mode.volatile and statement.mode.ordering in weak


def _moves(context: TransformContext, *, versioned: bool = False) -> list[LoopMove]:
    return _Moves(context.flow, context.loop, versioned=versioned).found(str(context.arguments.get("what", "")))


def _legality(context: TransformContext) -> list[TransformRefusal]:
    found = _moves(context)
    if not found:
        return [TransformRefusal("it accesses no place that stays the same", final=True)]
    return [TransformRefusal(reason) for move in found for reason in move.speaking]


# ---------------------------------------------------------------- moved


def _apply(context: TransformContext) -> TransformStep:
    header = context.loop.header
    context = context.with_flow(simplified(context.flow, header, context.kernel))
    flow, held = moved(context, header, _moves(context))
    return TransformStep(flow, held)


def moved(context: TransformContext, header: str, moves: list[LoopMove]) -> tuple[ControlFlow, tuple[Held, ...]]:
    """Return a graph in which accesses have left the loop, which has the simple form."""
    flow, held = context.flow, []
    for move in moves:
        loop = next(loop for loop in loops(flow) if loop.header == header)
        names = RegisterNames(flow, context.kernel)
        if move.kind == PROMOTE:
            flow = _promoted(flow, loop, move, names)
        else:
            flow, more = _outside(flow, loop, move, names)
            held += more
    return flow, tuple(held)


def _outside(flow: ControlFlow, loop: Loop, move: LoopMove, names: RegisterNames) -> tuple[ControlFlow, list[Held]]:
    """Put a load before the loop, or behind it."""
    ((name, load),) = move.spots
    assert isinstance(load, Load) and loop.preheader is not None
    register = names.fresh(load.register)
    stays = replace(load, register=register, address=move.address)
    inside = flow.block[name]
    body = [s for s in inside.statements if s is not load]
    if move.kind == HOIST:
        # Every iteration has its own copy, so that what it held before is compared.
        body.insert(inside.statements.index(load), Assign(load.register, Register(register, load.type)))
    changed: dict[str, KernelBlock | None] = {name: replace(inside, statements=tuple(body))}
    outer = tuple(iteration_number(flow, each) for each in around(loops(flow), loop.header)[:-1])
    if move.kind == HOIST:
        before = flow.block[loop.preheader]
        changed[loop.preheader] = replace(before, statements=(*before.statements, stays))
        # It is that of the first iteration of the loop, and of all loops in it that the load stood in.
        zeros = (constant(0),) * (len(around(loops(flow), name)) - len(outer))
        first = Held(load.register, (*outer, *zeros), Register(register, load.type))
        return with_blocks(flow, changed), [first] if _Moves(flow, loop).always(name) else []
    targets = list(dict.fromkeys(target for _, target in loop.exits))
    for target in targets:
        old = flow.block[target]
        gone = {p.register for p in old.phis if {i.value for i in p.incoming} == {Register(load.register, load.type)}}
        copies = [Assign(r, Register(register, load.type)) for r in sorted(gone)]
        phis = tuple(phi for phi in old.phis if phi.register not in gone)
        changed[target] = replace(old, phis=phis, statements=(stays, *copies, *old.statements))
    flow = with_blocks(flow, changed)
    return renamed_once(flow, {register}, {register: load.type or I32}), []


def _promoted(flow: ControlFlow, loop: Loop, move: LoopMove, names: RegisterNames) -> ControlFlow:
    """Keep a place in a register, loaded before the loop where it is read first, stored behind it."""
    assert loop.preheader is not None
    store = next(s for _, s in move.spots if isinstance(s, Store))
    type_ = store.type or I32
    kept = names.fresh(f"{loop.header}.kept")
    chosen = {id(statement) for _, statement in move.spots}

    def inside(statement: Statement) -> Statement:
        if id(statement) not in chosen:
            return statement
        if isinstance(statement, Store):
            return Assign(kept, statement.value)
        assert isinstance(statement, Load)
        return Assign(statement.register, Register(kept, type_), statement.label)

    changed: dict[str, KernelBlock | None] = {}
    for name in loop.blocks:
        block = flow.block[name]
        changed[name] = replace(block, statements=tuple(map(inside, block.statements)))
    last = replace(store, value=Register(kept, type_), address=move.address, label="")
    for target in dict.fromkeys(target for _, target in loop.exits):
        block = flow.block[target]
        changed[target] = replace(block, statements=(last, *block.statements))
    new = with_blocks(flow, changed)
    if kept in liveness(new)[loop.header]:
        before = new.block[loop.preheader]
        mode = next((s.mode for _, s in move.spots if isinstance(s, Load)), store.mode)
        first = Load(kept, type_, move.address, mode)
        new = with_blocks(new, {before.name: replace(before, statements=(*before.statements, first))})
    return renamed_once(new, {kept}, {kept: type_})


# ---------------------------------------------------------------- with a check


def _condition(context: TransformContext, moves: Iterable[LoopMove]) -> Expr | None:
    """Return the condition that the places are apart which the moves want apart."""
    pairs = [pair for move in moves for pair in move.checked]
    return apart(pairs, context.flow, context.loop, context.kernel)


def _version_legality(context: TransformContext) -> list[TransformRefusal]:
    found = _moves(context, versioned=True)
    if not found:
        return [TransformRefusal("it accesses no place that stays the same", final=True)]
    checked = any(move.checked for move in found)
    if not checked and not any(move.speaking for move in found):
        return [TransformRefusal("there is nothing to check: all can be moved without", final=True)]
    if checked and _condition(context, found) is None:
        return [TransformRefusal("no check before the loop tells whether the places are apart", final=True)]
    split = [
        TransformRefusal(f"{words}: it would stand in two loops") for words in from_outside(context.flow, context.loop)
    ]
    return [TransformRefusal(reason) for move in found for reason in move.speaking] + split


def _version(context: TransformContext) -> TransformStep:
    header = context.loop.header
    flow = simplified(context.flow, header, context.kernel)
    context = context.with_flow(flow)
    loop, moves = context.loop, _moves(context, versioned=True)
    # Without a pair that may meet, which only happens regardless of a refusal, the check always succeeds.
    condition = _condition(context, moves) or constant(1, I1)
    assert loop.preheader is not None
    names = RegisterNames(flow, context.kernel)
    again, check = copied(flow, loop.blocks, names), names.fresh(f"{header}.check")
    held = [*held_by(flow, again, loop.blocks)]
    before = flow.block[loop.preheader]
    # The loop's own preheader is behind the check: what is hoisted is not executed where places meet.
    inner = names.fresh(f"{header}.apart")
    branch = Branch((inner, again.label(header)), Register(check, I1))
    setup = (*before.statements, Assign(check, condition))
    changed: dict[str, KernelBlock | None] = {before.name: replace(before, statements=setup, terminator=branch)}
    changed[header] = taking_from(flow.block[header], inner, before.name)
    for target in dict.fromkeys(target for _, target in loop.exits):
        edges = [(again.label(source), source, again) for source, t in loop.exits if t == target]
        changed[target] = with_edges(flow.block[target], edges)
    between = KernelBlock(inner, (), (), Branch((header,)))
    last = [block.name for block in flow.blocks if block.name in loop.blocks][-1]
    new = with_blocks(flow, changed, {before.name: [between], last: list(again.blocks.values())})
    identities = Identities(new, context.reserved)
    for latch, kind in ((loop.latch, "versioned"), (again.label(loop.latch), "unversioned")):
        identity = identities.made("versioning-licm", kind, loop.identity)
        new = with_blocks(new, {latch: with_identity(new.block[latch], identity)})
    context = context.with_flow(simplified(new, header, context.kernel))
    new, more = moved(context, header, _moves(context, versioned=True))
    itself = BlockCopy({name: flow.block[name] for name in loop.blocks}, {})
    held += held_by(flow, itself, loop.blocks)
    made = {header: MadeLoop(header, "versioned"), again.label(header): MadeLoop(header, "unversioned")}
    return TransformStep(new, (*held, *more), made)


LICM = Transformation(
    "licm",
    (
        TransformParameter("loop", "loop"),
        TransformParameter("what", "word", optional=True, words=(HOIST, SINK, PROMOTE)),
    ),
    _legality,
    _apply,
)
"""What a loop does again and again at one place is done before it, or behind it."""
VERSION = Transformation(
    "version",
    (TransformParameter("loop", "loop"),),
    _version_legality,
    _version,
)
"""Versioning LICM: where a check finds places apart, a copy of the loop from which accesses have been moved."""
