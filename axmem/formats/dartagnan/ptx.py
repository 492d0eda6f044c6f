"""Dartagnan's form for PTX: loads, stores, atomics, fences and barriers of the ISA, in columns.

What goes in: `PTX NAME`, initial values, columns `P0@cta 0,gpu 0`, a question. What comes out: a test of the levels of
PTX, to be run under `ptx`. Weak accesses are not atomic, relaxed ones monotonic. Proxies and aliases are refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.dartagnan.flow import ColumnFlow
from axmem.formats.dartagnan.front import (
    ARITHMETIC,
    OPERATIONS,
    ColumnNames,
    ColumnProgram,
    Head,
    OperandReader,
    Part,
    instruction,
    number,
    place_of,
    read_head,
    whole,
)
from axmem.formats.herd.front import ColumnCell, ThreadColumn, columns
from axmem.front.output import counted
from axmem.front.source import Source, Span, did_you_mean
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    AddressOf,
    Assign,
    AtomicRmw,
    CmpXchg,
    Fence,
    LitmusTest,
    Load,
    Statement,
    Store,
    Thread,
)
from axmem.litmus.words import Level, Ordering, SyncScope, failure_of, hierarchy

MODEL = "ptx"
LEVELS = hierarchy(("thread", "cta", "cluster", "gpu", "system"))
PLACES = {"cta": "cta", "gpu": "gpu"}
SCOPES: dict[str, Level] = {"cta": LEVELS[1], "cluster": LEVELS[2], "gpu": LEVELS[3], "sys": LEVELS[4]}
ORDERS = {
    "weak": Ordering.NOT_ATOMIC, "relaxed": Ordering.MONOTONIC, "acquire": Ordering.ACQUIRE,
    "release": Ordering.RELEASE, "acq_rel": Ordering.ACQ_REL, "sc": Ordering.SEQ_CST,
}  # fmt: skip
ALLOWED = {
    "ld": ("weak", "relaxed", "acquire"), "st": ("weak", "relaxed", "release"), "fence": ("acq_rel", "sc"),
    "atom": ("relaxed", "acquire", "release", "acq_rel"), "red": ("relaxed", "release"),
}  # fmt: skip
PROXIES = frozenset({"tld", "suld", "cold", "sust", "suatom", "sured"})
EXAMPLES = {
    "ld": "ld.acquire.gpu r0, x", "st": "st.weak x, 1", "fence": "fence.sc.gpu", "bar": "bar.cta.sync 1",
    "atom": "atom.relaxed.gpu.add r0, x, 1", "red": "red.relaxed.gpu.add x, 1",
}  # fmt: skip


def read(source: Source) -> LitmusTest:
    """Return the test that a text describes; raise `InputError` with everything that is wrong with it."""
    head = read_head(source)
    for alias in head.aliases:
        head.front.error_at(alias.span, "proxies and aliases are not read: every access goes through the generic proxy")
    for *_, span in head.system:
        head.front.error_at(span, "PTX has no ssw")
    for kind, span in head.kinds.values():
        head.front.error_at(span, f"'{kind}' says nothing here")
    names = ColumnNames()
    threads = [_thread(head, names, column) for column in columns(head.front)]
    return whole(head, ColumnProgram(threads, names, LEVELS), MODEL)


def _thread(head: Head, names: ColumnNames, column: ThreadColumn) -> Thread:
    """Read one column."""
    place = place_of(head.front, column, PLACES, LEVELS)
    thread = _Column(head, names, column.name, place)
    return Thread(column.name, place, ColumnFlow(thread, column).statements(thread.statements), column.span)


class _Column(OperandReader):
    def statements(self, cell: ColumnCell) -> Iterator[Statement]:
        """Yield what an instruction is, if it is read."""
        words, operands, span = instruction(self.front, cell)
        word = words[0].text
        if word in PROXIES or (word == "fence" and len(words) > 1 and words[1].text == "proxy"):
            self.error(span, "proxies and aliases are not read: every access goes through the generic proxy")
        elif word in ARITHMETIC and len(words) == 1:
            yield from self.arithmetic(word, operands, span)
        elif word == "bar":
            yield from self.barrier(words, operands, span)
        elif word in ALLOWED:
            yield from self.memory(words, operands, span)
        else:
            known = (*ALLOWED, "bar", *ARITHMETIC)
            self.error(words[0].span, f"unknown instruction '{word}'", did_you_mean(word, known))

    def memory(self, words: list[Part], operands: list[Part], span: Span) -> Iterator[Statement]:
        """Yield an access or a fence."""
        word = words[0].text
        operation = ""
        if word in ("atom", "red"):
            if words[-1].text not in OPERATIONS or (word == "red" and words[-1].text in ("cas", "exch")):
                self.error(words[-1].span, f"'{words[-1].text}' is no operation of {word}", EXAMPLES[word])
                return
            operation = OPERATIONS[words[-1].text]
            words = words[:-1]
        if word == "ld" and len(words) == 1 and len(operands) == 2 and number(operands[1].text) is not None:
            # It sets a register, and accesses no memory.
            yield Assign(self.register(operands[0]), self.value(operands[1]), span=span)
            return
        mode = self.mode(word, words, span)
        wanted = {"ld": 2, "st": 2, "fence": 0, "atom": 4 if operation == "cas" else 3, "red": 2}[word]
        if len(operands) != wanted:
            self.error(span, f"'{word}' has {counted(wanted, 'operand')}, not {len(operands)}", EXAMPLES[word])
            return
        if mode is None:
            return
        if word == "fence":
            yield Fence(mode, span=span)
        elif word == "st":
            yield Store(self.value(operands[1]), None, self.address(operands[0]), mode, span=span)
        elif word == "ld" and number(operands[1].text) is not None:
            yield Assign(self.register(operands[0]), self.value(operands[1]), span=span)
        elif word == "ld":
            yield Load(self.register(operands[0]), None, self.address(operands[1]), mode, span=span)
        elif word == "red":
            yield AtomicRmw("", operation, None, self.address(operands[0]), self.value(operands[1]), mode, span=span)
        elif operation == "cas":
            register, address = self.register(operands[0]), self.address(operands[1])
            expected, desired = self.value(operands[2]), self.value(operands[3])
            yield CmpXchg(
                register, f"{register}_done", False, None, address, expected, desired, mode, failure_of(mode.ordering),
                span=span,
            )  # fmt: skip
        else:
            register, address = self.register(operands[0]), self.address(operands[1])
            yield AtomicRmw(register, operation, None, address, self.value(operands[2]), mode, span=span)

    def mode(self, word: str, words: list[Part], span: Span) -> AccessMode | None:
        """Read the ordering and the scope of an operation."""
        if len(words) < 2 or words[1].text not in ORDERS:
            place = words[1].span if len(words) > 1 else span
            self.error(place, f"'{word}' says how strong it is: {', '.join(ALLOWED[word])}", EXAMPLES[word])
            return None
        if words[1].text not in ALLOWED[word]:
            self.error(words[1].span, f"'{word}' cannot be {words[1].text}", f"{', '.join(ALLOWED[word])}")
            return None
        ordering, rest = ORDERS[words[1].text], words[2:]
        if ordering is Ordering.NOT_ATOMIC:
            if rest:
                self.error(rest[0].span, "a weak access has no scope")
            return AccessMode()
        if not rest or rest[0].text not in SCOPES:
            place = rest[0].span if rest else span
            self.error(place, f"a strong operation has a scope: {', '.join(SCOPES)}", EXAMPLES[word])
            return None
        for extra in rest[1:]:
            self.error(extra.span, f"'{extra.text}' says nothing here")
        return AccessMode(ordering, SyncScope(SCOPES[rest[0].text]))

    def barrier(self, words: list[Part], operands: list[Part], span: Span) -> Iterator[Statement]:
        """Yield the arrival at a barrier of the thread's CTA."""
        if [part.text for part in words[1:]] not in (["cta", "sync"], ["sync"]) or len(operands) != 1:
            self.error(span, "of barriers only that at which all threads wait is read", EXAMPLES["bar"])
            return
        called = number(operands[0].text)
        if called is None or called < 0:
            self.error(operands[0].span, "the name of a barrier is a number from 0 on", EXAMPLES["bar"])
            return
        yield self.meeting(f"bar{called}", SCOPES["cta"], span)

    def address(self, operand: Part) -> Address:
        """Return the location that an operand names."""
        return Address(AddressOf(self.location(operand), span=operand.span), None, operand.span)
