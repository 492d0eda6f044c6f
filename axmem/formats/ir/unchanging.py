"""Memory that does not change while a function runs, for what its loads say.

What goes in: a function before a change, and to which memory its pointers lead. What comes out: the memory that nobody
writes: that of AMDGPU's constant address space, which no launch writes ([AMDGPUUsage] "Address Spaces"), and what is
read by `!invariant.load` alone, which is undefined behaviour where anybody writes it ([LangRef] "load"); and the
function that is undefined where it does so. Invariant: of memory that is read otherwise, too, nothing is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from axmem.formats.ir.flow import FunctionFlow, Root, address, effect
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.syntax import Function, Instruction, Operand
from axmem.formats.ir.types import integer
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import Number

_CONSTANT = 4
"""The number of AMDGPU's constant address space."""
_INVARIANT = "!invariant.load"
_ELSEWHERE = ""
"""Where a pointer leads of which that is not known."""


@dataclass(frozen=True, slots=True)
class Unchanging:
    """A function, the names of memory that nobody writes while it runs, and why others may be so, too."""

    function: Function
    memory: frozenset[str] = frozenset()
    doubtful: tuple[str, ...] = ()


def unchanging(flow: FunctionFlow, places: Mapping[Root, str]) -> Unchanging:
    """Return what does not change while a function runs; `places` are the names of the memory that roots are in."""
    function = flow.function
    kinds: dict[str, set[str]] = defaultdict(set)
    for each in flow.instructions:
        if address(each) is not None:
            for root in flow.accessed(each) or (None,):
                kinds[_ELSEWHERE if root is None else places.get(root, _ELSEWHERE)].add(_kind(each))
    constant = {name for name, found in kinds.items() if "constant" in found and name != _ELSEWHERE}
    only = {name for name, found in kinds.items() if found == {_INVARIANT} and name != _ELSEWHERE}
    mixed = [name for name, found in kinds.items() if _INVARIANT in found and name not in constant | only]
    doubtful = tuple(
        f"what is read by {_INVARIANT} {f'of %{name}' if name else 'elsewhere'} is taken for memory that changes"
        for name in mixed
    )
    if not constant:
        return Unchanging(function, frozenset(only), doubtful)

    def meant(each: Instruction) -> Iterator[Instruction]:
        there = {places.get(root, _ELSEWHERE) for root in flow.accessed(each)} if address(each) is not None else set()
        if there and there <= constant and "w" in effect(each):
            never = Operand(integer(1), Number(0), each.span)
            yield Instruction("call", operands=(never,), callee=ASSUME, span=each.span)
        yield each

    blocks = (
        replace(b, instructions=tuple(m for each in b.instructions for m in meant(each))) for b in function.blocks
    )
    return Unchanging(replace(function, blocks=tuple(blocks)), frozenset(constant | only), doubtful)


def _kind(access: Instruction) -> str:
    """Return what an access says of the memory that it reads."""
    if access.operation != "load":
        return access.operation
    if access.operands[0].type.space == _CONSTANT:
        return "constant"
    return next((p.shown for p in access.promises if p.shown == _INVARIANT), "load")
