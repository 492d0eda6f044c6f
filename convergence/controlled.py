"""Controlled convergence: which executions of operations with tokens are converged.

What goes in: a `Function`, the path of a lane. What comes out: a key for each execution of an operation that has or
gives a token ([ConvergentOperations]). Invariant: executions of two lanes are converged if and only if their keys are
equal; those of an anchor whose keys are equal may be in one class or not, as the implementation pleases, and with them
all whose keys are made of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from axmem.convergence.function import Function, Place, Role
from axmem.convergence.keys import Headers, Key, next_key


class ControlledKey(NamedTuple):
    """The operation, the execution that gave its token, how often a heart was executed with it, an anchor's own key.

    An `entry` has a key without more: the lanes of one launch execute it together.
    """

    place: Place
    token: ControlledKey | None = None
    times: int = 0
    anchor: Key | None = None

    @property
    def anchors(self) -> tuple[ControlledKey, ...]:
        """The executions of anchors that it rests on: at most one, as tokens come from one another."""
        if self.anchor is not None:
            return (self,)
        return self.token.anchors if self.token is not None else ()


class Execution(NamedTuple):
    """An execution of an operation: its lane, its step on the lane's path, its number in the block, from 0."""

    lane: int
    step: int
    number: int


@dataclass(frozen=True, slots=True)
class ControlledClass:
    """Executions that are converged if their anchors' are; a class without an anchor is converged in any case."""

    place: Place
    executions: tuple[Execution, ...]
    anchored: bool


def controlled_classes(
    function: Function, paths: Sequence[Sequence[str]], headers: Headers
) -> tuple[ControlledClass, ...]:
    """Return the largest classes of executions with tokens, in the order in which they first occur."""
    found: dict[ControlledKey, list[Execution]] = {}
    for lane, path in enumerate(paths):
        for execution, key in controlled_keys(function, path, headers, lane):
            found.setdefault(key, []).append(execution)
    return tuple(ControlledClass(key.place, tuple(some), bool(key.anchors)) for key, some in found.items())


def controlled_keys(
    function: Function, path: Sequence[str], headers: Headers, lane: int = 0
) -> Iterator[tuple[Execution, ControlledKey]]:
    """Yield the executions of operations with tokens on a lane's path."""
    given: dict[str, ControlledKey] = {}
    hearts: dict[tuple[Place, ControlledKey], int] = {}
    around: Key | None = None
    for step, block in enumerate(path):
        around = next_key(block, around, headers)
        for number, instruction in enumerate(function.blocks[block].instructions):
            role, place = instruction.control.role, Place(block, number)
            token = given.get(instruction.control.token)
            if role is Role.ANCHOR:
                key = ControlledKey(place, anchor=around)
            elif role is Role.LOOP and token is not None:
                count = hearts.get((place, token), 0)
                hearts[place, token] = count + 1
                key = ControlledKey(place, token, count)
            elif role is Role.ENTRY or token is not None:
                key = ControlledKey(place, token)
            else:
                continue
            if role.defines:
                given[instruction.register] = key
            yield Execution(lane, step, number), key
