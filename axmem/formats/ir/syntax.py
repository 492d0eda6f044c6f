"""The tree of a module of LLVM IR.

What comes out of the parser: frozen dataclasses with spans in the text. Values that the test language has too are its
expressions (numbers, undef, registers, addresses, vectors); what only IR has is a `ConstantExpression`. Nothing is
resolved: a name stands as it was written, without its sigil.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from axmem.formats.ir.types import VOID, IRType
from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Source, Span
from axmem.litmus.kernels import Declaration
from axmem.litmus.loops import LoopID
from axmem.litmus.metadata import MetadataNode
from axmem.litmus.syntax import AccessMode, Expr, Ordering


@dataclass(frozen=True, slots=True)
class ConstantExpression:
    """A constant expression, `getelementptr (…)`: an operation that is no instruction; or a word such as `none`.

    `words` are its flags, or what stands in parentheses behind its word.
    """

    operation: str
    type: IRType | None = None
    operands: tuple[Operand, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    words: tuple[str, ...] = field(default=(), compare=False)


Value: TypeAlias = Expr | ConstantExpression


@dataclass(frozen=True, slots=True)
class Operand:
    """A value with its type; `words` are the attributes of an argument, which is one with other attributes."""

    type: IRType
    value: Value
    span: Span = field(default=NOWHERE, compare=False)
    words: tuple[str, ...] = field(default=(), compare=False)


BLANK = "%"
"""Among the words of an instruction of which nothing is known: the place of the next operand, or target."""
PLAIN = AccessMode()
"""How an access is done of which nothing is said."""


class Promise(NamedTuple):
    """`shown` is its word, `!range` or `dereferenceable(8)`, `says` what it says, `of` of what it says so.

    Of what is `lasting` the absence promises something, too: who drops `convergent` promises that there is no need.
    """

    shown: str
    says: str
    of: tuple[str, ...] = ()
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `operation` is LLVM's word; `result` is empty if there is none.

    `type` is what is loaded, allocated (the alignment is in the `mode`), cast to, merged, returned by a call, or what a
    getelementptr counts in. `words` are flags, predicates and the operation of an atomicrmw. `targets` are the blocks
    of a terminator or of a phi, one for each operand of a phi; of a switch the default and then those of the cases,
    whose numbers follow the operand that is asked. `indices` are those of extractvalue and insertvalue. `callee` is the
    name of the function that a call names, `token` that of its convergence token; `promises` are what metadata and
    attributes of a call promise.

    What is only for whoever writes it: `leading` are the words of a call before its type and, of a variadic one, the
    types of its parameters; `attached` is metadata by its kinds, `bundles` are the words of operand bundles.
    """

    operation: str
    result: str = ""
    type: IRType = VOID
    operands: tuple[Operand, ...] = ()
    words: tuple[str, ...] = ()
    mode: AccessMode = PLAIN
    failure: Ordering = Ordering.NOT_ATOMIC
    targets: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()
    callee: str = ""
    token: str = ""
    loop: LoopID | None = None
    promises: tuple[Promise, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    leading: tuple[str, ...] = field(default=(), compare=False)
    attached: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    bundles: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block: its label, and its instructions, the last of which is a terminator."""

    name: str
    instructions: tuple[Instruction, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; `attributes` are the words that it has.

    `passed` is the type of the memory that a `byref` pointer leads to; `part_of` names the parameter of which one is
    the field at byte `at` (`axmem.formats.ir.fields`).
    """

    name: str
    type: IRType
    attributes: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    passed: IRType | None = None
    part_of: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """A function, defined if it has `blocks`; `words` are those before its name: linkage, calling convention, …

    `attributes` are those behind its parameters, with the ones of groups (`#0`).
    """

    name: str
    result: IRType
    parameters: tuple[Parameter, ...]
    blocks: tuple[Block, ...] = ()
    words: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    attributes: tuple[str, ...] = ()
    variadic: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Global:
    """A variable of a module, which nobody writes if it is `constant`; without `initial` it is defined elsewhere.

    `align` is the alignment that its line states.
    """

    name: str
    type: IRType
    space: int = 0
    initial: Operand | None = None
    words: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    constant: bool = False
    align: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Module:
    """A module: its variables and functions by their names, in the order of the text.

    `groups` are its groups of attributes, `target` its lines about that. In a module that is `rounded`, floating-point
    numbers are computed as if nothing permitted other results, which whoever reads it so has to say.
    """

    source: Source
    globals: dict[str, Global]
    functions: dict[str, Function]
    metadata: dict[str, MetadataNode]
    declared: tuple[Declaration, ...] = ()
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rounded: bool = False
    target: tuple[str, ...] = ()

    @property
    def triple(self) -> str:
        """The triple of the target; empty if none is said."""
        return next((line.partition('"')[2].rstrip('"') for line in self.target if " triple" in line), "")
