"""What Dartagnan's forms for GPUs have besides herd's: aliases, storage classes, what the system synchronizes.

What goes in: a source. What comes out: its `Head`, which is herd's front and what stands in braces and is not in it;
and readers of places and of instructions. Invariant: what is not herd's is blanked before herd's front reads the text,
so that every offset is one of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from axmem.formats.herd.assembly import unit
from axmem.formats.herd.ending import Ending
from axmem.formats.herd.front import ColumnCell, Front, ThreadColumn, asked, assembled, front_of, undeclared
from axmem.formats.herd.text import HerdText, blanked, without_comments
from axmem.front.records import dataclass, field, replace
from axmem.front.source import Diagnostic, Source, Span, did_you_mean
from axmem.litmus import walk
from axmem.litmus.kernels import Branch
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import (
    AddressOf,
    AddressSpace,
    Assign,
    Barrier,
    BarrierObject,
    Condition,
    Expr,
    FinalValue,
    IntegerOperation,
    Kernel,
    LitmusTest,
    Location,
    Number,
    Operand,
    Placement,
    Register,
    Statement,
    Thread,
    ValueComparison,
)
from axmem.litmus.words import AMDGPU, Hierarchy, Level

_ALIAS = re.compile(r"\b(?P<name>\w+)[ \t]*(?:@[ \t]*(?P<kind>\w+)[ \t]+)?aliases[ \t]+(?P<of>\w+)")
_KIND = re.compile(r"\b(?P<name>\w+)[ \t]*=[ \t]*[\w&-]+[ \t]*(?P<mark>@[ \t]*(?P<kind>\w+))")
_SYSTEM = re.compile(r"ssw[ \t]+P?(?P<first>\d+)[ \t]+P?(?P<second>\d+)")
_PLACE = re.compile(r"(?P<word>[a-z]+)[ \t]*(?P<number>\d+)")
_OPERAND = re.compile(r"[^\s,]+")
REGISTER = re.compile(r"r\d+")


@dataclass(frozen=True, slots=True)
class Alias:
    """A second name of a location; `kind` is the proxy that it stands for, if one is named."""

    name: str
    of: str
    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class Head:
    """The front of a test. `kinds` has the storage classes of locations, `system` who synchronizes with whom."""

    front: Front
    aliases: tuple[Alias, ...]
    kinds: Mapping[str, tuple[str, Span]]
    system: tuple[tuple[str, str, Span], ...]

    def home(self, name: str) -> str:
        """Return the first name of a location."""
        homes = {alias.name: alias.of for alias in self.aliases}
        for _ in homes:
            name = homes.get(name, name)
        return name


def read_head(source: Source) -> Head:
    """Return what stands before the program and after it. Raises `InputError` as herd's front does."""
    text, diagnostics = without_comments(source, code=False)
    taken = _Taken(text, diagnostics)
    opening = text.characters.find("{")
    closing = text.characters.find("}", opening + 1)
    if opening >= 0 and closing >= 0:
        taken.initial(opening, closing)
        taken.second(closing + 1)
    front = front_of(replace(text, characters=taken.rest), diagnostics, values=True)
    return Head(front, tuple(taken.aliases), taken.kinds, tuple(taken.pairs))


