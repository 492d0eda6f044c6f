"""What a kernel has and a straight thread has not: the leaves of its tree.

Labels, branches and phis as in an LLVM function, calls of convergent operations, convergence control tokens, parameters
and the shape of the launch. Blocks are begun by labels; `axmem.litmus.blocks` makes the control flow graph of them.
"""

from __future__ import annotations

from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Span
from axmem.litmus.loops import LoopID
from axmem.litmus.terms import Expr, Number, Type

DEFAULT_BOUND = 4
"""How often the header of a cycle is executed at most per entry into it, where a test does not say."""

OUTSIDE_CONVERGENT = "Entry intrinsic can occur only in a convergent function."
"""What LLVM's verifier says of the token of the caller in a function that is not convergent."""
IDS = ("workitem.id", "workgroup.id", "wave.id", "lane.id")
"""Registers that every lane begins with (i32): its number in the workgroup, those of workgroup, wave and lane."""


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """`i32 %n = 3` (one value) or `i32 %m in {0, 1}` (every value is tried and shown: `choice` set).

    One of a function of LLVM IR that is no kernel is `divergent`: each lane may be called with a value of its own. A
    pointer may be `noalias`.
    """

    name: str
    type: Type
    values: tuple[Expr, ...]
    choice: bool = False
    span: Span = field(default=NOWHERE, compare=False)
    divergent: bool = field(default=False, compare=False)
    noalias: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Launch:
    """How many workgroups there are, wavefronts in each, lanes in each of those."""

    workgroups: int = 1
    wavefronts: int = 1
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class Declaration:
    """`declare void @f(i32) convergent`: a function without effect, whose calls may be convergent operations."""

    name: str
    parameters: tuple[Type, ...] = ()
    convergent: bool = False
    span: Span = field(default=NOWHERE, compare=False)


# ---------------------------------------------------------------- blocks


@dataclass(frozen=True, slots=True)
class Label:
    """`name:` on a line of its own: a block begins."""

    name: str
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Incoming:
    """`[ value, %block ]` of a phi."""

    value: Expr
    block: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Phi:
    """`r = phi T [ a, %A ], [ b, %B ]`; the phis of a block take their values at once."""

    register: str
    type: Type | None
    incoming: tuple[Incoming, ...]
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """`br label %A`, or `br i1 c, label %A, label %B`: to the first target if the condition holds.

    `loop` is the LoopID of the loop whose latch the branch ends.
    """

    targets: tuple[str, ...]
    condition: Expr | None = None
    loop: LoopID | None = None
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Case:
    """`i32 1, label %A` of a switch."""

    value: Number
    block: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch i32 v, label %D [ i32 1, label %A ]`; the successors are the default and then the cases."""

    value: Expr
    default: str
    cases: tuple[Case, ...]
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Return:
    """`ret void`: the lane ends."""

    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """`unreachable`: undefined behaviour if a lane comes here."""

    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


Terminator = Branch | Switch | Return | Unreachable


def successors(terminator: Terminator) -> tuple[str, ...]:
    """Return the blocks that a terminator may go to, in LLVM's order, as often as it names them."""
    match terminator:
        case Branch(targets=targets):
            return targets
        case Switch(default=default, cases=cases):
            return (default, *(case.block for case in cases))
    return ()


# ---------------------------------------------------------------- convergent operations


@dataclass(frozen=True, slots=True)
class Signature:
    """The operands and the result of a convergent operation, as types' names.

    `T` is the type of the operation itself, `N` one of i32 and i64 that a text may choose, `barrier` the name of a
    named barrier.
    """

    operands: tuple[str, ...] = ()
    result: str = ""
    defaults: tuple[int, ...] = ()


REDUCTIONS = ("umin", "min", "umax", "max", "add", "sub", "and", "or", "xor")
SIGNATURES = {
    "s.barrier": Signature(),
    "s.barrier.signal": Signature(("i32",), defaults=(-1,)),
    "s.barrier.signal.isfirst": Signature(("i32",), "i1", (-1,)),
    "s.barrier.wait": Signature(("i16",), defaults=(-1,)),
    "s.barrier.init": Signature(("barrier", "i32")),
    "s.barrier.join": Signature(("barrier",)),
    "s.barrier.signal.var": Signature(("barrier", "i32")),
    "s.barrier.leave": Signature(("i16",), defaults=(1,)),
    "wave.barrier": Signature(),
    "readfirstlane": Signature(("T",), "T"),
    "readlane": Signature(("T", "i32"), "T"),
    "ballot": Signature(("i1",), "N"),
    "ds.bpermute": Signature(("i32", "i32"), "i32"),
    **{f"wave.reduce.{name}": Signature(("T", "i32"), "T", (0,)) for name in REDUCTIONS},
}
"""The convergent operations, without `llvm.amdgcn.`; `defaults` are those of the last operands."""


UNKNOWN = "?"
"""What the operation of a call begins with that is an instruction of LLVM IR of which only its operands are known."""


@dataclass(frozen=True, slots=True)
class Call:
    """A convergent operation (a name of `SIGNATURES`), or the call of a declared function (`@f`).

    Where no values are asked for, it may be an instruction that nobody knows (`UNKNOWN`). `barrier` is the named
    barrier that it names, `token` the convergence token of its bundle (empty: uncontrolled).
    """

    operation: str
    operands: tuple[Expr, ...] = ()
    register: str = ""
    type: Type | None = None
    barrier: str = ""
    token: str = ""
    convergent: bool = True
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ConvergenceToken:
    """`%t = call token @llvm.experimental.convergence.KIND()`, KIND of `entry`, `anchor`, `loop`.

    `token` is that of its bundle.
    """

    register: str
    kind: str
    token: str = ""
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)
