"""Which values and branches are uniform: the static analyses.

What goes in: a `FlowFunction`, a hierarchy of its cycles, the rules. What comes out: what is divergent, and why. It
follows LLVM 22's analysis rule by rule ([ConvergenceAndUniformity]); `sound` is ours: the same over all hierarchies,
with what LLVM's misses at the exits of cycles. Invariant: nothing that was found divergent becomes uniform again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from enum import Enum

from axmem.convergence.cycles import ControlCycle, Hierarchies, Hierarchy, hierarchies
from axmem.convergence.function import FlowFunction, FlowInstruction, InstructionPlace, Sort
from axmem.convergence.graph import Dominators
from axmem.convergence.joins import Joins, exit_blocks
from axmem.front.records import dataclass


class Rules(Enum):
    """What is decided at the exits of cycles."""

    LLVM_22 = "llvm-22"
    """What is used outside a cycle with a divergent exit is divergent there; phis of constants are not looked at."""
    EXITS_JOIN = "exits-join"
    """The exits of a reducible cycle around a divergent branch are joins, too: LLVM after release 22 (#216296)."""
    SOUND = "sound"
    """Phis at a divergent exit are divergent if what comes from within the cycle differs."""


class DivergenceCause(Enum):
    """Why something is divergent."""

    SOURCE = "is divergent by itself"
    UNKNOWN = "depends on what is not known here"
    OPERAND = "uses"
    JOIN = "lanes join here that parted at"
    OUTSIDE = "is used outside a cycle that lanes leave at different iterations, at"
    CYCLE = "is in a cycle whose hierarchy decides, entered by lanes that parted at"


@dataclass(frozen=True, slots=True)
class DivergenceReason:
    """Why a value or branch is divergent: the cause, and the register or block that it names."""

    cause: DivergenceCause
    name: str = ""


@dataclass(frozen=True, slots=True)
class Uniformity:
    """What is divergent: instructions and branches (by their blocks) with reasons; all else is uniform.

    `assumed` are cycles in which every value counts as divergent, because which lanes converge there depends on the
    hierarchy; `exits` those that lanes leave at different iterations.
    """

    values: Mapping[InstructionPlace, DivergenceReason]
    branches: Mapping[str, DivergenceReason]
    assumed: tuple[ControlCycle, ...] = ()
    exits: tuple[ControlCycle, ...] = ()


NOTHING = Uniformity({}, {})


def uniformity(
    function: FlowFunction, hierarchy: Hierarchy, rules: Rules = Rules.LLVM_22, start: Uniformity = NOTHING
) -> Uniformity:
    """Return what is divergent in one hierarchy; what `start` calls divergent is."""
    return _Analysis(function, hierarchy, rules).result(start)


def sound(function: FlowFunction, found: Hierarchies | None = None) -> Uniformity:
    """Return what is divergent in some hierarchy of the graph, by the rules that are sound."""
    every = (found or hierarchies(function.graph)).found
    result = NOTHING
    while True:
        before = len(result.values) + len(result.branches)
        for hierarchy in every:
            result = uniformity(function, hierarchy, Rules.SOUND, result)
        if len(every) == 1 or len(result.values) + len(result.branches) == before:
            return result


class _Analysis:
    """The fixed point over one hierarchy."""

    def __init__(self, function: FlowFunction, hierarchy: Hierarchy, rules: Rules) -> None:
        self._function = function
        self._hierarchy = hierarchy
        self._rules = rules
        self._joins = Joins(function.graph, hierarchy, exits_join=rules is Rules.EXITS_JOIN)
        self._dominators = Dominators(function.graph)
        self._definitions: dict[str, InstructionPlace] = {}
        self._users: dict[str, list[InstructionPlace | str]] = {}
        self._values: dict[InstructionPlace, DivergenceReason] = {}
        self._branches: dict[str, DivergenceReason] = {}
        self._work: list[InstructionPlace | str] = []
        self._assumed: list[ControlCycle] = []
        # The blocks of those among these around which no other is irreducible: what joins there marks nothing more.
        self._settled: set[str] = set()
        self._exits: dict[str, ControlCycle] = {}
        self._grow: dict[str, list[ControlCycle | None]] = {}
        for place, instruction in function.instructions():
            self._definitions[instruction.register] = place
            for register in instruction.uses:
                self._users.setdefault(register, []).append(place)
        for label in function.graph.successors:
            for register in function.blocks[label].condition:
                self._users.setdefault(register, []).append(label)

    def result(self, start: Uniformity) -> Uniformity:
        """Propagate to the end."""
        for place, instruction in self._function.instructions():
            if instruction.sort is Sort.DIVERGENT:
                self._mark(place, DivergenceReason(DivergenceCause.SOURCE))
            elif instruction.opaque and self._rules is Rules.SOUND:
                self._mark(place, DivergenceReason(DivergenceCause.UNKNOWN))
        for place, reason in start.values.items():
            self._mark(place, reason)
        for label, reason in start.branches.items():
            self._mark_branch(label, reason)
        while self._work:
            item = self._work.pop()
            if isinstance(item, str):
                self._diverge(item)
            else:
                register = self._instruction(item).register
                self._mark_users(register, DivergenceReason(DivergenceCause.OPERAND, register))
        return Uniformity(self._values, self._branches, tuple(self._assumed), tuple(self._exits.values()))

    def _instruction(self, place: InstructionPlace) -> FlowInstruction:
        return self._function.blocks[place.block].instructions[place.number]

    def _mark(self, place: InstructionPlace, reason: DivergenceReason) -> None:
        if place not in self._values and self._instruction(place).sort is not Sort.UNIFORM:
            self._values[place] = reason
            self._work.append(place)

    def _mark_branch(self, label: str, reason: DivergenceReason) -> None:
        if label not in self._branches:
            self._branches[label] = reason
            self._work.append(label)

    def _mark_users(self, register: str, reason: DivergenceReason, outside: ControlCycle | None = None) -> None:
        """Mark what uses a register, of that only what stands outside a cycle if one is given."""
        # The last use first, so that the first is the next at work: LLVM's answer depends on its order, though seldom.
        for user in reversed(self._users.get(register, ())) if register else ():
            block = user if isinstance(user, str) else user.block
            if outside is not None and block in outside.blocks:
                continue
            if isinstance(user, str):
                self._mark_branch(user, reason)
            else:
                self._mark(user, reason)

    def _diverge(self, branch: str) -> None:
        """Mark what a divergent branch makes divergent where its lanes meet again or leave cycles."""
        found = self._joins.of(branch)
        cycles: dict[str, ControlCycle] = {}
        common: dict[str, int] = {}
        for join in found.joins:
            if join in self._settled:
                continue
            cycle = self._made_divergent(branch, join, common)
            if cycle is not None:
                cycles[cycle.header] = cycle
            else:
                self._mark_phis(join, branch)
        # Inner cycles first, as LLVM has it; those within one that is known are not listed.
        for cycle in sorted(cycles.values(), key=lambda c: -len(self._hierarchy.around[c.header])):
            self._assume(cycle, branch)
        if any(cycle.header not in self._exits for cycle in self._hierarchy.around[branch]):
            for block in found.exits:
                self._leave(block, branch)

    def _mark_phis(self, join: str, branch: str) -> None:
        """Mark the phis of a join, those aside that have the same value whichever way a lane came."""
        for number, instruction in enumerate(self._function.blocks[join].instructions):
            values = {(i.register, i.constant) for i in instruction.incoming}
            if len(values - {("", ""), (instruction.register, "")}) > 1:
                self._mark(InstructionPlace(join, number), DivergenceReason(DivergenceCause.JOIN, branch))

    def _made_divergent(self, branch: str, join: str, known: dict[str, int]) -> ControlCycle | None:
        """Return the outermost cycle in which the hierarchy decides which lanes converge, if there is one.

        `known` says of headers of innermost cycles how many cycles around them the branch has in common.
        """
        around = self._hierarchy.around[join]
        innermost = around[-1].header if around else ""
        if innermost not in known:
            known[innermost] = bisect_left(around, True, key=lambda c: branch not in c.blocks)
        common = known[innermost]
        internal = None
        if common and not around[common - 1].reducible and not self._dominators.strictly(branch, join):
            internal = self._grown(join)[common - 1]
        if internal is not None or common == len(around):
            return internal
        outermost = around[common]
        return None if outermost.reducible else outermost

    def _grown(self, join: str) -> list[ControlCycle | None]:
        """Return for each cycle around a join that which it grows to, outwards to a header that dominates the join."""
        if join not in self._grow:
            found: list[ControlCycle | None] = []
            for cycle in self._hierarchy.around[join]:
                above = found[-1] if found else None
                found.append(None if self._dominators.strictly(cycle.header, join) else above or cycle)
            self._grow[join] = found
        return self._grow[join]

    def _assume(self, cycle: ControlCycle, branch: str) -> None:
        if any(cycle.blocks <= known.blocks for known in self._assumed):
            return
        self._assumed.append(cycle)
        if all(c.reducible for c in self._hierarchy.around[cycle.header] if c.blocks > cycle.blocks):
            self._settled |= cycle.blocks
        for block in self._function.graph.successors:
            if block in cycle.blocks:
                for number, instruction in enumerate(self._function.blocks[block].instructions):
                    if instruction.register:
                        self._mark(InstructionPlace(block, number), DivergenceReason(DivergenceCause.CYCLE, branch))

    def _leave(self, target: str, branch: str) -> None:
        """Mark what lanes see of a cycle that they leave at different iterations: values used outside of it."""
        cycle = self._left(target, branch)
        if cycle.header in self._exits:
            return
        self._exits[cycle.header] = cycle
        # LLVM takes everything in such a cycle for divergent, but for what is always uniform that is not so.
        if self._rules is not Rules.SOUND and any(cycle.blocks <= known.blocks for known in self._assumed):
            return
        reason = DivergenceReason(DivergenceCause.OUTSIDE, branch)
        exits = exit_blocks(self._function.graph, cycle)
        for block in exits:
            for number, instruction in enumerate(self._function.blocks[block].instructions):
                if self._is_changed(instruction, cycle):
                    self._mark(InstructionPlace(block, number), reason)
        for block in self._function.graph.successors:
            if block in cycle.blocks and any(self._dominators.dominates(block, e) for e in exits):
                for instruction in self._function.blocks[block].instructions:
                    self._mark_users(instruction.register, reason, outside=cycle)

    def _left(self, target: str, branch: str) -> ControlCycle:
        """Return the outermost cycle around a branch that lanes leave to a block outside of it.

        LLVM goes outwards as long as cycles are deeper than those around the block, and so stops too early if the block
        is in another cycle.
        """
        around = self._hierarchy.around[branch]
        if self._rules is Rules.SOUND:
            return next(c for c in around if target not in c.blocks)
        return around[min(len(self._hierarchy.around[target]), len(around) - 1)]

    def _is_changed(self, phi: FlowInstruction, cycle: ControlCycle) -> bool:
        """Whether a phi after a cycle depends on the iteration in which a lane leaves it."""
        if any(self._defined_in(i.register, cycle) for i in phi.incoming):
            return True
        within = {(i.register, i.constant) for i in phi.incoming if i.block in cycle.blocks}
        return self._rules is Rules.SOUND and len(within - {("", "")}) > 1

    def _defined_in(self, register: str, cycle: ControlCycle) -> bool:
        place = self._definitions.get(register)
        return place is not None and place.block in cycle.blocks
