"""Which loads of a kernel LLVM makes scalar, and which of those may be stale.

What goes in: a kernel of a test. What comes out: for each load why it is a scalar load or is not, as LLVM 22 selects it
for AMDGPU. Invariant: a scalar load is served by a cache that no acquire invalidates; so one of memory that another
thread writes may return what the memory held before.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from axmem.convergence.clobbers import Clobbers
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.kernels import function_of
from axmem.convergence.uniformity import uniformity
from axmem.front.records import dataclass
from axmem.front.source import NOWHERE, Span
from axmem.litmus.ssa import single_assignment, without_copies
from axmem.litmus.syntax import (
    AddressOf,
    AddressSpace,
    Expr,
    Kernel,
    LitmusTest,
    Load,
    Ordering,
    Register,
    Statement,
    Thread,
    WritingStatement,
)
from axmem.litmus.walk import addresses, expressions, parts, statements, units


class LoadClass(Enum):
    """What becomes of a load."""

    SCALAR = "scalar: the address is uniform, and nothing on the way to it writes there"
    ATOMIC = "vector: it is atomic or volatile"
    SPACE = "no load of global memory"
    NARROW = "vector: it is narrower than 32 bits"
    DIVERGENT = "vector: the address is divergent"
    CLOBBERED = "vector: something on the way to it may write there"


@dataclass(frozen=True, slots=True)
class LoadSelection:
    """A load, by its register in SSA form; `stale` names another thread that writes what a scalar load reads."""

    block: str
    register: str
    selection: LoadClass
    stale: str = ""
    span: Span = NOWHERE


def loads(test: LitmusTest, kernel: Kernel) -> tuple[LoadSelection, ...]:
    """Return what LLVM 22 selects for the loads of a kernel, in the order of the text."""
    flow = without_copies(single_assignment(kernel))
    function = function_of(kernel)
    found = uniformity(function, llvm_hierarchy(function.graph))
    divergent = {function.blocks[p.block].instructions[p.number].register for p in found.values}
    clobbers = Clobbers(flow)
    result = []
    for block in flow.blocks:
        for number, statement in enumerate(block.statements):
            if isinstance(statement, Load):
                selection = _selected(statement, divergent)
                if selection is LoadClass.SCALAR and clobbers.on_the_way_to(block, number):
                    selection = LoadClass.CLOBBERED
                stale = _writer(test, kernel, statement) if selection is LoadClass.SCALAR else ""
                result.append(LoadSelection(block.name, statement.register, selection, stale, statement.span))
    return tuple(result)


def _selected(load: Load, divergent: Iterable[str]) -> LoadClass:
    """Return what a load is by itself."""
    if load.mode.ordering is not Ordering.NOT_ATOMIC or load.mode.volatile or load.mode.av:
        return LoadClass.ATOMIC
    if _space(load) is not AddressSpace.GLOBAL:
        return LoadClass.SPACE
    if load.type is not None and load.type.size < 4:
        return LoadClass.NARROW
    read = {part.name for expr in expressions(load) for part in parts(expr) if isinstance(part, Register)}
    return LoadClass.DIVERGENT if read & set(divergent) else LoadClass.SCALAR


def _space(statement: Statement) -> AddressSpace | None:
    types = [address.base.type for address in addresses(statement)]
    return types[0].pointer if types and types[0] is not None else None


def _named(values: Iterable[Expr]) -> set[str]:
    """Return the locations that expressions name."""
    return {part.location for value in values for part in parts(value) if isinstance(part, AddressOf)}


def _writer(test: LitmusTest, kernel: Kernel, load: Load) -> str:
    """Return another thread or kernel that writes what a load reads, or the kernel itself, whose lanes are others."""
    read = _targets(kernel, load)
    for unit in sorted(units(test), key=lambda unit: unit.name == kernel.name):
        for statement in statements(unit.body):
            if isinstance(statement, WritingStatement):
                written = _targets(unit, statement)
                if not written or not read or written & read:
                    return unit.name
    return ""


def _targets(unit: Thread | Kernel, statement: Statement) -> set[str]:
    """Return the locations that an access may go to, parameters looked up; nothing if it is not known."""
    values = {p.name: p.values for p in unit.parameters} if isinstance(unit, Kernel) else {}
    found: set[str] = set()
    for base in (address.base for address in addresses(statement)):
        found |= _named([base])
        for part in parts(base):
            if isinstance(part, Register):
                given = _named(values.get(part.name, ()))
                if not given:
                    return set()
                found |= given
    return found
