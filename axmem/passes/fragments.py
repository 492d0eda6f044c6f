"""Small functions that access memory, as LLVM IR.

What goes in: operations, where each accesses memory, a shape. What comes out: the text of a function of one thread.
Invariant: everything that an operation reads and the function uses is returned, so that nothing is dead by accident.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from axmem.front.records import dataclass
from axmem.litmus.words import OperationKind, Ordering

READING = (OperationKind.LOAD, OperationKind.RMW, OperationKind.CMPXCHG)
"""What has a result."""
PLAIN = Ordering.NOT_ATOMIC
FIRST, BEHIND, OTHER = 0, 1, 2
"""Places: what the first pointer points to, the four bytes behind it, and what the second pointer points to."""
ITERATIONS = 2
"""How often a loop is executed: as few as make it one, so that all of it is judged."""
ACQUIRED, RELEASED = "%acquired", "%released"
"""Pointers that only the frame of a function accesses."""


class ModeMark(StrEnum):
    """What an operation has besides its ordering: a scope, tags, or `volatile`."""

    NONE = ""
    AGENT = "agent"
    ONE_AS = "agent-one-as"
    TAG_A = "sync:a"
    TAG_B = "sync:b"
    VOLATILE = "volatile"


SCOPES = (ModeMark.AGENT, ModeMark.ONE_AS)
TAGS = (ModeMark.TAG_A, ModeMark.TAG_B)


class FragmentShape(StrEnum):
    """Where the operations stand."""

    ROW = "row"
    GUARDED = "guarded"
    """The last one is executed if a parameter says so."""
    TESTED = "tested"
    """The last one is executed if the first one has read zero."""
    ARMS = "arms"
    """The last two stand in the arms of a branch."""
    LOOP = "loop"
    """All stand in a loop of one block."""
    FRAMED = "framed"
    """An acquire of other memory stands before all, and a release of other memory behind them."""


@dataclass(frozen=True, slots=True)
class FragmentOperation:
    """One operation. `update` is that of an atomicrmw, with its operand; `used`: somebody uses what it reads.

    `value` is what a store writes: a number, or nothing for what the operation before it has read.
    """

    kind: OperationKind
    ordering: Ordering = PLAIN
    mark: ModeMark = ModeMark.NONE
    failure: Ordering = PLAIN
    update: str = ""
    value: int | None = 1
    used: bool = True
    weak: bool = False

    @property
    def reads(self) -> bool:
        """Whether it has a result."""
        return self.kind in READING


@dataclass(frozen=True, slots=True)
class Fragment:
    """A function: its operations with their places (of a fence any), its shape, and whether both pointers are noalias.

    `cast`: accesses of the first pointer are those of the generic address space.
    """

    operations: tuple[FragmentOperation, ...]
    places: tuple[int, ...]
    shape: FragmentShape = FragmentShape.ROW
    apart: bool = False
    cast: bool = False


def function(name: str, fragment: Fragment, space: int) -> str:
    """Return the text of a function whose pointers are of an address space."""
    return "\n".join(_Writer(fragment, space).lines(name)) + "\n"


class _Writer:
    """Writes one function; `results` are the values that it returns, as far as it is written."""

    def __init__(self, fragment: Fragment, space: int) -> None:
        self.fragment = fragment
        self.pointer = f"ptr addrspace({space})" if space else "ptr"
        self.cast = fragment.cast and space != 0
        self.results: list[str] = []

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of the function."""
        body = [f"  {line}" if not line.endswith(":") else line for line in self._body()]
        kinds = ", ".join(["i32"] * len(self.results))
        type_ = {0: "void", 1: "i32"}.get(len(self.results), f"{{ {kinds} }}")
        yield f"define {type_} @{name}({', '.join(self._parameters())}) {{"
        yield from body
        yield from (f"  {line}" for line in self._returned(type_))
        yield "}"

    def _parameters(self) -> Iterator[str]:
        fragment = self.fragment
        noalias = " noalias" if fragment.apart else ""
        used = self._used()
        if used & {FIRST, BEHIND}:
            yield f"{self.pointer}{noalias} %x"
        if OTHER in used:
            yield f"{self.pointer}{noalias} %y"
        if fragment.shape is FragmentShape.FRAMED:
            yield f"{self.pointer} noalias {ACQUIRED}"
            yield f"{self.pointer} noalias {RELEASED}"
        if fragment.shape in (FragmentShape.GUARDED, FragmentShape.ARMS):
            yield "i1 %c"

    def _used(self) -> set[int]:
        pairs = zip(self.fragment.operations, self.fragment.places, strict=True)
        return {place for each, place in pairs if each.kind is not OperationKind.FENCE}

    def _addresses(self) -> Iterator[str]:
        base = "%x"
        if self.cast and self._used() & {FIRST, BEHIND}:
            yield f"%flat = addrspacecast {self.pointer} %x to ptr"
            base = "%flat"
        if BEHIND in self._used():
            yield f"%z = getelementptr inbounds nuw i8, {self._of(FIRST)[0]} {base}, i64 4"

    def _of(self, place: int) -> tuple[str, str]:
        """Return the type and the name of the pointer to a place."""
        if place == OTHER:
            return self.pointer, "%y"
        return "ptr" if self.cast else self.pointer, "%z" if place == BEHIND else "%flat" if self.cast else "%x"

    def _body(self) -> Iterator[str]:
        fragment = self.fragment
        size, shape = len(fragment.operations), fragment.shape
        if shape not in (FragmentShape.ROW, FragmentShape.FRAMED):
            yield "entry:"
        yield from self._addresses()
        match shape:
            case FragmentShape.ROW:
                yield from self._operations(range(size))
            case FragmentShape.FRAMED:
                yield f"%f = load atomic i32, {self.pointer} {ACQUIRED} acquire, align 4"
                self.results.append("%f")
                yield from self._operations(range(size))
                yield f"store atomic i32 1, {self.pointer} {RELEASED} release, align 4"
            case FragmentShape.GUARDED | FragmentShape.TESTED:
                yield from self._guarded(size)
            case FragmentShape.ARMS:
                yield from self._arms(size)
            case FragmentShape.LOOP:
                yield "br label %loop"
                yield "loop:"
                yield "%i = phi i32 [ 0, %entry ], [ %j, %loop ]"
                yield from self._operations(range(size))
                yield "%j = add i32 %i, 1"
                yield f"%m = icmp eq i32 %j, {ITERATIONS}"
                yield "br i1 %m, label %end, label %loop"
                yield "end:"

    def _guarded(self, size: int) -> Iterator[str]:
        yield from self._operations(range(size - 1))
        if self.fragment.shape is FragmentShape.TESTED:
            yield "%c = icmp eq i32 %r0, 0"
        yield "br i1 %c, label %then, label %end"
        yield "then:"
        known = list(self.results)
        yield from self._operations(range(size - 1, size))
        yield "br label %end"
        yield "end:"
        yield from self._merged(known, [(self.results[len(known) :], "then"), ([], "entry")])

    def _arms(self, size: int) -> Iterator[str]:
        yield from self._operations(range(size - 2))
        yield "br i1 %c, label %then, label %else"
        known = list(self.results)
        arms = []
        for label, at in (("then", size - 2), ("else", size - 1)):
            yield f"{label}:"
            self.results = list(known)
            yield from self._operations(range(at, at + 1))
            arms.append((self.results[len(known) :], label))
            yield "br label %end"
        yield "end:"
        yield from self._merged(known, arms)

    def _merged(self, known: list[str], arms: Sequence[tuple[Sequence[str], str]]) -> Iterator[str]:
        """Yield the phi of what the arms have read, if one has read something."""
        self.results = known
        if any(names for names, _ in arms):
            merged = ", ".join(f"[ {names[0] if names else 0}, %{label} ]" for names, label in arms)
            yield f"%merged = phi i32 {merged}"
            self.results.append("%merged")

    def _operations(self, numbers: range) -> Iterator[str]:
        for number in numbers:
            yield from self._operation(number)

    def _operation(self, number: int) -> Iterator[str]:
        each = self.fragment.operations[number]
        pointer = " ".join(self._of(self.fragment.places[number]))
        scope = f' syncscope("{each.mark}")' if each.mark in SCOPES else ""
        tags = f", !mmra !{TAGS.index(each.mark)}" if each.mark in TAGS else ""
        volatile = " volatile" if each.mark is ModeMark.VOLATILE else ""
        atomic = each.ordering is not PLAIN
        words = f"{scope} {each.ordering.value}" if atomic else ""
        match each.kind:
            case OperationKind.LOAD:
                kind = "load atomic" if atomic else "load"
                yield f"%r{number} = {kind}{volatile} i32, {pointer}{words}, align 4{tags}"
            case OperationKind.STORE:
                kind = "store atomic" if atomic else "store"
                value = f"%r{number - 1}" if each.value is None else str(each.value)
                yield f"{kind}{volatile} i32 {value}, {pointer}{words}, align 4{tags}"
            case OperationKind.RMW:
                update, operand = each.update.split()
                yield f"%r{number} = atomicrmw{volatile} {update} {pointer}, i32 {operand}{words}, align 4{tags}"
            case OperationKind.CMPXCHG:
                weak = " weak" if each.weak else ""
                words += f" {each.failure.value}"
                yield f"%p{number} = cmpxchg{weak}{volatile} {pointer}, i32 0, i32 1{words}, align 4{tags}"
                yield f"%r{number} = extractvalue {{ i32, i1 }} %p{number}, 0"
            case OperationKind.FENCE:
                yield f"fence{words}{tags}"
        if each.reads and each.used:
            self.results.append(f"%r{number}")

    def _returned(self, type_: str) -> Iterator[str]:
        if len(self.results) < 2:
            yield f"ret i32 {self.results[0]}" if self.results else "ret void"
            return
        whole = "poison"
        for index, name in enumerate(self.results):
            yield f"%s{index} = insertvalue {type_} {whole}, i32 {name}, {index}"
            whole = f"%s{index}"
        yield f"ret {type_} {whole}"
