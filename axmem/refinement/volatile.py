"""Which volatile accesses an execution has, in which order: something that can be seen from outside.

What goes in: two tests. What comes out: the same tests, whose threads note in a register which volatile accesses they
have executed, so that whoever compares registers compares that. [LangRef] "Volatile Memory Accesses": a pass changes
neither the number of volatile accesses nor their order. Their orderings, scopes and tags are the model's: it says what
they order. Tests in which that cannot differ are returned as they are, and
kernels of several lanes, whose registers are compared otherwise.
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
    if all(_fixed(test) for test in tests) and _sequences(before) == _sequences(after):
        return tests
    keys = list(dict.fromkeys(key for test in tests for _, _, key in _volatile(test)))
    if not keys:
        return tests
    numbers = {key: k + 1 for k, key in enumerate(keys)}
    return _noting(before, numbers), _noting(after, numbers)


def _volatile(test: ast.LitmusTest) -> Iterator[tuple[walk.Path, str, Hashable]]:
    """Yield the volatile accesses of threads and functions, with their units; messages to callees are some, too."""
    units = walk.units(test)
    for path, statement in walk.located(test):
        unit = units[path[0]]
        mode = getattr(statement, "mode", None)
        if not isinstance(mode, ast.AccessMode) or not mode.volatile or not _noted(unit):
            continue
        places = [a.base.location if isinstance(a.base, ast.AddressOf) else "" for a in walk.addresses(statement)]
        value = [v.value if isinstance(v, ast.Number) else "" for v in walk.operands(statement)]
        offsets = [a.index.value if isinstance(a.index, ast.Number) else "" for a in walk.addresses(statement)]
        type_ = getattr(statement, "type", None)
        yield path, unit.name, (type(statement).__name__, *places, *offsets, type_, *value)


def _noted(unit: ast.Thread | ast.Kernel) -> bool:
    return isinstance(unit, ast.Thread) or unit.lane_of_thread


def _fixed(test: ast.LitmusTest) -> bool:
    """Whether all executions have the same volatile accesses: none stands in a branch or a loop."""
    units = walk.units(test)
    return all(len(path) == 2 and isinstance(units[path[0]], ast.Thread) for path, _, _ in _volatile(test))


def _sequences(test: ast.LitmusTest) -> list[tuple[str, Hashable]]:
    return [(unit, key) for _, unit, key in _volatile(test)]


def _noting(test: ast.LitmusTest, numbers: Mapping[Hashable, int]) -> ast.LitmusTest:
    """Return a test whose threads compute a number of the volatile accesses that they execute."""
    found = {path: numbers[key] for path, _, key in _volatile(test)}
    begins = {k: _begin(unit) for k, unit in enumerate(walk.units(test)) if _noted(unit)}
    base = len(numbers) + 1 | 1
    register = ast.Register(ORDER, ast.I32)

    def change(path: walk.Path, statement: ast.Statement | None) -> tuple[ast.Statement, ...]:
        first = (ast.Assign(ORDER, ast.Number(0, ast.I32)),) if path == (path[0], begins.get(path[0], -1)) else ()
        noted: tuple[ast.Statement, ...] = ()
        if path in found:
            scaled = ast.IntegerOperation("mul", (register, ast.Number(base, ast.I32)), ast.I32)
            value = ast.IntegerOperation("add", (scaled, ast.Number(found[path], ast.I32)), ast.I32)
            noted = (ast.Assign(ORDER, value),)
        return (*first, *(() if statement is None else (statement,)), *noted)

    test = rewritten(test, change)
    kernels = tuple(ast.RegisterOf(kernel.name, ORDER) for kernel in test.kernels if kernel.lane_of_thread)
    return replace(test, observe=(*test.observe, *kernels))


def _begin(unit: ast.Thread | ast.Kernel) -> int:
    """Return the place of the first statement of a unit, behind the label of its first block."""
    return int(bool(unit.body) and isinstance(unit.body[0], Label))
