"""Tests in X86 assembly, in herd's form: MOV, MFENCE, XCHG, instructions with LOCK, arithmetic, jumps.

What goes in: `X86 NAME`, initial values, columns of instructions with the target first, a question. What comes out: the
test of axmem made of the strongest operations of which compilers make these instructions, so that every outcome on the
machine is one of the test under LLVM's model, and, under `tso`, no other: docs/other-forms.md says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from axmem.formats.herd.assembly import GLOBAL, AssemblyInstruction, MachineReader, Named, read_machine
from axmem.formats.herd.front import read_front
from axmem.front.records import dataclass
from axmem.front.source import Source, Span, did_you_mean
from axmem.front.typing import override
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    AddressOf,
    Assign,
    AtomicRmw,
    CmpXchg,
    Expr,
    Fence,
    IntegerOperation,
    LitmusTest,
    Load,
    Number,
    Ordering,
    Register,
    Statement,
    Store,
    Type,
)

WORDS = re.compile(
    r"(?P<name>[A-Za-z_.][\w.]*)|(?P<immediate>\$-?(?:0[xX][0-9A-Fa-f]+|[0-9]+))"
    r"|(?P<number>-?(?:0[xX][0-9A-Fa-f]+|[0-9]+))|(?P<punctuation>[\[\],:+*()])",
    re.ASCII,
)
LOADED = AccessMode(Ordering.SEQ_CST)
"""A MOV from memory is what compilers make of a load of any order, seq_cst included."""
STORED = AccessMode(Ordering.RELEASE)
"""A MOV to memory is what they make of a store of at most release; a seq_cst one is an XCHG."""
LOCKED = AccessMode(Ordering.SEQ_CST)
"""A locked instruction is what they make of a read-modify-write of any order."""

_ARITHMETIC = {"ADD": "add", "SUB": "sub", "AND": "and", "OR": "or", "XOR": "xor"}
_STEPS = {"INC": "add", "DEC": "sub"}
_JUMPS = {"JE": False, "JZ": False, "JNE": True, "JNZ": True}
"""The conditional jumps, and whether they jump if the zero flag is not set."""
_FLAG = "ZF"
KNOWN = (
    *("MOV", "MFENCE", "LFENCE", "SFENCE", "XCHG", "LOCK", "CMP", "JMP", "NOP"),
    *_ARITHMETIC, *_STEPS, *_JUMPS, "XADD", "CMPXCHG",
)  # fmt: skip
_FAMILIES = ("EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP")


@dataclass(frozen=True, slots=True)
class MemoryOperand:
    """`[x]`, or `[EAX]`."""

    address: AddressOf | Named
    span: Span


Operand = Named | Number | MemoryOperand


class X86(MachineReader):
    """Reads one column."""

    model = "tso"
    words = WORDS

    @classmethod
    @override
    def register_named(cls, word: str) -> tuple[str, int] | None:
        """Return the register, in capitals, and its 32 bits."""
        return (word.upper(), 32) if word.upper() in _FAMILIES else None

    @override
    def uses(self, instruction: AssemblyInstruction) -> Iterable[tuple[Named, str]]:
        """Yield the registers of an instruction."""
        cursor, word = instruction.cursor, instruction.mnemonic
        if word == "LOCK":
            word = cursor.next().text.upper()
        if word not in KNOWN or word == "JMP" or word in _JUMPS:
            return
        operands = self.operands(cursor, least=0, most=2)
        for number, operand in enumerate(operands):
            if isinstance(operand, MemoryOperand) and isinstance(operand.address, Named):
                yield operand.address, "base"
            elif isinstance(operand, Named):
                yield operand, "write" if (number == 0 and word != "CMP") or word in ("XCHG", "XADD") else "read"
        if word == "CMPXCHG":
            yield Named("EAX", 32, instruction.span), "write"

    # ------------------------------------------------ operands

    def operands(self, cursor: Cursor, *, least: int, most: int) -> list[Operand]:
        """Read operands; at most one of them is memory."""
        found: list[Operand] = []
        start = cursor.peek().span
        while not cursor.at("end"):
            found.append(self.operand(cursor))
            if not cursor.accept(","):
                break
        if not least <= len(found) <= most:
            raise cursor.fail(start, f"this takes {most} operands, not {len(found)}")
        if sum(isinstance(each, MemoryOperand) for each in found) > 1:
            raise cursor.fail(start, "an instruction accesses memory by one of its operands at most")
        return found

    def operand(self, cursor: Cursor) -> Operand:
        """Read a register, a number or memory."""
        token = cursor.peek()
        if cursor.accept("["):
            name = cursor.expect("name", "a location or a register")
            cursor.expect("]", "']'", "an address is a location or a register alone")
            named = self.register_named(name.text)
            address = Named(*named, name.span) if named else AddressOf(name.text, GLOBAL, name.span)
            return MemoryOperand(address, cursor.since(token.span))
        if cursor.at("immediate", "number"):
            cursor.next()
            text = token.text.removeprefix("$")
            value = -numeral(text[1:]) if text.startswith("-") else numeral(text)
            return Number(value, span=token.span)
        if cursor.at("name"):
            cursor.next()
            named = self.register_named(token.text)
            if named is None:
                hint = did_you_mean(token.text.upper(), _FAMILIES) or f"memory is written [{token.text}]"
                raise cursor.fail(token.span, f"no register is named '{token.text}'", hint)
            return Named(*named, token.span)
        cursor.fail_expected("an operand")
        raise AssertionError

    def address(self, memory: MemoryOperand) -> Address:
        """Return the address of a memory operand."""
        if isinstance(memory.address, Named):
            return Address(self.get(memory.address), span=memory.span)
        self.named.append(memory.address)
        return Address(memory.address, span=memory.span)

    def value(self, operand: Operand, span: Span) -> Expr:
        """Return the value of an operand, for which memory is read."""
        if isinstance(operand, Number):
            return operand
        if isinstance(operand, Named):
            return self.get(operand)
        name = self.fresh()
        self.emit(Load(name, Type(32), self.address(operand), LOADED, span=span))
        return Register(name)

    def store(self, memory: MemoryOperand, value: Expr, span: Span) -> None:
        """Write memory by an instruction without LOCK."""
        pointer = isinstance(value, Register) and self.pointed(value.name)
        type_ = None if pointer or isinstance(value, AddressOf) else Type(32)
        self.emit(Store(value, type_, self.address(memory), STORED, span=span))

    def pointed(self, name: str) -> bool:
        """Say whether a register of the test holds an address."""
        return any(self.name(family) == name for family in self.bases)

    # ------------------------------------------------ instructions

    @override
    def execute(self, index: int) -> int:
        """Emit an instruction and return the index of the next."""
        instruction = self.instructions[index]
        word, cursor, span = instruction.mnemonic, instruction.cursor, instruction.span
        if word == "LOCK":
            token = cursor.expect("name", "an instruction")
            self.locked(token.text.upper(), token.span, cursor, span)
        elif word == "JMP" or word in _JUMPS:
            return self.jumped(index)
        elif word == "MFENCE":
            self.emit(Fence(AccessMode(Ordering.SEQ_CST), span=span))
        elif word in ("LFENCE", "SFENCE", "NOP"):
            pass
        elif word == "MOV":
            self.moved(cursor, span)
        elif word == "XCHG":
            self.locked(word, span, cursor, span)
        elif word == "CMP":
            left, right = self.operands(cursor, least=2, most=2)
            self.flag(self.value(left, span), self.value(right, span), span)
        elif word in _ARITHMETIC or word in _STEPS:
            self.computed(word, cursor, span)
        else:
            hint = did_you_mean(word, KNOWN) or f"those that are read: {', '.join(KNOWN)}"
            raise cursor.fail(cursor.tokens[cursor.index - 1].span, f"the instruction {word} is not read", hint)
        return index + 1

    def moved(self, cursor: Cursor, span: Span) -> None:
        """Read MOV."""
        target, source = self.operands(cursor, least=2, most=2)
        if isinstance(target, MemoryOperand):
            self.store(target, self.value(source, span), span)
        elif isinstance(target, Number):
            raise cursor.fail(target.span, "a number is not assigned", "the target comes first: MOV [x],$1")
        elif isinstance(source, MemoryOperand):
            address = self.address(source)
            self.loaded(target, lambda name, type_: Load(name, type_, address, LOADED, span=span), span)
        else:
            self.put(target, self.value(source, span), span)

    def computed(self, word: str, cursor: Cursor, span: Span) -> None:
        """Read arithmetic without LOCK: memory is read and then written, by two events."""
        count = 1 if word in _STEPS else 2
        operands = self.operands(cursor, least=count, most=count)
        target = operands[0]
        if isinstance(target, Number):
            raise cursor.fail(target.span, "a number is not assigned", "the target comes first")
        left = self.value(target, span)
        right = Number(1) if word in _STEPS else self.value(operands[1], span)
        value = IntegerOperation(_ARITHMETIC.get(word) or _STEPS[word], (left, right), None, span)
        if isinstance(target, MemoryOperand):
            name = self.fresh()
            self.emit(Assign(name, value, span=span))
            self.store(target, Register(name), span)
            self.flag(Register(name), Number(0), span)
        else:
            self.put(target, value, span)
            self.flag(self.get(target), Number(0), span)

    @property
    def jumps(self) -> bool:
        """Whether something in the thread reads the zero flag."""
        return any(each.mnemonic in _JUMPS for each in self.instructions)

    def flag(self, left: Expr, right: Expr, span: Span) -> None:
        """Set the zero flag, if a jump of the thread reads it."""
        if self.jumps:
            self.emit(Assign(_FLAG, IntegerOperation("eq", (left, right), None, span), span=span))

    def jumped(self, index: int) -> int:
        """Read a jump."""
        instruction = self.instructions[index]
        target = instruction.cursor.expect("name", "a label")
        if instruction.mnemonic == "JMP":
            self.jump(target, None, instruction.span)
            return self.dead(index + 1)
        if not any(isinstance(each, Assign) and each.register == _FLAG for each in self.out):
            raise instruction.cursor.fail(instruction.span, "no instruction before this jump sets its flag")
        flag: Expr = Register(_FLAG)
        if _JUMPS[instruction.mnemonic]:
            flag = IntegerOperation("eq", (flag, Number(0)), None, instruction.span)
        self.jump(target, flag, instruction.span)
        return index + 1

    def locked(self, word: str, place: Span, cursor: Cursor, span: Span) -> None:
        """Read an instruction that modifies memory in one step."""
        if word not in ("XCHG", "XADD", "CMPXCHG", *_ARITHMETIC, *_STEPS):
            raise cursor.fail(place, f"{word} takes no LOCK", "it modifies memory: LOCK INC [x]")
        count = 1 if word in _STEPS else 2
        operands = self.operands(cursor, least=count, most=count)
        memory = next((each for each in operands if isinstance(each, MemoryOperand)), None)
        if memory is None and word == "XCHG":
            raise cursor.fail(place, "an XCHG of two registers is not read", "one operand is memory: XCHG [x],EAX")
        if memory is None or (operands[0] is not memory and word != "XCHG"):
            raise cursor.fail(place, f"a locked {word} modifies memory", f"LOCK {word} [x]{',EAX' * (count - 1)}")
        other = Number(1) if word in _STEPS else next(each for each in operands if each is not memory)
        if word in ("XCHG", "XADD", "CMPXCHG") and not isinstance(other, Named):
            raise cursor.fail(place, f"{word} takes a register and memory")
        address = self.address(memory)
        value = self.value(other, span)
        if word == "CMPXCHG":
            accumulator = Named("EAX", 32, span)
            self.emit(self.compared(address, self.get(accumulator), value, span))
            return
        operation = {"XCHG": "xchg", "XADD": "add", **_ARITHMETIC, **_STEPS}[word]

        def modified(name: str, type_: Type) -> Statement:
            return AtomicRmw(name, operation, type_, address, value, LOCKED, span=span)

        if word in ("XCHG", "XADD") and isinstance(other, Named):
            self.loaded(other, modified, span)
            return
        old = self.fresh() if self.jumps else ""
        self.emit(modified(old, Type(32)))
        self.flag(IntegerOperation(operation, (Register(old), value), None, span), Number(0), span)

    def compared(self, address: Address, expected: Expr, desired: Expr, span: Span) -> Statement:
        """Return a compare-exchange, which leaves what it read in EAX and whether it succeeded in the zero flag."""
        name = self.name("EAX")
        return CmpXchg(name, _FLAG, False, Type(32), address, expected, desired, LOCKED, Ordering.SEQ_CST, span=span)


def read(source: Source) -> LitmusTest:
    """Return the test that a text describes; raise `InputError` with everything that is wrong with it."""
    return read_machine(read_front(source), X86)
