"""Where each instruction of a function may go on, also through jumps whose goal is computed.

What goes in: a listing. What comes out: the `Code` of its functions, and for each its `Ways`: what may follow what.
A computed goal is followed back to where the program counter is taken, and constants and labels are added; so are
jumps into subroutines that lie in the same code, and back, each call with its own return. A function that another
calls by LLVM's convention is entered and left like one. Invariant: where a goal is not known, `Ways.unknown` says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from axmem.codegen.assembly.operands import named, touched_by
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.text import AssemblyLine, AssemblyListing
from axmem.front.records import dataclass, field
from axmem.front.source import Span

Node: TypeAlias = tuple[int, tuple[int, ...]]
"""The first line of a block, and to which lines the subroutines return in which it is executed, the innermost last."""
Values: TypeAlias = "frozenset[int | str] | None"
"""What the low half of an address may be: numbers, and symbols of other functions; None if that is not known."""
_SYMBOL = re.compile(r"^([0-9a-fA-F]+) .{6}F \S+[ \t]+[0-9a-fA-F]+ (?:\.\w+ )?(\S+)$", re.MULTILINE)
_ENDS = re.compile(r"s_endpgm|s_rfe|s_trap$")
_LABELS = re.compile(r"\(?([\w.$]+)-([\w.$]+)\)?(&4294967295)?$")
_FUNCTION = re.compile(r"([A-Za-z_.$][\w.$]*)@\w*rel(32|64)?(@lo)?([+-]\d+)?$")
_ADDED = re.compile(r"s_(add|sub)(k)?_(co_|nc_)?[ui](32|64)$")
_MOST, _DEEPEST = 64, 4
"""How many goals a jump may have, and how deep subroutines may be called."""
_CALLS = ("s_swappc", "s_swap_pc", "s_call_b64")
_LEAVING = ("s_setpc", *_CALLS, "s_endpgm", "s_rfe", "s_trap")
_LINK = "s[30:31]"
"""Where a function of LLVM's convention finds the address that it returns to."""
RETURN = "behind the call"
"""What the link of a call holds, as a value."""
BEHIND = -1
"""The line of a label behind the last instruction of a function: whoever goes there leaves it."""
_STEP = 8
"""How far lines are apart whose addresses are not known: a made-up number, with which labels can be computed."""


@dataclass(frozen=True, slots=True)
class CodeFunction:
    """A function: where it begins. A `kernel` is not called by others; of a disassembly that may not be known."""

    name: str
    start: int
    span: Span
    kernel: bool | None


@dataclass(frozen=True, slots=True)
class Code:
    """The lines of a file, their addresses, and its functions. Behind a line that is `last` there is no next."""

    lines: tuple[AssemblyLine, ...]
    touched: tuple[Touched, ...]
    addresses: tuple[int, ...]
    labels: Mapping[str, int]
    functions: tuple[CodeFunction, ...]
    last: frozenset[int]

    def at(self, address: int) -> int | None:
        """Return the line at an address."""
        return self.labels.get(f"{address:#x}")


@dataclass(slots=True)
class Ways:
    """The blocks of a function: up to which line each goes, and what may follow it.

    `calls` are blocks that end with a call and go on behind it, `returns` those that end with the return to whoever
    called the function. `unknown` has a line and a reason for each place behind which nothing is known.
    """

    start: Node
    ends: dict[int, int] = field(default_factory=dict)
    after: dict[Node, tuple[Node, ...]] = field(default_factory=dict)
    calls: set[Node] = field(default_factory=set)
    returns: set[Node] = field(default_factory=set)
    unknown: dict[int, str] = field(default_factory=dict)


