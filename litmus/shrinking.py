"""Make a test smaller while it keeps a property.

What goes in: a test and a predicate that holds of it. What comes out: a test of which the predicate holds and of no
simplification of it: no thread, statement, tag or modifier can go, no ordering or scope can be simpler. Candidates go
through the printer and the parser, so what comes out is a well-formed test; those that are not well-formed are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.litmus import syntax as ast
from axmem.litmus.edit import edited, mapped
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import AddressSpace, Ordering, Scope, SyncScope
from axmem.litmus.walk import located

Body = tuple[ast.Statement, ...]
Predicate = Callable[[ast.LitmusTest], bool]

_WEAKER = {
    Ordering.SEQ_CST: (Ordering.ACQ_REL, Ordering.ACQUIRE, Ordering.RELEASE, Ordering.MONOTONIC),
    Ordering.ACQ_REL: (Ordering.ACQUIRE, Ordering.RELEASE, Ordering.MONOTONIC),
    Ordering.ACQUIRE: (Ordering.MONOTONIC,),
    Ordering.RELEASE: (Ordering.MONOTONIC,),
    Ordering.MONOTONIC: (Ordering.NOT_ATOMIC,),
    Ordering.UNORDERED: (Ordering.NOT_ATOMIC,),
}


def shrunk(test: ast.LitmusTest, keeps: Predicate) -> ast.LitmusTest:
    """Return the smallest test that greedy simplification finds."""
    progress = True
    while progress:
        progress = False
        for candidate in simpler(test):
            parsed = _well_formed(candidate)
            if parsed is not None and parsed != test and _holds(keeps, parsed):
                test, progress = parsed, True
                break
    return test


def _holds(keeps: Predicate, test: ast.LitmusTest) -> bool:
    """Tell whether a predicate holds of a test; it does not of one that has no events."""
    try:
        return keeps(test)
    except InputError:
        return False


def _well_formed(test: ast.LitmusTest) -> ast.LitmusTest | None:
    try:
        return parse(print_test(test))
    except (InputError, AssertionError):
        return None


def simpler(test: ast.LitmusTest) -> Iterator[ast.LitmusTest]:
    """Yield the tests that are one step simpler, the largest steps first."""
    for i, gone in enumerate(test.threads):
        barriers = tuple(
            replace(b, participants=tuple(p for p in b.participants if p != gone.name)) for b in test.barriers
        )
        left = tuple(b for b in barriers if b.participants)
        yield replace(test, threads=test.threads[:i] + test.threads[i + 1 :], barriers=left)
    if test.condition != ast.Truth(True) or test.observe:
        yield replace(test, condition=ast.Truth(True), observe=(), filter=None, quantifier=ast.Quantifier.EXISTS)
    for name in {s.name for t in test.threads for s in t.body if isinstance(s, ast.Barrier)}:
        yield _without_barrier(test, name)
    for path, _ in located(test):
        yield edited(test, {path: ()})
    for path, statement in located(test):
        for simpler_ones in _statements(statement):
            yield edited(test, {path: simpler_ones})
    for i, thread in enumerate(test.threads):
        place = thread.placement
        for k in [k for k, number in enumerate(place.numbers[:-1]) if number]:
            numbers = (*place.numbers[:k], 0, *place.numbers[k + 1 :])
            yield _with_thread(test, i, replace(thread, placement=ast.Placement(numbers)))
    yield _plain(test)
    for i, location in enumerate(test.locations):
        rest = (test.locations[:i], test.locations[i + 1 :])
        yield replace(test, locations=rest[0] + rest[1])
        for other in _locations(location):
            yield replace(test, locations=(*rest[0], other, *rest[1]))


def _with_thread(test: ast.LitmusTest, i: int, thread: ast.Thread) -> ast.LitmusTest:
    return replace(test, threads=(*test.threads[:i], thread, *test.threads[i + 1 :]))


def _without_barrier(test: ast.LitmusTest, name: str) -> ast.LitmusTest:
    """Return the test without one barrier: it must go from all its threads at once."""
    gone = {p: () for p, s in located(test) if isinstance(s, ast.Barrier) and s.name == name}
    return replace(edited(test, gone), barriers=tuple(b for b in test.barriers if b.name != name))


def _plain(test: ast.LitmusTest) -> ast.LitmusTest:
    """Return the test with i32 locations and accesses only."""

    def statement(s: ast.Statement) -> ast.Statement:
        match s:
            case ast.Store() | ast.AtomicRmw() if isinstance(s.value, ast.VectorOf):
                first = s.value.elements[0]
                return replace(s, type=ast.I32, value=replace(first, type=None), address=replace(s.address, index=None))
            case ast.AccessStatement():
                return replace(s, type=ast.I32, address=replace(s.address, index=None))
            case ast.Make() if s.address is not None:
                return replace(s, type=ast.I32, address=replace(s.address, index=None))
        return s

    locations = [replace(x, type=ast.I32, initial=ast.Number(0) if x.initial else None) for x in test.locations]
    return replace(mapped(test, statement), locations=tuple(locations))


def _locations(location: ast.Location) -> Iterator[ast.Location]:
    if location.space is not AddressSpace.GLOBAL:
        yield replace(location, space=AddressSpace.GLOBAL)
    if location.type != ast.I32:
        yield replace(location, type=ast.I32, initial=ast.Number(0) if location.initial else None)
    if location.initial is None or location.initial != ast.Number(0, location.type):
        yield replace(location, initial=ast.Number(0, location.type))


def _statements(statement: ast.Statement) -> Iterator[Body]:
    """Yield what may stand in a statement's place."""
    match statement:
        case ast.If():
            yield statement.then
            yield statement.otherwise
            if statement.otherwise:
                yield (replace(statement, otherwise=()),)
        case ast.CmpXchg():
            yield from _as_simpler_access(statement, statement.desired)
            if statement.weak:
                yield (replace(statement, weak=False),)
            if statement.failure is not Ordering.MONOTONIC:
                yield (replace(statement, failure=Ordering.MONOTONIC),)
        case ast.AtomicRmw():
            yield from _as_simpler_access(statement, statement.value)
            if statement.operation != "xchg":
                yield (replace(statement, operation="xchg"),)
        case ast.Assign() if not isinstance(statement.value, ast.Number):
            yield (replace(statement, value=ast.Number(1, statement.value.type)),)
        case ast.Make():
            if statement.tags:
                yield (replace(statement, tags=frozenset()),)
            if statement.address is not None:
                yield (replace(statement, address=None, type=None),)
            if statement.scope != SyncScope():
                yield (replace(statement, scope=SyncScope()),)
    if isinstance(statement, ast.AccessStatement):
        yield from ((s,) for s in _accesses(statement))
    if isinstance(statement, ast.AccessStatement | ast.Fence):
        for mode in _modes(statement.mode):
            yield (replace(statement, mode=mode),)


