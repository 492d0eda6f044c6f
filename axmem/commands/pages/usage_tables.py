"""The lowering in the layout of [AMDGPUUsage]'s code-sequence tables, as reStructuredText.

What goes in: the tables of `axmem.codegen` and the layout of the document's. What comes out: for each of the document's
tables a grid table, whose rows are in its order. A cell has the steps of an operation, numbered, each with the
instructions that are emitted in some family, mode, scope, space or by some operation of the row; below a step stands
which of them are there only, or not, in some of these. Everything is what `lower_steps` says, nothing the document's.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from axmem.codegen.instructions import EmittedInstruction, InstructionKind, prefix
from axmem.codegen.lowering import lower_steps
from axmem.commands.pages.usage_conditions import Conditions
from axmem.commands.pages.usage_layout import MARKS, USUAL, Case, UsageRow, UsageTable, cases, usage_tables
from axmem.front.records import dataclass, field
from axmem.litmus.words import AddressSpace, Ordering

HEADS = ("LLVM Instr", "LLVM Memory Ordering", "LLVM Memory Sync Scope", "AMDGPU Address Space",
         "AMDGPU Machine Code {title}")  # fmt: skip
SECTIONS = {
    Ordering.NOT_ATOMIC: "Non-Atomic",
    Ordering.UNORDERED: "Unordered Atomic",
    Ordering.MONOTONIC: "Monotonic Atomic",
    Ordering.ACQUIRE: "Acquire Atomic",
    Ordering.RELEASE: "Release Atomic",
    Ordering.ACQ_REL: "Acquire-Release Atomic",
    Ordering.SEQ_CST: "Sequentially Consistent Atomic",
}
UNKNOWN = "*LLVM has no such operation*"
NOTHING = "*none*"
_WIDTHS = (14, 11, 14, 9, 64)
_PREFIXES = ("buffer", "global", "ds", "flat", "scratch")

Lines = list[str]
_Key = TypeVar("_Key")


@dataclass(slots=True)
class _Part:
    """A counter or bit: in which cases it is there, and why."""

    held: int = 0
    why: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Instruction:
    """An instruction of a step in all cases of a row: how it begins, its parts, and in which cases it is there."""

    names: dict[str, None] = field(default_factory=dict)
    waits: bool = False
    held: int = 0
    parts: dict[str, _Part] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    why: dict[str, None] = field(default_factory=dict)


def printed(profile: str, *, reasons: bool = False, chosen: Sequence[UsageTable] | None = None) -> str:
    """Return all tables, or those chosen."""
    return "\n".join("\n".join(_table(table, profile, reasons)) for table in chosen or usage_tables())


def _table(table: UsageTable, profile: str, reasons: bool) -> Iterator[str]:
    yield from (f".. table:: Code sequences of {table.title}, {profile}", f"   :name: code-sequences-{table.name}", "")
    for line in _grid(table, profile, reasons):
        yield f"   {line}".rstrip()
    yield ""


def _grid(table: UsageTable, profile: str, reasons: bool) -> Iterator[str]:
    """Yield the lines of a grid table."""
    rule = "+".join(["", *("-" * (width + 2) for width in _WIDTHS), ""])
    yield rule
    yield from _cells(
        [textwrap.wrap(head.format(title=table.title), width) for head, width in zip(HEADS, _WIDTHS, strict=True)]
    )
    yield rule.replace("-", "=")
    section = None
    for row in table.rows:
        if row.ordering is not section:
            section = row.ordering
            title = f"**{SECTIONS[section]}**"
            yield from (f"| {title.ljust(len(rule) - 4)} |", rule)
        yield from _cells([*labels(row), cell(table, row, profile, reasons=reasons)])
        yield rule


def _cells(cells: Sequence[Lines]) -> Iterator[str]:
    """Yield the lines of a row."""
    for number in range(max(map(len, cells))):
        lines = [lines[number] if number < len(lines) else "" for lines in cells]
        yield "| " + " | ".join(line.ljust(width) for line, width in zip(lines, _WIDTHS, strict=True)) + " |"


def labels(row: UsageRow) -> list[Lines]:
    """Return what stands in a row before its code."""
    plain, any_ = row.ordering is Ordering.NOT_ATOMIC, ["*any*"]
    name = {"rmw": "atomicrmw", "fence": "fence"}.get(row.kind, row.kind if plain else f"{row.kind} atomic")
    scopes = any_ if row.whole else _listed(row.scopes)
    return [[name], [NOTHING if plain else row.ordering.value], scopes, any_ if row.whole else _listed(row.spaces)]


def _listed(words: Sequence[str]) -> Lines:
    return [f"- {word}" for word in words] or [NOTHING]


# ---------------------------------------------------------------- cells


def cell(table: UsageTable, row: UsageRow, profile: str, *, reasons: bool = False) -> Lines:
    """Return the code of a row."""
    found = list(cases(table, row, profile))
    if not found:
        return [UNKNOWN]
    conditions = Conditions([case.words for case in found], USUAL)
    there = sum(1 << index for index, case in enumerate(found) if not case.missing)
    by_mark = {mark: sum(1 << n for n, case in enumerate(found) if case.words["mark"] == mark) for mark in MARKS}
    marked = [(mark, held) for mark, held in by_mark.items() if held]
    shown = [(mark, _steps(found, conditions, there & held, reasons)) for mark, held in marked]
    if not marked or all(lines == shown[0][1] for _, lines in shown):
        lines = _steps(found, conditions, there, reasons)
    else:
        parts = [["", f"- {mark}", "", *(f"  {line}".rstrip() for line in below)] for mark, below in shown]
        lines = [line for part in parts for line in part][1:]
    missing = conditions.said(there, conditions.all)
    return [*(["- " + missing, ""] if missing else []), *lines] if lines else [NOTHING]


def _steps(found: Sequence[Case], conditions: Conditions, among: int, reasons: bool) -> Lines:
    """Return the numbered steps of some cases."""
    known: dict[tuple[str, bool, str], _Instruction] = {}
    order: list[tuple[str, bool, str]] = []
    for index, case in enumerate(found):
        if among >> index & 1:
            emitted = lower_steps(case.operation, case.target)
            keys = [(step, i.kind is InstructionKind.WAIT, _called(i)) for step, i in emitted]
            _place(order, keys)
            for key, (_, instruction) in zip(keys, emitted, strict=True):
                _enter(known.setdefault(key, _Instruction()), instruction, case, 1 << index)
    lines: Lines = []
    for number, (_, some) in enumerate(groupby(order, lambda key: key[:2]), 1):
        instructions = [known[key] for key in some]
        below = list(_below(instructions, conditions, among, reasons))
        head = _head(instructions)
        first = f"{number}. "
        lines += [f"{first if at == 0 else ' ' * len(first)}{line}" for at, line in enumerate(head)]
        lines += [*([""] if below else []), *(" " * len(first) + line for line in below), *([""] if below else [])]
    return lines[:-1] if lines and not lines[-1] else lines


def _place(order: list[_Key], keys: Iterable[_Key]) -> None:
    """Enter keys where they are not yet, each behind the one that comes before it."""
    at = 0
    for key in keys:
        if key in order:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1


def _called(emitted: EmittedInstruction) -> str:
    """Return what tells the instructions of a step apart, of which one is an access in every case."""
    return "access" if emitted.kind is InstructionKind.ACCESS else emitted.mnemonic


def _enter(known: _Instruction, emitted: EmittedInstruction, case: Case, held: int) -> None:
    """Enter what an instruction is in a case."""
    access = emitted.kind is InstructionKind.ACCESS
    known.names[_accessed(case) if access else emitted.mnemonic] = None
    known.waits |= emitted.kind is InstructionKind.WAIT
    known.held |= held
    if emitted.why:
        known.why[_general(emitted.why, case)] = None
    _place(known.order, [part.text for part in emitted.parts])
    for part in emitted.parts:
        entered = known.parts.setdefault(part.text, _Part())
        entered.held |= held
        if part.why:
            entered.why[_general(part.why, case)] = None


def _accessed(case: Case) -> str:
    """Return how an access begins, without what says its size."""
    operation, family = case.operation, case.target.family
    begins = "ds" if operation.space is AddressSpace.LDS else prefix(operation.space, family)
    return f"{begins}_{'atomic' if operation.kind == 'rmw' else operation.kind}"


def _general(why: str, case: Case) -> str:
    """Return a reason in the words that it has at every scope."""
    return why.replace(f"at {case.words['scope']}", "at the scope").replace("at system scope", "at the scope")


def _text(instruction: _Instruction) -> str:
    """Return an instruction with all that may be there; of bits that exclude each other the notes tell."""
    names = list(instruction.names)
    name = names[0]
    if len(names) > 1:
        kind = name.partition("_")[2]
        begins = {each.partition("_")[0] for each in names}
        name = "/".join(each for each in _PREFIXES if each in begins) + f"_{kind}"
    return " ".join([name, *(part for part in instruction.order if not _exclusive(instruction, part))])


def _exclusive(instruction: _Instruction, part: str) -> bool:
    """Say whether a bit is one of several values of a field, or is not there always."""
    return ":" in part and instruction.parts[part].held != instruction.held


def _head(instructions: Sequence[_Instruction]) -> Lines:
    """Return the instructions of a step, each in a line."""
    texts = [f"``{_text(each)}``" for each in instructions]
    return texts if len(texts) == 1 else [f"| {text}" for text in texts]


def _below(instructions: Sequence[_Instruction], conditions: Conditions, among: int, reasons: bool) -> Iterator[str]:
    """Yield what stands below a step: what of it is there in which cases, and with `reasons` why."""
    whole: dict[str, list[str]] = {}
    bits: dict[str, list[str]] = {}
    why: dict[str, list[str]] = {}
    every: list[str] = []
    for each in instructions:
        text, apart = _text(each), _apart(each)
        every += each.order if apart else [text]
        if not apart:
            whole.setdefault(conditions.said(each.held, among), []).append(text)
        for part in each.order:
            if apart:
                whole.setdefault(conditions.said(each.parts[part].held, among), []).append(part)
            elif not each.waits:
                bits.setdefault(conditions.said(each.parts[part].held, each.held), []).append(part)
            for reason in each.parts[part].why:
                why.setdefault(reason, []).append(part if apart or not each.waits else text)
        for reason in each.why:
            why.setdefault(reason, []).append(text)
    for notes in (whole, bits, why if reasons else {}):
        for said, names in notes.items():
            if said:
                named = "" if names == every else ", ".join(f"``{name}``" for name in names) + ": "
                yield from textwrap.wrap(
                    f"- {named}{said}", _WIDTHS[-1] - 6, subsequent_indent="  ", break_on_hyphens=False
                )


def _apart(instruction: _Instruction) -> bool:
    """Say whether the parts of an instruction are there each for itself: counters that one instruction waits for."""
    return instruction.waits and len(instruction.order) > 1
