"""What is known of the loops of a kernel, as far as it decides what passes may do with them.

What goes in: a kernel. What comes out: its loops as trees, with their LoopIDs, trip counts, contents, dependences.
Invariant: a loop is said to be free of dependences, or to have one, only where the places of all its accesses are known
as linear forms of its counter; what else there is, is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import UNKNOWN, Call, ConvergenceToken
from axmem.litmus.poison import unguarded
from axmem.litmus.spelling import pointer_to
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import (
    I32,
    I64,
    Address,
    AddressSpace,
    Assign,
    Expr,
    Fence,
    IntegerOperation,
    Kernel,
    Load,
    Ordering,
    Register,
    RmwStatement,
    Statement,
    Store,
)
from axmem.litmus.walk import addresses, children
from axmem.transform.comparisons import comparisons
from axmem.transform.constants import number_of
from axmem.transform.crossing import BARRIERS
from axmem.transform.dependence import LATER, AccessPlace, Dependences, IterationDistance, Spot, is_parallel, may_meet
from axmem.transform.followups import written
from axmem.transform.forest import Content, Dependence, Facts, Tree
from axmem.transform.latches import with_one_latch
from axmem.transform.linear import Iteration, Start, Unchanging
from axmem.transform.loops import Loop, defined_in, dominators, entering, induction, loops
from axmem.transform.trips import (
    bound,
    count_if_checked,
    counted_if_checked,
    counts_as_it_ends,
    extends,
    multiple,
    trip_count,
    trips,
)

NEXT = IterationDistance(1, 1)

Part: TypeAlias = tuple[str, int]
"""The kind of the loop that a store is of once it is distributed, and which cycle it is of."""


def forest(kernel: Kernel) -> tuple[Tree, ...]:
    """Return the outermost loops of a kernel, in the order of the text, with the loops in them."""
    flow = with_one_latch(single_assignment(kernel))
    found = loops(flow)
    pointers = {each.name: each.noalias for each in kernel.parameters if each.type.pointer is not None}

    def trees(parent: str | None) -> Iterator[Tree]:
        for loop in found:
            if loop.parent == parent:
                yield Tree(loop.header, written(loop.identity), facts(flow, loop, pointers), tuple(trees(loop.header)))

    return tuple(trees(None))


def facts(flow: ControlFlow, loop: Loop, pointers: Mapping[str, bool] | None = None) -> Facts:
    """Return what is known of a loop; `pointers` are the parameters that are some, and whether they are `noalias`."""
    how_often = trips(flow, loop)
    inside = [each for each in loops(flow) if each.parent == loop.header]
    statements = [s for b in flow.blocks if b.name in loop.blocks for s in b.statements]
    around = _Carried(flow, loop, pointers or {})
    dependence, kinds = around.dependence() if not inside else (Dependence.UNKNOWN, ())
    trip = trip_count(flow, loop)
    return Facts(
        trips=trip,
        counted=how_often is not None and how_often.known,
        checkable=counted_if_checked(flow, loop),
        checked=count_if_checked(flow, loop),
        bound=bound(flow, loop),
        most=None if how_often is None or how_often.most is None else how_often.most + 1,
        multiple=multiple(flow, loop),
        extended=_is_extended(flow, loop),
        must_end=how_often is not None and how_often.known and counts_as_it_ends(flow, loop),
        behind=_leaves_rest_behind(flow, loop),
        plain=_may_be_cheap(flow, loop),
        rotated=not loop.exiting or loop.latch in loop.exiting,
        exits=len(loop.exits),
        contents=frozenset(kind for statement in statements for kind in contents(statement)),
        dependence=dependence,
        checks=around.checks(trip),
        partitions=_merged(kinds),
        parts=_apart(kinds),
        jams=around.jams() if len(inside) == 1 else None,
        past=len(inside) == 1 and _goes_past(flow, loop, inside[0]),
        wraps=around.wraps(),
        size=len(statements),
    )


def _goes_past(flow: ControlFlow, loop: Loop, inner: Loop) -> bool:
    """Whether a branch goes past the loop inside another: then there is no part before it and part behind it."""
    before = {b for b in loop.blocks - inner.blocks if not dominators(flow).dominates(inner.latch, b)}
    entry = next(b for b in flow.predecessors[inner.header] if b not in inner.blocks)
    return any(after not in before for b in before if b != entry for after in flow.successors[b])


def _is_extended(flow: ControlFlow, loop: Loop) -> bool:
    """Whether a token that a loop defines is taken behind it."""
    within = (s for b in flow.blocks if b.name in loop.blocks for s in b.statements)
    inside = {s.register for s in within if isinstance(s, ConvergenceToken)}
    outside = (s for b in flow.blocks if b.name not in loop.blocks for s in b.statements)
    return any(isinstance(s, Call | ConvergenceToken) and s.token in inside for s in outside)


def _leaves_rest_behind(flow: ControlFlow, loop: Loop) -> bool:
    """Whether what unrolling at run time leaves over comes behind the rounds: one of its phis enters with a number."""
    values = (entering(flow, loop, phi) for phi in flow.block[loop.header].phis)
    return any(value is not None and number_of(value) is not None for value in values)


def _may_be_cheap(flow: ControlFlow, loop: Loop) -> bool:
    """Whether LLVM may find the number of iterations cheap to compute: one without a test, or of few bits.

    Of one that a check makes known it is the bits in which the counter is compared that count.
    """
    how_often = trips(flow, loop)
    if how_often is None or how_often.known:
        count = None if how_often is None else how_often.taken
        tested = isinstance(count, IntegerOperation) and count.name == "select"
        return count is not None and (not tested or _is_narrow(count))
    compared = comparisons(flow, loop, how_often.exit, defined_in(flow, loop))
    return all(each is not None and _is_narrow(each[2]) for each in compared)


def contents(statement: Statement) -> Iterator[Content]:
    """Yield what a statement is of what keeps passes from a loop."""
    match statement:
        case Load(mode=mode) | Store(mode=mode):
            if mode.volatile:
                yield Content.VOLATILE
            if mode.ordering is not Ordering.NOT_ATOMIC:
                yield Content.UNORDERED if mode.ordering is Ordering.UNORDERED else Content.ATOMIC
        case RmwStatement():
            yield Content.RMW
        case Fence():
            yield Content.FENCE
        case ConvergenceToken(kind=kind):
            yield Content.HEART if kind == "loop" else Content.ANCHOR
        case Call(operation=operation, token=token, convergent=convergent):
            if operation.startswith(BARRIERS):
                yield Content.BARRIER
            elif convergent and not token:
                yield Content.CROSS_LANE
            if token or operation.startswith(("@", f"{UNKNOWN}@")):
                yield Content.CALL
        case Assign():
            return
        case _:
            yield Content.CALL


class _Carried:
    """The accesses of a loop, and which of them meet in different iterations."""

    def __init__(self, flow: ControlFlow, loop: Loop, pointers: Mapping[str, bool]) -> None:
        self.flow, self.loop, self.pointers = flow, loop, pointers
        self.known = Dependences(flow, loop)
        self.spots = [each for each in self.known.statements if isinstance(each[1], Load | Store)]
        self.places = [self.known.place(statement, block) for block, statement in self.spots]
        self.parallel = self._annotated()

    def _annotated(self) -> bool:
        """Whether every access is promised to be parallel; LLVM asks nothing more of it then, and else everything."""
        identity = self.loop.identity
        everything = [statement for _, statement in self.known.statements]
        return identity is not None and bool(everything) and all(is_parallel(s, identity) for s in everything)

    def dependence(self) -> tuple[Dependence, tuple[Part, ...]]:
        """Return what iterations have to do with each other, and of what loop of a distribution each store is."""
        if self.parallel and self._plain():
            return Dependence.NONE, ()
        if not self._plain() or any(place is None for place in self.places):
            return Dependence.UNKNOWN, ()
        backward: list[tuple[int, int]] = []
        for earlier, later in self._pairs():
            if not self._meet(earlier, later, LATER):
                continue
            exact = _same_terms(self.places[earlier], self.places[later]) and self._meet(earlier, later, NEXT)
            if earlier < later or not exact or (earlier == later and not self._moves(earlier)):
                return Dependence.UNKNOWN, ()
            backward.append((later, earlier))
        if not backward:
            return Dependence.NONE, ()
        kinds = self._parts(backward)
        return (Dependence.PARTLY if len(_merged(kinds)) > 1 else Dependence.SERIAL), kinds

    def _moves(self, one: int) -> bool:
        """Whether an access goes to another place in each iteration: of a store that does not the last one counts."""
        place = self.places[one]
        return place is not None and Iteration(self.loop.header) in place.address.terms

    def _plain(self) -> bool:
        """Whether the loop is one block whose phis are counters."""
        counters = {each.register for each in induction(self.flow, self.loop)}
        phis = {phi.register for phi in self.flow.block[self.loop.header].phis}
        return len(self.loop.blocks) == 1 and phis <= counters

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of accesses, one of them a store, through one pointer: (of an iteration, of a later one)."""
        for one, (_, first) in enumerate(self.spots):
            for two, (_, second) in enumerate(self.spots):
                apart = self._promised(one, two) or _told_apart_at_run_time(self.places[one], self.places[two])
                if not apart and (isinstance(first, Store) or isinstance(second, Store)):
                    yield one, two

    def _promised(self, one: int, two: int) -> bool:
        """Whether the parameters that two accesses rest on promise that they are apart (`noalias`)."""
        return promised_apart(self.places[one], self.places[two], self.pointers)

    def _meet(self, one: int, two: int, steps: IterationDistance) -> bool:
        return may_meet(self.places[one], self.places[two], {self.loop.header: steps})

    def _parts(self, backward: list[tuple[int, int]]) -> tuple[Part, ...]:
        """Return of each store what loop it is of: a store in a cycle is sequential, with all others of that cycle.

        A cycle reaches from the access that reads to the one that writes; stores between them are of its loop.
        """
        kinds: list[Part] = []
        for index, (_, statement) in enumerate(self.spots):
            if isinstance(statement, Store):
                inside = [start for start, end in backward if start <= index <= end]
                kinds.append(("sequential", min(inside)) if inside else ("coincident", -1))
        return tuple(kinds)

    def checks(self, trip: int | None) -> bool | None:
        """Whether accesses go through pointers that only a run-time check tells apart; None if that is not known.

        LLVM may also check that addresses do not wrap, unless they follow from constants alone.
        """
        if self.parallel:
            return None if self.wraps() or self._rests_on_flags() else False
        pairs = [(one, two) for one, first in enumerate(self.spots) for two, second in enumerate(self.spots[:one])
                 if isinstance(first[1], Store) or isinstance(second[1], Store)]  # fmt: skip
        pairs = [pair for pair in pairs if not self._promised(*pair)]
        if any(_told_apart_at_run_time(self.places[one], self.places[two]) for one, two in pairs):
            return True
        return False if trip is not None and all(map(self._constant, self.places)) else None

    def _rests_on_flags(self) -> bool:
        """Whether an address extends a sum whose flags LLVM may not use, as it is computed behind the test."""
        known = trips(self.flow, self.loop)
        definitions = defined_in(self.flow, self.loop)

        def extended(expr: Expr, *, within: bool) -> bool:
            if isinstance(expr, Register):
                statement = definitions.get(expr.name, ("", None))[1]
                return isinstance(statement, Assign) and extended(statement.value, within=within)
            expr = unguarded(expr)
            if not isinstance(expr, IntegerOperation):
                return False
            if within and expr.name in ("add", "sub", "mul", "shl"):
                return True
            within |= expr.name in ("sext", "zext")
            return any(extended(child, within=within) for child in children(expr))

        if known is not None and known.rotated:
            return False
        parts = (part for _, s in self.spots for a in addresses(s) for part in (a.base, a.index) if part is not None)
        return any(extended(part, within=False) for part in parts)

    def _constant(self, place: AccessPlace | None) -> bool:
        """Whether an address is that of a location, and constants and the loop's own counter."""
        own = Iteration(self.loop.header)
        return place is not None and all(term == own or isinstance(term, Start) for term in place.address.terms)

    def jams(self) -> bool | None:
        """Whether no two accesses meet in different iterations of the loop; None if that is not known."""
        spots = [each for each in self.known.statements if not isinstance(each[1], Load | Store)]
        apart = not spots and not any(self._jammed(a, b) for a in self.spots for b in self.spots)
        return True if apart else None

    def wraps(self) -> bool:
        """Whether an address is computed with fewer bits than it has, from a counter that might wrap in them."""
        inside = [each for each in loops(self.flow) if each.blocks <= self.loop.blocks]
        counters = {each.register: (loop, each) for loop in inside for each in induction(self.flow, loop)}
        definitions = defined_in(self.flow, self.loop)

        def narrow(expr: Expr, how: str) -> bool:
            """Whether an expression that is extended in some way (`""`: it is not) rests on such a counter."""
            if isinstance(expr, Register) and expr.name in counters:
                return bool(how) and not extends(self.flow, *counters[expr.name], how)
            if isinstance(expr, Register):
                statement = definitions.get(expr.name, ("", None))[1]
                return isinstance(statement, Assign) and narrow(statement.value, how)
            expr = unguarded(expr)
            if isinstance(expr, IntegerOperation) and expr.name in ("sext", "zext"):
                how = expr.name
            return any(narrow(child, how) for child in children(expr))

        found = (address for spot in self.spots if self._may_conflict(spot) for address in addresses(spot[1]))
        return any(
            narrow(address.base, "")
            or (address.index is not None and narrow(address.index, "sext" if _is_short(address) else ""))
            for address in found
        )

    def _may_conflict(self, spot: Spot) -> bool:
        """Whether one of an access and another one, of a place that is not known to be apart, is a store."""
        own = self.known.place(spot[1], spot[0])
        others = (each for each in self.spots if each is not spot)
        places = (self.known.place(s, b) for b, s in others if isinstance(s, Store) or isinstance(spot[1], Store))
        return any(self._may_be_one(own, place) for place in places)

    def _may_be_one(self, first: AccessPlace | None, second: AccessPlace | None) -> bool:
        """Whether two places may be of one location, as far as that is known."""
        one, two = _locations(first), _locations(second)
        return not promised_apart(first, second, self.pointers) and bool(not one or not two or one & two)

    def _jammed(self, first: Spot, second: Spot) -> bool:
        if not isinstance(first[1], Store) and not isinstance(second[1], Store):
            return False
        one, two = (self.known.place(statement, block) for block, statement in (first, second))
        return not promised_apart(one, two, self.pointers) and may_meet(one, two, {self.loop.header: LATER})


