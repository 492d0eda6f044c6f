"""Which instructions of a function a test of its accesses needs, and why the others may be left out.

What goes in: a function without calls of defined functions, the memory that counts, and the values that have no
meaning in a test. What comes out: the instructions that are kept, the branches that decide which of them are executed,
the values that are guessed, and for each other instruction the reason why it is left out, which says whether that can
change the outcomes. Invariant: what a kept instruction uses is kept or guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum

from axmem.formats.ir.floats import INTRINSICS
from axmem.formats.ir.flow import ADDRESSED, FunctionFlow, Root, used
from axmem.formats.ir.intrinsics import MINMAX, REDUCED, has_no_effect, plain
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.syntax import Instruction
from axmem.formats.ir.types import IRType
from axmem.front.records import dataclass
from axmem.litmus.call_parser import ID_NAMES
from axmem.litmus.words import RESULT, Ordering

_VALUES = {*MINMAX, *REDUCED, *INTRINSICS, *ID_NAMES, "llvm.expect", "llvm.expect.with.probability", "llvm.ssa.copy"}
_WEAK = (Ordering.NOT_ATOMIC, Ordering.UNORDERED, Ordering.MONOTONIC)


class SliceEffect(Enum):
    """What leaving something out, or guessing it, can do to the outcomes."""

    NONE = "no outcome changes"
    ADDS = "can add outcomes"
    LOSES = "can lose outcomes"
    BOTH = "can add and lose outcomes"


class _Told(Enum):
    """What is said of each, and what it can do."""

    def __init__(self, text: str, effect: SliceEffect) -> None:
        self.text = text
        self.effect = effect


class SliceReason(_Told):
    """Why an instruction is left out, and what that can do."""

    UNUSED = ("computes what nothing that is kept needs", SliceEffect.NONE)
    HINT = ("does nothing to memory", SliceEffect.NONE)
    ASSUMED = ("is taken to hold", SliceEffect.NONE)
    PRIVATE = ("memory that this thread alone sees", SliceEffect.NONE)
    ALONE = ("memory that no other thread of the test accesses, in no order that one could see", SliceEffect.NONE)
    UNWRITTEN = ("memory that no thread of the test writes", SliceEffect.NONE)
    BRANCH = ("decides nothing that is kept", SliceEffect.NONE)
    ENDS = ("decides how often nothing is done; the loop is taken to end", SliceEffect.ADDS)
    UNSURE = (
        "decides nothing that is kept, but by what was read: of undef that is undefined behaviour",
        SliceEffect.LOSES,
    )
    UNSURE_END = ("decides how often nothing is done, by what was read; the loop is taken to end", SliceEffect.BOTH)
    CALL = ("not known here, and may do anything to memory", SliceEffect.BOTH)
    FAR = ("further away from the value than the test reaches", SliceEffect.BOTH)
    UNREAD = ("without a meaning in a test", SliceEffect.BOTH)


class Guess(_Told):
    """What is put for a value of which a test cannot know what it is, and what that can do."""

    LOCATION = ("a location of its own, which nothing else points to, and which holds 0 at first", SliceEffect.LOSES)
    ARGUMENT = ("0, 1 or 2", SliceEffect.LOSES)
    EITHER = ("false or true, whatever it depends on", SliceEffect.ADDS)
    ALWAYS = ("false or true, whatever it depends on, and the same each time", SliceEffect.BOTH)
    NUMBER = ("1", SliceEffect.BOTH)
    INDEX = ("0 as an index", SliceEffect.LOSES)


@dataclass(frozen=True, slots=True)
class CountedMemory:
    """The memory that counts: roots whose accesses are kept, and, of the others, those that no thread writes.

    Of `near`, if it is given, nothing but these instructions, by index, is kept of what accesses and orders memory.
    """

    kept: frozenset[Root]
    unwritten: frozenset[Root]
    near: frozenset[int] | None = None


class Slice:
    """What is kept of a function.

    `opaque` are values that have no meaning, `asked` those that a condition names, the result of the function being
    `RESULT`, `given` parameters that are known.
    """

    def __init__(
        self,
        flow: FunctionFlow,
        memory: CountedMemory,
        *,
        opaque: Collection[str],
        asked: Collection[str],
        given: Collection[str],
    ) -> None:
        self.flow = flow
        self.memory = memory
        self.opaque = opaque
        self.given = given
        self.types = {p.name: p.type for p in flow.function.parameters}
        self.kept: set[int] = set()
        self.needed: set[Root] = set()
        self.blocks = {flow.function.blocks[0].name, *flow.endless}
        self.guesses: dict[tuple[str, Guess], IRType] = {}
        self.index = {each.result: index for index, each in enumerate(flow.instructions) if each.result}
        self.block_of = {id(each): block.name for block in flow.function.blocks for each in block.instructions}
        self.position = {id(each): index for index, each in enumerate(flow.instructions)}
        self.converges = any(each.operation == "call" and ordering(each, opaque) for each in flow.instructions)
        if self.converges:
            self.blocks |= {block.name for block in flow.function.blocks}
        for block in flow.function.blocks:
            if block.instructions[-1].operation == "unreachable" and not any(i.callee for i in block.instructions):
                self.blocks.add(block.name)
        before = -1
        while before != len(self.kept) + len(self.blocks):
            before = len(self.kept) + len(self.blocks)
            for index, each in enumerate(flow.instructions):
                returned = each.operation == "ret" and bool(each.operands) and RESULT in asked
                if self.wanted(index, each) or each.result in asked or returned:
                    self.keep(index)
            self.decide()

    # ------------------------------------------------ what is kept

    def wanted(self, index: int, each: Instruction) -> bool:
        """Tell whether an instruction is kept for its own sake."""
        if each.operation in ADDRESSED:
            roots = self.flow.accessed(each)
            if roots & self.needed and (self.memory.near is None or roots <= self.flow.private):
                return True
            counts = bool(roots & self.memory.kept) or each.mode.ordering not in _WEAK or each.mode.av
            return counts and self.close(index)
        return ordering(each, self.opaque) and self.close(index)

    def close(self, index: int) -> bool:
        """Tell whether an instruction is near enough."""
        return self.memory.near is None or index in self.memory.near

    def keep(self, index: int) -> None:
        """Keep an instruction and what it uses."""
        if index in self.kept:
            return
        self.kept.add(index)
        each = self.flow.instructions[index]
        if each.operation not in ("br", "switch"):
            self.blocks.add(self.block_of[id(each)])
        self.blocks.update(each.targets if each.operation == "phi" else ())
        self.needed |= self.flow.accessed(each) if each.operation in ADDRESSED else frozenset()
        for position, name in enumerate_used(each):
            self.need(name, each, position)

    def need(self, name: str, user: Instruction, position: int) -> None:
        """Keep what computes a value, or note that it is guessed."""
        made = self.flow.results.get(name)
        if name in self.given:
            return
        if made is None or self.clouded(name):
            type_ = self.types[name] if made is None else made.type
            self.guesses[name, self.guess(name, type_, user, position)] = type_
            return
        self.keep(self.index[name])

    def clouded(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Tell whether a value, which is no pointer, depends on one that has no meaning here."""
        made = self.flow.results.get(name)
        if name in self.opaque or (made is not None and made.operation == "call" and not _is_value(made)
                                   and not ordering(made, self.opaque)):  # fmt: skip
            return True
        if made is None or name in seen or made.type.kind == "ptr" or made.operation == "getelementptr":
            return False
        if made.operation == "load":
            return not self.close(self.index[name]) and not self.flow.accessed(made) <= self.flow.private
        if made.operation in ADDRESSED:
            return not self.close(self.index[name])
        return any(self.clouded(each, seen | {name}) for each in used(made))

    def guess(self, name: str, type_: IRType, user: Instruction, position: int) -> Guess:
        """Return what a value is taken to be where it is used."""
        if type_.kind == "ptr":
            return Guess.LOCATION
        if user.operation == "getelementptr" and position:
            return Guess.INDEX
        made = self.flow.results.get(name)
        if type_.kind == "int" and type_.bits == 1:
            loops = made is not None and self.flow.loops(self.block_of[id(made)])
            return Guess.ALWAYS if loops else Guess.EITHER
        return Guess.ARGUMENT if made is None and type_.kind == "int" else Guess.NUMBER

    # ------------------------------------------------ which branches

    def decide(self) -> None:
        """Keep the branches that decide which of the kept blocks is executed next.

        They are those from whose targets different kept blocks are reached first; when no more are found, one kept
        block at most is reached first from each target. Some block is: of each loop that nothing leaves one is kept.
        """
        blocks = frozenset(self.blocks)
        for block in self.flow.function.blocks:
            last = block.instructions[-1]
            if len({found for target in last.targets if (found := self.flow.first(target, blocks))}) > 1:
                self.blocks.add(block.name)
                self.keep(self.position[id(last)])

    def next(self, target: str) -> str:
        """Return the one kept block, or the end, that comes next from a block on."""
        return min(self.flow.first(target, self.blocks))

    # ------------------------------------------------ what is left out

    def left_out(self) -> Iterator[tuple[Instruction, SliceReason]]:
        """Yield what is left out with the reason."""
        for index, each in enumerate(self.flow.instructions):
            if index not in self.kept and (reason := self.reason(index, each)) is not None:
                yield each, reason

    def reason(self, index: int, each: Instruction) -> SliceReason | None:
        """Return why an instruction is left out; None for what only leads on."""
        if each.operation in ("br", "switch", "ret", "unreachable"):
            if len(set(each.targets)) < 2:
                return SliceReason.UNUSED if each.operation == "ret" and each.operands else None
            name, read = self.block_of[id(each)], any(map(self.read, used(each)))
            loops = self.flow.loops(name) and not all(name in self.flow.reached(target) for target in each.targets)
            if read:
                return SliceReason.UNSURE_END if loops else SliceReason.UNSURE
            return SliceReason.ENDS if loops else SliceReason.BRANCH
        if each.operation == "call":
            if has_no_effect(each.callee):
                return SliceReason.HINT
            if each.callee == ASSUME:
                return SliceReason.ASSUMED
            if ordering(each, self.opaque):
                return SliceReason.FAR
            return SliceReason.UNUSED if _is_value(each) else SliceReason.CALL
        if each.operation == "fence":
            return SliceReason.FAR
        if each.operation not in ADDRESSED:
            return SliceReason.PRIVATE if each.operation == "alloca" else SliceReason.UNUSED
        roots = self.flow.accessed(each)
        if roots <= self.flow.private:
            return SliceReason.PRIVATE
        if roots & self.memory.kept or each.mode.ordering not in _WEAK or self.memory.near is not None:
            return SliceReason.FAR
        return SliceReason.UNWRITTEN if roots <= self.memory.unwritten else SliceReason.ALONE

    def read(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Tell whether a value depends on memory that may have been written, or on what is not known here."""
        made = self.flow.results.get(name)
        if made is None or name in seen:
            return False
        if made.operation in ADDRESSED:
            return not self.flow.accessed(made) <= self.memory.unwritten
        if made.operation == "call" and not _is_value(made):
            return True
        return any(self.read(each, seen | {name}) for each in used(made))


def ordering(each: Instruction, opaque: Collection[str]) -> bool:
    """Tell whether an instruction that accesses no memory orders accesses, or lanes: a fence, a barrier, …"""
    if each.operation == "fence":
        return True
    known = each.callee.startswith("llvm.") and not has_no_effect(each.callee) and not _is_value(each)
    return each.operation == "call" and known and each.callee not in opaque


def _is_value(call: Instruction) -> bool:
    """Tell whether a call is of an intrinsic that only computes."""
    return plain(call.callee) in _VALUES or ".mbcnt." in call.callee or ".workitem.id." in call.callee


def enumerate_used(each: Instruction) -> Iterator[tuple[int, str]]:
    """Yield the values that an instruction uses, with the position of the operand."""
    for position, operand in enumerate(each.operands):
        for name in used(Instruction("", operands=(operand,))):
            yield position, name


def writes(each: Instruction) -> bool:
    """Tell whether an access may write."""
    return each.operation in ("store", "atomicrmw", "cmpxchg")


def by_root(flows: Iterable[tuple[FunctionFlow, int]]) -> dict[Root, tuple[int, bool]]:
    """Return of each root how many threads access it, and whether one writes; with each flow, how many execute it."""
    found: dict[Root, tuple[int, bool]] = {}
    for flow, threads in flows:
        accesses = [each for each in flow.instructions if each.operation in ADDRESSED]
        written = {root for each in accesses if writes(each) for root in flow.accessed(each)}
        for root in frozenset().union(*map(flow.accessed, accesses)) - flow.private:
            others, already = found.get(root, (0, False))
            found[root] = others + threads, already or root in written
    return found
