"""What the addresses of a function's accesses are based on.

What goes in: a function without calls of defined functions. What comes out: the function, each access of which says
what is known of its address where parameters are `noalias` ([LangRef] "Parameter Attributes"). Invariant: a pointer
that comes from memory, from an integer or out of a call may be based on anything, and of a parameter whose address goes
there nothing is said: others may have pointers that are based on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir.flow import PASSING, FunctionFlow, Root, address, exposing, wide
from axmem.formats.ir.syntax import Block, Function, Instruction, Module, Value
from axmem.formats.ir.uses import promoted
from axmem.front.notes import note
from axmem.front.records import replace
from axmem.litmus.syntax import Provenance, Register


def traced(function: Function) -> Function:
    """Return a function whose accesses say what their addresses are based on, if some parameter is `noalias`."""
    unshared = {p.name for p in function.parameters if p.type.kind == "ptr" and "noalias" in p.attributes}
    if not unshared:
        return function
    tracing = _Tracing(function, frozenset(unshared))
    for name in sorted(unshared - tracing.unshared):
        note(f"that %{name} of @{function.name} is noalias is not judged: its address is stored, returned or passed on")
    blocks = (Block(b.name, tuple(map(tracing.access, b.instructions)), b.span) for b in function.blocks)
    return replace(function, blocks=tuple(blocks))


def exempting(function: Function) -> Iterator[str]:
    """Yield which fences exempt memory by metadata that tests do not show: they order less than there."""
    for each in (i for block in function.blocks for i in block.instructions):
        if each.operation == "fence" and any(promise.shown == "!noalias" for promise in each.promises):
            yield f"the fence in line {each.span.line} is taken to order what its !noalias exempts"


def note_unjudged(module: Module, function: Function) -> None:
    """Say what is not judged of `noalias`: of fences, and of parameters of functions that are called, at any depth."""
    seen, ahead = {function.name}, [function]
    while ahead:
        at = ahead.pop()
        for text in exempting(at):
            note(text)
        for each in (i for block in at.blocks for i in block.instructions):
            callee = module.functions.get(each.callee)
            if callee is None or callee.name in seen or not callee.blocks:
                continue
            seen.add(callee.name)
            ahead.append(callee)
            for p in callee.parameters:
                if p.type.kind == "ptr" and "noalias" in p.attributes:
                    note(f"that %{p.name} of @{callee.name} is noalias is not judged: @{callee.name} is called")


class _Tracing:
    def __init__(self, function: Function, unshared: frozenset[str]) -> None:
        self.flow = FunctionFlow(function)
        self.slots = frozenset(promoted(function))
        """Allocas that hold what is stored there, and nothing else."""
        self.known = {p.name for p in function.parameters}
        self.known |= {name for name, each in self.flow.results.items() if each.operation == "alloca"}
        exposed = self.origins(*(value for each in self.flow.instructions for value in self.exposing(each)))
        self.unshared = unshared - {root.name for root in exposed if not root.variable}

    def exposing(self, each: Instruction) -> Iterator[Value]:
        """Yield what an instruction puts somewhere else than into a variable of the function."""
        if wide(each) is not None:
            yield from (operand.value for operand in each.operands[1:])
        elif each.operation != "store" or not self.in_slot(each.operands[1].value):
            yield from exposing(each)

    def in_slot(self, place: Value) -> bool:
        """Say whether a place is a variable of the function."""
        return isinstance(place, Register) and place.name in self.slots

    def access(self, instruction: Instruction) -> Instruction:
        """Return an instruction, if it is an access with what is known of its address."""
        place = address(instruction)
        if place is None:
            return instruction
        origins = self.origins(place)
        certain = all(root.variable or root.name in self.known for root in origins)
        based = {root.name for root in origins if not root.variable} & self.unshared
        alone = certain and len(origins) == 1 and len(based) == 1
        apart = self.unshared - based if certain else frozenset[str]()
        provenance = Provenance(next(iter(based)) if alone else "", apart)
        return replace(instruction, mode=replace(instruction.mode, provenance=provenance))

    def origins(self, *values: Value) -> set[Root]:
        """Return what pointers are made from."""
        found: set[Root] = set()
        seen: set[str] = set()
        ahead = [*values]
        while ahead:
            at = ahead.pop()
            if not isinstance(at, Register):
                found |= self.flow.roots(at)
            elif at.name not in seen:
                seen.add(at.name)
                sources = self.sources(at.name)
                ahead += sources
                found |= set() if sources else {Root(at.name)}
        return found

    def sources(self, name: str) -> tuple[Value, ...]:
        """Return the pointers that a pointer is made of; none if it is not known of which."""
        made = self.flow.results.get(name)
        if made is None:
            return ()
        kept = made.operation == "load" and self.in_slot(made.operands[0].value)
        return self.flow.sources(made) if kept or made.operation in PASSING else ()
