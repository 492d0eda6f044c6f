"""The instructions of a file, their addresses, and the functions that it has.

What goes in: a listing. What comes out: its `Code`. Invariant: an address stands for one line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from axmem.codegen.assembly.operands import touched_by
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.text import AssemblyLine, AssemblyListing
from axmem.front.records import dataclass
from axmem.front.source import Span

_SYMBOL = re.compile(r"^([0-9a-fA-F]+) .{6}F \S+[ \t]+[0-9a-fA-F]+ (?:\.\w+ )?(\S+)$", re.MULTILINE)
BEHIND = -1
"""The line of a label behind the last instruction of a function: whoever goes there leaves it."""
_STEP = 8
"""How far lines are apart whose addresses are not known: a made-up number, with which labels can be computed."""


@dataclass(frozen=True, slots=True)
class CodeFunction:
    """A function: where it begins. A `kernel` is not called by others; of a disassembly that may not be known."""

    name: str
    start: int
    span: Span
    kernel: bool | None


@dataclass(frozen=True, slots=True)
class Code:
    """The lines of a file, their addresses, and its functions. Behind a line that is `last` there is no next."""

    lines: tuple[AssemblyLine, ...]
    touched: tuple[Touched, ...]
    addresses: tuple[int, ...]
    labels: Mapping[str, int]
    functions: tuple[CodeFunction, ...]
    last: frozenset[int]

    def at(self, address: int) -> int | None:
        """Return the line at an address."""
        return self.labels.get(f"{address:#x}")


def code_of(listing: AssemblyListing) -> Code:
    """Return the code of a file."""
    lines: list[AssemblyLine] = []
    labels: dict[str, int] = {}
    addresses: list[int] = []
    functions, last = [], set()
    symbols = {int(found[1], 16): found[2] for found in _SYMBOL.finditer(listing.source.text)}
    disassembled = any(label.startswith("0x") for kernel in listing.kernels.values() for label in kernel.labels)
    for kernel in listing.kernels.values():
        start = len(lines)
        lines += kernel.lines
        by_line = {k: int(label, 16) for label, k in kernel.labels.items() if label.startswith("0x")}
        addresses += (by_line.get(k, _STEP * (start + k)) for k in range(len(kernel.lines)))
        behind = len(kernel.lines)
        labels |= {label: start + k if k < behind else BEHIND for label, k in kernel.labels.items()}
        name = symbols.get(addresses[start], kernel.name)
        described = (kernel.name, ".amdhsa_kernel") in listing.facts or f"{name}.kd" in listing.source.text
        if disassembled and symbols and addresses[start] not in symbols:
            continue
        functions.append(CodeFunction(name, start, kernel.span, described or (None if disassembled else False)))
        if not disassembled:
            labels.setdefault(kernel.name, start)
            last.add(len(lines) - 1)
    if not disassembled:
        labels |= {f"{_STEP * k:#x}": k for k in range(len(lines))}
    touched = tuple(map(touched_by, lines))
    return Code(tuple(lines), touched, tuple(addresses), labels, tuple(functions), frozenset({*last, len(lines) - 1}))
