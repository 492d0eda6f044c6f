"""What is wrong with the named barriers of a kernel, by the order in which barriers let waves execute.

What goes in: the operations of waves on barriers, in an order that is that of each wave. What comes out: undefined
behaviour, each with its reason. An operation executes before another ([AMDGPU-Sync] "Barrier-executes-before") if it
comes before it in its wave, or before an arrival that a wait before the other needs. By that order a barrier must be
initialised before everything else (`barrier-uninitialized`) and joined before the end of what is waited for
(`barrier-not-joined`), and a wave arrives again only when the phase before is complete (`barrier-mismatch`). A wait
needs as many arrivals as are expected, none of which comes after it (`barrier-missing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from axmem.events.barriers import all_of, any_of, negated, undefined_where
from axmem.events.graph import Undefined
from axmem.events.values import ZERO, Constant, Expr, apply
from axmem.front.records import dataclass
from axmem.front.source import Span

Phase = tuple[str, int]
"""A barrier object, and which of its phases: a number for the workgroup's own, from 1 for a named one."""


class ObjectEffect(Enum):
    """What an operation does to its object; MEET both arrives and waits."""

    INIT = "init"
    JOIN = "join"
    ARRIVE = "signal"
    DROP = "leave"
    WAIT = "wait"
    MEET = "s.barrier"

    @property
    def arrives(self) -> bool:
        """Whether a wait may need it."""
        return self in (ObjectEffect.ARRIVE, ObjectEffect.DROP, ObjectEffect.MEET)

    @property
    def waits(self) -> bool:
        """Whether what comes after it comes after all arrivals of its phase."""
        return self in (ObjectEffect.WAIT, ObjectEffect.MEET)


@dataclass(frozen=True, eq=False, slots=True)
class BarrierOperation:
    """What a wave does, where `here` holds; `count` is what an init expects, `named` says what kind of object."""

    does: ObjectEffect
    phase: Phase
    wave: int
    here: Expr
    span: Span
    named: bool = True
    count: int = 0


Wanted = Callable[[BarrierOperation], bool]


def undefined(operations: Sequence[BarrierOperation]) -> Iterator[Undefined]:
    """Yield the undefined behaviour of named barriers, where there may be some."""
    order = Order(operations)
    for operation in operations:
        if operation.named and operation.does is not ObjectEffect.INIT:
            for reason, condition in _wrong(order, operation):
                yield from undefined_where(all_of((operation.here, condition)), reason, operation.span)


def endless(operations: Sequence[BarrierOperation]) -> dict[Phase, Expr]:
    """Return the phases of which an arrival may come after their own end, each with whether one does."""
    order, found = Order(operations), dict[Phase, list[Expr]]()
    for o in operations:
        if o.named and o.does.arrives:
            found.setdefault(o.phase, []).append(all_of((o.here, order.before(o, _waiting(o.phase)))))
    return {phase: never for phase, some in found.items() if (never := any_of(some)) != ZERO}


def unknown(operations: Sequence[BarrierOperation]) -> Iterator[tuple[Span, str]]:
    """Yield what leaves open which arrivals make a phase, with its place."""
    for operation in operations:
        name, number = operation.phase
        expected = _expected(operations, name)
        if not operation.named or expected is None or not operation.does.arrives:
            continue
        if operation.does is ObjectEffect.ARRIVE and operation.count not in (0, expected):
            yield operation.span, f"this signal expects {operation.count}, where {expected} are expected at '{name}'"
        if len(_counted(operations, operation.phase)) > expected:
            message = f"more waves may arrive at '{name}' in its phase {number} than are expected there"
            yield operation.span, f"{message}: which of them are of this phase is not known"


def _expected(operations: Sequence[BarrierOperation], name: str) -> int | None:
    return next((o.count for o in operations if o.does is ObjectEffect.INIT and o.phase[0] == name), None)