@dataclass(slots=True)
class _Taken:
    """What has been taken out of a text; `rest` are its characters, blank where that stood."""

    text: HerdText
    diagnostics: list[Diagnostic]
    rest: str = ""
    aliases: list[Alias] = field(default_factory=list)
    kinds: dict[str, tuple[str, Span]] = field(default_factory=dict)
    pairs: list[tuple[str, str, Span]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rest = self.text.characters

    def blank(self, start: int, end: int) -> None:
        """Take some characters out."""
        self.rest = self.rest[:start] + blanked(self.rest[start:end]) + self.rest[end:]

    def initial(self, opening: int, closing: int) -> None:
        """Take aliases and storage classes out of the initial values."""
        for match in _ALIAS.finditer(self.text.characters, opening, closing):
            span = self.text.span(*match.span())
            self.aliases.append(Alias(match["name"], match["of"], match["kind"] or "", span))
            self.blank(*match.span())
        for match in _KIND.finditer(self.text.characters, opening, closing):
            self.kinds[match["name"]] = match["kind"], self.text.span(*match.span("kind"))
            self.blank(*match.span("mark"))

    def second(self, start: int) -> None:
        """Take out the semicolon after the initial values, and the braces in which ssw stands."""
        match = re.compile(r"\s*;?\s*(?:\{(?P<inside>[^{}]*)\}\s*;?)?").match(self.text.characters, start)
        if match is None or not match[0].strip():
            return
        for part in re.finditer(r"[^;\s][^;]*", match["inside"] or ""):
            place = match.start("inside") + part.start()
            pair = _SYSTEM.fullmatch(part[0].strip())
            span = self.text.span(place, place + len(part[0].rstrip()))
            if pair is None:
                self.diagnostics.append(Diagnostic(self.text.source, span, "this names no two threads", "ssw 0 1"))
            else:
                self.pairs.append((f"P{pair['first']}", f"P{pair['second']}", span))
        self.blank(*match.span())


# ---------------------------------------------------------------- columns


def place_of(front: Front, column: ThreadColumn, words: Mapping[str, str], levels: Hierarchy = AMDGPU) -> Placement:
    """Return where a thread stands, by the words of a form; each must be there."""
    cell = column.place
    found: dict[str, int | None] = {}
    if not cell.text.startswith("@"):
        end = max(cell.end, cell.start + 1)
        example = ", ".join(f"{word} 0" for word in words)
        front.error(cell.start, end, f"thread {column.name} has no place", f"{column.name}@{example}")
        return Placement.at(levels)
    for part in re.finditer(r"[^,@]+", cell.text):
        text = part[0].strip()
        start = cell.start + part.start() + len(part[0]) - len(part[0].lstrip())
        match = _PLACE.fullmatch(text)
        if match is None or match["word"] not in words:
            hint = f"a place names {', '.join(words)}, each with a number"
            front.error(start, start + max(1, len(text)), f"'{text}' is no level with a number", hint)
            continue
        found[words[match["word"]]] = int(match["number"])
    for word, level in words.items():
        if level not in found:
            front.error(cell.start, cell.end, f"the place of {column.name} does not name its {word}")
    return Placement.at(levels, **found)


@dataclass(frozen=True, slots=True)
class Part:
    """A word of an instruction, or one of its operands, with its place."""

    text: str
    span: Span


def instruction(front: Front, cell: ColumnCell) -> tuple[list[Part], list[Part], Span]:
    """Return the words of an instruction, which dots join, and its operands, between commas or blanks."""
    head, _, rest = cell.text.partition(" ")
    whole = front.text.span(cell.start, cell.end)
    words, start = [], 0
    for word in head.split("."):
        words.append(_part(front, cell, whole, word, start))
        start += len(word) + 1
    behind = len(head) + 1
    operands = [_part(front, cell, whole, match[0], behind + match.start()) for match in _OPERAND.finditer(rest)]
    return words, operands, whole


def _part(front: Front, cell: ColumnCell, whole: Span, text: str, at: int) -> Part:
    """Return what stands at an offset of an instruction, whose place is `whole` if it is on one line."""
    length = len(text) or 1
    if whole.length == len(cell.text):
        return Part(text, tuple.__new__(Span, (whole.line, whole.column + at, length)))
    return Part(text, front.text.span(cell.start + at, cell.start + at + length))


def number(text: str) -> int | None:
    """Return the number that a text is, if it is one."""
    match = re.fullmatch(r"(-?)(0x[0-9A-Fa-f]+|[0-9]+)", text)
    if match is None:
        return None
    return -numeral(match[2]) if match[1] else numeral(match[2])


@dataclass(slots=True)
class ColumnNames:
    """What the columns of a test name: locations, and barriers with the threads that meet there."""

    locations: list[tuple[str, Span]] = field(default_factory=list)
    met: dict[str, list[str]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)

    def barriers(self) -> list[BarrierObject]:
        """Return the barriers."""
        return [BarrierObject(name, tuple(dict.fromkeys(found)), self.spans[name]) for name, found in self.met.items()]


@dataclass(slots=True)
class OperandReader:
    """What reads the column of a thread: of operands what both forms have; the front takes what is wrong with them."""

    head: Head
    names: ColumnNames
    name: str
    place: Placement

    @property
    def front(self) -> Front:
        """What herd's forms have at their heads."""
        return self.head.front

    def error(self, span: Span, message: str, hint: str = "") -> None:
        """Record an error."""
        self.front.error_at(span, message, hint)

    def register(self, operand: Part) -> str:
        """Return the register that an operand names."""
        if not REGISTER.fullmatch(operand.text):
            self.error(operand.span, f"'{operand.text}' is no register", "registers are r0, r1, …")
        return operand.text

    def value(self, operand: Part) -> Expr:
        """Return the number or the register that an operand is."""
        value = number(operand.text)
        if value is not None:
            return Number(value, span=operand.span)
        return Register(self.register(operand), span=operand.span)

    def location(self, operand: Part) -> str:
        """Return the location that an operand names, by its first name."""
        if REGISTER.fullmatch(operand.text) or not operand.text.isidentifier():
            self.error(operand.span, f"'{operand.text}' is no location")
        else:
            self.names.locations.append((operand.text, operand.span))
        return self.head.home(operand.text)

    def meeting(self, barrier: str, level: Level, span: Span) -> Barrier:
        """Return the arrival of the thread at a barrier of its own instance of a level."""
        inside = ".".join(str(n or 0) for n in self.place.instance(level))
        name = f"{barrier}.{inside}"
        self.names.met.setdefault(name, []).append(self.name)
        self.names.spans.setdefault(name, span)
        return Barrier(name, span=span)

    def arithmetic(self, word: str, operands: list[Part], span: Span) -> Iterator[Statement]:
        """Yield a computation in registers."""
        if len(operands) != 3:
            self.error(span, f"'{word}' has 3 operands, not {len(operands)}", f"{word} r1, r0, 1")
            return
        target, left, right = self.register(operands[0]), self.value(operands[1]), self.value(operands[2])
        yield Assign(target, IntegerOperation(word, (left, right), span=span), span=span)


ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor")
"""What computes in registers."""
OPERATIONS = {
    **{word: word for word in ("add", "sub", "and", "or", "xor")}, "plus": "add", "minus": "sub", "exch": "xchg",
    "cas": "cas",
}  # fmt: skip
"""The words of read-modify-writes."""


# ---------------------------------------------------------------- the test


@dataclass(frozen=True, slots=True)
class ColumnProgram:
    """What a reader has made of the columns."""

    threads: Sequence[Thread]
    names: ColumnNames
    levels: Hierarchy = AMDGPU


def whole(head: Head, program: ColumnProgram, model: str) -> LitmusTest:
    """Return the test, to be run under a model; raise `InputError` with everything that is wrong with it."""
    front = head.front
    own = [initial for initial in front.initials if not initial.thread]
    known = [initial.name for initial in own]
    for alias in head.aliases:
        if head.home(alias.of) not in known:
            front.error_at(alias.span, f"'{alias.of}' has no initial value", did_you_mean(alias.of, known))
    names = [thread.name for thread in program.threads]
    for initial in front.initials:
        if initial.thread and initial.thread not in names:
            front.error_at(initial.span, f"there is no thread {initial.thread}")
    units = [unit(replace(t, body=(*_begins(head, t), *t.body)), front) for t in program.threads]
    looping = {each.name for each in units if isinstance(each, Kernel)}
    barriers = program.names.barriers()
    for barrier in barriers if not front.diagnostics else ():
        if looping.intersection(barrier.participants):
            front.error_at(barrier.span, "a barrier at which a thread with a loop waits is not read")
    named = [*program.names.locations, *((o.location, o.span) for o in asked(front) if isinstance(o, FinalValue))]
    return assembled(
        replace(front, ending=_under_first_names(head)),
        [
            *(Location(i.name, AddressSpace.GLOBAL, None, i.value or Number(0), i.span) for i in own),
            *undeclared(front, [(head.home(name), span) for name, span in named]),
        ],
        [each for each in units if isinstance(each, Thread)],
        kernels=[each for each in units if isinstance(each, Kernel)],
        barriers=barriers,
        model=model,
        levels=program.levels,
    )


def _begins(head: Head, thread: Thread) -> Iterator[Statement]:
    """Yield what gives the registers of a thread their initial values, where that means anything."""
    assigned = {name for statement in walk.statements(thread.body) for name in walk.results(statement)}
    own = {initial.name for initial in head.front.initials if initial.thread == thread.name}
    controlled = any(isinstance(statement, Branch) for statement in thread.body)
    for name in sorted(assigned - own) if controlled else ():
        # Where there are branches a register may be read before it is assigned, and begins with 0.
        yield Assign(name, Number(0))
    for initial in head.front.initials:
        value = initial.value or Number(0)
        nothing = isinstance(value, Number) and value.value == 0 and initial.name in assigned and not controlled
        if initial.thread == thread.name and not nothing:
            if isinstance(value, AddressOf):
                value = replace(value, location=head.home(value.location))
            yield Assign(initial.name, value, span=initial.span)


def _under_first_names(head: Head) -> Ending:
    """Return what is asked, of locations under their first names."""

    def first(side: Operand) -> Operand:
        return replace(side, location=head.home(side.location)) if isinstance(side, FinalValue) else side

    def comparison(atom: ValueComparison) -> Condition:
        return replace(atom, left=first(atom.left), right=first(atom.right))

    ending = head.front.ending
    return replace(
        ending,
        observe=tuple(
            replace(o, location=head.home(o.location)) if isinstance(o, FinalValue) else o for o in ending.observe
        ),
        filter=None if ending.filter is None else walk.with_comparisons(ending.filter, comparison),
        condition=walk.with_comparisons(ending.condition, comparison),
    )
