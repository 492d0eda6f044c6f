"""Functions without the branches that constants decide: a loop that is executed twice is a row of operations.

What goes in: a function. What comes out: a function of one block that does the same, operation by operation, or nothing
if a branch depends on what is read or given, or if it goes on for long. Addresses that are computed twice stand once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from axmem.formats.ir.plain import SPACES
from axmem.front.records import replace
from axmem.passes.modules import INCOMING, LOCAL, PHI, RESULT, ModuleFunction, is_label

MOST = 200
"""How many lines a function without branches may have, and how many blocks are executed."""
_ADDRESS = re.compile(r"  %[\w.$-]+ = (?:getelementptr|addrspacecast) ")
_ADD = re.compile(r"add (?:nuw )?(?:nsw )?i32 (-?\d+), (-?\d+)")
_ASKED = re.compile(r"(?:tail )?call i1 @([\w.]+)\(ptr (?:\w+ )*(%[\w.$-]+)\)")
_CAST = re.compile(r"addrspacecast ptr addrspace\((\d+)\) %[\w.$-]+ to ptr")
_COMPARED = re.compile(r"icmp (?:samesign )?(\w+) i32 (-?\d+), (-?\d+)")
_BRANCH = re.compile(r"  br i1 (true|false), label %([\w.$-]+), label %([\w.$-]+)")
_JUMP = re.compile(r"  br label %([\w.$-]+)")
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": int.__eq__, "ne": int.__ne__, "slt": int.__lt__, "sle": int.__le__, "sgt": int.__gt__, "sge": int.__ge__,
    "ult": int.__lt__, "ule": int.__le__, "ugt": int.__gt__, "uge": int.__ge__,
}  # fmt: skip
"""Comparisons of numbers from 0 on, of which those with and without a sign are the same."""
_LARGE = 1 << 31


def straightened(function: ModuleFunction) -> ModuleFunction | None:
    """Return a function of one block that does the same; None if there is none that this finds."""
    if not any(map(is_label, function.body)):
        return function
    lines = _Execution(function).lines()
    return None if lines is None else replace(function, body=tuple(lines))


class _Execution:
    """Executes a function as far as constants go. `values` says what each name stands for now."""

    def __init__(self, function: ModuleFunction) -> None:
        self.blocks: dict[str, list[str]] = {}
        for line in function.body:
            if is_label(line):
                self.blocks[line[:-1]] = []
            else:
                self.blocks[[*self.blocks][-1]].append(line)
        self.values: dict[str, str] = {}
        self.taken = {name[1:] for name in function.names}
        self.addresses: dict[str, str] = {}
        self.found: list[str] = []

    def lines(self) -> list[str] | None:
        """Return the lines that are executed, with names of their own."""
        block, before = next(iter(self.blocks)), ""
        for _ in range(MOST):
            *body, last = self.blocks[block]
            phis = [line for line in body if " = phi " in line]
            chosen = {match[1]: self._incoming(match[2], before) for line in phis if (match := RESULT.match(line))}
            if "" in chosen.values():
                return None
            self.values |= chosen
            for line in body[len(phis) :]:
                self._execute(line)
            said = self._said(last)
            if said.startswith("  ret "):
                return [*self.found, said]
            following = self._next(said)
            if following not in self.blocks or len(self.found) > MOST:
                return None
            block, before = following, block
        return None

    def _incoming(self, text: str, before: str) -> str:
        """Return the value of a phi if control comes from a block; nothing if it is not written as expected."""
        match = PHI.match(text)
        values = {label: value for value, label in INCOMING.findall(match[2])} if match else {}
        return self._said(values.get(before, ""))

    def _execute(self, line: str) -> None:
        match = RESULT.match(line)
        if match is None:
            self.found.append(self._said(line))
            return
        name, said = match[1], self._said(match[2])
        if (value := _constant(said) or self._space(said)) is not None:
            self.values[name] = value
        elif _ADDRESS.match(line) and said in self.addresses:
            self.values[name] = self.addresses[said]
        else:
            own = next(each for k in count() if (each := f"{name}.{k}" if k else name) not in self.taken)
            self.taken.add(own)
            self.values[name] = f"%{own}"
            self.found.append(f"  %{own} = {said}")
            if _ADDRESS.match(line):
                self.addresses[said] = f"%{own}"

    def _space(self, text: str) -> str | None:
        """Return whether a pointer that was cast from an address space is into that which is asked about."""
        match = _ASKED.fullmatch(text)
        if match is None or match[1] not in SPACES:
            return None
        made = next((said for said, name in self.addresses.items() if name == match[2]), "")
        cast = _CAST.fullmatch(made)
        return None if cast is None else "true" if int(cast[1]) == SPACES[match[1]] else "false"

    def _said(self, text: str) -> str:
        return LOCAL.sub(lambda match: self.values.get(match[1], match[0]), text)

    def _next(self, said: str) -> str:
        """Return the block to which a branch goes; nothing if that is not known."""
        if match := _JUMP.match(said):
            return match[1]
        match = _BRANCH.match(said)
        return "" if match is None else match[2] if match[1] == "true" else match[3]


def _constant(text: str) -> str | None:
    """Return the value of an instruction on small numbers."""
    if match := _ADD.fullmatch(text):
        total = int(match[1]) + int(match[2])
        return str(total) if _small(int(match[1]), int(match[2]), total) else None
    if (match := _COMPARED.fullmatch(text)) and match[1] in _COMPARISONS and _small(int(match[2]), int(match[3])):
        return "true" if _COMPARISONS[match[1]](int(match[2]), int(match[3])) else "false"
    return None


def _small(*numbers: int) -> bool:
    return all(0 <= each < _LARGE for each in numbers)