def _is_narrow(expr: Expr) -> bool:
    return (expr.type or I32).bits < I64.bits


def _is_short(address: Address) -> bool:
    """Whether an index has fewer bits than the pointers of its address space."""
    space = (address.base.type.pointer if address.base.type is not None else None) or AddressSpace.GENERIC
    return address.index is not None and (address.index.type or I32).bits < pointer_to(space).bits


def _merged(parts: tuple[Part, ...]) -> tuple[str, ...]:
    """Return the loops that LLVM's distribution makes: neighbours of one kind, or one cycle, are one loop."""
    return tuple(part[0] for n, part in enumerate(parts) if not n or parts[n - 1] != part)


def _apart(parts: tuple[Part, ...]) -> tuple[str, ...]:
    """Return those of the document's model: a loop for each store on its own, and at most one that is sequential.

    Between the first and the last store that is sequential there is no cut.
    """
    serial = [n for n, (kind, _) in enumerate(parts) if kind == "sequential"]
    if not serial:
        return tuple(kind for kind, _ in parts)
    return tuple(kind for n, (kind, _) in enumerate(parts) if n <= serial[0] or n > serial[-1])


def _bases(place: AccessPlace | None) -> tuple[object, ...]:
    """Return the locations and the registers that an address rests on."""
    return (
        ()
        if place is None
        else tuple(sorted((t for t in place.address.terms if isinstance(t, Start | Unchanging)), key=str))
    )


def _locations(place: AccessPlace | None) -> frozenset[object]:
    """Return the locations that an address rests on; none if that is not known."""
    return frozenset() if place is None else frozenset(t for t in place.address.terms if isinstance(t, Start))


def _same_terms(first: AccessPlace | None, second: AccessPlace | None) -> bool:
    """Whether two addresses differ by a constant in each iteration."""
    return first is not None and second is not None and first.address.terms == second.address.terms


def promised_apart(first: AccessPlace | None, second: AccessPlace | None, pointers: Mapping[str, bool]) -> bool:
    """Whether two places rest on different parameters or locations, one of which is a parameter that is `noalias`."""
    one, two = (
        {b for b in _bases(place) if isinstance(b, Start) or (isinstance(b, Unchanging) and b.register in pointers)}
        for place in (first, second)
    )
    promised = any(isinstance(base, Unchanging) and pointers[base.register] for base in one | two)
    return len(one) == len(two) == 1 and one != two and promised


def _told_apart_at_run_time(first: AccessPlace | None, second: AccessPlace | None) -> bool:
    """Whether two addresses rest on different bases, one of which is a pointer that may be anything."""
    one, two = _bases(first), _bases(second)
    return one != two and any(isinstance(base, Unchanging) for base in (*one, *two))
