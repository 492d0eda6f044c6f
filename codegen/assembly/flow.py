"""Where each instruction of a function may go on, also through jumps whose goal is computed.

What goes in: the code of a file. What comes out: for each function its `Ways`: what may follow what. Computed goals are
known as far as `addresses` knows them; jumps into subroutines that lie in the same code, and back, are followed, each
call with its own return. A function that another
calls by LLVM's convention is entered and left like one. Invariant: where a goal is not known, `Ways.unknown` says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from axmem.codegen.assembly.addresses import CALLS, RETURN, AddressValues, Values
from axmem.codegen.assembly.code import BEHIND, Code, CodeFunction
from axmem.codegen.assembly.operands import named
from axmem.front.records import dataclass, field

Node: TypeAlias = tuple[int, tuple[int, ...]]
"""The first line of a block, and to which lines the subroutines return in which it is executed, the innermost last."""
_ENDS = re.compile(r"s_endpgm|s_rfe|s_trap$")
DEEPEST = 4
"""How deep subroutines may be called."""
_LEAVING = ("s_setpc", *CALLS, "s_endpgm", "s_rfe", "s_trap")
_LINK = "s[30:31]"
"""Where a function of LLVM's convention finds the address that it returns to."""


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
        self.values = AddressValues(code, function.start)

    # ------------------------------------------------------------ where jumps go

    def find(self) -> None:
        """Find where computed jumps go, until nothing more is found."""
        while True:
            self._flow()
            goals = {end - 1: self._goal(start, end - 1) for start, end in self.ends.items()
                     if self.code.lines[end - 1].mnemonic.startswith(("s_setpc", *CALLS))}  # fmt: skip
            inside = {k for goal in goals.values() for k in self._inside(goal or frozenset())}
            if goals == self.goals and inside <= self.leaders:
                return
            self.goals = goals
            self.leaders |= inside

    def _flow(self) -> None:
        """Find the blocks and what may follow them, as far as the goals of computed jumps are known."""
        starts = dict(pairwise(sorted(self.leaders)))
        self.after, self.ends = {}, {}
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
            if self._passes(index) or (line.mnemonic.startswith(CALLS) and index not in self.code.last):
                later.append(index + 1)
            self.after[start] = tuple(later)
            left += later
        self.values.follow(self.ends, self.after)

    def _passes(self, index: int) -> bool:
        """Say whether a line may be followed by the next."""
        line = self.code.lines[index]
        ends = _ENDS.match(line.mnemonic) and line.mnemonic + line.rest != "s_trap3"
        leaves = line.mnemonic == "s_branch" or line.mnemonic.startswith(("s_setpc", *CALLS))
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
        return self.values.value(registers[0], start, index) if registers else None

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
        if line.mnemonic.startswith(CALLS):
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
        if goals is None or len(inside) < len(goals) or len(stack) >= DEEPEST:
            ways.calls.add(node)
            yield index + 1, stack
        else:
            yield from ((found, (*stack, index + 1)) for found in inside)
