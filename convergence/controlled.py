"""Controlled convergence: which executions of operations with tokens are converged.

What goes in: a `FlowFunction`, the path of a lane. What comes out: a key for each execution of an operation that has or
gives a token ([ConvergentOperations]). Invariant: executions of two lanes are converged if and only if their keys are
equal; those of an anchor whose keys are equal may be in one class or not, as the implementation pleases, and with them
all whose keys are made of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from axmem.convergence.function import ConvergenceRole, FlowFunction, FlowInstruction, InstructionPlace
from axmem.convergence.graph import reverse_postorder
from axmem.convergence.keys import Headers, Key, next_key
from axmem.front.records import dataclass


class ControlledKey(NamedTuple):
    """The operation, the execution that gave its token, how often a heart was executed with it, an anchor's own key.

    An `entry` has a key without more: the lanes of one launch execute it together. `around` is of an anchor what gave
    the tokens in whose convergence regions it is.
    """

    place: InstructionPlace
    token: ControlledKey | None = None
    times: int = 0
    anchor: Key | None = None
    around: tuple[ControlledKey, ...] = ()

    @property
    def anchors(self) -> tuple[ControlledKey, ...]:
        """The executions of anchors that it rests on: one, as tokens come from one another, and those around that."""
        if self.anchor is not None:
            return tuple(dict.fromkeys((self, *(anchor for key in self.around for anchor in key.anchors))))
        return self.token.anchors if self.token is not None else ()


class ControlledExecution(NamedTuple):
    """An execution of an operation: its lane, its step on the lane's path, its number in the block, from 0."""

    lane: int
    step: int
    number: int


class Use(NamedTuple):
    """A token, and an operation that takes it."""

    token: str
    place: InstructionPlace


class Tokens(NamedTuple):
    """What gave the tokens that a lane has, and how often each heart was executed with one of them."""

    given: tuple[tuple[str, ControlledKey], ...] = ()
    hearts: tuple[tuple[InstructionPlace, int], ...] = ()

    def of(self, token: str) -> ControlledKey | None:
        """Return what gave a token."""
        return dict(self.given).get(token)

    def at(self, uses: Set[Use]) -> Tokens:
        """Return what is left at the start of a block from which these uses are reached: its convergence regions."""
        tokens, places = {use.token for use in uses}, {use.place for use in uses}
        return Tokens(
            tuple(each for each in self.given if each[0] in tokens),
            tuple(each for each in self.hearts if each[0] in places),
        )

    def after(
        self, place: InstructionPlace, instruction: FlowInstruction, around: Key
    ) -> tuple[ControlledKey | None, Tokens]:
        """Return the key of an execution, if it has or gives a token, and the tokens after it."""
        role, token = instruction.control.role, self.of(instruction.control.token)
        hearts = dict(self.hearts)
        if role is ConvergenceRole.ANCHOR:
            key = ControlledKey(place, anchor=around, around=tuple(given for _, given in self.given))
        elif role is ConvergenceRole.LOOP and token is not None:
            key = ControlledKey(place, token, hearts.get(place, 0))
            hearts[place] = key.times + 1
        elif role is ConvergenceRole.ENTRY or token is not None:
            key = ControlledKey(place, token)
        else:
            return None, self
        if not role.defines:
            return key, self
        given = {**dict(self.given), instruction.register: key}
        return key, Tokens(tuple(sorted(given.items(), key=lambda item: item[0])), tuple(sorted(hearts.items())))


def live(function: FlowFunction) -> dict[str, frozenset[Use]]:
    """Return for each block the uses of tokens that are reached from its start before the token is given anew."""
    wanted: dict[str, set[Use]] = {block: set() for block in function.graph.successors}
    given: dict[str, set[str]] = {block: set() for block in wanted}
    for place, instruction in function.instructions():
        token = instruction.control.token
        if token and token not in given[place.block]:
            wanted[place.block].add(Use(token, place))
        if instruction.control.role.defines:
            given[place.block].add(instruction.register)
    changed = True
    while changed:
        changed = False
        for block, after in function.graph.successors.items():
            more = {use for b in after for use in wanted[b] if use.token not in given[block]}
            changed |= not more <= wanted[block]
            wanted[block] |= more
    return {block: frozenset(uses) for block, uses in wanted.items()}


END = -1
"""The number of a block's end in `regions`."""


def regions(function: FlowFunction) -> dict[InstructionPlace, tuple[str, ...]]:
    """Return the tokens in whose convergence regions each instruction stands, and each block's end, innermost last."""
    here = live(function)
    order = {block: number for number, block in enumerate(reverse_postorder(function.graph))}
    home = {i.register: (order[place.block], place.number) for place, i in function.instructions()}
    found: dict[InstructionPlace, tuple[str, ...]] = {}
    for block, after in function.graph.successors.items():
        used = {use.token for b in after for use in here[b]}
        found[InstructionPlace(block, END)] = tuple(sorted(used, key=home.__getitem__))
        for number, instruction in reversed(list(enumerate(function.blocks[block].instructions))):
            if instruction.control.role.defines:
                used.discard(instruction.register)
            if instruction.control.token:
                used.add(instruction.control.token)
            found[InstructionPlace(block, number)] = tuple(sorted(used, key=home.__getitem__))
    return found


Around = tuple[ControlledKey | None, ...]
"""What gave the tokens in whose regions something is executed."""


def given_around(function: FlowFunction, path: Sequence[str], headers: Headers) -> Iterator[dict[int, Around]]:
    """Yield for each block of a lane's path, by the numbers of its instructions, what gave the tokens around them.

    Two executions of an instruction that is in some region are converged if these are equal besides its own key.
    """
    tokens, here, within = Tokens(), live(function), regions(function)
    at: Key | None = None
    for block in path:
        at = next_key(block, at, headers)
        tokens = tokens.at(here[block])
        found: dict[int, Around] = {}
        for number, instruction in enumerate(function.blocks[block].instructions):
            found[number] = tuple(map(tokens.of, within[InstructionPlace(block, number)]))
            _, tokens = tokens.after(InstructionPlace(block, number), instruction, at)
        found[END] = tuple(map(tokens.of, within[InstructionPlace(block, END)]))
        yield found


@dataclass(frozen=True, slots=True)
class ControlledClass:
    """Executions that are converged if their anchors' are; a class without an anchor is converged in any case."""

    place: InstructionPlace
    executions: tuple[ControlledExecution, ...]
    anchored: bool


def controlled_classes(
    function: FlowFunction, paths: Sequence[Sequence[str]], headers: Headers
) -> tuple[ControlledClass, ...]:
    """Return the largest classes of executions with tokens, in the order in which they first occur."""
    found: dict[ControlledKey, list[ControlledExecution]] = {}
    for lane, path in enumerate(paths):
        for execution, key in controlled_keys(function, path, headers, lane):
            found.setdefault(key, []).append(execution)
    return tuple(ControlledClass(key.place, tuple(some), bool(key.anchors)) for key, some in found.items())


def controlled_keys(
    function: FlowFunction, path: Sequence[str], headers: Headers, lane: int = 0
) -> Iterator[tuple[ControlledExecution, ControlledKey]]:
    """Yield the executions of operations with tokens on a lane's path."""
    tokens, here = Tokens(), live(function)
    around: Key | None = None
    for step, block in enumerate(path):
        around = next_key(block, around, headers)
        tokens = tokens.at(here[block])
        for number, instruction in enumerate(function.blocks[block].instructions):
            key, tokens = tokens.after(InstructionPlace(block, number), instruction, around)
            if key is not None:
                yield ControlledExecution(lane, step, number), key
