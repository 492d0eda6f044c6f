"""Instructions as the lowering emits them, and how they are named.

What goes in: an operation's kind, address space and type. What comes out: mnemonics, and `EmittedInstruction`s whose
counters and cache policy bits are `InstructionPart`s of their own, each with its reason, so that each may be asked
about alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from axmem.codegen.operations import Operation
from axmem.codegen.tables import Counter, MnemonicNames, TargetFamily, common
from axmem.front.records import dataclass
from axmem.litmus.syntax import AddressSpace


class InstructionKind(Enum):
    """What an instruction is to the memory system."""

    ACCESS = "access"
    WAIT = "wait"
    WRITEBACK = "writeback"
    INVALIDATE = "invalidate"
    BARRIER = "barrier"


@dataclass(frozen=True, slots=True)
class InstructionPart:
    """A counter that is waited for (`vmcnt`) or a cache policy bit (`sc1`): its name, its text, why, and the source."""

    name: str
    text: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class EmittedInstruction:
    """One instruction, without registers and addresses. What its parts do not explain has a reason of its own."""

    kind: InstructionKind
    mnemonic: str
    parts: tuple[InstructionPart, ...] = ()
    why: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        """The instruction as the assembler has it, but for registers and addresses."""
        return " ".join([self.mnemonic, *(part.text for part in self.parts)])

    @property
    def bits(self) -> tuple[str, ...]:
        """The cache policy bits; a wait has none."""
        return () if self.kind is InstructionKind.WAIT else tuple(part.name for part in self.parts)

    @property
    def reasons(self) -> tuple[tuple[str, str], ...]:
        """Each distinct sentence, with the mnemonic, counters or bits that it speaks of."""
        own = ((self.mnemonic, self.why),) if self.why else ()
        merged: dict[str, list[str]] = {}
        for part in self.parts:
            if part.why:
                merged.setdefault(part.why, []).append(part.name)
        return (*own, *((" ".join(names), why) for why, names in merged.items()))


def waits(family: TargetFamily, wanted: Iterable[tuple[str, str, str]]) -> tuple[EmittedInstruction, ...]:
    """Return the waits for counters, each given with why and source; a counter wanted twice has both reasons.

    Counters that share an instruction are waited for together, in the order of the family's file.
    """
    reasons: dict[str, list[tuple[str, str]]] = {}
    for counter, why, source in wanted:
        if (why, source) not in reasons.setdefault(counter, []):
            reasons[counter].append((why, source))
    found: dict[str, list[InstructionPart]] = {}
    for known in family.counters.values():
        if known.name in reasons:
            found.setdefault(known.instruction, []).append(_waited(known, reasons[known.name]))
    return tuple(EmittedInstruction(InstructionKind.WAIT, mnemonic, tuple(parts)) for mnemonic, parts in found.items())


def _waited(counter: Counter, reasons: list[tuple[str, str]]) -> InstructionPart:
    whys = list(dict.fromkeys(why for why, _ in reasons))
    sources = list(dict.fromkeys(source for _, source in reasons))
    return InstructionPart(counter.name, counter.operand, "; ".join(whys), "; ".join(sources))


def bit_parts(bits: Iterable[tuple[str, str, str]]) -> tuple[InstructionPart, ...]:
    """Return cache policy bits, given as text of one or more with why and source, in the assembler's order."""
    parts = [InstructionPart(bit, bit, why, source) for text, why, source in bits for bit in text.split()]
    by_name: dict[str, InstructionPart] = {}
    for part in parts:
        earlier = by_name.get(part.name)
        why = part.why if earlier is None else f"{earlier.why}; {part.why}"
        by_name[part.name] = InstructionPart(part.name, part.text, why, part.source)
    return tuple(sorted(by_name.values(), key=lambda part: _ORDER.index(part.name.split(":")[0])))


def counted_as(mnemonic: str, kind: InstructionKind) -> str:
    """Return what counters count cache maintenance as: an invalidate or writeback, or an operation of scalar memory."""
    return "scalar" if mnemonic.startswith("s_") else kind.value


_ORDER = ("th", "scope", "sc0", "nt", "sc1", "glc", "slc", "dlc")


def mnemonic(operation: Operation, family: TargetFamily) -> str:
    """Return the name of the access instruction; `operation.kind` says what it accesses as."""
    names = common().names[family.names]
    bits = operation.type.size * 8
    kind = operation.kind.removeprefix("av-")
    if operation.uniform:
        return f"s_load_{names.size[bits]}"
    if kind in ("rmw", "cmpxchg"):
        return _update(operation, family, names, bits)
    if operation.space is AddressSpace.LDS:
        sizes = {8: "u8", 16: "u16"} if kind == "load" else {8: "b8", 16: "b16"}
        return f"{names.lds_load if kind == 'load' else names.lds_store}_{sizes.get(bits, f'b{bits}')}"
    sizes_ = names.size if kind == "load" else names.stored
    return f"{prefix(operation.space, family)}_{kind}_{sizes_[bits]}"


def prefix(space: AddressSpace | None, family: TargetFamily) -> str:
    """Return how the instructions of an address space begin."""
    return family.instructions["generic" if space is None else space.name.lower()]


def has_update(operation: Operation, family: TargetFamily) -> bool:
    """Say whether the target has an instruction for an atomicrmw; else it is a loop of cmpxchg."""
    names = common().names[family.names]
    known = operation.update in names.operations and operation.update not in family.without
    return known and operation.type.size * 8 in names.atomic


def _update(operation: Operation, family: TargetFamily, names: MnemonicNames, bits: int) -> str:
    update = operation.update if has_update(operation, family) else "cmpxchg"
    vector, lds, letter = names.operations[update]
    if operation.space is AddressSpace.LDS:
        returns = "_rtn" if operation.result or update == "xchg" else ""
        return f"ds_{lds}{returns}_{letter}{max(bits, 32)}"
    suffix = names.atomic.get(bits, names.atomic[32]).format(letter=letter)
    return f"{prefix(operation.space, family)}_atomic_{vector}{suffix}"
