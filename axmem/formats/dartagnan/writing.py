"""A test in Dartagnan's form for Vulkan.

What goes in: a test. What comes out: its text in that form, and a diagnostic for everything that the form cannot say:
an error for a statement that is left out, a warning for a part of one. Invariant: of a test without diagnostics the
text is read as a test with the same outcomes under `vulkan`, and the same operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.formats.unsaid import Unsaid
from axmem.formats.vulkan.operations import SCOPES
from axmem.front.records import dataclass, field
from axmem.front.source import Diagnostic, Span
from axmem.litmus import vulkan
from axmem.litmus.condition_printer import condition_text, observable_text
from axmem.litmus.layout import location_of
from axmem.litmus.printer import expectation_lines
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    AddressOf,
    AddressSpace,
    Assign,
    AtomicRmw,
    Barrier,
    Expr,
    Fence,
    LitmusTest,
    Load,
    Location,
    Make,
    Number,
    Register,
    Statement,
    Store,
    Thread,
)
from axmem.litmus.words import KNOWN_TAGS, NONE_TAG, PRIVATE_TAG, SPACE_TAGS, Level, Ordering, Scope, Tag

_WORDS: dict[Level, str] = {**{level: word for word, level in SCOPES.items()}, Scope.AGENT: "dv"}
_ORDERS = {
    Ordering.MONOTONIC: (), Ordering.ACQUIRE: ("acq",), Ordering.RELEASE: ("rel",), Ordering.ACQ_REL: ("acq", "rel"),
    Ordering.SEQ_CST: ("acq", "rel"),
}  # fmt: skip


def written(test: LitmusTest) -> tuple[str, list[Diagnostic]]:
    """Return a test in Dartagnan's form, and what it cannot say."""
    writer = _Writer(test)
    return writer.text(), writer.diagnostics


