"""How the programs of a context that was found begin: what memory holds, what parameters are.

What goes in: a setting and a solution, a test. What comes out: the test with these numbers in it (`begun`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from random import Random

from axmem.encoder.circuit import FALSE
from axmem.events.graph import ADDRESS_SHIFT, address_of, location_at
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.edit import mapped
from axmem.litmus.registers import with_expressions
from axmem.litmus.undef import POISONED, UNDEF, Value
from axmem.litmus.walk import replaced
from axmem.refinement.contexts.numbers import POINTER, Byte, read_off
from axmem.refinement.contexts.slots import Setting

_BELOW = 1 << ADDRESS_SHIFT - 1
"""What lies less before a location is said to be so far before it."""


def begun(
    setting: Setting, truth: Mapping[int, bool], test: ast.LitmusTest, given: Mapping[int, Value]
) -> ast.LitmusTest:
    """Return a test as it begins in a solution with these numbers for open parameters."""
    initial = {byte: read_off(bits, truth) for byte, bits in setting.numbers.initial.items()}
    return with_numbers(test, given, initial, setting.graphs[0].locations)


def parameters(setting: Setting, truth: Mapping[int, bool]) -> list[dict[int, Value]]:
    """Return the numbers of open parameters in a solution; first with undef, which may do, for what is poison."""
    found: dict[int, Value] = {}
    for index, word in sorted(setting.numbers.given.items()):
        undef = any(x != FALSE and truth[x] for x in word.free)
        poison = word.poison != FALSE and truth[word.poison]
        found[index] = POISONED if poison else UNDEF if undef else read_off(word.bits, truth)
    plainer: dict[int, Value] = {index: UNDEF if value is POISONED else value for index, value in found.items()}
    return [plainer, found] if POISONED in found.values() else [found]


def with_numbers(
    test: ast.LitmusTest, given: Mapping[int, Value], initial: Mapping[Byte, int], names: tuple[str, ...]
) -> ast.LitmusTest:
    """Return a test with numbers for parameters, and for bytes of memory; `names` are locations by their addresses.

    A parameter without one is 0.
    """

    def number(expr: ast.Expr) -> ast.Expr:
        if not isinstance(expr, ast.Given):
            return expr
        found = given.get(expr.index, 0)
        if expr.frozen is not None and isinstance(known := given.get(expr.frozen, 0), int):
            found = known
        if not isinstance(found, int):
            return ast.UndefValue(expr.type, expr.span, poison=found is POISONED)
        if expr.type is not None and expr.type.pointer is not None and found:
            return _pointer(found, expr, names)
        return ast.Number(found, expr.type, expr.span)

    test = _with_leaves(test, number)
    return replace(test, locations=tuple(_initialized(initial, each, names) for each in test.locations))


def some_numbers(test: ast.LitmusTest, undef: Container[int], random: Random) -> ast.LitmusTest:
    """Return a test in which each use of an undef parameter takes it for some number: one of those that it may be.

    Pointers stay undef.
    """

    def leaf(expr: ast.Expr) -> ast.Expr:
        if not isinstance(expr, ast.Given) or expr.index not in undef or expr.frozen is not None:
            return expr
        if expr.type is None or expr.type.pointer is not None:
            return expr
        ones = (1 << expr.type.bits) - 1
        return ast.Number(random.choice((0, 1, ones, ones >> 1, random.randint(0, ones))), expr.type, expr.span)

    return _with_leaves(test, leaf)


def defined(test: ast.LitmusTest) -> ast.LitmusTest:
    """Return a test whose parameters are neither undef nor poison, so that each is what it is where it is frozen."""

    def leaf(expr: ast.Expr) -> ast.Expr:
        if not isinstance(expr, ast.Given):
            return expr
        return replace(expr, index=expr.index if expr.frozen is None else expr.frozen, undef=False, frozen=None)

    return _with_leaves(test, leaf)


def _with_leaves(test: ast.LitmusTest, leaf: Callable[[ast.Expr], ast.Expr]) -> ast.LitmusTest:
    """Return a test with other parts of expressions in the place of some."""

    def whole(given: ast.Expr | ast.PassedStructure | None) -> ast.Expr | ast.PassedStructure | None:
        return given if given is None or isinstance(given, ast.PassedStructure) else replaced(given, leaf)

    test = mapped(test, lambda statement: with_expressions(statement, lambda expr: replaced(expr, leaf)))
    return replace(
        test,
        threads=tuple(replace(t, arguments=tuple(map(whole, t.arguments))) for t in test.threads),
        kernels=tuple(replace(k, arguments=tuple(map(whole, k.arguments))) for k in test.kernels),
    )


def pointer_text(number: int, names: Sequence[str]) -> str:
    """Return a number that is a pointer: `null`, `&x - 4`, or the number; `names` are locations by their addresses."""
    name, offset = _near(number, names)
    if name is None:
        return str(offset) if offset else "null"
    return f"&{name}" + (f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else "")


def _near(number: int, names: Sequence[str]) -> tuple[str | None, int]:
    """Return a location that is near an address, and how far behind it that is; of none how far behind null."""
    index = location_at(number + _BELOW)[0]
    return (names[index], number - address_of(index)) if 0 <= index < len(names) else (None, number)


def _pointer(number: int, expr: ast.Given, names: Sequence[str]) -> ast.Expr:
    """Return a number that is a pointer: so far behind a location, if that is near, or behind null."""
    name, offset = _near(number, names)
    base = ast.Number(0, expr.type, expr.span) if name is None else ast.AddressOf(name, span=expr.span)
    behind = ast.Number(offset, ast.Type(64), expr.span)
    return ast.IntegerOperation("add", (base, behind), span=expr.span) if offset else base


def _initialized(initial: Mapping[Byte, int], location: ast.Location, names: tuple[str, ...]) -> ast.Location:
    """Return a location with what it holds at first; elements of which nothing is said as they are."""
    type_, old = location.type or ast.I32, location.initial
    if old is None or not any(name == location.name for name, _ in initial):
        return location
    element = type_.element
    elements = old.elements if isinstance(old, ast.VectorOf) else (old,)
    new: list[ast.Expr] = []
    for k, one in enumerate(elements):
        held = [initial.get((location.name, k * element.size + at)) for at in range(element.size)]
        number = sum((byte or 0) << 8 * at for at, byte in enumerate(held))
        if all(byte is None for byte in held):
            new.append(one)
        elif element.pointer is not None and element.size == POINTER and number:
            new.append(ast.AddressOf(names[location_at(number)[0]]))
        else:
            new.append(ast.Number(number, element))
    return replace(location, initial=ast.VectorOf(tuple(new)) if isinstance(old, ast.VectorOf) else new[0])
