"""The text of AMDGPU assembly, as llc, `clang --save-temps` and `llvm-objdump -d -r` print it.

What goes in: the text of a file. What comes out: a `AssemblyListing`: the kernels with their lines, and what
directives say of target, mode and arguments. Nothing is interpreted: a line is a mnemonic, operands and modifiers.
Invariant: every line between a kernel's label and its end is a label, a directive that moves nothing, or an
`AssemblyLine`; anything else is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from axmem.front.records import dataclass, field, replace
from axmem.front.source import Diagnostic, InputError, Source, Span

_HEADER = re.compile(r"([0-9a-fA-F]+) <([^>]+)>:$")
_LABEL = re.compile(r"([A-Za-z_.$][A-Za-z0-9_.$@]*|\"[^\"]+\"):$")
"""A name with other characters stands in quotes."""
_RELOCATION = re.compile(r"([0-9a-fA-F]+):\s+R_AMDGPU_(\w+)\s+([^\s+-]+)([+-]0x[0-9a-fA-F]+)?$")
_ENCODED = re.compile(r"([0-9a-fA-F]+): ([0-9A-F]{8})")
_NUMBERED = re.compile(r"(v(?:\d+|\[\d+:\d+\]))(\.[lh])?\s*/\*(v(?:\d+|\[\d+:\d+\]))(?:\.[lh])?\*/")
"""A vector register above the first 256, whose whole number LLVM says in a comment (s_set_vgpr_msb)."""
_RAW = frozenset({".long", ".short", ".byte", ".word", ".quad", ".hword", ".2byte", ".4byte", ".8byte"})
"""Directives that are code where they stand in code: instructions that the assembler is not trusted with."""
_MODIFIER = re.compile(r"(glc|slc|dlc|scc|sc0|sc1|nt|nv|lds|tfe|gds|off(set[01]?|en)?|idxen|addr64|scale_offset|clamp"
                       r"|th|scope|mul|div|op_sel|op_sel_hi|bitop3|src[01]_sel|dst_sel|dst_unused)(:.*)?$")  # fmt: skip
_KINDS = {"REL32_LO": "rel32@lo", "REL32_HI": "rel32@hi", "GOTPCREL32_LO": "gotpcrel32@lo",
          "GOTPCREL32_HI": "gotpcrel32@hi", "REL64": "rel64", "GOTPCREL": "gotpcrel"}  # fmt: skip
ADDRESS = 8
"""Bytes of an argument of which nothing says how long it is."""
_ENDS = (".section", ".size", ".text", ".globl", ".type", ".protected", ".hidden", ".weak")


@dataclass(frozen=True, slots=True)
class AssemblyLine:
    """An instruction: `rest` is everything after the mnemonic, `bits` the words after the operands.

    `relocation` is `x@rel32@lo+4` where a disassembler has it on a line of its own, `target` the label or the address
    that a branch goes to. `left_out` are the counters that a wait does not wait for, whatever its text says.
    """

    mnemonic: str
    operands: tuple[str, ...]
    bits: tuple[str, ...]
    rest: str
    span: Span
    relocation: str = ""
    target: str = ""
    left_out: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The instruction, blanks squeezed."""
        return " ".join([self.mnemonic, self.rest]).strip()


@dataclass(frozen=True, slots=True)
class AssemblyKernel:
    """A function: its lines, and the index of the line after each label (for a disassembly also after each address)."""

    name: str
    lines: tuple[AssemblyLine, ...]
    labels: Mapping[str, int]
    span: Span


class KernelArgument(NamedTuple):
    """Some bytes of a kernel's arguments: where they are, of which kind (no caller gives `hidden_…` ones), a name."""

    offset: int
    size: int
    kind: str = ""
    name: str = ""

    @property
    def hidden(self) -> bool:
        """Whether the launch gives it, and no caller."""
        return self.kind.startswith("hidden")


