"""What opt writes, taken apart: functions, metadata, declarations.

What goes in: the text of a module as opt prints it. What comes out: its functions by their names, each read when it is
asked for, and once. Left out is what changes no execution: comments, groups of attributes, metadata of loops; what
nodes of metadata say stands where they are named. A body is also a row of lines, some of which are labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

from axmem.formats.ir.flow import places
from axmem.formats.ir.printer import declared
from axmem.formats.ir.renaming import renamed
from axmem.formats.ir.syntax import Block, Function, Instruction
from axmem.formats.ir.whole import WholeParser
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError, Source
from axmem.litmus.loop_metadata import LOOP

T = TypeVar("T")
ENTRY = "entry"
"""What a first block without a name is called if there are others."""
LABEL = "label"
"""What a line is that begins the block which is its target."""


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The functions that a module defines, its declarations, its types and nodes of metadata, as they are written."""

    functions: dict[str, str]
    declared: dict[str, str]
    types: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()

    def function(self, name: str) -> Function:
        """Return a function that the module defines. Raises InputError for one that cannot be read."""
        return _function(self.functions[name].replace(f"@{name}(", "@f(", 1), self.types, self.nodes)

    def declaration(self, name: str) -> str:
        """Return what the module declares of a function."""
        return declared(replace(_head(self.declared[name], self.types), attributes=()))


def written(text: str) -> dict[str, str]:
    """Return the functions that a text defines as they are written, by their names."""
    parts = (f"define {part}" for part in f"\n{text}".split("\ndefine ")[1:])
    return {_name(part): part[: part.find("\n}") + 3] for part in parts}


def _name(head: str) -> str:
    """Return the name of a function that is written."""
    at = head.find("@") + 1
    return head[at + 1 : head.find('"', at + 1)] if head[at] == '"' else head[at : head.find("(", at)]


def module_of(text: str) -> ModuleText:
    """Return what a module has."""
    lines = text.split("\n")
    found = {_name(line): line for line in lines if line.startswith("declare ")}
    types, nodes = (tuple(line for line in lines if line[:1] == sigil) for sigil in "%!")
    return ModuleText(written(text), found, types, nodes)


@lru_cache(maxsize=4096)
def _function(text: str, types: tuple[str, ...], nodes: tuple[str, ...]) -> Function:
    """Return a function that is written; of a first block without a name others say the number that LLVM counts."""
    head, *rows = _statements(text)
    function = _head(f"{head}\n  unreachable\n}}", types)
    lines = [line for row in rows for line in _lines(row, (*types, *nodes) if "!" in row else types)]
    if lines[0].operation == LABEL or all(line.operation != LABEL for line in lines):
        return with_body(function, lines)
    number = sum(name.isdecimal() for name in names_of(function))
    return renamed(with_body(function, (Instruction(LABEL, targets=(ENTRY,)), *lines)), {f"{number}": ENTRY})


def _statements(text: str) -> list[str]:
    """Return the lines of a function up to its end; what stands further in goes on with the line above it."""
    found: list[str] = []
    for line in text.split("\n"):
        if line == "}":
            break
        if line.startswith(("    ", "  ]")):
            found[-1] += f"\n{line}"
        elif line and not line.lstrip().startswith(";"):
            found.append(line)
    return found


@lru_cache(maxsize=4096)
def _head(text: str, types: tuple[str, ...]) -> Function:
    """Return a function that is declared, or the head of one."""
    (found,) = _read(text, types, WholeParser.module).functions.values()
    return found


@lru_cache(maxsize=1 << 16)
def _lines(text: str, known: tuple[str, ...]) -> tuple[Instruction, ...]:
    """Return a line, with nodes in the place of their numbers: functions have most of their lines in common."""
    return _read(text, known, lambda parser: tuple(_line(parser)))


def _line(parser: WholeParser) -> Iterator[Instruction]:
    if parser.cursor.at("label"):
        yield Instruction(LABEL, targets=(parser.cursor.next().value,))
        return
    for each in parser.line():
        attached = tuple((kind, node) for kind, node in each.attached if kind != LOOP)
        words = tuple(word for word in each.words if word[0] != "#")
        yield replace(each, attached=attached, loop=None, words=words)


def _read(text: str, known: tuple[str, ...], read: Callable[[WholeParser], T]) -> T:
    parser = WholeParser(Source("opt.ll", "\n".join((text, *known))))
    parser.placed = True
    found = read(parser)
    if parser.diagnostics:
        raise InputError(parser.diagnostics)
    return found


def body(function: Function) -> Iterator[Instruction]:
    """Yield the lines of a function, labels among them; the only block has none if it has no name."""
    for block in function.blocks:
        if block.name:
            yield Instruction(LABEL, targets=(block.name,))
        yield from block.instructions


def with_body(function: Function, lines: Iterable[Instruction]) -> Function:
    """Return a function that has these lines."""
    blocks: list[tuple[str, list[Instruction]]] = []
    for line in lines:
        if line.operation == LABEL or not blocks:
            blocks.append((label_of(line), []))
        if line.operation != LABEL:
            blocks[-1][1].append(line)
    return replace(function, blocks=tuple(Block(name, tuple(inside)) for name, inside in blocks))


def label_of(line: Instruction) -> str:
    """Return the name of the block that a line begins; nothing if it begins none."""
    return line.targets[0] if line.operation == LABEL else ""


def names_of(function: Function) -> list[str]:
    """Return the names of a function's parameters."""
    return [each.name for each in function.parameters]


def callees(function: Function) -> tuple[str, ...]:
    """Return the names of functions and variables that a function uses, in order."""
    found: dict[str, None] = {}
    for line in body(function):
        found |= dict.fromkeys((line.callee, *(name for each in line.operands for name in places(each.value))))
    return tuple(found)
