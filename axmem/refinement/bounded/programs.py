"""The litmus test of a program of a space.

What goes in: a `BoundedProgram`. What comes out: a resolved `LitmusTest`. The n-th write to a location writes n, in
the order of the threads and of each thread's operations; read k of a thread returns into `rk`; outcomes show the
final values of the locations that are named.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.front.source import InputError
from axmem.litmus import syntax as ast
from axmem.litmus.resolution import resolve
from axmem.litmus.words import OperationKind, location_name
from axmem.refinement.bounded.bound import MAKES
from axmem.refinement.bounded.operations import BoundedOperation, BoundedProgram, Place

TRUE = ast.Truth(value=True)


def litmus_test(
    program: BoundedProgram,
    name: str,
    description: str = "",
    finals: Iterable[int] | None = None,
    condition: ast.Condition = TRUE,
) -> ast.LitmusTest:
    """Return the test of a program; without `finals` the final value of every location is observed."""
    written = range(program.locations) if finals is None else finals
    values = dict.fromkeys(range(program.locations), 0)
    threads = []
    for k, (body, place) in enumerate(zip(program.threads, program.places, strict=True)):
        statements, registers = [], 0
        for op in body:
            if op.writes:
                values[op.location] += 1
            address = ast.Address(ast.AddressOf(location_name(op.location)))
            statements.append(statement(op, f"r{registers}", ast.Number(values.get(op.location, 0)), address))
            registers += op.reads
        threads.append(ast.Thread(f"P{k}", _placement(place, program.places[:k]), tuple(statements)))
    test = ast.LitmusTest(
        name=name,
        description=description,
        locations=tuple(
            ast.Location(location_name(x), ast.AddressSpace.GLOBAL, ast.I32, ast.Number(0))
            for x in range(program.locations)
        ),
        threads=tuple(threads),
        observe=tuple(ast.FinalValue(location_name(x)) for x in written),
        condition=condition,
    )
    resolved, diagnostics = resolve(test)
    if diagnostics:
        raise InputError(diagnostics)
    return resolved


def _placement(place: Place, earlier: tuple[Place, ...]) -> ast.Placement:
    """Return a placement; threads of one wavefront are numbered."""
    return ast.Placement((*place, earlier.count(place)))


def statement(
    op: BoundedOperation, register: str, value: ast.Expr, address: ast.Address, type_: ast.Type = ast.I32
) -> ast.Statement:
    """Return the statement of an operation: into which register it reads, what it writes, where; what it has not is
    left out."""
    mode = ast.AccessMode(
        ordering=op.ordering,
        scope=ast.SyncScope(op.scope),
        volatile=op.volatile,
        av=op.av,
        tags=op.tags,
    )
    if op.kind is OperationKind.FENCE:
        return ast.Fence(mode)
    if op.kind in MAKES:
        return ast.Make(visible=op.kind is OperationKind.MAKE_VISIBLE, scope=mode.scope, tags=op.tags)
    match op.kind:
        case OperationKind.LOAD:
            return ast.Load(register, type_, address, mode)
        case OperationKind.STORE:
            return ast.Store(value, type_, address, mode)
        case _:
            return ast.AtomicRmw(register, "xchg", type_, address, value=value, mode=mode)