def _counted(operations: Sequence[BarrierOperation], phase: Phase) -> list[list[BarrierOperation]]:
    """Return what counts as an arrival in a phase, those of which a wave does one together.

    A wave that has left, then or before, counts as if it had arrived.
    """
    name, number = phase
    found: dict[tuple[int, ObjectEffect], list[BarrierOperation]] = {}
    for o in operations:
        left = o.does is ObjectEffect.DROP and o.phase[0] == name and o.phase[1] < number
        if left or (o.does.arrives and o.phase == phase):
            found.setdefault((o.wave, o.does), []).append(o)
    return list(found.values())


class Order:
    """Which operations execute before others, as expressions over whether they execute."""

    def __init__(self, operations: Sequence[BarrierOperation]) -> None:
        self.operations = operations
        self.waves: dict[int, list[BarrierOperation]] = {}
        self.arriving: dict[Phase, list[BarrierOperation]] = {}
        self.at: dict[BarrierOperation, int] = {}
        for operation in operations:
            wave = self.waves.setdefault(operation.wave, [])
            self.at[operation] = len(wave)
            wave.append(operation)
            if operation.does.arrives:
                self.arriving.setdefault(operation.phase, []).append(operation)

    def before(self, operation: BarrierOperation, wanted: Wanted) -> Expr:
        """Return whether an operation that is wanted executes before another."""
        return self._before(operation, wanted, {})

    def _before(self, operation: BarrierOperation, wanted: Wanted, known: dict[BarrierOperation, Expr]) -> Expr:
        if operation not in known:
            known[operation] = ZERO
            found = []
            for earlier in reversed(self.waves[operation.wave][: self.at[operation]]):
                if wanted(earlier):
                    found.append(earlier.here)
                elif earlier.does.waits:
                    through = [
                        a.here if wanted(a) else self._before(a, wanted, known)
                        for a in self.arriving.get(earlier.phase, ())
                    ]
                    found.append(all_of((earlier.here, any_of(through))))
            known[operation] = any_of(found)
        return known[operation]


def _wrong(order: Order, operation: BarrierOperation) -> Iterator[tuple[str, Expr]]:
    """Yield the reasons why an operation that executes is undefined behaviour, each with whether it holds."""
    name, number = operation.phase
    initial = [o for o in order.operations if o.does is ObjectEffect.INIT and o.phase[0] == name]
    ready = [any_of((negated(o.here), order.before(operation, _just(o)))) for o in initial]
    yield "barrier-uninitialized", negated(all_of((any_of([o.here for o in initial]), *ready)))
    if operation.does.arrives:
        if number > 1:
            yield "barrier-mismatch", negated(_ended(order, (name, number - 1), operation))
        yield "barrier-missing", order.before(operation, _waiting(operation.phase))
    expected = _expected(order.operations, name)
    if operation.does.waits and expected is not None:
        count: Expr = ZERO
        for some in _counted(order.operations, operation.phase):
            count = apply("add", 32, count, any_of([o.here for o in some]))
        yield "barrier-missing", apply("ult", 1, count, Constant(expected))
        join = _joining(name, operation.wave)
        arriving = order.arriving.get(operation.phase, ())
        yield "barrier-not-joined", negated(any_of([all_of((o.here, order.before(o, join))) for o in arriving]))


def _ended(order: Order, phase: Phase, operation: BarrierOperation) -> Expr:
    """Return whether a phase ends before an operation: a wait for it is before that, or all of its arrivals are."""
    arrivals = _counted(order.operations, phase)
    every = [any_of([all_of((o.here, order.before(operation, _just(o)))) for o in some]) for some in arrivals]
    enough = len(arrivals) == _expected(order.operations, phase[0])
    return any_of((order.before(operation, _waiting(phase)), all_of(every) if enough else ZERO))


def _just(one: BarrierOperation) -> Wanted:
    return lambda o: o is one


def _waiting(phase: Phase) -> Wanted:
    return lambda o: o.does.waits and o.phase == phase


def _joining(name: str, wave: int) -> Wanted:
    return lambda o: o.does is ObjectEffect.JOIN and o.phase[0] == name and o.wave == wave