@dataclass(slots=True)
class _Writer(Unsaid):
    spaces: dict[str, AddressSpace] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    instances: dict[str, int] = field(default_factory=dict)
    system: dict[str, None] = field(default_factory=dict)
    registers: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the text of the test."""
        test = self.test
        self.spaces = {location.name: location.space for location in test.locations}
        self.lost_by_all()
        columns = [self.column(thread) for thread in test.threads]
        heads = [f"{t.name}@{self.place(t)}" for t in test.threads]
        rows = max(map(len, columns), default=0)
        table = [heads, *([c[n] if n < len(c) else "" for c in columns] for n in range(rows))]
        widths = [max(len(row[k]) for row in table) for k in range(len(heads))]
        lines = [" " + " | ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)) + " ;" for row in table]
        described = [f'"{test.description}"'] if test.description and '"' not in test.description else []
        begins = [self.location(location) for location in test.locations]
        begins += [f"{name} aliases {home};" for name, home in sorted(self.aliases.items())]
        system = ["{", *(f"ssw {pair};" for pair in self.system), "}"] if self.system else []
        parts = [f"VULKAN {test.name}", *described, "{", *begins, *self.registers, "}", *system, *lines, *self.asked()]
        return "".join(f"{part}\n" for part in parts)

    def asked(self) -> Iterator[str]:
        """Yield what is asked, and as comments what is expected."""
        test = self.test
        if test.observe:
            yield f"locations [{' '.join(f'{observable_text(o)};' for o in test.observe)}]"
        if test.filter is not None:
            yield f"filter ({condition_text(test.filter)})"
        yield f"{test.quantifier.value} ({condition_text(test.condition)})"
        for line in expectation_lines(test):
            yield f"(* axmem: {line} *)"

    def location(self, location: Location) -> str:
        """Return the initial value of a location."""
        value = location.initial
        if isinstance(value, AddressOf):
            return f"{location.name}=&{value.location};"
        if not isinstance(value, Number):
            self.lost(location.span, f"'{location.name}' has no initial number: it is written with 0")
            return f"{location.name}=0;"
        if location.space is AddressSpace.PRIVATE:
            self.lost(location.span, f"'{location.name}' is private memory, and written as storage class 0")
        return f"{location.name}={value.value};"

    def place(self, thread: Thread) -> str:
        """Return where a thread stands; subgroups and workgroups are numbered inside what is around them."""
        place = thread.placement
        if place[Scope.AGENT]:
            self.lost(thread.span, f"{thread.name} is on another device, for which there is no word")
        levels = (("sg", Scope.WAVEFRONT), ("wg", Scope.WORKGROUP), ("qf", Scope.CLUSTER))
        return ",".join(f"{word} {place[level]}" for word, level in levels)

    # ------------------------------------------------ instructions

    def column(self, thread: Thread) -> list[str]:
        """Return the instructions of a thread."""
        found: list[str] = []
        body, index = thread.body, 0
        while index < len(body):
            around = body[index : index + 3]
            match around:
                case (Fence(mode=before), Barrier() as barrier, Fence(mode=after)) if before == after:
                    found.append(self.barrier(barrier, before))
                    index += 3
                    continue
            text = self.statement(thread, body[index], first=not found)
            found += [text] if text else []
            index += 1
        return found

    def statement(self, thread: Thread, statement: Statement, *, first: bool) -> str:
        """Return one instruction, or nothing where that is said elsewhere or cannot be."""
        match statement:
            case Load(register, _, address, mode):
                words = self.words(statement.span, mode, address, without="rel")
                return f"ld{words} {register}, {self.name(address, mode)}"
            case Store(value, _, address, mode):
                words = self.words(statement.span, mode, address, writes=True, without="acq")
                return f"st{words} {self.name(address, mode)}, {self.value(value, statement.span)}"
            case AtomicRmw(register, "xchg", _, address, value, mode):
                words = self.words(statement.span, mode, address)
                name = self.name(address, mode)
                return f"rmw{words} {register or 'r0'}, {name}, {self.value(value, statement.span)}"
            case Fence(mode):
                return f"membar{self.words(statement.span, mode, None)}"
            case Barrier():
                return self.barrier(statement, None)
            case Make(visible, tags=tags) if tags & {vulkan.mark(vulkan.AVDEVICE), vulkan.mark(vulkan.VISDEVICE)}:
                self.synchronized(tags)
                return vulkan.VISDEVICE if visible else vulkan.AVDEVICE
            case Assign(register, Number(value)) if first:
                self.registers.append(f"{thread.name}:{register}={value};")
                return ""
            case Assign(register, Number(value)):
                return f"ld.sc0 {register}, {value}"
        self.lost(statement.span, "this statement has no instruction in Dartagnan's form", whole=True)
        return ""

    def barrier(self, barrier: Barrier, mode: AccessMode | None) -> str:
        """Return a control barrier, with the semantics of the fences around it."""
        places = [t.placement for t in self.test.threads for o in self.test.barriers
                  if o.name == barrier.name and t.name in o.participants]  # fmt: skip
        widest = max((a.meeting(b) for a in places for b in places), default=Scope.WORKGROUP)
        if widest > Scope.WORKGROUP:
            self.lost(barrier.span, "a control barrier of this form joins threads of one workgroup alone", whole=True)
        level = mode.scope.level if mode is not None else max(widest, Scope.WAVEFRONT)
        words = self.words(barrier.span, mode, None) if mode is not None else f".{_WORDS.get(level, 'dv')}"
        read = re.fullmatch(r"cbar(\d+)\..*", barrier.name)
        if read and not any(self.joined(barrier.name, other.name, read[1]) for other in self.test.barriers):
            return f"cbar{words} {read[1]}"
        return f"cbar{words} {self.instances.setdefault(barrier.name, 1000 + len(self.instances))}"

    def joined(self, name: str, other: str, number: str) -> bool:
        """Tell whether two barriers that differ would be one in this form: of one number, met in one workgroup."""
        if name == other or not other.startswith(f"cbar{number}."):
            return False
        groups = [
            {t.placement.instance(Scope.WORKGROUP) for t in self.test.threads if t.name in o.participants}
            for o in self.test.barriers if o.name in (name, other)
        ]  # fmt: skip
        return bool(groups[0] & groups[1])

    def words(
        self, span: Span, mode: AccessMode, address: Address | None, *, writes: bool = False, without: str = ""
    ) -> str:
        """Return the words of an operation, each with a dot before it."""
        tags = mode.tags
        self.synchronized(tags)
        found: list[str] = []
        atomic = mode.ordering is not Ordering.NOT_ATOMIC
        if atomic and address is not None:
            found.append("atom")
        if mode.av:
            found.append("av" if writes else "vis")
        if mode.ordering is Ordering.UNORDERED:
            self.lost(span, "an unordered access is written as a relaxed one")
        if mode.ordering is Ordering.SEQ_CST:
            self.lost(span, "Vulkan has no seq_cst: this is written as acq and rel")
        found += [word for word in _ORDERS.get(mode.ordering, ()) if word not in without]
        if atomic or mode.av:
            found.append(self.scope(span, mode))
        if address is not None:
            found += [self.storage(address, tags)]
            if not atomic and not mode.av and PRIVATE_TAG not in tags:
                found.append("nonpriv")
        if mode.volatile or mode.nontemporal:
            self.lost(span, "volatile and nontemporal have no words here")
        for tag in sorted(tags):
            if tag not in KNOWN_TAGS and not vulkan.is_known(tag):
                self.lost(span, f"the tag {':'.join(tag)} is left out")
        left = (vulkan.SEMAV if without == "rel" else vulkan.SEMVIS) if without else ""
        found += [word for word in self.semantics(mode) if word != left]
        return "".join(f".{word}" for word in found)

    def scope(self, span: Span, mode: AccessMode) -> str:
        """Return the word of a scope."""
        level = mode.scope.level
        if level is Scope.SYSTEM and any(t.placement[Scope.AGENT] for t in self.test.threads):
            self.lost(span, "system scope is written as that of the device")
        if level is Scope.SINGLETHREAD:
            self.lost(span, "the scope of one invocation is written as that of its subgroup")
        return _WORDS.get(level, "sg" if level is Scope.SINGLETHREAD else "dv")

    def storage(self, address: Address, tags: frozenset[Tag]) -> str:
        """Return the storage class of an access: its own, or that of its memory."""
        own = [name for name in vulkan.CLASSES if vulkan.mark(name) in tags]
        return own[0] if own else "sc1" if self.spaces.get(location_of(address) or "") is AddressSpace.LDS else "sc0"

    @staticmethod
    def semantics(mode: AccessMode) -> Iterator[str]:
        """Yield the classes that an operation orders, and whether it makes available and visible."""
        tags = mode.tags
        if not mode.ordering.synchronizes:
            return
        named = [word for word in vulkan.SEMANTICS.values() if vulkan.mark(word) in tags]
        local, everywhere = SPACE_TAGS[AddressSpace.LDS] in tags, SPACE_TAGS[AddressSpace.GLOBAL] in tags
        yield from named or [w for w, only in zip(("semsc0", "semsc1"), (local, everywhere), strict=True)
                             if not only or (local and everywhere)]  # fmt: skip
        default = not named and NONE_TAG not in tags
        for word, does in ((vulkan.SEMAV, mode.ordering.releases), (vulkan.SEMVIS, mode.ordering.acquires)):
            if does and (default or vulkan.mark(word) in tags):
                yield word

    def name(self, address: Address, mode: AccessMode) -> str:
        """Return the name under which an access reaches its location."""
        home = location_of(address)
        if home is None or address.index is not None:
            self.lost(address.span, "an address is the name of a location here", whole=True)
        for other in vulkan.references(mode.tags):
            self.aliases[other] = home or ""
            return other
        return home or ""

    def value(self, value: Expr, span: Span) -> str:
        """Return what is stored."""
        if isinstance(value, Number):
            return str(value.value)
        if not isinstance(value, Register):
            self.lost(span, "what is stored is a number or a register here", whole=True)
            return "0"
        return value.name

    def synchronized(self, tags: frozenset[Tag]) -> None:
        """Note what the system synchronizes."""
        for pair in sorted(vulkan.synchronizations(tags, before=True)):
            self.system[pair.replace("P", "").replace(".", " ")] = None