def code_of(listing: AssemblyListing) -> Code:
    """Return the code of a file."""
    lines: list[AssemblyLine] = []
    labels: dict[str, int] = {}
    addresses: list[int] = []
    functions, last = [], set()
    symbols = {int(found[1], 16): found[2] for found in _SYMBOL.finditer(listing.source.text)}
    disassembled = any(label.startswith("0x") for kernel in listing.kernels.values() for label in kernel.labels)
    for kernel in listing.kernels.values():
        start = len(lines)
        lines += kernel.lines
        by_line = {k: int(label, 16) for label, k in kernel.labels.items() if label.startswith("0x")}
        addresses += (by_line.get(k, _STEP * (start + k)) for k in range(len(kernel.lines)))
        behind = len(kernel.lines)
        labels |= {label: start + k if k < behind else BEHIND for label, k in kernel.labels.items()}
        name = symbols.get(addresses[start], kernel.name)
        described = (kernel.name, ".amdhsa_kernel") in listing.facts or f"{name}.kd" in listing.source.text
        if disassembled and symbols and addresses[start] not in symbols:
            continue
        functions.append(CodeFunction(name, start, kernel.span, described or (None if disassembled else False)))
        if not disassembled:
            labels.setdefault(kernel.name, start)
            last.add(len(lines) - 1)
    if not disassembled:
        labels |= {f"{_STEP * k:#x}": k for k in range(len(lines))}
    touched = tuple(map(touched_by, lines))
    return Code(tuple(lines), touched, tuple(addresses), labels, tuple(functions), frozenset({*last, len(lines) - 1}))


def functions_of(code: Code) -> Iterator[tuple[CodeFunction, Ways]]:
    """Yield the functions, those of a disassembly that others reach left out, each with its ways."""
    reached: set[int] = set()
    for function in code.functions:
        if function.kernel is None and function.start in reached:
            continue
        ways = ways_of(code, function)
        reached |= {index for index, _ in ways.after}
        yield function, ways


def ways_of(code: Code, function: CodeFunction) -> Ways:
    """Return what may follow what, from the start of a function on."""
    follower = _Follower(code, function)
    follower.find()
    return follower.ways()


