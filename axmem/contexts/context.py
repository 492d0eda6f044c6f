"""What runs around a program: further threads, and more operations in its own.

What goes in: a test and a `Context`. What comes out: the test in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from axmem.front.records import dataclass, field, replace
from axmem.front.source import InputError
from axmem.litmus import syntax as ast
from axmem.litmus.resolution import resolve


@dataclass(frozen=True, slots=True)
class Context:
    """Further threads, and by the names of threads of the test what these do before it and after it."""

    threads: Sequence[ast.Thread] = ()
    first: Mapping[str, Sequence[ast.Statement]] = field(default_factory=dict)
    last: Mapping[str, Sequence[ast.Statement]] = field(default_factory=dict)


ALONE = Context()


def around(test: ast.LitmusTest, context: Context) -> ast.LitmusTest:
    """Return a test in a context; raise InputError for what is wrong with it."""
    first, last = context.first, context.last
    threads = (replace(t, body=(*first.get(t.name, ()), *t.body, *last.get(t.name, ()))) for t in test.threads)
    found, diagnostics = resolve(replace(test, threads=(*threads, *context.threads)))
    if diagnostics:
        raise InputError(diagnostics)
    return found
