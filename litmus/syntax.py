"""The syntax tree of a litmus test.

What comes out of the parser and goes into the printer and into `axmem.events.graph`: frozen dataclasses with the
span of the text they come from (spans take no part in comparison, so parse∘print can be tested with `==`). After the
well-formedness pass every expression, location and access carries its type, every name is resolved, and every
default is filled in.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Source, Span
from axmem.litmus.kernels import Branch as Branch
from axmem.litmus.kernels import Call as Call
from axmem.litmus.kernels import ConvergenceToken as ConvergenceToken
from axmem.litmus.kernels import Declaration as Declaration
from axmem.litmus.kernels import KernelParameter as KernelParameter
from axmem.litmus.kernels import Label as Label
from axmem.litmus.kernels import Launch as Launch
from axmem.litmus.kernels import Phi as Phi
from axmem.litmus.kernels import Return as Return
from axmem.litmus.kernels import Switch as Switch
from axmem.litmus.kernels import Unreachable as Unreachable
from axmem.litmus.loops import LoopID as LoopID
from axmem.litmus.loops import Promises as Promises
from axmem.litmus.terms import I1 as I1
from axmem.litmus.terms import I32 as I32
from axmem.litmus.terms import I64 as I64
from axmem.litmus.terms import POINTER as POINTER
from axmem.litmus.terms import AddressOf as AddressOf
from axmem.litmus.terms import Element as Element
from axmem.litmus.terms import Expr as Expr
from axmem.litmus.terms import Given as Given
from axmem.litmus.terms import IntegerOperation as IntegerOperation
from axmem.litmus.terms import Number as Number
from axmem.litmus.terms import Register as Register
from axmem.litmus.terms import Type as Type
from axmem.litmus.terms import UndefValue as UndefValue
from axmem.litmus.terms import VectorOf as VectorOf
from axmem.litmus.words import AMDGPU, DMA_SCOPES, SYSTEM_SCOPE, Hierarchy, Level, placed_levels
from axmem.litmus.words import AddressSpace as AddressSpace
from axmem.litmus.words import Ordering as Ordering
from axmem.litmus.words import Scope as Scope
from axmem.litmus.words import SyncScope as SyncScope
from axmem.litmus.words import Tag as Tag

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Address:
    """Where an access goes: `base` (a pointer expression) plus `index` times the size of the accessed type."""

    base: Expr
    index: Expr | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the address of an access is based on, in a function of LLVM IR with `noalias` parameters.

    `argument` is the one of these that the address is based on, and on nothing else; it is empty if there is none, or
    if more is possible. `apart` are those that it is not based on.
    """

    argument: str
    apart: frozenset[str]


@dataclass(frozen=True, slots=True)
class AccessMode:
    """What loads, stores and atomics share. `av` marks the non-atomic av intrinsics, whose scope is `scope`.

    `promises` say in which loops an access is parallel, `provenance` what is known of its address.
    """

    ordering: Ordering = Ordering.NOT_ATOMIC
    scope: SyncScope = SYSTEM_SCOPE
    volatile: bool = False
    elementwise: bool = False
    nontemporal: bool = False
    av: bool = False
    tags: frozenset[Tag] = frozenset()
    align: int | None = None
    promises: Promises | None = None
    provenance: Provenance | None = None


class AccessStatement:
    """A statement that accesses memory at one address: in which mode, and a value of which type (None: inferred).

    Whoever asks what a statement does to memory asks for one of these four classes, not for kinds by their names.
    """

    __slots__ = ()
    WORD = ""
    """What the test language calls it."""
    if TYPE_CHECKING:
        type: Type | None
        address: Address
        mode: AccessMode
        label: str
        span: Span


class ReadingStatement(AccessStatement):
    """An access that reads, and assigns what it read to a register."""

    __slots__ = ()
    if TYPE_CHECKING:
        register: str


