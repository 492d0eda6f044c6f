"""What runs around a program: further threads, and more operations in its own.

What goes in: a test and a `Context`. What comes out: the test in it. Operations before and after a program stand in its
threads, and in kernels that one lane executes: at the beginning of the entry, and in a block to which every end goes.
A `guard` stands between what is before the program and the program: where it does not hold, the thread ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from axmem.front.records import dataclass, field, replace
from axmem.front.source import InputError
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import TERMINATORS, control_flow
from axmem.litmus.kernels import Branch, Label, Return
from axmem.litmus.launch import lanes
from axmem.litmus.registers import assigned
from axmem.litmus.resolution import resolve


@dataclass(frozen=True, slots=True)
class Context:
    """Further threads, and by the names of threads of the test what these do before it and after it.

    `guard` is the condition under which threads that do something before it go on.
    """

    threads: Sequence[ast.Thread] = ()
    first: Mapping[str, Sequence[ast.Statement]] = field(default_factory=dict)
    last: Mapping[str, Sequence[ast.Statement]] = field(default_factory=dict)
    guard: ast.Expr | None = None

    @property
    def size(self) -> int:
        """How many operations it has; barriers are none."""
        rows = (*(each.body for each in self.threads), *self.first.values(), *self.last.values())
        return sum(not isinstance(each, ast.Barrier) for row in rows for each in row)


ALONE = Context()


def enclosed(test: ast.LitmusTest) -> tuple[str, ...]:
    """Return the threads of a test around which more operations may stand: its own, and lanes that are alone."""
    alone = ((kernel, lanes(kernel)) for kernel in test.kernels)
    return (*(t.name for t in test.threads), *(own[0].name for k, own in alone if len(own) == 1 and _begins(k)))


def _labelled(kernel: ast.Kernel) -> bool:
    return bool(kernel.body) and isinstance(kernel.body[0], Label)


def _begins(kernel: ast.Kernel) -> bool:
    """Whether the entry of a kernel is executed once, so that something can stand before all else."""
    flow = control_flow(kernel)
    return not flow.predecessors[flow.entry.name]


def around(test: ast.LitmusTest, context: Context) -> ast.LitmusTest:
    """Return a test in a context; raise InputError for what is wrong with it."""
    threads = (replace(t, body=_within(t, context)) for t in test.threads)
    kernels = tuple(_around(kernel, context) for kernel in test.kernels)
    shown = tuple(_shown(test, context))
    barriers = tuple(_met(barrier, context) for barrier in test.barriers)
    changed = replace(test, kernels=kernels, barriers=barriers, observe=(*test.observe, *shown))
    found, diagnostics = resolve(replace(changed, threads=(*threads, *context.threads)))
    if diagnostics:
        raise InputError(diagnostics)
    return found


def _within(thread: ast.Thread, context: Context) -> tuple[ast.Statement, ...]:
    """Return what a thread does in a context."""
    first, rest = context.first.get(thread.name, ()), (*thread.body, *context.last.get(thread.name, ()))
    if first and context.guard is not None:
        rest = (ast.If(context.guard, rest),)
    return (*first, *rest)


def _met(barrier: ast.BarrierObject, context: Context) -> ast.BarrierObject:
    """Return a barrier with the further threads that come to one of its name."""
    comes = (t.name for t in context.threads if ast.Barrier(barrier.name) in t.body)
    return replace(barrier, participants=(*barrier.participants, *comes))


def _shown(test: ast.LitmusTest, context: Context) -> Iterator[ast.RegisterOf]:
    """Yield what operations around functions with blocks read: of these a test shows no registers by itself."""
    for kernel in test.kernels:
        name = lanes(kernel)[0].name
        for statement in (*context.first.get(name, ()), *context.last.get(name, ())):
            yield from (ast.RegisterOf(name, register) for register, _ in assigned(statement))


def _around(kernel: ast.Kernel, context: Context) -> ast.Kernel:
    """Return a kernel in a context: what stands after it stands in a block of its own, to which every end goes."""
    name = lanes(kernel)[0].name
    first, last, body = context.first.get(name, ()), context.last.get(name, ()), kernel.body
    if last:
        end = _new("end", kernel)
        body = _redirected(body, end)
        if not (body and isinstance(body[-1], TERMINATORS)):
            body = (*body, Branch((end,)))
        body = (*body, Label(end), *last, Return())
    if first and context.guard is not None:
        return replace(kernel, body=tuple(_guarded(kernel, first, context.guard, body)))
    at = int(_labelled(kernel))
    return replace(kernel, body=(*body[:at], *first, *body[at:])) if first or last else kernel


def _new(word: str, kernel: ast.Kernel) -> str:
    """Return the name of a block that a kernel has not."""
    taken = control_flow(kernel).block
    return next(name for n in count() if (name := f"{word}{n or ''}") not in taken)


def _guarded(
    kernel: ast.Kernel, first: Sequence[ast.Statement], guard: ast.Expr, body: Sequence[ast.Statement]
) -> Iterator[ast.Statement]:
    """Yield what a kernel does whose entry is reached from a block in which operations stand and a guard holds."""
    entry, begin, away = control_flow(kernel).entry.name, _new("begin", kernel), _new("away", kernel)
    yield from (Label(begin), *first, Branch((entry, away), guard))
    yield from (*(() if _labelled(kernel) else (Label(entry),)), *body)
    if not (body and isinstance(body[-1], TERMINATORS)):
        yield Return()
    yield from (Label(away), Return())


def _redirected(body: Sequence[ast.Statement], end: str) -> tuple[ast.Statement, ...]:
    """Return statements that go to a block where they ended."""
    found: list[ast.Statement] = []
    for statement in body:
        match statement:
            case Return():
                found.append(Branch((end,), span=statement.span))
            case ast.If(then=then, otherwise=otherwise):
                found.append(replace(statement, then=_redirected(then, end), otherwise=_redirected(otherwise, end)))
            case ast.While(body=inner) | ast.For(body=inner):
                found.append(replace(statement, body=_redirected(inner, end)))
            case _:
                found.append(statement)
    return tuple(found)
