"""What tests do not show of functions of LLVM IR: what attributes promise, and calls that concern other lanes.

What goes in: functions before and after a change. What comes out: the promises that only the second makes, in words;
the callees by which a function that is judged as one lane cannot be judged. A promise that is not kept makes a result
poison, or the behaviour undefined ([LangRef] "Metadata"), so that adding one is a change, and dropping one is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from axmem.formats.ir.pairs import FunctionPair, Side, instructions
from axmem.formats.ir.syntax import Instruction
from axmem.litmus.syntax import Register

KINDS = frozenset(
    {
        "absolute_symbol", "alias.scope", "align", "amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
        "amdgpu.noclobber", "amdgpu.uniform", "callees", "dereferenceable", "dereferenceable_or_null",
        "invariant.group", "invariant.load", "llvm.access.group", "llvm.mem.parallel_loop_access", "noalias",
        "noalias.addrspace", "nofpclass", "nonnull", "noundef", "range", "tbaa", "tbaa.struct",
    }
)  # fmt: skip
"""Metadata that promises something; other kinds are hints, or what the reader reads."""
_ATTACHED = re.compile(r',\s*!([\w.$-]+)\s+(!\d+|!\{[^}]*\})')
_QUIET = re.compile(r'"[^"]*"|;.*')
_NODES = re.compile(r"^!(\d+)\s*=\s*(.*)$", re.MULTILINE)
_DEPTH = 6
"""So deep nodes are written out in one another; nodes that refer to themselves go on for ever."""

_OTHER_LANES = re.compile(
    r"llvm\.amdgcn\.(read(first)?lane|writelane|(inverse\.)?ballot|ds\.b?permute|ds\.swizzle|(update|mov)\.dpp|permlane"
    r"|(s|soft)?\.?wqm|softwqm|(strict\.)?(wwm|wqm)|set\.inactive|wave\.|icmp|fcmp|mbcnt|live\.mask|ps\.live)"
)


_OF_FUNCTIONS = frozenset(
    {
        "align", "argmemonly", "dereferenceable", "dereferenceable_or_null", "inaccessiblememonly", "memory",
        "mustprogress", "noalias", "nofpclass", "nofree", "nonnull", "norecurse", "noreturn", "nosync", "noundef",
        "nounwind", "range", "readnone", "readonly", "signext", "speculatable", "willreturn", "writeonly", "zeroext",
    }
)  # fmt: skip
"""What functions, and their results, may promise."""


def promised(pair: FunctionPair) -> tuple[str, ...]:
    """Return what is promised after a change and not before, sorted: `!range`, `noundef of %a`, `align 8 of a load`."""
    before, after = (Counter(_promises(side)) for side in (pair.before, pair.after))
    found = {f"!{kind}" for kind, *_ in after - before}
    one, other = pair.before.function, pair.after.function
    for mine, theirs in zip(one.parameters, other.parameters, strict=False):
        found |= {f"{word} of %{theirs.name}" for word in {*theirs.attributes} - {*mine.attributes}}
    words = {*other.words, *other.attributes} - {*one.words, *one.attributes}
    found |= {word for word in words if re.split(r"\W", word)[0] in _OF_FUNCTIONS}
    first, second = (_alignments(side) for side in (pair.before, pair.after))
    for key, given in second.items():
        known = first.get(key, [])
        # What stands only after the change has no alignment to be compared with.
        for least, most in zip(known, given, strict=False):
            if most > least:
                found.add(f"align {most} of a {key[0]}")
    return tuple(sorted(found))


def _alignments(side: Side) -> dict[tuple[object, ...], list[int]]:
    """Return how accesses are aligned, the least first, by what they are but for that."""
    found: dict[tuple[object, ...], list[int]] = {}
    for each in instructions(side.function):
        if each.operation in ("load", "store", "cmpxchg", "atomicrmw"):
            type_ = str(each.operands[0].type if each.operation == "store" else each.type)
            key = (each.operation, type_, *_fixed(each))
            found.setdefault(key, []).append(each.mode.align or _natural(type_))
    return {key: sorted(some) for key, some in found.items()}


def _natural(type_: str) -> int:
    """Return to how many bytes an access of a type is aligned that does not say, or more."""
    bits = re.fullmatch(r"i(\d+)", type_)
    return min(16, 1 << max(0, -(-int(bits[1]) // 8) - 1).bit_length()) if bits else 16


def concerning_other_lanes(pair: FunctionPair) -> tuple[str, ...]:
    """Return the callees of both functions whose result, or whose effect, other lanes share."""
    called = {e.callee for side in (pair.before, pair.after) for e in instructions(side.function)}
    return tuple(sorted(name for name in called if _OTHER_LANES.match(name)))


def _promises(side: Side) -> Iterator[tuple[object, ...]]:
    """Yield each promise of a function: its kind, what it says, and of what."""
    lines, nodes = side.module.source.text.split("\n"), dict(_NODES.findall(side.module.source.text))
    for each in instructions(side.function):
        text = _QUIET.sub("", lines[each.span.line - 1])
        for kind, node in _ATTACHED.findall(text):
            if kind in KINDS:
                yield kind, _written(node, nodes, _DEPTH), *_of(each)


def _of(each: Instruction) -> tuple[object, ...]:
    """Return what a promise is of: an instruction, whatever its registers are called."""
    return each.operation, str(each.type), each.callee, each.mode, *_fixed(each)


def _fixed(each: Instruction) -> tuple[str, ...]:
    return tuple(str(o.value) for o in each.operands if not isinstance(o.value, Register))


def _written(node: str, nodes: dict[str, str], depth: int) -> str:
    """Return a node with those that it names in their place."""
    if not depth:
        return node
    return re.sub(r"!(\d+)\b", lambda m: _written(nodes.get(m[1], m[0]), nodes, depth - 1), node)