class _Follower:
    """Follows a function: first the goals of computed jumps, as values flow in it, then its ways.

    Values flow behind a call as they were before it, and into a subroutine, where the link is `RETURN`.
    """

    def __init__(self, code: Code, function: CodeFunction) -> None:
        self.code = code
        self.function = function
        self.starts = {each.start for each in code.functions if each.kernel is not None} - {function.start}
        self.goals: dict[int, Values] = {}
        """Of the last line of a block where its computed jump or call goes."""
        self.leaders = {function.start, len(code.lines)}
        for index, line in enumerate(code.lines):
            if line.target or index in code.last or line.mnemonic.startswith(_LEAVING):
                self.leaders.add(index + 1)
                if code.labels.get(line.target, BEHIND) != BEHIND:
                    self.leaders.add(code.labels[line.target])
        self.ends: dict[int, int] = {}
        self.after: dict[int, tuple[int, ...]] = {}
        self.held: dict[str, dict[int, Values]] = {}
        self.made: dict[tuple[str, int], Values] = {}

    # ------------------------------------------------------------ where jumps go

    def find(self) -> None:
        """Find where computed jumps go, until nothing more is found."""
        while True:
            self._flow()
            goals = {end - 1: self._goal(start, end - 1) for start, end in self.ends.items()
                     if self.code.lines[end - 1].mnemonic.startswith(("s_setpc", *_CALLS))}  # fmt: skip
            inside = {k for goal in goals.values() for k in self._inside(goal or frozenset())}
            if goals == self.goals and inside <= self.leaders:
                return
            self.goals = goals
            self.leaders |= inside

    def _flow(self) -> None:
        """Follow values from block to block."""
        starts = dict(pairwise(sorted(self.leaders)))
        self.after, self.ends = {}, {}
        self.held.clear()
        self.made.clear()
        left = [self.function.start]
        while left:
            start = left.pop()
            if start in self.after:
                continue
            self.ends[start] = starts[start]
            index = starts[start] - 1
            line = self.code.lines[index]
            later = list(self._inside(self.goals.get(index) or frozenset()))
            if self.code.labels.get(line.target, BEHIND) != BEHIND:
                later.append(self.code.labels[line.target])
            if self._passes(index) or (line.mnemonic.startswith(_CALLS) and index not in self.code.last):
                later.append(index + 1)
            self.after[start] = tuple(later)
            left += later

    def _passes(self, index: int) -> bool:
        """Say whether a line may be followed by the next."""
        line = self.code.lines[index]
        ends = _ENDS.match(line.mnemonic) and line.mnemonic + line.rest != "s_trap3"
        leaves = line.mnemonic == "s_branch" or line.mnemonic.startswith(("s_setpc", *_CALLS))
        return not ends and not leaves and index not in self.code.last

    def _inside(self, goals: frozenset[int | str]) -> Iterator[int]:
        """Yield the lines of goals that are in this function."""
        for goal in goals:
            found = self.code.at(goal) if isinstance(goal, int) else None
            if found not in (None, BEHIND) and found not in self.starts:
                yield found

    def _goal(self, start: int, index: int) -> Values:
        """Return where the jump at the end of a block goes."""
        line = self.code.lines[index]
        if line.mnemonic == "s_call_b64":
            goal = self.code.labels.get(line.target or line.operands[-1])
            return None if goal is None else frozenset({self.code.addresses[goal]})
        registers = named(line.operands[-1]) if line.operands else ()
        return self._value(registers[0], start, index, frozenset()) if registers else None

    # ------------------------------------------------------------ ways

    def ways(self) -> Ways:
        """Return the ways, each subroutine followed anew for each call."""
        ways = Ways((self.function.start, ()), self.ends)
        left = [ways.start]
        while left:
            node = left.pop()
            if node in ways.after:
                continue
            for raw in range(node[0], self.ends[node[0]]):
                if self.code.lines[raw].mnemonic.startswith("."):
                    ways.unknown[raw] = f"'{self.code.lines[raw].text}' is no known instruction"
            ways.after[node] = tuple(dict.fromkeys(self._later(node, ways)))
            left += ways.after[node]
        return ways

    def _later(self, node: Node, ways: Ways) -> Iterator[Node]:
        index, stack = self.ends[node[0]] - 1, node[1]
        line = self.code.lines[index]
        if line.mnemonic.startswith("s_setpc"):
            yield from self._jump(node, ways)
        if line.mnemonic.startswith(_CALLS):
            yield from self._call(node, ways)
        elif line.target:
            goal = self.code.labels.get(line.target)
            if goal is None:
                ways.unknown[index] = f"there is no label '{line.target}'"
            elif goal != BEHIND:
                yield goal, stack
        if line.mnemonic.startswith(("s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join", "s_subvector_loop")):
            ways.unknown[index] = f"'{line.text}' is a jump that is not followed"
        if self._passes(index):
            yield index + 1, stack

    def _jump(self, node: Node, ways: Ways) -> Iterator[Node]:
        index, stack = self.ends[node[0]] - 1, node[1]
        line, goals = self.code.lines[index], self.goals[index]
        if goals is None:
            if self.function.kernel is not True and line.operands[:1] == (_LINK,):
                ways.returns.add(node)
            else:
                ways.unknown[index] = f"where '{line.text}' goes is not known"
            return
        if RETURN in goals and stack:
            yield stack[-1], stack[:-1]
        yield from ((found, stack) for found in sorted(self._inside(goals)))
        wrong = [goal for goal in goals if isinstance(goal, int) and self.code.at(goal) is None]
        if wrong:
            ways.unknown[index] = f"'{line.text}' goes to {min(wrong):#x}, where no instruction begins"

    def _call(self, node: Node, ways: Ways) -> Iterator[Node]:
        """Yield where a call goes on: in a subroutine of the same code, else behind it."""
        index, stack = self.ends[node[0]] - 1, node[1]
        goals = self.goals[index]
        inside = sorted(self._inside(goals or frozenset()))
        if index in self.code.last:
            return
        if goals is None or len(inside) < len(goals) or len(stack) >= _DEEPEST:
            ways.calls.add(node)
            yield index + 1, stack
        else:
            yield from ((found, (*stack, index + 1)) for found in inside)

    # ------------------------------------------------------------ values

    def _value(self, register: str, start: int, line: int, within: frozenset[str]) -> Values:
        """Return what a register may hold before a line of a block."""
        maker = self._maker(register, start, line)
        if maker is not None:
            return self._written(register, start, maker, within)
        if register in within:
            return None
        if register not in self.held:
            self.held[register] = self._fixpoint(register, within | {register})
        return self.held[register].get(start, frozenset())

    def _fixpoint(self, register: str, within: frozenset[str]) -> dict[int, Values]:
        """Return what a register may hold where each block begins."""
        makers = {start: self._maker(register, start, end) for start, end in self.ends.items()}
        made = {k: self._written(register, k, maker, within) for k, maker in makers.items() if maker is not None}
        held: dict[int, Values] = {self.function.start: None}
        left = [self.function.start, *made]
        while left:
            start = left.pop()
            value = made[start] if start in made else held.get(start, frozenset())
            for later in self.after.get(start, ()):
                old = held.get(later, frozenset())
                new = None if old is None or value is None or len(old | value) > _MOST else old | value
                if new != old:
                    held[later] = new
                    left.append(later)
        return held

    def _maker(self, register: str, start: int, end: int) -> int | None:
        """Return the last line of a part of a block that writes a register."""
        touched = self.code.touched
        return next((k for k in range(end - 1, start - 1, -1) if register in touched[k].written), None)

    def _written(self, register: str, start: int, index: int, within: frozenset[str]) -> Values:
        """Return what an instruction of a block writes to a register, found out once."""
        key = register, index
        if key not in self.made:
            self.made[key] = self._made(register, start, index, within)
        return self.made[key]

    def _made(self, register: str, start: int, index: int, within: frozenset[str]) -> Values:
        """Return what an instruction of a block writes to a register."""
        line = self.code.lines[index]
        name, operands = line.mnemonic, line.operands
        if register not in named(operands[0])[:1]:
            return None
        if name.startswith(_CALLS):
            return frozenset({RETURN})
        if name.startswith(("s_getpc", "s_get_pc")):
            return frozenset({self.code.addresses[index + 1]}) if index not in self.code.last else None
        if name in ("s_mov_b32", "s_mov_b64"):
            return self._operand(operands[1], start, index, within)
        if name in ("s_load_dwordx2", "s_load_b64"):  # of the address of a function, out of the global offset table
            value = self._operand(operands[1], start, index, within)
            return value if value and all(isinstance(each, str) for each in value) else None
        if name == "s_cselect_b32":
            values = [self._operand(each, start, index, within) for each in operands[1:3]]
            return None if None in values else frozenset().union(*(v or () for v in values))
        if name == "s_abs_i32":  # of an offset whose sign the path depends on: the other way is not taken
            value = self._operand(operands[1], start, index, within)
            return value and frozenset(-v & _WORD for v in value if isinstance(v, int) and v & _SIGN)
        match = _ADDED.match(name)
        if not match:
            return None
        one, two = operands[0 if match[2] else 1], operands[1 if match[2] else 2]
        if line.relocation:
            two = line.relocation
        first, second = self._operand(one, start, index, within), self._operand(two, start, index, within)
        if first is None or second is None:
            return None
        return frozenset(_sum(a, b, -1 if match[1] == "sub" else 1) for a in first for b in second)

    def _operand(self, operand: str, start: int, index: int, within: frozenset[str]) -> Values:
        """Return what a source operand is: a register, a number, a label or the distance of two, a function."""
        registers = named(operand)
        if registers:
            return self._value(registers[0], start, index, within)
        number = re.fullmatch(r"(?:lit(?:64)?\()?(-?(?:0x[0-9a-fA-F]+|\d+))\)?", operand)
        if number:
            return frozenset({int(number[1], 0) & _WORD})
        labels, addresses = self.code.labels, self.code.addresses
        match = _LABELS.match(operand)
        if match and match[1] in labels and match[2] in labels:
            return frozenset({(addresses[labels[match[1]]] - addresses[labels[match[2]]]) & _WORD})
        if operand in labels:  # a literal is relative to where it lies, four bytes behind the instruction's beginning
            return frozenset({(addresses[labels[operand]] - addresses[index] - 4) & _WORD})
        match = _FUNCTION.match(operand)
        return frozenset({match[1]}) if match else None


_WORD, _SIGN = 0xFFFFFFFF, 0x80000000


def _sum(one: int | str, other: int | str, sign: int) -> int | str:
    """Return the sum of two numbers; the address of a function is that, whatever is added to it."""
    if isinstance(one, int) and isinstance(other, int):
        return (one + sign * other) & _WORD
    return one if isinstance(one, str) else other