class WritingStatement(AccessStatement):
    """An access that writes, or may: a cmpxchg that fails does not."""

    __slots__ = ()


class RmwStatement(ReadingStatement, WritingStatement):
    """A read-modify-write: it reads and writes one place, and no other write comes between."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Load(ReadingStatement):
    """`r = load …`, also `llvm.amdgcn.av.load` (mode.av)."""

    WORD = "load"
    register: str
    type: Type | None
    address: Address
    mode: AccessMode
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Store(WritingStatement):
    """`store value, address …`, also `llvm.amdgcn.av.store` (mode.av)."""

    WORD = "store"
    value: Expr
    type: Type | None
    address: Address
    mode: AccessMode
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AtomicRmw(RmwStatement):
    """`r = atomicrmw add address, value …`; `register` is empty when the result is not used."""

    WORD = "atomicrmw"
    register: str
    operation: str
    type: Type | None
    address: Address
    value: Expr
    mode: AccessMode
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class CmpXchg(RmwStatement):
    """`cmpxchg [weak] address, expected, desired success failure`.

    `register` receives the pair (old value, success) as in LLVM; or, in the short spelling `old, ok = cmpxchg …`,
    `register` receives the old value and `ok_register` the success bit. `mode.ordering` is the success ordering.
    """

    WORD = "cmpxchg"
    register: str
    ok_register: str
    weak: bool
    type: Type | None
    address: Address
    expected: Expr
    desired: Expr
    mode: AccessMode
    failure: Ordering
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Fence:
    """`fence [syncscope] ordering`."""

    mode: AccessMode
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Make:
    """`make.available`, `make.visible` (`visible` set); the `ptr` forms name the bytes of one location or access."""

    visible: bool
    scope: SyncScope
    address: Address | None = None
    type: Type | None = None
    tags: frozenset[Tag] = frozenset()
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Barrier:
    """`barrier [name]` / `llvm.amdgcn.s.barrier()`: arrive at the barrier object and wait for the participants."""

    name: str = ""
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Transfer:
    """`load.async.to.lds memory, lds` (`to_lds` set) or `store.async.from.lds memory, lds`: initiates a DMA operation.

    It copies a value of `type`; `scope` is how far its access to `memory` is at least made visible or available.
    """

    to_lds: bool
    type: Type | None
    memory: Address
    lds: Address
    scope: SyncScope
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Track:
    """What tells of the completion of DMA operations.

    `asyncmark`, `wait.asyncmark` with a `count`, or `async.barrier.arrive` with the name of a `barrier`: the `word`.
    """

    word: str
    count: int = 0
    barrier: str = ""
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """`r = expression`: computes without touching memory."""

    register: str
    value: Expr
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class If:
    """`if condition { … } else { … }`."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Assume:
    """`assume condition`: only executions in which it holds count."""

    condition: Expr
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class While:
    """`while condition { … }`; in kernels alone."""

    condition: Expr
    body: tuple[Statement, ...]
    loop: LoopID | None = None
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class For:
    """`for i in first..last { … }`: `register` counts from `first` up to before `last` (unsigned); in kernels alone."""

    register: str
    first: Expr
    last: Expr
    body: tuple[Statement, ...]
    loop: LoopID | None = None
    label: str = ""
    span: Span = field(default=NOWHERE, compare=False)


Statement: TypeAlias = (
    Load | Store | AtomicRmw | CmpXchg | Fence | Make | Barrier | Transfer | Track | Assign | If | Assume
    | While | For | Label | Phi | Branch | Switch | Return | Unreachable | Call | ConvergenceToken
)  # fmt: skip
"""The statements of a thread, then those that stand in kernels alone."""
AnyAccess: TypeAlias = Load | Store | AtomicRmw | CmpXchg
"""The kinds of `AccessStatement`, where types are told apart one by one."""


# ---------------------------------------------------------------- conditions