@dataclass(frozen=True, slots=True)
class AssemblyListing:
    """A file. `facts` are directives with their value: (kernel or nothing, directive) to (value, place).

    `arguments` gives for a kernel its arguments by their offsets, as far as the file says.
    """

    source: Source
    kernels: Mapping[str, AssemblyKernel]
    facts: Mapping[tuple[str, str], tuple[str, Span]]
    arguments: Mapping[str, tuple[KernelArgument, ...]]


@dataclass(slots=True)
class _Reading:
    """A kernel being read."""

    name: str
    span: Span
    lines: list[AssemblyLine] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.kernels: dict[str, AssemblyKernel] = {}
        self.facts: dict[tuple[str, str], tuple[str, Span]] = {}
        self.functions: set[str] = set()
        self.current: _Reading | None = None
        self.described = ""
        self.errors: list[Diagnostic] = []

    def error(self, span: Span, message: str, hint: str = "") -> None:
        self.errors.append(Diagnostic(self.source, span, message, hint))

    def line(self, number: int, raw: str) -> None:
        """Read one line of the file."""
        comment = min((k for k in (raw.find(";"), raw.find("//")) if k >= 0), default=len(raw))
        text = _NUMBERED.sub(r"\3\2", raw[:comment]).strip()
        if not text:
            return
        span = Span(number, len(raw) - len(raw.lstrip()) + 1, len(text))
        header, label = _HEADER.match(text), _LABEL.match(text)
        if header:
            self.begin(header[2], span, int(header[1], 16))
        elif label:
            self.label(_plain(label[1]), span)
        elif text.startswith(".") and not (self.current is not None and text.split()[0] in _RAW):
            self.directive(text, span)
        elif _RELOCATION.match(text):
            self.relocation(text, span)
        elif self.current is not None:
            self.instruction(text, raw[comment:], span)

    def begin(self, name: str, span: Span, address: int | None = None) -> None:
        self.finish()
        if name in self.kernels:
            self.error(span, f"there are two functions named '{name}'")
        self.current = _Reading(name, span)
        if address is not None:
            self.current.labels[f"{address:#x}"] = 0

    def label(self, name: str, span: Span) -> None:
        if name in self.functions:
            self.begin(name, span)
        elif self.current is not None and name.startswith(".Lfunc_end"):
            self.finish()
        elif self.current is not None:
            self.current.labels[name] = len(self.current.lines)
        elif not name.startswith("."):
            self.begin(name, span)

    def directive(self, text: str, span: Span) -> None:
        word, _, value = text.partition(" ")
        word, value = word.split("\t")[0], text[len(word.split("\t")[0]) :].strip()
        if word == ".type" and value.replace(" ", "").endswith(",@function"):
            self.functions.add(_plain(value.rpartition(",")[0]))
        if word == ".amdhsa_kernel":
            self.described = _plain(value)
        if word == ".end_amdhsa_kernel":
            self.described = ""
        self.facts[self.described, word] = (value, span)
        if word in _ENDS:
            self.finish()

    def relocation(self, text: str, span: Span) -> None:
        """Attach a relocation, which a disassembler prints on a line of its own, to the instruction before it."""
        match = _RELOCATION.match(text)
        if match is None or self.current is None or not self.current.lines:
            self.error(span, "a relocation of no instruction")
            return
        last = self.current.lines[-1]
        if match[2] not in _KINDS:
            self.error(span, f"unknown relocation R_AMDGPU_{match[2]}")
            return
        addend = int(match[4] or "0", 16)
        spelled = f"{match[3]}@{_KINDS[match[2]]}{addend:+d}"
        self.current.lines[-1] = replace(last, relocation=spelled)

    def instruction(self, text: str, comment: str, span: Span) -> None:
        assert self.current is not None
        encoded = _ENCODED.search(comment)
        if encoded:
            self.current.labels[f"{int(encoded[1], 16):#x}"] = len(self.current.lines)
        mnemonic, _, rest = text.partition(" ")
        mnemonic, rest = mnemonic.split("\t")[0], text[len(mnemonic.split("\t")[0]) :].strip()
        operands, bits = split_operands(rest)
        target = ""
        if mnemonic.startswith(("s_cbranch", "s_branch")) and operands:
            target = operands[0]
            if encoded:
                target = f"{branched(int(encoded[1], 16), int(encoded[2], 16)):#x}"
        self.current.lines.append(
            AssemblyLine(mnemonic, operands, bits, " ".join(rest.split()), span=span, relocation="", target=target)
        )

    def finish(self) -> None:
        if self.current is not None and self.current.lines:
            found = self.current
            self.kernels[found.name] = AssemblyKernel(found.name, tuple(found.lines), found.labels, found.span)
        self.current = None