def _as_simpler_access(statement: ast.RmwStatement, value: ast.Expr) -> Iterator[Body]:
    """Yield the load alone, the store alone, and both, in place of a read-modify-write."""
    mode = replace(statement.mode, ordering=Ordering.MONOTONIC)
    load = ast.Load(statement.register or "unused", statement.type, statement.address, mode)
    store = ast.Store(value, statement.type, statement.address, mode)
    yield (load,)
    yield (store,)


def _accesses(statement: ast.AnyAccess) -> Iterator[ast.Statement]:
    """Yield the access with a simpler address or value."""
    address = statement.address
    if address.index is not None:
        yield replace(statement, address=replace(address, index=None))
        if not isinstance(address.index, ast.Number):
            yield replace(statement, address=replace(address, index=ast.Number(1, address.index.type)))
    if isinstance(statement, ast.Store | ast.AtomicRmw) and not isinstance(statement.value, ast.Number):
        yield replace(statement, value=ast.Number(1, None))
    if statement.type != ast.I32:
        yield replace(statement, type=ast.I32)


def _modes(mode: ast.AccessMode) -> Iterator[ast.AccessMode]:
    """Yield the modes that are one step simpler."""
    if mode.tags:
        yield replace(mode, tags=frozenset())
        for tag in sorted(mode.tags):
            yield replace(mode, tags=mode.tags - {tag})
    if mode.volatile or mode.nontemporal:
        yield replace(mode, volatile=False, nontemporal=False)
    if mode.elementwise:
        yield replace(mode, elementwise=False)
    if mode.av:
        yield replace(mode, av=False, scope=SyncScope())
    if mode.align is not None:
        yield replace(mode, align=None)
    if mode.scope.one_as:
        yield replace(mode, scope=SyncScope(mode.scope.level))
    if mode.scope.level is not Scope.SYSTEM:
        yield replace(mode, scope=SyncScope(Scope.SYSTEM, mode.scope.one_as))
    for ordering in _WEAKER.get(mode.ordering, ()):
        plain = ordering is Ordering.NOT_ATOMIC
        scope = SyncScope() if plain else mode.scope
        yield replace(mode, ordering=ordering, scope=scope, elementwise=mode.elementwise and not plain)
