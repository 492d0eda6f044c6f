"""Which registers and locations of two tests are the same.

What goes in: two tests, and the pairs of `--map`. What comes out: a `Matching`: pairs of observables to compare, and
what only one of the tests has. Invariant: an observable that the first test mentions outside its threads is compared,
or there is an error at its place; so there is for what a function returns and for memory that is written, if only one
of the tests has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.kernels import IDS
from axmem.litmus.launch import LANE, instances, names
from axmem.litmus.registers import register_types
from axmem.litmus.words import RESULT


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs (observable before, observable after), and the names that are not compared, with the reason."""

    pairs: tuple[tuple[ast.Observable, ast.Observable], ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    """What a test can show: its registers and final values, by name, with their types."""

    threads: tuple[str, ...]
    types: dict[str, ast.Type]
    observables: dict[str, ast.Observable]


def matching(before: ast.LitmusTest, after: ast.LitmusTest, entries: Iterable[str] = ()) -> Matching:
    """Return what of two tests is to be compared; raise InputError for a bad map and for what cannot be compared."""
    first, second = _named(before), _named(after)
    renamed = _read_map(entries, first, second)
    _same_memory(before, after, renamed)
    wanted = {name_of(o): o.span for o in walk.observed(before)}
    pairs: list[tuple[ast.Observable, ast.Observable]] = []
    left_out: list[str] = []
    errors: list[Diagnostic] = []
    for name, observable in first.observables.items():
        found = _counterpart(name, observable, renamed)
        if found in second.observables:
            pairs.append((observable, second.observables[found]))
        elif name in wanted:
            hint = did_you_mean(found, second.observables) or "say with --map what stands for it"
            message = f"nothing in '{after.name}' stands for {name}, which this test observes"
            errors.append(Diagnostic(before.source, wanted[name], message, hint))
        else:
            left_out.append(f"{name} (only before)")
    if errors:
        raise InputError(errors)
    for b, a in pairs:
        if first.types[name_of(b)] != second.types[name_of(a)]:
            message = f"{name_of(a)} of '{after.name}' has another type than {name_of(b)} here"
            raise InputError([Diagnostic(before.source, Span(1, 1), message, "compare values of one type")])
    compared = {name_of(a) for _, a in pairs}
    left_out += [f"{name} (only after)" for name in second.observables if name not in compared]
    _refuse_lost(before, after, first, {name_of(b) for b, _ in pairs})
    _refuse_lost(after, before, second, compared)
    if not pairs:
        message = f"no register and no location of '{after.name}' has a name that this test has"
        raise InputError([Diagnostic(before.source, Span(1, 1), message, "say what is what with --map")])
    return Matching(tuple(pairs), tuple(left_out))


def _refuse_lost(test: ast.LitmusTest, other: ast.LitmusTest, named: _Named, compared: set[str]) -> None:
    """Refuse a test that returns something, or writes memory, that the other test does not have."""
    written = {o.location for s in _stores(test) if isinstance(o := s.address.base, ast.AddressOf)}
    for name, observable in named.observables.items():
        result = isinstance(observable, ast.RegisterOf) and observable.register == RESULT
        if name not in compared and (result or name in written):
            what = "a result" if result else "memory that is written"
            message = f"nothing in '{other.name}' stands for {name}, {what}"
            hint = "results and memory are always compared: say with --map what stands for it"
            raise InputError([Diagnostic(test.source, Span(1, 1), message, hint)])


def _stores(test: ast.LitmusTest) -> Iterator[ast.WritingStatement]:
    writing = ast.WritingStatement
    return (s for unit in walk.units(test) for s in walk.statements(unit.body) if isinstance(s, writing))


def _named(test: ast.LitmusTest) -> _Named:
    types: dict[str, ast.Type] = {}
    observables: dict[str, ast.Observable] = {}
    kernels = {kernel.name: kernel for kernel in test.kernels}
    for (unit, register), type_ in register_types(test).items():
        for thread in _threads(kernels.get(unit), unit, register):
            observables[f"{thread}:{register}"] = ast.RegisterOf(thread, register)
            types[f"{thread}:{register}"] = type_
    mentioned = {o.location for o in walk.observed(test) if isinstance(o, ast.FinalValue)}
    own = (each.location for kernel in test.kernels for each in instances(kernel) if each.location.name in mentioned)
    for location in (*test.locations, *own):
        assert location.type is not None
        types[location.name] = location.type
        if location.space is not ast.AddressSpace.PRIVATE or location.name in mentioned:
            observables[location.name] = ast.FinalValue(location.name)
    lanes = (name for kernel in test.kernels for name in names(kernel, LANE))
    return _Named((*(t.name for t in test.threads), *lanes), types, observables)


def _threads(kernel: ast.Kernel | None, unit: str, register: str) -> tuple[str, ...]:
    """Return under which names a register has values: the thread's, those of a kernel's lanes, a parameter's kernel."""
    if kernel is None:
        return (unit,)
    if register in IDS:
        return ()
    parameter = next((p for p in kernel.parameters if p.name == register), None)
    if parameter is not None:
        return (unit,) if parameter.choice else ()
    return names(kernel, LANE)


def name_of(observable: ast.Observable) -> str:
    """Return `P0:r0` or `x`: what outcomes call a register or a location as a whole."""
    if isinstance(observable, ast.RegisterOf):
        return f"{observable.thread}:{observable.register}"
    return observable.location


def _counterpart(name: str, observable: ast.Observable, renamed: dict[str, str]) -> str:
    """Return the name that something has after the change."""
    if name in renamed:
        return renamed[name]
    if isinstance(observable, ast.RegisterOf):
        return f"{renamed.get(observable.thread, observable.thread)}:{observable.register}"
    return observable.location


def read_map(entries: Iterable[str], before: ast.LitmusTest, after: ast.LitmusTest) -> dict[str, str]:
    """Return what `NAME=NAME` entries say of registers `P0:r1`, locations `x`, threads `P0`; raise InputError."""
    return _read_map(entries, _named(before), _named(after))


def _read_map(entries: Iterable[str], first: _Named, second: _Named) -> dict[str, str]:
    renamed: dict[str, str] = {}
    errors: list[Diagnostic] = []
    for entry in entries:
        left, equals, right = (part.strip() for part in entry.partition("="))
        if not equals or not left or not right:
            errors.append(_about(entry, entry, "a map is written BEFORE=AFTER, such as P0:r1=P0:r2, x=y or P0=Q0"))
            continue
        for name, known, where in ((left, first, "before"), (right, second, "after")):
            if name not in known.types and name not in known.threads:
                hint = did_you_mean(name, (*known.types, *known.threads))
                message = f"the test {where} the change has no register, location or thread '{name}'"
                errors.append(_about(entry, name, message, hint))
        if _kind(left, first) != _kind(right, second) and not errors:
            errors.append(_about(entry, entry, f"'{left}' is {_kind(left, first)}, '{right}' {_kind(right, second)}"))
        if renamed.get(left, right) != right:
            errors.append(_about(entry, left, f"'{left}' is mapped twice"))
        renamed[left] = right
    if errors:
        raise InputError(errors)
    return renamed


def _kind(name: str, known: _Named) -> str:
    if ":" in name:
        return "a register"
    return "a location" if name in known.types else "a thread"


def _same_memory(before: ast.LitmusTest, after: ast.LitmusTest, renamed: dict[str, str]) -> None:
    """Refuse tests that begin with different memory: their outcomes say nothing of each other."""
    others = {location.name: location for location in after.locations}
    errors = []
    for location in before.locations:
        other = others.get(renamed.get(location.name, location.name))
        if other is None:
            continue
        for what, here, there in (
            ("address space", location.space, other.space),
            ("type", location.type, other.type),
            ("initial value", location.initial, other.initial),
        ):
            if here != there:
                message = f"'{other.name}' has another {what} than '{location.name}' in '{before.name}'"
                hint = "outcomes are compared from one and the same initial memory"
                errors.append(Diagnostic(after.source, other.span, message, hint))
                break
    if errors:
        raise InputError(errors)


def _about(entry: str, part: str, message: str, hint: str = "") -> Diagnostic:
    place = Span(1, entry.find(part) + 1, max(1, len(part)))
    return Diagnostic(Source("--map", entry), place, message, hint)
