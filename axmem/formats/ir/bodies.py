"""What becomes of a function of LLVM IR, and what comments say of it."""

from __future__ import annotations

from collections.abc import Mapping

from axmem.formats.ir.intrinsics import needs_kernel
from axmem.formats.ir.syntax import Function
from axmem.front.records import dataclass, field
from axmem.litmus.syntax import Expr, Location, Statement

BUFFER = "\0results"
"""The location of a buffer of results, which is in no test."""


@dataclass(frozen=True, slots=True)
class FunctionComments:
    """What comments say of a function: `buffers` are the parameters to which it writes results.

    Values whose names are `temporary` and a number are parts of expressions; `parts` are locations that are some bytes
    of a variable, by its name and the first byte; `labels` those of the statements above a line, `barriers` the names
    of the barriers there. `finals` are what registers hold at the end of the block in which the line stands,
    `assumed` the conditions of an assume there.
    """

    buffers: tuple[str, ...] = ()
    temporary: str = ""
    parts: Mapping[tuple[str, int], str] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)
    barriers: Mapping[int, str] = field(default_factory=dict)
    finals: tuple[tuple[int, str, Expr], ...] = ()
    assumed: tuple[tuple[int, Expr], ...] = ()

    def is_temporary(self, name: str) -> bool:
        """Tell whether a value is part of the expressions that use it."""
        prefix = self.temporary
        return bool(prefix) and name.startswith(prefix) and name.removeprefix(prefix).isdecimal()


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """The statements of a function; `registers` are their names by those of the function, `memory` its allocas.

    `allocated` are the names of that memory by those of the function.
    """

    statements: tuple[Statement, ...]
    registers: Mapping[str, str]
    memory: tuple[Location, ...] = ()
    allocated: Mapping[str, str] = field(default_factory=dict)
    straight: bool = True


def is_straight(function: Function) -> bool:
    """Say whether a function is a sequence of statements that every thread may have."""
    last = function.blocks[-1].instructions[-1:]
    everything = [each for block in function.blocks for each in block.instructions]
    returns = bool(last) and last[0].operation == "ret"
    return len(function.blocks) == 1 and returns and not any(map(needs_kernel, everything))
