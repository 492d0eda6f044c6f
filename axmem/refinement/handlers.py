"""What a handler of signals sees, which no context is: it runs in the thread that it interrupts.

What goes in: two tests. What comes out: whether what orders memory for a handler alone (`singlethread`, which C calls
`atomic_signal_fence`) still stands among the same operations; and the tests with a handler as the one further thread
(`beside_a_handler`). Contexts are other threads, or stand around the program in its thread; nobody in them interrupts
it. LangRef and C say of a handler what they say of a thread, but that all scopes include it.
"""

from __future__ import annotations

from collections.abc import Hashable

from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.edit import mapped
from axmem.litmus.words import Ordering, Scope

IS_HANDLER = "the further thread is a signal handler, which runs in the thread of the program: every scope includes it"
"""What the counterexample means that `beside_a_handler` leads to."""
HANDLER = "what a signal handler of its thread sees (syncscope singlethread) is not compared"
"""Why a change is not called sound that changes what handlers of signals may see."""


def beside_a_handler(test: ast.LitmusTest) -> ast.LitmusTest | None:
    """Return a test of one thread in which every scope includes whoever else runs; None for other tests.

    If one further thread is all that runs beside it, that may be its handler.
    """
    if len(test.threads) + len(test.kernels) != 1:
        return None

    def widest(statement: ast.Statement) -> ast.Statement:
        mode = getattr(statement, "mode", None)
        if not isinstance(mode, ast.AccessMode):
            return statement
        scope = replace(mode.scope, level=Scope.SYSTEM)
        return replace(statement, mode=replace(mode, scope=scope))  # type: ignore[arg-type]

    return mapped(test, widest)


def hidden_from_handlers(before: ast.LitmusTest, after: ast.LitmusTest) -> bool:
    """Whether operations of the scope of one thread still stand as they stood, or stronger."""
    first, second = _row(before), _row(after)
    own = [ordering if narrow else Ordering.NOT_ATOMIC for _, ordering, narrow in first]
    if all(ordering is Ordering.NOT_ATOMIC for ordering in own):
        return True
    same = [place for place, _, _ in first] == [place for place, _, _ in second]
    return same and all(new.at_least(old) for old, (_, new, _) in zip(own, second, strict=True))


def _row(test: ast.LitmusTest) -> list[tuple[Hashable, Ordering, bool]]:
    """Return the operations on memory in the order of the text: where each is, its ordering, whether its scope is that
    of one thread."""
    units = walk.units(test)
    found: list[tuple[Hashable, Ordering, bool]] = []
    for path, statement in walk.located(test):
        mode = getattr(statement, "mode", None)
        if isinstance(mode, ast.AccessMode):
            place = (units[path[0]].name, type(statement).__name__, tuple(walk.addresses(statement)))
            found.append((place, mode.ordering, mode.scope.level is Scope.SINGLETHREAD))
    return found
