"""A test whose threads, registers and locations have other names.

What goes in: a test, and names by names. What comes out: the test with these names, which asks nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.edit import rewritten
from axmem.litmus.registers import with_expressions, with_results

Names = Mapping[str, str]


def bare(test: ast.LitmusTest) -> ast.LitmusTest:
    """Return a test that asks nothing: what it asks may be of registers that are not compared."""
    truth = ast.Truth(value=True)
    return replace(test, observe=(), filter=None, condition=truth, expectations=(), outcome_sets=())


def with_names(test: ast.LitmusTest, outer: Names, registers: Mapping[str, Names]) -> ast.LitmusTest:
    """Return a test that asks nothing, with other names of threads and locations, and of the registers of units.

    Units are called in `registers` as the test calls them; what has no other name keeps its own.
    """
    known = [registers.get(unit.name, {}) for unit in walk.units(test)]

    def place(expr: ast.Expr) -> ast.Expr:
        if isinstance(expr, ast.AddressOf):
            return replace(expr, location=outer.get(expr.location, expr.location))
        return expr

    def statement(path: walk.Path, old: ast.Statement | None) -> tuple[ast.Statement, ...]:
        names = known[path[0]]

        def expr(each: ast.Expr) -> ast.Expr:
            if isinstance(each, ast.Register):
                return replace(each, name=names.get(each.name, each.name))
            return place(each)

        if old is None:
            return ()
        return (with_results(with_expressions(old, lambda each: walk.replaced(each, expr)), names),)

    def location(old: ast.Location) -> ast.Location:
        initial = None if old.initial is None else walk.replaced(old.initial, place)
        return replace(old, name=outer.get(old.name, old.name), initial=initial)

    def kernel(old: ast.Kernel, names: Names) -> ast.Kernel:
        parameters = tuple(
            replace(p, name=names.get(p.name, p.name), values=tuple(walk.replaced(v, place) for v in p.values))
            for p in old.parameters
        )
        memory = tuple(map(location, old.memory))
        return replace(old, name=outer.get(old.name, old.name), parameters=parameters, memory=memory)

    test = rewritten(bare(test), statement)
    return replace(
        test,
        locations=tuple(map(location, test.locations)),
        threads=tuple(replace(t, name=outer.get(t.name, t.name)) for t in test.threads),
        kernels=tuple(map(kernel, test.kernels, known[len(test.threads) :])),
    )