@dataclass(frozen=True, slots=True)
class RegisterOf:
    """`P1:r0`, or a lane or field of it, `P1:r0[1]`.

    The thread may be a lane of a kernel, `K.0.1.2`, a wave, `K.0.1` (the vector of its lanes' values), in a comparison
    of several lanes also `K` or `K.0`, and for a parameter the kernel.
    """

    thread: str
    register: str
    index: int | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class FinalValue:
    """The final value of a location, `x`, or of one element of it, `x[1]` (element of the declared type)."""

    location: str
    index: int | None = None
    span: Span = field(default=NOWHERE, compare=False)


Observable: TypeAlias = RegisterOf | FinalValue
Operand: TypeAlias = Observable | Number | UndefValue | AddressOf | VectorOf | IntegerOperation
"""In conditions an `IntegerOperation` appears only as `add` of an address and a number (`&x + 4`)."""


class OfLanes(Enum):
    """Of how many lanes a comparison is asked."""

    ALL = "all"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """`left op right` with op one of `= != < <= > >=` (unsigned); with `lanes` (`all K:r=1`) it is asked of lanes.

    `members` are the lanes that are meant, filled in by the passes.
    """

    op: str
    left: Operand
    right: Operand
    lanes: OfLanes | None = None
    members: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """`~ condition`."""

    condition: Condition
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Both:
    r"""`left /\ right`."""

    left: Condition
    right: Condition
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Either:
    r"""`left \/ right`; `a => b` is read as `~a \/ b`."""

    left: Condition
    right: Condition
    span: Span = field(default=NOWHERE, compare=False)


Condition: TypeAlias = ValueComparison | Truth | Not | Both | Either


class Quantifier(Enum):
    """How the condition is asked: of some outcome, of none, of all."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


# ---------------------------------------------------------------- the test


@dataclass(frozen=True, slots=True)
class Location:
    """A variable: `global x = 0`, `lds t`, `private p`.

    `initial` is one value per lane of `type` (or a single one), and None for uninitialised memory, which has no
    initial write; `undef` as a value is an initial write of undef. Of one that is `roomy` nothing says how large it is.
    """

    name: str
    space: AddressSpace
    type: Type | None
    initial: Expr | None
    span: Span = field(default=NOWHERE, compare=False)
    roomy: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a thread runs: a number for each level of its test from the outermost (`axmem.litmus.words.placed_levels`).

    None where the text says nothing (see docs/language.md for what is then assumed). After the well-formedness pass
    all are numbers.
    """

    numbers: tuple[int | None, ...] = (None,) * (len(AMDGPU) - 1)

    @classmethod
    def at(cls, levels: Hierarchy = AMDGPU, /, **numbers: int | None) -> Placement:
        """Return the place with these numbers, by the words of the levels."""
        return cls(tuple(numbers.get(level.place) for level in placed_levels(levels)))

    def __getitem__(self, level: Level) -> int | None:
        """Return the number of the place at a level, inside the instance around it."""
        return self.numbers[level.depth - 1]

    def instance(self, level: Level) -> tuple[int | None, ...]:
        """Return which instance of a level this place is in: its numbers down to that level, of the system none."""
        return self.numbers[: level.depth]

    def meeting(self, other: Placement) -> Scope:
        """Return the level of the smallest of AMDGPU's scope instances that holds both places."""
        return next(level for level in Scope if self.instance(level) == other.instance(level))


