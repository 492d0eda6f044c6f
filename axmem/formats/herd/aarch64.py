"""Tests in AArch64 assembly, in herd's form: loads and stores with their orders, exclusives, DMB, arithmetic, branches.

What goes in: `AArch64 NAME`, initial values, columns of instructions, a question. What comes out: the test of axmem of
the operations of which compilers make these instructions (docs/other-forms.md). A load exclusive and the store
exclusive after it are one read-modify-write, or a load alone where the latter fails; what is between them computes, and
is done after.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.formats.herd.aarch64_operands import ZERO, AArch64Operands, register_named
from axmem.formats.herd.assembly import GLOBAL, AssemblyInstruction, Named, read_machine
from axmem.formats.herd.front import read_front
from axmem.front.source import Source, Span, did_you_mean
from axmem.front.typing import override
from axmem.litmus import walk
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    AddressOf,
    Assign,
    AtomicRmw,
    Branch,
    CmpXchg,
    Expr,
    Fence,
    IntegerOperation,
    Label,
    LitmusTest,
    Load,
    Number,
    Ordering,
    Register,
    Store,
    Type,
)
from axmem.litmus.words import Tag, failure_of

STORES_ALONE: Tag = ("aarch64", "dmb.st")
"""The tag of a barrier that orders stores with stores alone; of LLVM's fences none is so weak."""
STORES_FIRST: Tag = ("aarch64", "dsb.st")
"""With the former the tag of a barrier that orders stores with whatever follows, and loads with nothing."""

CONTEXT: Tag = ("aarch64", "isb")
"""The tag of an ISB, which orders reads after it with what decides whether it executes; likewise."""

ONE_INSTRUCTION: Tag = ("aarch64", "lse")
"""The tag of a read-modify-write that is one instruction."""

LOADS = {"LDR": Ordering.MONOTONIC, "LDAR": Ordering.SEQ_CST, "LDAPR": Ordering.ACQUIRE}
STORES = {"STR": Ordering.MONOTONIC, "STLR": Ordering.SEQ_CST}
EXCLUSIVE_LOADS = {"LDXR": False, "LDAXR": True}
"""The load exclusives, and whether they acquire."""
EXCLUSIVE_STORES = {"STXR": False, "STLXR": True}
"""The store exclusives, and whether they release."""
SIZED = {
    f"{word}{letter}": (word, bits)
    for word in (*LOADS, *STORES) for letter, bits in (("B", 8), ("H", 16))
}  # fmt: skip
"""The same of bytes and halves: what a load reads is extended by zeros, and a store writes the lower bits."""
UPDATES = {
    "SWP": "xchg", "LDADD": "add", "LDCLR": "and", "LDSET": "or", "LDEOR": "xor",
    "LDSMAX": "max", "LDSMIN": "min", "LDUMAX": "umax", "LDUMIN": "umin", "CAS": "",
}  # fmt: skip
"""The read-modify-writes that are one instruction; LDCLR clears the bits that are set in its operand."""
_ORDERS = {"": Ordering.MONOTONIC, "A": Ordering.ACQUIRE, "L": Ordering.RELEASE, "AL": Ordering.ACQ_REL}
SINGLE = {
    f"{word}{order}{size}": (word, _ORDERS[order], bits)
    for word in UPDATES for order in _ORDERS for size, bits in (("", 0), ("B", 8), ("H", 16))
}  # fmt: skip
"""Their mnemonics, with what they order and how many bits of a register they take (0: all)."""
BARRIERS = {"": Ordering.SEQ_CST, "LD": Ordering.ACQUIRE, "ST": Ordering.RELEASE}
"""What a barrier orders: everything, loads with what follows, stores with stores."""
_DOMAINS = ("ISH", "OSH", "SY")
_ARITHMETIC = {"ADD": "add", "SUB": "sub", "EOR": "xor", "AND": "and", "ORR": "or"}
_BRANCHES = {"CBZ": "eq", "CBNZ": "ne", "B.EQ": "eq", "B.NE": "ne", "BEQ": "eq", "BNE": "ne"}
_WRITING = frozenset((*LOADS, *EXCLUSIVE_LOADS, *EXCLUSIVE_STORES, *_ARITHMETIC, "MOV")) | {
    word for word, (whole, _) in SIZED.items() if whole in LOADS
}
"""The instructions whose first register is assigned."""
_FLAG = "Z"
KNOWN = (
    *LOADS, *STORES, *EXCLUSIVE_LOADS, *EXCLUSIVE_STORES, *SIZED, *UPDATES, *_ARITHMETIC, *_BRANCHES,
    "MOV", "DMB", "DSB", "ISB", "CMP", "B", "NOP",
)  # fmt: skip


