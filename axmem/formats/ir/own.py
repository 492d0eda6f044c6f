"""Memory that nobody but a function accesses, or that nobody writes, for all that its module says.

What goes in: a function with its module, or those before and after a change; calls of what is not here still stand in
them. What comes out: the names of allocas whose address goes nowhere, and of variables whose values nobody changes, or
nobody sees. Invariant: what holds of one function holds of the other, if it has memory of that name; where a text
mentions a variable otherwise than by what was read of it, nothing is said of that one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from axmem.formats.ir.flow import FunctionFlow, Root, address, effect, places
from axmem.formats.ir.syntax import Function, Instruction, Module
from axmem.formats.ir.transfers import is_transfer, transferred
from axmem.front.records import dataclass

LOCAL = frozenset({"internal", "private"})
"""Linkage of what no other module names."""
COMMENT = re.compile(r"^[ \t]*;.*$", re.MULTILINE)
"""A line that says nothing."""
_NAMED = re.compile(r"@([\w.$-]+)")


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """Names of allocas, and of variables of the module."""

    allocas: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()


def own_memory(sides: Sequence[tuple[Module, Function]]) -> OwnMemory:
    """Return the memory that no context of a function, or of one before and after a change, has a part in."""
    flows = [FunctionFlow(function) for _, function in sides]
    allocas = [{each.result for each in flow.instructions if each.operation == "alloca"} for flow in flows]
    private = [{root.name for root in flow.private} for flow in flows]
    own = {n for some in allocas for n in some if all(n in p for a, p in zip(allocas, private, strict=True) if n in a)}
    modules = [_Uses(module) for module, _ in sides]
    written = {root.name for flow in flows for root in reads_and_writes(flow)[1] if root.variable}
    names = {name for uses in modules for name in uses.module.globals}
    variables = {
        name for name in names
        if (all(uses.unchanged(name) for uses in modules) and name not in written)
        or all(uses.unseen(name) for uses in modules)
    }  # fmt: skip
    return OwnMemory(frozenset(own), frozenset(variables))


class _Uses:
    """What the functions of a module do to its variables."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.read: set[Root] = set()
        self.written: set[Root] = set()
        self.exposed: set[Root] = set()
        for flow in map(FunctionFlow, module.functions.values()):
            read, written = reads_and_writes(flow)
            self.read |= read
            self.written |= written
            self.exposed |= flow.exposed
        initial = (place for each in module.globals.values() if each.initial for place in places(each.initial.value))
        self.exposed |= {Root(name, variable=True) for name in initial}
        self.mentioned = Counter(_NAMED.findall(COMMENT.sub("", module.source.text)))
        self.known = Counter(dict.fromkeys(module.globals, 1)) + Counter(_places(module))

    def unchanged(self, name: str) -> bool:
        """Say whether a variable, if it is there, always holds what it begins with."""
        variable = self.module.globals.get(name)
        return variable is None or variable.constant or (self.local(name) and Root(name, True) not in self.written)

    def unseen(self, name: str) -> bool:
        """Say whether nobody reads a variable, if it is there."""
        return name not in self.module.globals or (self.local(name) and Root(name, True) not in self.read)

    def local(self, name: str) -> bool:
        """Say whether what is read of the module are all uses of a variable, and none gives its address away."""
        if Root(name, variable=True) in self.exposed or self.mentioned[name] != self.known[name]:
            return False
        return bool(LOCAL & set(self.module.globals[name].words))


def reads_and_writes(flow: FunctionFlow) -> tuple[set[Root], set[Root]]:
    """Return what a function reads, and what it writes."""
    read: set[Root] = set()
    written: set[Root] = set()
    for each in flow.instructions:
        if address(each) is not None:
            roots, how = flow.accessed(each), effect(each)
            read |= roots if "r" in how else set()
            written |= roots if "w" in how else set()
        elif is_transfer(each.callee):
            to, source = transferred(each)
            written |= flow.roots(to)
            read |= flow.roots(source) if source is not None else set()
    return read, written


def _places(module: Module) -> Iterator[str]:
    """Yield the variables that instructions and initial values of a module name."""
    everything = _instructions(module.functions.values())
    yield from (name for each in everything for operand in each.operands for name in places(operand.value))
    yield from (name for v in module.globals.values() if v.initial for name in places(v.initial.value))


def _instructions(functions: Iterable[Function]) -> Iterator[Instruction]:
    return (each for function in functions for block in function.blocks for each in block.instructions)