@dataclass(frozen=True, slots=True)
class PassedStructure:
    """A structure that a call passes by value: of each field the first byte, how many it has, and what it is."""

    fields: tuple[tuple[int, int, AddressOf | Number], ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread: its name, its place, its statements.

    Of a thread that is a call of a function, `arguments` are what it is given, by place: constants, None for the buffer
    of results. The statements have them in place of the parameters; who reads the function's code needs them.
    """

    name: str
    placement: Placement
    body: tuple[Statement, ...]
    span: Span = field(default=NOWHERE, compare=False)
    arguments: tuple[Expr | PassedStructure | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One program that every lane of a launch runs, at a place on the machine.

    `lane_of_thread` says that it is a `thread` with control flow, one lane. The `memory` declared in it exists once per
    workgroup (lds) or lane (private); `barriers` are its named barriers. `body` is the text of an LLVM function, in
    which `if`, `while` and `for` may stand and registers may be assigned again. The place is that of the first
    workgroup; its lanes are the threads `NAME.workgroup.wave.lane`. Passes leave an `optnone` kernel alone. `arguments`
    are those of a `Thread`; of a kernel that is launched, a register stands where one has not one value: its parameter.
    `workgroup` is its size in x, y and z, where LLVM IR promises it, and `function` the name of its function there.
    """

    name: str
    parameters: tuple[KernelParameter, ...]
    launch: Launch
    placement: Placement
    memory: tuple[Location, ...]
    barriers: tuple[str, ...]
    body: tuple[Statement, ...]
    lane_of_thread: bool = False
    optnone: bool = False
    span: Span = field(default=NOWHERE, compare=False)
    arguments: tuple[Expr | PassedStructure | None, ...] = field(default=(), compare=False)
    workgroup: tuple[int, ...] = field(default=(), compare=False)
    function: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class BarrierObject:
    """`barrier b (P0, P1)`: a barrier object with the threads that take part in it."""

    name: str
    participants: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`amdgpu` or `amdgpu[vis.instance=literal, sc=rc11]`: a model and the variants that differ from its defaults."""

    model: str
    variants: tuple[tuple[str, str], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def label(self) -> str:
        """The choice as one word: `amdgpu`, `amdgpu[vis.instance=literal,coh=langref]`."""
        inside = ",".join(f"{name}={value}" for name, value in self.variants)
        return f"{self.model}[{inside}]" if inside else self.model


@dataclass(frozen=True, slots=True)
class Expectation:
    """`expect MODELS VERDICT ["reason"]`; the verdict is never, sometimes, always, undefined or unknown.

    `possible` is either of sometimes and always.
    """

    models: tuple[ModelChoice, ...]
    verdict: str
    reason: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class OutcomeSet:
    """`outcomes MODELS { rows }`: the complete set of outcomes; a row gives a value to each of its observables."""

    models: tuple[ModelChoice, ...]
    rows: tuple[tuple[tuple[Observable, Operand], ...], ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Supposition:
    """What a reader supposes of a program that does not say it; with `adds`, executions may be there by that alone."""

    text: str
    adds: bool = False


@dataclass(frozen=True, slots=True)
class LitmusTest:
    """A whole test. `observe` lists observables that outcomes show beyond the default ones; `levels` are its scopes.

    `functions` are declared for the calls in kernels, `bound` is the number of iterations that executions have at most.
    `dma` is the level whose instance a DMA operation belongs to: it is in none of a smaller one.
    `models` are those that the test is run under where neither the user nor an expectation names any. `supposed` is
    what a reader supposes of the program that the test is.
    """

    name: str
    description: str
    locations: tuple[Location, ...]
    threads: tuple[Thread, ...]
    barriers: tuple[BarrierObject, ...] = ()
    observe: tuple[Observable, ...] = ()
    filter: Condition | None = None
    quantifier: Quantifier = Quantifier.EXISTS
    condition: Condition = Truth(True)
    expectations: tuple[Expectation, ...] = ()
    outcome_sets: tuple[OutcomeSet, ...] = ()
    levels: Hierarchy = AMDGPU
    kernels: tuple[Kernel, ...] = ()
    functions: tuple[Declaration, ...] = ()
    bound: int | None = None
    dma: Scope = DMA_SCOPES[-1]
    models: tuple[ModelChoice, ...] = ()
    source: Source = field(default=Source("", ""), compare=False)
    supposed: tuple[Supposition, ...] = field(default=(), compare=False)