class AArch64(AArch64Operands):
    """Reads one column."""

    @override
    def uses(self, instruction: AssemblyInstruction) -> Iterable[tuple[Named, str]]:
        """Return the registers of an instruction."""
        single = SINGLE.get(instruction.mnemonic)
        writes = instruction.mnemonic in _WRITING or (single is not None and single[0] == "CAS")
        second = single is not None and not writes
        inside = False
        before = ""
        found: list[tuple[Named, str]] = []
        for token in instruction.cursor.tokens[instruction.cursor.index :]:
            kind = token.kind
            if kind == "name" and (named := register_named(token.text)) is not None and named[0] != ZERO:
                role = "base" if before == "[" else "write" if writes and not inside else "read"
                found.append((Named(*named, token.span), role))
                writes, second = second, False
            elif kind == "[" or kind == "]":
                inside = kind == "["
            before = kind
        return found

    # ------------------------------------------------ operands

    # ------------------------------------------------ instructions

    @override
    def execute(self, index: int) -> int:
        """Emit an instruction and return the index of the next."""
        instruction = self.instructions[index]
        cursor, span = instruction.cursor, instruction.span
        word, bits = SIZED.get(instruction.mnemonic, (instruction.mnemonic, 0))
        if word in LOADS:
            target = self.part(self.target(cursor), bits, cursor)
            address = self.address(cursor, alone=word != "LDR")
            mode = AccessMode(LOADS[word])
            self.loaded(target, lambda name, type_: Load(name, type_, address, mode, span=span), span)
        elif word in STORES:
            source = self.part(self.register(cursor), bits, cursor)
            cursor.expect(",", "','")
            address = self.address(cursor, alone=word != "STR")
            self.emit(Store(self.get(source), self.accessed(source), address, AccessMode(STORES[word]), span=span))
        elif word in EXCLUSIVE_LOADS:
            return self.exclusive(index)
        elif word in EXCLUSIVE_STORES:
            hint = "LDXR and STXR of one address stand in one block, with arithmetic between them at most"
            raise cursor.fail(span, f"no load exclusive belongs to this {word}", hint)
        elif word in SINGLE:
            self.update(word, cursor, span)
        elif word in ("DMB", "DSB"):
            self.barrier(word, cursor, span)
        elif word == "ISB":
            if cursor.at("name") and cursor.peek().text.upper() == "SY":
                cursor.next()
            self.emit(Fence(AccessMode(Ordering.ACQUIRE, tags=frozenset({CONTEXT})), span=span))
        elif word == "MOV" or word in _ARITHMETIC:
            target, value = self.value(word, cursor, span)
            if target.family != ZERO:
                self.put(target, value, span)
        elif word == "CMP":
            left = self.register(cursor)
            cursor.expect(",", "','")
            equal = IntegerOperation("eq", (self.get(left), self.operand(cursor, left.bits)), None, span)
            self.emit(Assign(_FLAG, equal, span=span))
        elif word == "B" or word in _BRANCHES:
            return self.branch(index)
        elif word != "NOP":
            hint = did_you_mean(word, (*KNOWN, *SINGLE)) or f"those that are read: {', '.join(KNOWN)}"
            raise cursor.fail(cursor.tokens[cursor.index - 1].span, f"the instruction {word} is not read", hint)
        return index + 1

    def update(self, mnemonic: str, cursor: Cursor, span: Span) -> None:
        """Read a read-modify-write that is one instruction: `SWP W0,W1,[X2]`, `LDADDAL W0,W1,[X2]`."""
        word, ordering, bits = SINGLE[mnemonic]
        first = self.part(self.register(cursor), bits, cursor)
        cursor.expect(",", "','")
        second = self.part(self.register(cursor), bits, cursor)
        cursor.expect(",", "','")
        result = first if word == "CAS" else second
        if result.family == ZERO:
            hint = "what it read has a register, for example: LDADD W0,W1,[X2]"
            raise cursor.fail(result.span, "an update whose result nobody keeps orders less, and is not read", hint)
        if first.bits != second.bits:
            raise cursor.fail(second.span, f"this register has {second.bits} bits, and the other {first.bits}")
        address = self.address(cursor, alone=True)
        mode = AccessMode(ordering, tags=frozenset({ONE_INSTRUCTION}))
        if word == "CAS":
            self.exchanged(first, second, address, mode, span)
            return
        operation, value = UPDATES[word], self.get(first)
        if word == "LDCLR":
            value = IntegerOperation("xor", (value, Number(-1)), Type(first.bits), span)
        self.loaded(
            result, lambda name, type_: AtomicRmw(name, operation, type_, address, value, mode, span=span), span
        )

    def exchanged(self, old: Named, new: Named, address: Address, mode: AccessMode, span: Span) -> None:
        """Read CAS: the register of what is expected becomes what was there."""
        expected, desired, failing = self.get(old), self.get(new), failure_of(mode.ordering)

        def exchange(name: str, type_: Type) -> CmpXchg:
            return CmpXchg(name, done, False, type_, address, expected, desired, mode, failing, span=span)

        done = self.fresh()
        self.loaded(old, exchange, span)

    def value(self, word: str, cursor: Cursor, span: Span) -> tuple[Named, Expr]:
        """Read what a computation assigns, and its value."""
        target = self.target(cursor)
        if word == "MOV":
            return target, self.operand(cursor, target.bits)
        left = self.operand(cursor, target.bits)
        cursor.expect(",", "','")
        return target, IntegerOperation(_ARITHMETIC[word], (left, self.operand(cursor, target.bits)), None, span)

    def barrier(self, mnemonic: str, cursor: Cursor, span: Span) -> None:
        """Read DMB or DSB; all threads of a test are in every domain but the smallest, in which a thread is alone."""
        token = cursor.expect("name", "which accesses it orders: SY, LD, ST, ISH, ISHLD, ISHST")
        word = token.text.upper()
        kind = word[-2:] if word[-2:] in ("LD", "ST") else ""
        domain = word.removesuffix(kind) or "SY"
        if domain not in _DOMAINS or (domain == "SY" and word not in ("SY", "LD", "ST")):
            hint = "SY, LD, ST, and with ISH or OSH before these"
            raise cursor.fail(token.span, f"the barrier '{token.text}' is not read", hint)
        if kind != "ST":
            self.emit(Fence(AccessMode(BARRIERS[kind]), span=span))
            return
        first = mnemonic == "DSB"
        tags = frozenset({STORES_ALONE, STORES_FIRST} if first else {STORES_ALONE})
        self.emit(Fence(AccessMode(BARRIERS["" if first else kind], tags=tags), span=span))

    def branch(self, index: int) -> int:
        """Read a branch."""
        instruction = self.instructions[index]
        word, cursor, span = instruction.mnemonic, instruction.cursor, instruction.span
        condition: Expr | None = None
        if word in ("CBZ", "CBNZ"):
            register = self.register(cursor)
            cursor.expect(",", "','")
            condition = IntegerOperation(_BRANCHES[word], (self.get(register), Number(0)), None, span)
        elif word != "B":
            if not any(isinstance(each, Assign) and each.register == _FLAG for each in self.out):
                raise cursor.fail(span, "no CMP before this branch sets its flag")
            truth = Number(int(_BRANCHES[word] == "eq"))
            condition = IntegerOperation("eq", (Register(_FLAG), truth), None, span)
        target = cursor.expect("name", "a label")
        self.jump(target, condition, span)
        return self.dead(index + 1) if condition is None else index + 1

    # ------------------------------------------------ exclusives

    def exclusive(self, index: int) -> int:
        """Read a load exclusive with the store exclusive that belongs to it, or as a load if there is none."""
        first = self.instructions[index]
        word, cursor, span = first.mnemonic, first.cursor, first.span
        target = self.target(cursor)
        address = self.address(cursor, alone=True)
        acquires = EXCLUSIVE_LOADS[word]
        end = self.paired(index)
        if end is None:
            mode = AccessMode(Ordering.SEQ_CST if acquires else Ordering.MONOTONIC)
            self.loaded(target, lambda name, type_: Load(name, type_, address, mode, span=span), span)
            return index + 1
        try:
            self.modified(index, end, target, address)
        except Unparsable:
            self.broken = True
            last = self.instructions[end].cursor
            last.index = len(last.tokens) - 1
        return end + 1

    def modified(self, index: int, end: int, target: Named, address: Address) -> None:
        """Read what stands from a load exclusive to its store exclusive as one read-modify-write."""
        word, span = self.instructions[index].mnemonic, self.instructions[index].span
        acquires = EXCLUSIVE_LOADS[word]
        held = len(self.out)
        values: dict[str, Expr] = {self.name(target.family): Register(_OLD)}
        for between in self.instructions[index + 1 : end]:
            if between.mnemonic == "NOP":
                continue
            assigned, value = self.value(between.mnemonic, between.cursor, between.span)
            start = len(self.out)
            self.put(assigned, value, between.span)
            last = self.out[start]
            assert isinstance(last, Assign)
            values[last.register] = _substituted(last.value, values)
        computed, self.out = self.out[held:], self.out[:held]
        last_instruction = self.instructions[end]
        stored = last_instruction.cursor
        status = self.target(stored)
        source = self.register(stored)
        stored.expect(",", "','")
        where = self.address(stored, alone=True)
        if where != address:
            raise stored.fail(where.span, f"this is not the address of the {word} before it")
        if source.bits != target.bits:
            raise stored.fail(source.span, "the two exclusives access memory of one size")
        operation, value = self.operation(_substituted(self.get(source), values), stored, last_instruction.span)
        mode = AccessMode(_both(acquires, EXCLUSIVE_STORES[last_instruction.mnemonic]))
        rmw = lambda name, type_: AtomicRmw(name, operation, type_, address, value, mode, span=span)  # noqa: E731
        if self.tried_again(index, end, status):
            self.loaded(target, rmw, span)
            self.out += computed
            self.put(status, Number(0), last_instruction.span)
            return
        begins, _ = self.initials.get(status.family, (Number(0), span))
        if status.family in self.bases or isinstance(begins, AddressOf):
            hint = "a store exclusive that fails leaves 1 there"
            raise stored.fail(status.span, "a register that holds addresses is read as no status", hint)
        alone = AccessMode(Ordering.SEQ_CST if acquires else Ordering.MONOTONIC)
        failed = self.may_fail(last_instruction.span)
        self.loaded(target, rmw, span)
        self.put(status, Number(0), last_instruction.span)
        self.emit(Branch((f"{failed}.end",), span=span))
        self.emit(Label(failed, span=span))
        self.loaded(target, lambda name, type_: Load(name, type_, address, alone, span=span), span)
        self.put(status, Number(1), last_instruction.span)
        self.emit(Branch((f"{failed}.end",), span=span))
        self.emit(Label(f"{failed}.end", span=span))
        self.out += computed

    def may_fail(self, span: Span) -> str:
        """Begin what happens where a store exclusive succeeds; return the label of what happens where it fails.

        Which of the two happens is for nobody to know: it is whether a weak cmpxchg fails of a location of its own.
        """
        self.count += 1
        fails, ok = f"fails{self.count}", self.fresh()
        own = AddressOf(f"_{fails}_{self.column.name}", GLOBAL, span)
        self.named.append(own)
        mode = AccessMode(Ordering.MONOTONIC)
        address = Address(own, span=span)
        zero = Number(0)
        self.emit(CmpXchg(self.fresh(), ok, True, Type(32), address, zero, zero, mode, Ordering.MONOTONIC, span=span))
        succeeded = IntegerOperation("eq", (Register(ok), Number(1)), None, span)
        self.emit(Branch((f"{fails}.not", fails), succeeded, span=span))
        self.emit(Label(f"{fails}.not", span=span))
        return fails

    def tried_again(self, index: int, end: int, status: Named) -> bool:
        """Whether a pair that fails is executed again, with nothing but arithmetic, until it succeeds."""
        following = self.instructions[end + 1 : end + 2]
        words = [token.text for token in following[0].cursor.tokens if token.kind == "name"] if following else []
        if len(words) != 3 or following[0].label or words[0].upper() != "CBNZ":
            return False
        if register_named(words[1]) != (status.family, status.bits):
            return False
        begin = next((k for k in range(index, -1, -1) if self.instructions[k].label == words[2]), None)
        quiet = ("", "MOV", "NOP", *_ARITHMETIC)
        return begin is not None and all(each.mnemonic in quiet for each in self.instructions[begin:index])

    def paired(self, index: int) -> int | None:
        """Return the index of the store exclusive that ends what a load exclusive began; None if there is none."""
        for number in range(index + 1, len(self.instructions)):
            each = self.instructions[number]
            if each.label:
                return None
            if each.mnemonic in EXCLUSIVE_STORES:
                return number
            if each.mnemonic not in ("MOV", "NOP", *_ARITHMETIC):
                return None
        return None

    def operation(self, value: Expr, cursor: Cursor, span: Span) -> tuple[str, Expr]:
        """Return the read-modify-write that writes a value which depends on what was read, and its operand."""
        if not _depends(value):
            return "xchg", value
        if value == Register(_OLD):
            return "add", Number(0)
        if isinstance(value, IntegerOperation) and value.name in _ARITHMETIC.values():
            left, right = value.operands
            if left == Register(_OLD) and not _depends(right):
                return value.name, right
            if right == Register(_OLD) and not _depends(left) and value.name != "sub":
                return value.name, left
        hint = "one addition, subtraction, EOR, AND or ORR of what was read and something else, or something else alone"
        raise cursor.fail(span, "what this pair writes is no read-modify-write that is read", hint)


_OLD = "·old"


def _both(acquires: bool, releases: bool) -> Ordering:
    if acquires:
        return Ordering.ACQ_REL if releases else Ordering.ACQUIRE
    return Ordering.RELEASE if releases else Ordering.MONOTONIC


def _substituted(value: Expr, values: dict[str, Expr]) -> Expr:
    """Return a value in which what registers were given stands for them."""
    if isinstance(value, Register):
        return values.get(value.name, value)
    return walk.rebuilt(value, tuple(_substituted(child, values) for child in walk.children(value)))


def _depends(value: Expr) -> bool:
    return any(part == Register(_OLD) for part in walk.parts(value))


def read(source: Source) -> LitmusTest:
    """Return the test that a text describes; raise `InputError` with everything that is wrong with it."""
    return read_machine(read_front(source), AArch64)
