"""Whether a kernel waits for its registers: a scoreboard of what is on its way to them, or still to be read.

What goes in: the lines of a kernel, and the registers that each line reads and writes, as its execution found them.
What comes out: a `RegisterHazard` for each instruction that touches a register too early. A counter counts an
operation from its issue until it is complete, and a wait leaves at most so many that its counter counts. Until then a
result is not in its registers; and some targets read the sources as late (`locks` of `families.toml`): GFX6 those of
stores and read-modify-writes, until `expcnt` says so; gfx1250 all of an access, until `xcnt` does, as it may be issued
again. Vector and LDS accesses complete in order, scalar loads in none. A flat access to global memory returns as a
vector access, one to LDS by LDS's counter, before GFX11 in no order; one that may do either needs both waits. A vector
load may overwrite the result of another on its way where both arrive in order (`rewritten`), and a source of an earlier
vector access whose translation comes first.

A *pending* register has for each counter a number: how many operations, its own and later ones, complete in order. A
wait that leaves fewer has waited for it. Where paths meet, it is pending if it is on one of them, with the least
number; a loop is followed until nothing changes. Invariant: what is not pending at a line is so on no path to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from axmem.codegen.assembly.memory import Request, request_of
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.text import AssemblyKernel
from axmem.codegen.assembly.waits import EXPORTS, limits_of, maintenance_kind
from axmem.codegen.machine.build import counters_of
from axmem.codegen.machine.families import Machine, machine_of
from axmem.codegen.machine.program import Action, HazardKind, Path, RegisterHazard
from axmem.codegen.tables import TargetFamily
from axmem.front.records import replace

PATHS = {"global": Path.VECTOR, "flat": Path.FLAT, "lds": Path.LDS, "scalar": Path.SCALAR, "private": Path.VECTOR}
_UNLOCKED = frozenset({"exec_lo", "exec_hi", "scc", "m0"})
"""What no access reads as an address or data."""
MOST = 64
"""More operations than any counter counts."""


class Pending(NamedTuple):
    """A register that waits for the operation at a line: for its `result`, or, a source, to be read.

    `counter` is the one to wait for.
    """

    line: int
    register: str
    result: bool
    counter: str


Board: TypeAlias = dict[Pending, Mapping[str, int]]
"""What is pending, each with how many operations from its own on each counter sees complete in order."""


def hazards(kernel: AssemblyKernel, touched: Mapping[int, Touched], family: TargetFamily) -> tuple[RegisterHazard, ...]:
    """Return the instructions of a kernel that use or overwrite a register too early, in the order of its lines.

    `touched` has the lines that are executed. Raises OperandError for a wait that is not known.
    """
    return _Scoreboard(kernel, touched, family).found()


class _Scoreboard:
    def __init__(self, kernel: AssemblyKernel, touched: Mapping[int, Touched], family: TargetFamily) -> None:
        self.kernel = kernel
        self.touched = touched
        self.family = family
        self.machine = machine_of(family.name)
        self.limits = {index: limits_of(kernel.lines[index], family) for index in touched}
        self.requests = {index: _reaching(request_of(kernel.lines[index]), touched[index]) for index in touched}
        self.starts = self._starts()

    def _starts(self) -> frozenset[int]:
        """Return the lines at which a path may begin or meet another."""
        starts = {0}
        for index in self.touched:
            line = self.kernel.lines[index]
            if line.target:
                starts |= {index + 1, self.kernel.labels.get(line.target, 0)}
        return frozenset(starts)

    def found(self) -> tuple[RegisterHazard, ...]:
        before: dict[int, Board] = {0: {}}
        left = [0]
        while left:
            start = left.pop()
            for target, board in self._block(start, dict(before[start])):
                joined = _joined(before[target], board) if target in before else board
                if target not in before or joined != before[target]:
                    before[target] = joined
                    left.append(target)
        seen: dict[tuple[int, Pending], None] = {}
        for start in sorted(before):
            for _ in self._block(start, dict(before[start]), seen):
                pass
        return tuple(self._told(seen))

    def _block(
        self, index: int, board: Board, seen: dict[tuple[int, Pending], None] | None = None
    ) -> Iterator[tuple[int, Board]]:
        """Follow a path to where it meets others; yield where it goes on, and what is pending there."""
        while index in self.touched:
            line = self.kernel.lines[index]
            board = self._step(index, board, seen)
            if line.mnemonic in ("s_endpgm", "s_trap"):
                return
            if line.target and self.kernel.labels.get(line.target) in self.touched:
                yield self.kernel.labels[line.target], board
            if line.mnemonic == "s_branch":
                return
            index += 1
            if index in self.starts:
                if index in self.touched:
                    yield index, board
                return

    def _step(self, index: int, board: Board, seen: dict[tuple[int, Pending], None] | None) -> Board:
        """Return what is pending after a line; note in `seen` what it touches too early."""
        limits, request = self.limits[index], self.requests[index]
        for counter, limit in limits.items():
            board = {one: later for one, later in board.items() if limit >= later.get(counter, 0)}
        if request is not None and board:
            board = {one: later for one, later in board.items() if not self._settles(request, one)}
        board = self._checked(index, board, seen)
        maintenance = maintenance_kind(self.kernel.lines[index])
        if maintenance:
            counters, kinds = self.machine.counting(maintenance), frozenset({maintenance})
            return {one: self._later(one, later, kinds, counters) for one, later in board.items()}
        return board if request is None else self._issued(index, request, board)

    def _settles(self, request: Request, one: Pending) -> bool:
        """Say whether hardware waits for translations by itself: between vector and scalar accesses."""
        if one.result or one.counter == EXPORTS or request.memory == "lds":
            return False
        return (request.memory == "scalar") != (self._request(one).memory == "scalar")

    def _request(self, one: Pending) -> Request:
        request = self.requests[one.line]
        assert request is not None
        return request

    def _checked(self, index: int, board: Board, seen: dict[tuple[int, Pending], None] | None) -> Board:
        """Return what is pending but for what a line touches: too early, or, results in order, as it may."""
        touched = self.touched[index]
        read = touched.read if self.kernel.lines[index].mnemonic.startswith("s_") else touched.read | {"exec_lo"}
        wrong = [one for one in board
                 if _overlaps(one, touched.written) or (one.result and _overlaps(one, read))]  # fmt: skip
        if not wrong:
            return board
        for one in wrong:
            if seen is not None and ((one.result and _overlaps(one, read)) or not self._rewritten(index, one)):
                seen[index, one] = None
        return {one: later for one, later in board.items() if one not in wrong}

    def _rewritten(self, index: int, one: Pending) -> bool:
        """Say whether a result may overwrite what is pending: both results reach their registers in order, or the
        source belongs to an operation whose address is translated before that of the one with the result."""
        request = self.requests[index]
        if request is None or not request.result:
            return False
        both = [request, self._request(one)]
        if one.result:
            return self.machine.rewritten and all(r.memory == "global" and r.action != "store" for r in both)
        return all(self._in_order(counted(self.machine, r)[1], one.counter) for r in both)

    def _issued(self, index: int, request: Request, board: Board) -> Board:
        """Return what is pending after an operation was issued."""
        counters, kinds = counted(self.machine, request)
        locks = [c for c, locked in self.machine.locks.items() if kinds & locked]
        after: Board = {}
        for one, later in board.items():
            after[one] = self._later(one, later, kinds, (*counters, *(c for c in locks if c not in counters)))
        touched = self.touched[index]
        if request.result:
            in_lds = self.machine.counting("lds") if touched.reached == {"lds"} else counters
            for counter in (c for c in counters if c in in_lds and c not in self.machine.locks):
                for register in touched.written:
                    after[Pending(index, register, result=True, counter=counter)] = {counter: 1}
        own = {} if "flat" in kinds else dict.fromkeys(counters, 1)
        for lock in locks:
            for register in touched.read - _UNLOCKED:
                if lock != EXPORTS or register.startswith("v"):
                    after[Pending(index, register, result=False, counter=lock)] = {**own, lock: 1}
        return after

    def _later(
        self, one: Pending, later: Mapping[str, int], kinds: frozenset[str], counters: tuple[str, ...]
    ) -> Mapping[str, int]:
        """Return the numbers of a pending register after an operation of some kinds, which some counters count."""
        mine = counted(self.machine, self._request(one))[1]
        added = dict(later)
        for counter in counters:
            if not self._in_order(kinds, counter):
                continue
            if one.result and counter == one.counter and self._in_order(mine, counter):
                added[counter] = min(MOST, added[counter] + 1)
            if not one.result and all(self._in_order(k, one.counter) for k in (kinds, mine)):
                added[counter] = min(MOST, added.get(counter, 0) + 1)
        return added

    def _in_order(self, kinds: frozenset[str], counter: str) -> bool:
        """Say whether a counter sees operations of some kinds complete in order."""
        table = self.machine.counters.get(counter) or self.machine.locks[counter]
        return kinds & (table | {"flat"}) <= self.machine.ordered.get(counter, frozenset())

    def _told(self, seen: Mapping[tuple[int, Pending], None]) -> Iterator[RegisterHazard]:
        """Yield a hazard for each instruction and what it does not wait for, with all registers that this is about."""
        registers: dict[tuple[int, int, HazardKind, str], set[str]] = {}
        for index, one in sorted(seen):
            kind = HazardKind.SOURCE
            if one.result:
                read = _overlaps(one, self.touched[index].read) or one.register == "exec_lo"
                kind = HazardKind.USED if read else HazardKind.OVERWRITTEN
            registers.setdefault((index, one.line, kind, one.counter), set()).add(one.register)
        for (index, origin, kind, counter), names in registers.items():
            line, by = self.kernel.lines[index], self.kernel.lines[origin]
            yield RegisterHazard(
                kernel=self.kernel.name, kind=kind, registers=tuple(sorted(names, key=_numbered)), counter=counter,
                instruction=line.text, span=line.span, awaited=by.text, awaited_span=by.span,
            )  # fmt: skip


def _reaching(request: Request | None, touched: Touched) -> Request | None:
    """Return what an instruction asks: a flat access that only reaches global memory is one of vector memory.

    Its counter for LDS goes back as soon as its address is known, and vector memory returns its result.
    """
    if request is not None and request.memory == "flat" and touched.reached == {"global"}:
        return replace(request, memory="global")
    return request


def counted(machine: Machine, request: Request) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the counters that count what an instruction asks, and the words for it in the tables of the machine."""
    action, path = Action(request.action), PATHS[request.memory]
    counters = counters_of(machine, action, path, result=request.result)
    if path in (Path.LDS, Path.SCALAR):
        return counters, frozenset({path.value})
    kind = ("fetch" if request.result else "atomic") if action is Action.RMW else action.value
    return counters, frozenset({kind, "flat"} if path is Path.FLAT else {kind})


def _joined(a: Board, b: Board) -> Board:
    """Return what is pending where two paths meet."""
    both = {one: a[one] if one in a else b[one] for one in (*a, *b)}
    for one in a.keys() & b.keys():
        both[one] = {c: min(a[one][c], b[one][c]) for c in a[one].keys() & b[one].keys()}
    return both


def _overlaps(one: Pending, registers: Collection[str]) -> bool:
    """Say whether a pending register is among some, or a half of one, or has a half among them."""
    whole, _, half = one.register.partition(".")
    others = (whole, one.register) if half else (whole, f"{whole}.l", f"{whole}.h")
    return any(register in registers for register in others)


def _numbered(register: str) -> tuple[str, int, str]:
    """Return what registers are ordered by: their letters, their number, their half."""
    whole, _, half = register.partition(".")
    letters = whole.rstrip("0123456789")
    return letters, int(whole[len(letters) :] or 0), half
