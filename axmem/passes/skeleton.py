"""What a function does with memory, whatever computes it where.

What goes in: a function. What comes out: its blocks, each as a row of operations on memory, calls, phis and a branch,
in which every operand is written out as an expression over results of such operations. Two functions with one skeleton
differ in arithmetic that is written elsewhere, in flags and in names alone.
"""

from __future__ import annotations

import re

from axmem.passes.modules import ModuleFunction, is_label

_RESULT = re.compile(r"  %([\w.$-]+) = (.*)")
_LOCAL = re.compile(r"%([\w.$-]+)")
_KEPT = re.compile(
    r"(?:tail |musttail |notail )?(?:load|store|atomicrmw|cmpxchg|fence|call|phi|br|ret|switch|unreachable|alloca"
    r"|freeze|invoke|callbr|indirectbr|resume|va_arg)\b"
)
_FLAGS = re.compile(r"\b(?:nuw|nsw|inbounds|exact|disjoint|nneg|samesign|nusw) ")
MOST = 10_000
"""How long an expression may be that is written out."""


def skeleton(function: ModuleFunction) -> tuple[str, ...] | None:
    """Return the lines of the skeleton of a function; None if an expression in it is too long."""
    names: dict[str, str] = {name[1:]: f"parameter{k}" for k, name in enumerate(function.names)}
    computed: dict[str, str] = {}
    blocks = [line[:-1] for line in function.body if is_label(line)]
    names |= {label: f"block{k}" for k, label in enumerate(blocks)}
    kept = [line for line in function.body if is_label(line) or _KEPT.match(_said(line))]
    for k, line in enumerate(kept):
        if match := _RESULT.match(line):
            names[match[1]] = f"result{k}"
    for line in function.body:
        if (match := _RESULT.match(line)) and match[1] not in names:
            computed[match[1]] = _FLAGS.sub("", match[2])

    def said(match: re.Match[str]) -> str:
        name = match[1]
        if name in names:
            return names[name]
        expression = computed.get(name, "entry")
        written = f"({_LOCAL.sub(said, expression)})"
        if len(written) > MOST:
            raise OverflowError
        return written

    try:
        return tuple(f"{names[line[:-1]]}:" if is_label(line) else _LOCAL.sub(said, line) for line in kept)
    except OverflowError:
        return None


def _said(line: str) -> str:
    match = _RESULT.match(line)
    return match[2] if match else line.strip()
