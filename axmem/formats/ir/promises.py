"""What a module promises beside what it does: metadata of instructions, attributes of calls and functions.

What goes in: what a parser has read of an instruction, or a function with its module. What comes out: `Promise`s. One
that is not kept makes a result poison, or the behaviour undefined ([LangRef] "Metadata").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from axmem.formats.ir.syntax import Function, Instruction, Module, Promise
from axmem.front.source import Source
from axmem.litmus.metadata import Node, Reference
from axmem.litmus.syntax import Register

METADATA = frozenset(
    {
        "absolute_symbol", "alias.scope", "align", "amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
        "amdgpu.noclobber", "amdgpu.uniform", "callees", "dereferenceable", "dereferenceable_or_null",
        "invariant.group", "invariant.load", "llvm.access.group", "llvm.mem.parallel_loop_access", "noalias",
        "noalias.addrspace", "nofpclass", "nonnull", "noundef", "range", "tbaa", "tbaa.struct",
    }
)  # fmt: skip
"""Metadata that promises something; other kinds are hints, or what the reader reads."""
ATTRIBUTES = frozenset(
    {
        "align", "argmemonly", "captures", "dereferenceable", "dereferenceable_or_null", "inaccessiblememonly",
        "initializes", "memory", "mustprogress", "noalias", "nocapture", "nofpclass", "nofree", "nonnull", "norecurse",
        "noreturn", "nosync", "noundef", "nounwind", "range", "readnone", "readonly", "returned", "signext",
        "speculatable", "willreturn", "writable", "writeonly", "zeroext",
    }
)  # fmt: skip
"""What is promised of functions, of their parameters and of their results."""
PARAMETER = "parameter"
"""What a promise of a parameter is of, before its index."""
_DEPTH = 6
"""So deep nodes are written out in one another; nodes that refer to themselves go on for ever."""


def by_metadata(
    kind: str, node: Node | Reference, source: Source, known: Mapping[str, Node]
) -> Iterator[Promise]:
    """Yield what metadata of an instruction promises, if it does; `known` are the nodes of the module."""
    if kind in METADATA:
        yield Promise(f"!{kind}", _written(node, source, known, _DEPTH))


def _written(node: Node | Reference, source: Source, known: Mapping[str, Node], depth: int) -> str:
    """Return the text of a node with those that it names in their place."""
    found = known.get(node.name) if isinstance(node, Reference) else node
    if found is None or not depth:
        return ""
    at = found.span.column - 1
    text = source.line(found.span.line)[at : at + found.span.length]

    def inside(match: re.Match[str]) -> str:
        return _written(Reference(match[1], found.span), source, known, depth - 1)

    return re.sub(r"!(\d+)\b", inside, text)


def by_attributes(words: Sequence[str]) -> Iterator[Promise]:
    """Yield what attributes among words promise, with their arguments: `align 8`, `memory(none)`."""
    for k, word in enumerate(words):
        if word not in ATTRIBUTES:
            continue
        rest = [*words[k + 1 :]]
        if rest[:1] == ["("]:
            word += f"({' '.join(rest[1 : rest.index(')') if ')' in rest else None])})"
        elif rest[:1] == ["="] or (rest and rest[0].isdecimal()):
            word = " ".join([word, *rest[: 1 + (rest[0] == "=")]])
        yield Promise(word, word)


def promises(module: Module, function: Function) -> Iterator[Promise]:
    """Yield what a function of a module promises."""
    for index, parameter in enumerate(function.parameters):
        for each in by_attributes(parameter.attributes):
            yield each._replace(of=(PARAMETER, str(index)))
    yield from by_attributes((*function.words, *function.attributes))
    for instruction in (i for block in function.blocks for i in block.instructions):
        groups = [word for name in instruction.words for word in module.groups.get(name, ())]
        for each in (*instruction.promises, *by_attributes(groups)):
            yield each._replace(of=what(instruction))


def what(each: Instruction) -> tuple[str, ...]:
    """Return what an instruction is, whatever its registers are called."""
    fixed = (str(o.value) for o in each.operands if not isinstance(o.value, Register))
    return (each.operation, str(each.type), each.callee, *fixed)
