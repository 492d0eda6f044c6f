"""Converged instances by keys.

What goes in: the headers of the cycles around each block in one hierarchy, and the paths of lanes. What comes out: a
key for each instance. Two instances of a block in different lanes are converged if and only if their keys are equal;
that is the rule of the last point of convergence ([ConvergenceAndUniformity]) as a recursion. Invariant: the key
of an instance follows from the key before it in its lane and the block alone, and no key occurs twice in a lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

Headers = Mapping[str, Set[str]]
"""The headers of the cycles around each block."""


class Key(NamedTuple):
    """A block, and the key of the last header around it that the lane executed before, if there was one."""

    block: str
    last: Key | None


def next_key(block: str, before: Key | None, headers: Headers) -> Key:
    """Return the key of an instance of `block` that follows an instance with the key `before` (None: the first)."""
    around = headers[block]
    last = before
    while last is not None and last.block not in around:
        last = last.last
    return Key(block, last)


def keys(path: Iterable[str], headers: Headers) -> list[Key]:
    """Return the keys of a lane's instances."""
    found: list[Key] = []
    key = None
    for block in path:
        key = next_key(block, key, headers)
        found.append(key)
    return found


class Instance(NamedTuple):
    """An execution of a block: its lane, and its step on the lane's path, both from 0."""

    lane: int
    step: int


def classes(paths: Sequence[Sequence[str]], headers: Headers) -> dict[Key, tuple[Instance, ...]]:
    """Return the classes of converged instances, in the order in which they first occur."""
    found: dict[Key, tuple[Instance, ...]] = {}
    for lane, path in enumerate(paths):
        for index, key in enumerate(keys(path, headers)):
            found[key] = (*found.get(key, ()), Instance(lane, index))
    return found
