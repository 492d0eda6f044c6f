"""What tests do not show of functions of LLVM IR: what metadata promises, and calls that concern other lanes.

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


def promised(pair: FunctionPair) -> tuple[str, ...]:
    """Return the kinds of metadata that promise more after a change than before, as `!range`, sorted."""
    before, after = (Counter(_promises(side)) for side in (pair.before, pair.after))
    return tuple(sorted({f"!{kind}" for kind, *_ in after - before}))


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
    fixed = (str(o.value) for o in each.operands if not isinstance(o.value, Register))
    return each.operation, str(each.type), each.callee, each.mode, *fixed


def _written(node: str, nodes: dict[str, str], depth: int) -> str:
    """Return a node with those that it names in their place."""
    if not depth:
        return node
    return re.sub(r"!(\d+)\b", lambda m: _written(nodes.get(m[1], m[0]), nodes, depth - 1), node)
