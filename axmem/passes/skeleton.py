"""What a function does with memory, whatever computes it where.

What goes in: a function. What comes out: its blocks, each as a row of operations on memory, calls, phis and a branch,
in which every operand is written out as an expression over results of such operations. Two functions with one skeleton
differ in arithmetic that is written elsewhere, in flags and in names alone.
"""

from __future__ import annotations

import re

from axmem.passes.modules import LOCAL, RESULT, ModuleFunction, is_label, said

_KEPT = re.compile(
    r"(?:tail |musttail |notail )?(?:load|store|atomicrmw|cmpxchg|fence|call|phi|br|ret|switch|unreachable|alloca"
    r"|freeze|invoke|callbr|indirectbr|resume|va_arg)\b"
)
FLAGS = re.compile(r"\b(?:nuw|nsw|inbounds|exact|disjoint|nneg|samesign|nusw) ")
"""Words of arithmetic that make its result poison, but not another one."""
MOST = 10_000
"""How long an expression may be that is written out."""


def is_anchored(line: str) -> bool:
    """Whether a line does more than to compute: it begins a block, branches, calls or accesses memory."""
    return is_label(line) or _KEPT.match(said(line)) is not None


def skeleton(function: ModuleFunction) -> tuple[str, ...] | None:
    """Return the lines of the skeleton of a function; None if an expression in it is too long."""
    names: dict[str, str] = {name[1:]: f"parameter{k}" for k, name in enumerate(function.names)}
    computed: dict[str, str] = {}
    blocks = [line[:-1] for line in function.body if is_label(line)]
    names |= {label: f"block{k}" for k, label in enumerate(blocks)}
    kept = [line for line in function.body if is_anchored(line)]
    for k, line in enumerate(kept):
        if match := RESULT.match(line):
            names[match[1]] = f"result{k}"
    for line in function.body:
        if (match := RESULT.match(line)) and match[1] not in names:
            computed[match[1]] = FLAGS.sub("", match[2])

    def shown(match: re.Match[str]) -> str:
        name = match[1]
        if name in names:
            return names[name]
        expression = computed.get(name, "entry")
        written = f"({LOCAL.sub(shown, expression)})"
        if len(written) > MOST:
            raise OverflowError
        return written

    try:
        return tuple(f"{names[line[:-1]]}:" if is_label(line) else LOCAL.sub(shown, line) for line in kept)
    except OverflowError:
        return None
