"""What opt writes, taken apart: functions as lines, metadata, declarations.

What goes in: the text of a module as opt prints it. What comes out: its functions by their names, and of one function
the text of a module that has it and what it needs. Left out is what changes no execution: comments, groups of
attributes, metadata of loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axmem.front.records import dataclass

_DEFINE = re.compile(r'define .*?@("[^"]*"|[\w.$-]+)\((.*)\)[^()]*\{$')
_HEAD = re.compile(r'define [^@]*@("[^"]*"|[\w.$-]+)\(')
_DECLARE = re.compile(r'declare .*?@("[^"]*"|[\w.$-]+)\(')
_NODE = re.compile(r"!(\d+) = (?:distinct )?(.*)")
_REFERENCE = re.compile(r"!(\d+)\b")
_DROPPED = re.compile(r", !llvm\.loop !\d+|(?<=\)) #\d+|\s*;.*$")
_CALLED = re.compile(r"@([\w.$-]+)")
_LABEL = re.compile(r"[\w.$-]+:")
END = "}"
LOCAL = re.compile(r"%([\w.$-]+)")
"""A name of a value, a block or a parameter."""
RESULT = re.compile(r"  %([\w.$-]+) = (.*)")
"""An instruction with a result: its name, and what is computed."""
PHI = re.compile(r"phi (\{ [^{}]* \}|\S+) (.*)")
"""What a phi is of, and what comes in."""
INCOMING = re.compile(r"\[ ([^,\s]+), %([\w.$-]+) \]")
"""A value of a phi, and the block from which control comes with it."""


@dataclass(frozen=True, slots=True)
class ModuleFunction:
    """A function: its result, its parameters as they are written, and the lines of its body, without its braces."""

    result: str
    parameters: tuple[str, ...]
    body: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, with their sigils."""
        return tuple(each.rpartition(" ")[2] for each in self.parameters)


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The functions that a module defines, its declarations and its nodes of metadata by their numbers."""

    functions: dict[str, ModuleFunction]
    declared: dict[str, str]
    nodes: dict[str, str]


def written(text: str) -> dict[str, str]:
    """Return the functions that a text defines as they are written, by their names."""
    found = (f"define {part}" for part in f"\n{text}".split("\ndefine ")[1:])
    return {match[1].strip('"'): part for part in found if (match := _HEAD.match(part)) is not None}


def module_of(text: str) -> ModuleText:
    """Return what a module has."""
    functions: dict[str, ModuleFunction] = {}
    declared: dict[str, str] = {}
    nodes: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("define "):
            if (match := _DEFINE.match(line)) is not None:
                functions[match[1].strip('"')] = _function(line, match[2], lines)
        elif line.startswith("declare ") and (match := _DECLARE.match(line)) is not None:
            declared[match[1].strip('"')] = _DROPPED.sub("", line)
        elif line.startswith("!") and (match := _NODE.match(line)) is not None:
            nodes[match[1]] = match[2]
    return ModuleText(functions, declared, nodes)


def _function(head: str, parameters: str, lines: Iterator[str]) -> ModuleFunction:
    body = []
    for line in lines:
        if line == END:
            break
        if kept := _DROPPED.sub("", line).rstrip():
            body.append(kept)
    words = head[: head.index("@")]
    result = words[words.index("{") : words.index("}") + 1] if "{" in words else words.split()[-1]
    given = tuple(split(parameters))
    return ModuleFunction(result, given, tuple(_entered(body, given)))


def _entered(body: Sequence[str], parameters: Sequence[str]) -> Iterator[str]:
    """Yield lines of which the first is a label if there are blocks: the number that LLVM counts for it goes."""
    if not any(map(is_label, body)) or is_label(body[0]):
        yield from body
        return
    number = sum(each.rpartition("%")[2].isdecimal() for each in parameters)
    yield "entry:"
    yield from (re.sub(rf"%{number}\b", "%entry", line) for line in body)


def split(text: str) -> Iterator[str]:
    """Yield what stands between the commas that stand in no brackets."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            yield text[begin:at].strip()
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def is_label(line: str) -> bool:
    """Whether a line begins a block."""
    return _LABEL.fullmatch(line) is not None


def defined(line: str) -> str:
    """Return the name of what a line computes; nothing if it has no result."""
    return match[1] if (match := RESULT.match(line)) else ""


def said(line: str) -> str:
    """Return an instruction without the name of its result."""
    return match[2] if (match := RESULT.match(line)) else line.strip()


def operands(line: str) -> frozenset[str]:
    """Return the names that a line uses."""
    return frozenset(LOCAL.findall(said(line)))


def inlined(lines: Sequence[str], module: ModuleText) -> tuple[str, ...]:
    """Return lines that name no nodes of metadata, but say what is in them."""
    return tuple(_inlined(line, module, frozenset()) for line in lines)


def _inlined(text: str, module: ModuleText, inside: frozenset[str]) -> str:
    def said(match: re.Match[str]) -> str:
        number = match[1]
        if number in inside or number not in module.nodes:
            return "!{}"
        return _inlined(module.nodes[number], module, inside | {number})

    return _REFERENCE.sub(said, text) if "!" in text else text


def called(function: ModuleFunction) -> tuple[str, ...]:
    """Return the names that a function uses, in order."""
    return tuple(dict.fromkeys(name for line in function.body for name in _CALLED.findall(line)))