def _plain(name: str) -> str:
    """Return a name without its quotes."""
    return name.strip().strip('"')


def branched(address: int, word: int) -> int:
    """Return where a branch goes, by its address and its encoding: so many words from the next instruction."""
    words = word & 0xFFFF
    return address + 4 + 4 * (words - 0x10000 if words >= 0x8000 else words)


def split_operands(rest: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the operands, which commas separate, and the modifiers, which follow the last."""
    pieces, depth, start = [], 0, 0
    for index, char in enumerate(rest):
        depth += (char in "[(") - (char in "])")
        if char == "," and not depth:
            pieces.append(rest[start:index].strip())
            start = index + 1
    words = rest[start:].split()
    operands = [piece for piece in pieces if piece]
    if words and (words[0] == "off" or not _MODIFIER.match(words[0])):
        operands.append(words.pop(0))
    return tuple(operands), tuple(words)


def read_listing(text: str, name: str) -> AssemblyListing:
    """Read a file of assembly. Raises InputError for what is no assembly."""
    source = Source(name, text)
    reader = _Reader(source)
    body, metadata = _without_metadata(text)
    for number, line in enumerate(body, 1):
        reader.line(number, line)
    reader.finish()
    arguments = _arguments(metadata, reader)
    if not reader.kernels and not reader.errors:
        hint = "it is to be the output of llc or llvm-objdump -d -r"
        reader.error(Span(1, 1), "there is no function in this file", hint)
    if reader.errors:
        raise InputError(reader.errors)
    return AssemblyListing(source, reader.kernels, reader.facts, arguments)


def _without_metadata(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the lines, those of the metadata document emptied, and the lines of that document with their numbers."""
    body, metadata, inside = [], [], False
    for number, line in enumerate(text.split("\n"), 1):
        word = line.strip()
        if word == ".amdgpu_metadata":
            inside = True
        elif word == ".end_amdgpu_metadata":
            inside = False
        elif inside:
            metadata.append((number, line))
            body.append("")
            continue
        body.append("" if inside or word == ".end_amdgpu_metadata" else line)
    return body, metadata


def _arguments(metadata: list[tuple[int, str]], reader: _Reader) -> dict[str, tuple[KernelArgument, ...]]:
    """Return the arguments of each kernel by their offsets, from the metadata document (YAML as LLVM prints it)."""
    found: dict[str, tuple[KernelArgument, ...]] = {}
    arguments: list[KernelArgument] = []
    item: dict[str, str] = {}

    def finish() -> None:
        if "offset" in item:
            size = int(item.get("size", ADDRESS))
            arguments.append(
                KernelArgument(int(item["offset"]), size, item.get("value_kind", ""), item.get("name", ""))
            )
        item.clear()

    for number, line in [*metadata, (0, "  - ")]:
        key, _, value = line.strip().removeprefix("- ").partition(":")
        depth = len(line) - len(line.lstrip())
        if line.startswith(("  - ", "      - ")):
            finish()
            if line.startswith("  - "):
                arguments = []
        if depth >= 6 and key in (".offset", ".size", ".name", ".value_kind"):
            if key in (".offset", ".size") and not value.strip().isdecimal():
                what = key.removeprefix(".")
                span = Span(number, depth + 1, len(line.strip()))
                reader.error(
                    span, f"the {what} of an argument is a number of bytes", f"{key}: {ADDRESS * (what != 'offset')}"
                )
                continue
            item[key.removeprefix(".")] = value.strip()
        elif depth == 4 and key == ".name":
            finish()
            found[value.strip().strip("'")] = tuple(sorted(arguments))
    return found
