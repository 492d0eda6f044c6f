"""Dartagnan's form for Vulkan: instructions like Khronos', in columns, with registers and a condition.

What goes in: `VULKAN NAME`, initial values, `ssw` in braces, columns `P0@sg 0,wg 0,qf 0`, a question. What comes out: a
test to be run under `vulkan`, whose operations are those that Khronos' form would give (`axmem.formats.vulkan`).
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
from axmem.formats.vulkan import operations
from axmem.formats.vulkan.operations import InstructionWords
from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.front.source import Source, Span
from axmem.litmus import vulkan
from axmem.litmus.syntax import (
    Assign,
    LitmusTest,
    Number,
    Statement,
    Thread,
)
from axmem.litmus.words import Scope, Tag

PLACES = {"sg": "wavefront", "wg": "workgroup", "qf": "cluster"}
_SPELLED = {
    **{word: (word,) for word in ("st", "ld", "rmw", "membar", "cbar", "atom", "acq", "rel", "av", "vis", "nonpriv")},
    **{word: (word,) for word in vulkan.WORDS},
    **{word: (word,) for word in ("sg", "wg", "qf")},
    "dv": ("dev",), "acq_rel": ("acq", "rel"), "semsc01": ("semsc0", "semsc1"), "priv": (),
}  # fmt: skip
"""The words of instructions, and those of Khronos' form that they stand for."""
_CHANGES = tuple(word for word in OPERATIONS if word != "cas")
"""The words behind those of an rmw that say what it does; without one it exchanges."""
OPERANDS = {
    "st": "st WORDS x, 1", "ld": "ld WORDS r0, x", "rmw": "rmw WORDS r0, x, 1", "cbar": "cbar WORDS 1",
    "membar": "membar WORDS", "avdevice": "avdevice", "visdevice": "visdevice",
}  # fmt: skip


def read(source: Source) -> LitmusTest:
    """Return the test that a text describes; raise `InputError` with everything that is wrong with it."""
    head = read_head(source)
    names = ColumnNames()
    threads = [_thread(head, names, column) for column in columns(head.front)]
    known = [thread.name for thread in threads]
    for *pair, span in head.system:
        for name in pair:
            if name not in known:
                head.front.error_at(span, f"there is no thread {name}")
    return whole(head, ColumnProgram(threads, names), "vulkan")


def _thread(head: Head, names: ColumnNames, column: ThreadColumn) -> Thread:
    """Read one column."""
    tags: set[Tag] = set()
    for first, second, _ in head.system:
        before, after = vulkan.system_synchronizes(first, second)
        tags |= {tag for tag, name in ((before, first), (after, second)) if name == column.name}
    place = place_of(head.front, column, PLACES)
    thread = _Column(head, names, column.name, place, frozenset(tags))
    return Thread(column.name, place, ColumnFlow(thread, column).statements(thread.statements), column.span)


@dataclass(slots=True)
class _Column(OperandReader):
    tags: frozenset[Tag]

    def statements(self, cell: ColumnCell) -> Iterator[Statement]:
        """Yield what an instruction is."""
        parts, operands, span = instruction(self.front, cell)
        if parts[0].text in ARITHMETIC and len(parts) == 1:
            yield from self.arithmetic(parts[0].text, operands, span)
            return
        change = "xchg"
        if parts[0].text == "rmw" and parts[-1].text in _CHANGES:
            change = OPERATIONS[parts.pop().text]
        words = self.words(parts, span, operands)
        if words is None:
            return
        wanted = {"st": 2, "ld": 2, "rmw": 3, "cbar": 1}.get(words.kind, 0)
        if len(operands) != wanted:
            message = f"'{words.kind}' has {counted(wanted, 'operand')}, not {len(operands)}"
            if words.kind == "cbar" and len(operands) > 1:
                message = "a control barrier with a number of those who must arrive is not read"
            self.error(span, message, OPERANDS[words.kind])
            return
        for fault in operations.faults(words):
            self.error(*fault)
        yield from self.operation(words, operands, change)

    def operation(self, words: InstructionWords, operands: list[Part], change: str) -> Iterator[Statement]:
        """Yield the statements of an instruction whose words and operands are known."""
        if words.kind == "cbar":
            yield from self.barrier(words, operands[0])
        elif words.kind == "membar":
            if words.some(*operations.SCOPES):
                yield operations.fence(words, self.tags)
        elif not words.accesses:
            yield operations.device(words, self.tags)
        elif words.scoped and not words.some(*operations.SCOPES):
            return
        elif words.kind == "st":
            value = self.value(operands[1])
            yield operations.store(words, self.location(operands[0]), value, self.tagged(operands[0]))
        elif words.kind == "ld" and (value_ := number(operands[1].text)) is not None:
            yield Assign(self.register(operands[0]), Number(value_, span=operands[1].span), span=words.span)
        elif words.kind == "ld":
            register = self.register(operands[0])
            yield operations.load(words, register, self.location(operands[1]), self.tagged(operands[1]))
        else:
            register, value = self.register(operands[0]), self.value(operands[2])
            home, tags = self.location(operands[1]), self.tagged(operands[1])
            yield operations.update(words, register, home, value, operation=change, further=tags)

    def words(self, parts: list[Part], span: Span, operands: list[Part]) -> InstructionWords | None:
        """Read the words of an instruction; the storage class may be that of its location."""
        found: dict[str, Span] = {}
        for part in parts:
            if part.text not in _SPELLED:
                self.error(part.span, *operations.unknown(part.text, _SPELLED))
                return None
            for word in _SPELLED[part.text]:
                found.setdefault(word, part.span)
        kinds = [kind for kind in operations.KINDS if kind in found]
        if kinds[:1] != [parts[0].text] or len(kinds) > 1:
            self.error(span, f"an instruction begins with one of {', '.join(operations.KINDS)}")
            return None
        for operand in operands if kinds[0] in ("st", "ld", "rmw") else ():
            kind, place = self.head.kinds.get(operand.text, ("", span))
            if kind and not found.keys() & set(vulkan.CLASSES):
                if kind not in vulkan.CLASSES:
                    self.error(place, f"'{kind}' is no storage class that is read", "sc0 or sc1")
                found[kind] = operand.span
        return InstructionWords(kinds[0], found, span)

    def barrier(self, words: InstructionWords, operand: Part) -> Iterator[Statement]:
        """Yield a control barrier, between fences if it has semantics."""
        scopes = words.some(*operations.SCOPES)
        called = number(operand.text)
        if called is None or called < 0:
            self.error(operand.span, "the instance of a control barrier is a number from 0 on", OPERANDS["cbar"])
            return
        if not scopes:
            return
        # The scope that is written is that of the semantics; those who meet are a workgroup's in this form.
        arrival = self.meeting(f"cbar{called}", Scope.WORKGROUP, words.span)
        if operations.with_semantics(words):
            yield operations.fence(words, self.tags)
        yield arrival
        if operations.with_semantics(words):
            yield operations.fence(words, self.tags)

    def tagged(self, operand: Part) -> frozenset[Tag]:
        """Return the tags of who accesses a location, and under which name."""
        if self.head.home(operand.text) == operand.text:
            return self.tags
        return self.tags | {vulkan.reference(operand.text)}
