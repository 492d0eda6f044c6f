"""Whether a kernel waits for its registers: a scoreboard of what is on its way to them, or still to be read.

What goes in: the lines of a function, the registers that each reads and writes, and what may follow what. What comes
out: a `RegisterHazard` for each instruction that touches a register too early. A counter counts an operation from its
issue until it is complete, and a wait leaves at most so many that its counter counts. Until then a result is not in its
registers; and some targets read the sources as late (`locks` of `families.toml`).

A *pending* operation has for each counter a number: how many operations, itself and later ones, complete in order. A
wait that leaves fewer has waited for it. Where paths meet boards are joined (`boards.py`); a loop is followed until
nothing changes. Invariant: what is not pending at a line is so on no path to it.

Registers are bits of a number, two for each, since what loads one half writes that alone. LDS that is copied into, and
private memory, are registers, too: of the former it is not known which bytes are read, so that a copy is reported only
if it is read behind, and waited for nowhere (`Found.passed` has the reads that other copies may be meant by).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from types import MappingProxyType

from axmem.codegen.assembly.boards import CALLER, PATH, Board, Pending, arrives
from axmem.codegen.assembly.facts import Branches, contradicts
from axmem.codegen.assembly.flow import Node, Ways
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.requests import PATHS, SCRATCH, Request, counted, reaching, request_of
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine
from axmem.codegen.assembly.waits import EXPORTS, limits_of, maintenance_kind
from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import HazardKind, RegisterHazard
from axmem.codegen.tables import TargetFamily
from axmem.front.records import dataclass, field
from axmem.front.source import Span

LDS, PRIVATE = "LDS", "scratch"
"""What stands among registers for memory that a copy writes, and for private memory."""
_UNLOCKED = frozenset({"exec_lo", "exec_hi", "scc", "m0"})
"""What no access reads as an address or data."""
_EXPORTED = frozenset({"export", "gds"})
"""Operations whose source registers are read until expcnt says so, on every target that has them."""
MOST = 63
"""How many operations a counter counts at most, where the bits of a wait do not say less."""


@dataclass(slots=True)
class Found:
    """What a scoreboard found. `settled` has for each line that waits what it waits for, `passed` the lines that read
    LDS while something is copied there, of which it is not known whether they read that."""

    hazards: tuple[RegisterHazard, ...] = ()
    settled: dict[int, set[Pending]] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)


def hazards(
    kernel: AssemblyKernel,
    touched: Mapping[int, Touched],
    family: TargetFamily,
    jumped: Mapping[int, set[int]] = MappingProxyType({}),
) -> tuple[RegisterHazard, ...]:
    """Return the instructions of a kernel that use or overwrite a register too early, in the order of its lines.

    `touched` has the lines that are executed, `jumped` where each call and return goes on. Raises OperandError for a
    wait that is not known.
    """
    return Scoreboard(kernel.name, kernel.lines, touched, family, _executed(kernel, touched, jumped)).found().hazards


def _executed(kernel: AssemblyKernel, touched: Collection[int], jumped: Mapping[int, set[int]]) -> Ways:
    """Return what may follow what of the lines of a kernel that are executed."""
    starts = {0}.union(*jumped.values())
    for index in touched:
        target, last = kernel.lines[index].target, kernel.lines[index].mnemonic in ("s_endpgm", "s_trap")
        if target or last or index in jumped or index + 1 not in touched:
            starts |= {index + 1, kernel.labels.get(target, 0)}
    ways = Ways((0, ()))
    for start in sorted(starts & set(touched)):
        end = next(k for k in range(start + 1, len(kernel.lines) + 1) if k in starts or k not in touched)
        line = kernel.lines[end - 1]
        after = [] if line.mnemonic in ("s_endpgm", "s_trap", "s_branch") or end - 1 in jumped else [end]
        after += sorted(jumped.get(end - 1, ()))
        goals = [*after, *([kernel.labels[line.target]] if line.target in kernel.labels else [])]
        ways.ends[start] = end
        ways.after[start, ()] = tuple((goal, ()) for goal in goals if goal in touched)
    return ways


class Scoreboard:
    """The scoreboard of a function. `called` says that another calls it, which may have left something on its way."""

    def __init__(
        self, name: str, lines: Sequence[AssemblyLine], touched: Mapping[int, Touched], family: TargetFamily,
        ways: Ways, *, called: Span | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.lines = lines
        self.machine = machine_of(family.name)
        self.most = {c: (1 << sum(bits for _, bits in fields)) - 1 for c, fields in family.waitcnt.items()}
        """Where a counter is full nothing is issued: what has as many in-order operations behind it is complete."""
        self.ways = ways
        self.called = called
        self.touched = {index: touched[index] for start, _ in ways.after for index in range(start, ways.ends[start])}
        self.limits = {index: limits for index in self.touched if (limits := limits_of(lines[index], family))}
        asked = {index: r for index in self.touched if (r := request_of(lines[index])) is not None}
        self.requests = {index: reaching(r, self.touched[index]) for index, r in asked.items()}
        turns = {c for c in self.machine.counting("lds") if "flat" in self.machine.ordered.get(c, ())}
        """The counters of LDS at which a flat access to other memory waits for its turn."""
        self.asked = {
            index: counted(self.machine, asked[index] if turns else request)
            for index, request in self.requests.items()
        }
        self.kept = {index: kind for index in self.touched if (kind := maintenance_kind(lines[index]))}
        self.ordered: dict[tuple[frozenset[str], str], bool] = {}
        self.frees = {index for index in self.touched if "DEALLOC_VGPRS" in lines[index].rest}
        self.bits: dict[str, int] = {}
        self.reads = {index: self._mask(each.read | self._besides(index)) for index, each in self.touched.items()}
        self.writes = {index: self._mask(each.written) for index, each in self.touched.items()}
        for name_ in (LDS, PRIVATE):
            self._mask((name_,))
        self.branches = Branches(lines, self.touched, ways.ends, {start for start, _ in ways.after})
        self.told_for = self.branches.asked(ways.after, ways.ends)
        self.low = sum(1 << 2 * k for k in range(len(self.bits)))
        self.seen: dict[tuple[int, Pending], int] = {}
        self.result = Found()
        self.read_copies: dict[Pending, set[int]] = {}
        self.waited: set[Pending] = set()

    def _mask(self, registers: Collection[str]) -> int:
        mask = 0
        for register in registers:
            whole, _, half = register.partition(".")
            mask |= {"l": 1, "h": 2}.get(half, 3) << 2 * self.bits.setdefault(whole, len(self.bits))
        return mask

    def _besides(self, index: int) -> frozenset[str]:
        """Return what a line reads besides: every vector instruction which lanes execute."""
        return frozenset() if self.lines[index].mnemonic.startswith("s_") else frozenset({"exec_lo"})

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the registers of a mask, in order."""
        halves = {1: ".l", 2: ".h", 3: ""}
        found = [name + halves[mask >> 2 * k & 3] for name, k in self.bits.items() if mask >> 2 * k & 3]
        return tuple(sorted(found, key=_numbered))

    def found(self) -> Found:
        """Follow every path; return what is found."""
        before: dict[Node, list[Board]] = {self.ways.start: [self._called()]}
        left = [self.ways.start]
        while left:
            node = heappop(left)
            if left and left[0] == node:
                continue
            for board in list(before[node]):
                behind = self._block(node, dict(board))
                for target in self.ways.after[node]:
                    along = self._along(node, target, behind)
                    if PATH in along and arrives(before.setdefault(target, []), along):
                        heappush(left, target)
        self.seen, self.result = {}, Found()
        for node in sorted(before):
            for board in before[node]:
                self._block(node, dict(board))
        self._copies()
        self.result.hazards = tuple(self._told())
        return self.result

    def _along(self, node: Node, target: Node, board: Board) -> Board:
        """Return what is pending where a block goes on: not what is so only on paths that do not go there.

        Of what branches have told it keeps what later ones may contradict.
        """
        end, asked = self.ways.ends[node[0]], self.told_for[target]
        told = self.branches.told.get(end - 1)
        if told is None or len(self.ways.after[node]) < 2:
            return {one: (mask, numbers, facts & asked) for one, (mask, numbers, facts) in board.items()}
        fact = told[target[0] == end]
        return {
            one: (mask, numbers, (facts | {fact}) & asked)
            for one, (mask, numbers, facts) in board.items() if not contradicts(facts, fact)
        }  # fmt: skip

    def _called(self) -> Board:
        """Return what is pending at first: whatever a caller has not waited for."""
        path: Board = {PATH: (0, {}, frozenset())}
        if self.called is None:
            return path
        every = (3 << 2 * len(self.bits)) - 1 & ~self._mask((LDS, PRIVATE, *_UNLOCKED & self.bits.keys()))
        counters = {c for kind in ("load", "lds", "scalar", "sample", "bvh") for c in self.machine.counting(kind)}
        on_its_way = sorted(counters - self.machine.locks.keys())
        return path | {Pending(CALLER, result=True, counter=c): (every, {c: 1}, frozenset()) for c in on_its_way}

    def _block(self, node: Node, board: Board) -> Board:
        """Follow a block; return what is pending behind it."""
        end = self.ways.ends[node[0]]
        for index in range(node[0], end):
            self._step(index, board)
        if node in self.ways.calls:  # the function that is called waits for everything, and returns with nothing
            path = board[PATH]
            self.waited |= board.keys()
            board.clear()
            board[PATH] = path
        if node in self.ways.returns:
            for one, (mask, _, _) in board.items():
                if one.result and one.line != CALLER and mask & ~self._mask((LDS, PRIVATE)):
                    self.seen[end - 1, one] = 0
        return board

    def _step(self, index: int, board: Board) -> None:
        """Change what is pending by a line; note in `seen` what it touches too early."""
        limits, request = self.limits.get(index), self.requests.get(index)
        if limits:
            over = [o for o, (_, numbers, _) in board.items() if any(n < numbers.get(c, 0) for c, n in limits.items())]
            for one in over:
                del board[one]
            self.waited.update(over)
            self.result.settled.setdefault(index, set()).update(over)
        old = self.branches.old.get(index)
        if old:
            for one, (mask, numbers, facts) in board.items():
                board[one] = mask, numbers, facts - old
        if request is not None and self.machine.locks:
            for one in [one for one in board if self._settles(request, one)]:
                del board[one]
        if len(board) > 1:
            self._check(index, request, board)
        maintenance = self.kept.get(index)
        if maintenance:
            counters, kinds = self.machine.counting(maintenance), frozenset({maintenance})
            self._later(board, kinds, counters)
        if request is not None:
            self._issue(index, request, board)

    def _settles(self, request: Request, one: Pending) -> bool:
        """Say whether hardware waits for translations by itself: between vector and scalar accesses."""
        if one.result or one.counter in (EXPORTS, "") or request.memory not in PATHS or request.memory == "lds":
            return False
        return (request.memory == "scalar") != (self.requests[one.line].memory == "scalar")

    def _check(self, index: int, request: Request | None, board: Board) -> None:
        """Take away what a line touches of what is pending: too early, or, results in order, as it may."""
        read, written = self.reads[index], self.writes[index]
        for one, (mask, numbers, facts) in list(board.items()):
            early = mask & (read | written if one.result else written)
            if early:
                used = one.result and mask & read
                if used or not self._rewritten(index, one):
                    self._note(index, one, early)
                whole = early | (early & self.low) << 1 | (early >> 1 & self.low)
                if one.line == CALLER or not mask & ~whole:
                    del board[one]
                else:
                    board[one] = mask & ~whole, numbers, facts
        if request is not None and request.memory == "lds":
            copies = self._mask((LDS,))
            for one, (mask, _, _) in board.items():
                if mask & copies:
                    self.read_copies.setdefault(one, set()).add(index)
        if index in self.frees:
            private = self._mask((PRIVATE,))
            self.seen.update({(index, one): private for one, (mask, _, _) in board.items() if mask & private})

    def _note(self, index: int, one: Pending, early: int) -> None:
        self.seen[index, one] = self.seen.get((index, one), 0) | early

    def _rewritten(self, index: int, one: Pending) -> bool:
        """Say whether a result may overwrite what is pending: both results reach their registers in order, or the
        source belongs to an operation whose address is translated before that of the one with the result."""
        request = self.requests.get(index)
        if request is None or not request.result or one.line == CALLER:
            return False
        both = [request, self.requests[one.line]]
        if one.result:
            other = both[1].memory
            vector = other == "flat" and one.counter in self.machine.counting("load")  # its way through vector memory
            alike = request.memory == ("global" if vector else other) and request.memory in ("global", "sample", "bvh")
            return self.machine.rewritten and alike and all(r.action != "store" for r in both)
        return all(self._in_order(self.asked[each][1], one.counter) for each in (index, one.line))

    def _issue(self, index: int, request: Request, board: Board) -> None:
        """Add what is pending after an operation was issued."""
        counters, kinds = self.asked[index]
        locks = self._locks(kinds)
        self._later(board, kinds, (*counters, *(c for c in locks if c not in counters)))
        facts = board[PATH][2]
        touched = self.touched[index]
        result = self.writes[index] if request.result else self._mask((LDS,)) if request.into_lds else 0
        if self.frees and SCRATCH.match(self.lines[index].mnemonic):
            result |= self._mask((PRIVATE,))
        if result:
            in_lds = self.machine.counting("lds") if touched.reached == {"lds"} else counted(self.machine, request)[0]
            for counter in (c for c in counters if c in in_lds and c not in locks and c not in self.machine.locks):
                board[Pending(index, result=True, counter=counter)] = result, {counter: 1}, facts
        within = self.machine.counting("lds") if "flat" in kinds else ()  # goes back before the address is translated
        own = {counter: 1 for counter in counters if counter not in within}
        for lock in locks:
            read = touched.read - _UNLOCKED | self._besides(index)  # for exec, too, LLVM waits before it is written
            if sources := [each for each in read if lock != EXPORTS or each.startswith("v")]:
                board[Pending(index, result=False, counter=lock)] = self._mask(sources), {**own, lock: 1}, facts

    def _locks(self, kinds: frozenset[str]) -> list[str]:
        """Return the counters that say when the sources of an operation are read."""
        locks = [c for c, locked in self.machine.locks.items() if kinds & locked]
        return [*locks, EXPORTS] if kinds & _EXPORTED and EXPORTS not in locks else locks

    def _later(self, board: Board, kinds: frozenset[str], counters: tuple[str, ...]) -> None:
        """Count an operation of some kinds, which some counters count, for what is pending."""
        ordered = [c for c in counters if self._in_order(kinds, c)]
        if not ordered:
            return
        for one, (mask, later, facts) in list(board.items()):
            if one.line < 0:
                continue
            mine = self.asked[one.line][1]
            if one.result and one.counter in ordered and self._in_order(mine, one.counter):
                number = later[one.counter] + 1
                if number > self.most.get(one.counter, MOST):
                    del board[one]
                else:
                    board[one] = mask, {**later, one.counter: number}, facts
            elif not one.result and all(self._in_order(k, one.counter) for k in (kinds, mine)):
                board[one] = mask, {**later, **{c: min(MOST, later.get(c, 0) + 1) for c in ordered}}, facts

    def _in_order(self, kinds: frozenset[str], counter: str) -> bool:
        """Say whether a counter sees operations of some kinds complete in order."""
        key = kinds, counter
        if key not in self.ordered:
            self.ordered[key] = self._sees_in_order(kinds, counter)
        return self.ordered[key]

    def _sees_in_order(self, kinds: frozenset[str], counter: str) -> bool:
        none: frozenset[str] = frozenset()
        table = self.machine.counters.get(counter, none) | self.machine.locks.get(counter, none) | {"flat"}
        return kinds & table <= self.machine.ordered.get(counter, none)

    def _copies(self) -> None:
        """Note the copies into LDS that are read behind and waited for nowhere, and what may be read of others."""
        lds = self._mask((LDS,))
        for one, lines in self.read_copies.items():
            if one in self.waited:
                self.result.passed |= lines
            else:
                self.seen[min(lines), one] = lds

    def _told(self) -> Iterator[RegisterHazard]:
        """Yield a hazard for each instruction and what it does not wait for, with all registers that this is about."""
        for (index, one), whole in sorted(self.seen.items(), key=lambda found: found[0]):
            line = self.lines[index]
            by = self.lines[one.line] if one.line != CALLER else None
            awaited, place = ("the call", self.called or line.span) if by is None else (by.text, by.span)
            for kind, mask in self._kinds(index, one, whole):
                yield RegisterHazard(
                    kernel=self.name, kind=kind, registers=self.names(mask), counter=one.counter,
                    instruction=line.text, span=line.span, awaited=awaited, awaited_span=place,
                )  # fmt: skip

    def _kinds(self, index: int, one: Pending, mask: int) -> Iterator[tuple[HazardKind, int]]:
        """Yield what is wrong with which registers."""
        used = mask & self.reads[index]
        if not mask:
            yield HazardKind.RETURNED, mask
        elif mask == self._mask((LDS,)):
            yield HazardKind.COPIED, mask
        elif mask == self._mask((PRIVATE,)):
            yield HazardKind.SCRATCH, mask
        elif not one.result:
            yield HazardKind.SOURCE, mask
        else:
            yield from ((kind, part) for kind, part in ((HazardKind.USED, used),
                                                        (HazardKind.OVERWRITTEN, mask & ~used)) if part)  # fmt: skip


def _numbered(register: str) -> tuple[str, int, str]:
    """Return what registers are ordered by: their letters, their number, their half."""
    whole, _, half = register.partition(".")
    letters = whole.rstrip("0123456789")
    return letters, int(whole[len(letters) :] or 0), half
