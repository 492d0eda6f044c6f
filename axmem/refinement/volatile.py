"""Which volatile accesses an execution has, in which order: something that can be seen from outside.

What goes in: two tests. What comes out: the same tests, whose threads note in a register which volatile accesses they
have executed, and what these store, so that whoever compares registers compares that. [LangRef] "Volatile Memory
Accesses": a pass changes neither the number of volatile accesses nor their order. Their orderings, scopes and tags are
the model's: it says what they order. Tests in which that cannot differ are returned as they are, and kernels of several
lanes, whose registers are compared otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.edit import rewritten
from axmem.litmus.kernels import Label

ORDER = "volatile.order"
"""The register that notes volatile accesses."""
RULE = (
    "volatile accesses are others, or executed in another order; a pass must not change their number or order "
    '([LangRef] "Volatile Memory Accesses")'
)


def with_volatile_orders(before: ast.LitmusTest, after: ast.LitmusTest) -> tuple[ast.LitmusTest, ast.LitmusTest]:
    """Return two tests that show which volatile accesses they have executed, if that may differ."""
    tests = before, after
    # Where one stores a number, and another one what is computed, what they store is noted, too.
    accesses = [list(_volatile(test)) for test in tests]
    computed = {key for some in accesses for _, _, key, values in some if None in values}
    found = [
        [(path, unit, (key, () if key in computed else values)) for path, unit, key, values in some]
        for some in accesses
    ]
    sequences = [[(unit, key) for _, unit, key in some] for some in found]
    if not computed and sequences[0] == sequences[1] and all(map(_fixed, tests)):
        return tests
    keys = list(dict.fromkeys(key for some in found for _, _, key in some))
    numbers = {key: k + 1 for k, key in enumerate(keys)}
    first, second = (
        _noting(test, {path: (numbers[key], key[0] in computed) for path, _, key in some}, len(numbers))
        for test, some in zip(tests, found, strict=True)
    )
    return (first, second) if keys else tests


def _volatile(test: ast.LitmusTest) -> Iterator[tuple[walk.Path, str, Hashable, tuple[int | None, ...]]]:
    """Yield the volatile accesses of threads and functions, with their units, and the numbers that they write, None for
    what is computed; messages to callees are some, too.
    """
    units = walk.units(test)
    for path, statement in walk.located(test):
        unit = units[path[0]]
        mode = getattr(statement, "mode", None)
        if not isinstance(mode, ast.AccessMode) or not mode.volatile or not _noted(unit):
            continue
        places = [a.base.location if isinstance(a.base, ast.AddressOf) else "" for a in walk.addresses(statement)]
        value = tuple(v.value if isinstance(v, ast.Number) else None for v in walk.operands(statement))
        offsets = [a.index.value if isinstance(a.index, ast.Number) else "" for a in walk.addresses(statement)]
        type_ = getattr(statement, "type", None)
        yield path, unit.name, (type(statement).__name__, *places, *offsets, type_), value


def _noted(unit: ast.Thread | ast.Kernel) -> bool:
    return isinstance(unit, ast.Thread) or unit.lane_of_thread


def _fixed(test: ast.LitmusTest) -> bool:
    """Whether all executions have the same volatile accesses: none stands in a branch or a loop."""
    units = walk.units(test)
    return all(len(path) == 2 and isinstance(units[path[0]], ast.Thread) for path, *_ in _volatile(test))


def _noting(test: ast.LitmusTest, found: Mapping[walk.Path, tuple[int, bool]], most: int) -> ast.LitmusTest:
    """Return a test whose threads compute a number of the volatile accesses that they execute: those found, each of
    which has a number up to the most, and whether what it stores is noted.
    """
    begins = {k: _begin(unit) for k, unit in enumerate(walk.units(test)) if _noted(unit)}
    base = most + 1 | 1
    register = ast.Register(ORDER, ast.I64)

    def and_then(factor: int, value: ast.Expr) -> ast.Statement:
        scaled = ast.IntegerOperation("mul", (register, ast.Number(factor, ast.I64)), ast.I64)
        return ast.Assign(ORDER, ast.IntegerOperation("add", (scaled, value), ast.I64))

    def change(path: walk.Path, statement: ast.Statement | None) -> tuple[ast.Statement, ...]:
        first = (ast.Assign(ORDER, ast.Number(0, ast.I64)),) if path == (path[0], begins.get(path[0], -1)) else ()
        if path not in found or statement is None:
            return (*first, *(() if statement is None else (statement,)))
        number, stores = found[path]
        values = (each for v in walk.operands(statement) if stores and (each := _whole(v)) is not None)
        noted = and_then(base, ast.Number(number, ast.I64))
        return (*first, *(and_then(3, each) for each in values), statement, noted)

    test = rewritten(test, change)
    kernels = tuple(ast.RegisterOf(kernel.name, ORDER) for kernel in test.kernels if kernel.lane_of_thread)
    return replace(test, observe=(*test.observe, *kernels))


def _whole(value: ast.Expr) -> ast.Expr | None:
    """Return an integer as one of 64 bits."""
    type_ = value.type
    if type_ is None or type_.lanes or type_.pointer is not None or type_.bits > 64:
        return None
    return value if type_.bits == 64 else ast.IntegerOperation("zext", (value,), ast.I64)


def _begin(unit: ast.Thread | ast.Kernel) -> int:
    """Return the place of the first statement of a unit, behind the label of its first block."""
    return int(bool(unit.body) and isinstance(unit.body[0], Label))
