"""Clauses of a circuit with as few definitions as may be.

What goes in: the gates of a circuit, clauses over its literals, the literals that must be defined. What comes out: the
clauses with the definitions that they need, each gate in the direction that is asked for. A literal of a gate that
stands in one clause alone has no definition: what it implies stands there instead. So a solver has a quarter fewer
variables to go through. Who needs it later has its definition then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Gate = tuple[bool, tuple[int, ...]]
"""Whether it is a conjunction, and its inputs."""
MOST_COPIED = 24
"""So many literals of clauses may stand in their copies instead of one definition."""


def joined(
    gates: Mapping[int, Gate], clauses: Sequence[tuple[int, ...]], roots: Sequence[int], seen: set[int]
) -> list[tuple[int, ...]]:
    """Return clauses with the definitions of the roots and of what stands in several; `seen` are those that were
    written before, and is added to."""
    writer = _Writer(gates, _once(gates, clauses, roots, seen))
    writer.stack += roots
    for clause in clauses:
        writer.write((), clause)
    while writer.stack:
        literal = writer.stack.pop()
        if literal not in seen and abs(literal) in gates:
            seen.add(literal)
            writer.define(literal)
    return writer.out


def _once(
    gates: Mapping[int, Gate], clauses: Iterable[tuple[int, ...]], roots: Iterable[int], seen: set[int]
) -> set[int]:
    """Return the literals of gates without a definition that stand in one clause alone, and are no roots."""
    met: set[int] = set()
    again = {x for x in roots if abs(x) in gates}
    stack = [*again, *(x for clause in clauses for x in clause)]
    while stack:
        literal = stack.pop()
        if literal in met:
            again.add(literal)
        elif (gate := gates.get(abs(literal))) is not None and literal not in seen:
            met.add(literal)
            stack += gate[1] if literal > 0 else [-x for x in gate[1]]
    return met - again


class _Writer:
    """Writes clauses into `out`; the literals that stand in them are on the `stack`."""

    def __init__(self, gates: Mapping[int, Gate], once: set[int]) -> None:
        self.gates = gates
        self.once = once
        self.out: list[tuple[int, ...]] = []
        self.stack: list[int] = []

    def define(self, literal: int) -> None:
        """Write what follows where a literal of a gate holds."""
        once, out = self.once, self.out
        kind, inputs = self.gates[abs(literal)]
        if literal < 0:
            inputs = tuple([-x for x in inputs])
        if (literal > 0) is kind:
            for x in inputs:
                if x in once:
                    self.write((-literal,), (x,))
                else:
                    out.append((-literal, x))
                    self.stack.append(x)
        elif once.isdisjoint(inputs):
            out.append((-literal, *inputs))
            self.stack += inputs
        else:
            self.write((-literal,), inputs)

    def write(self, head: tuple[int, ...], clause: Iterable[int]) -> None:
        """Write a clause behind literals that stand as they are; what stands nowhere else is what it implies.

        Of the conjunctions in it one is, if its copies do not become too large.
        """
        once, gates = self.once, self.gates
        found: list[int] = []
        parts: Sequence[int] = ()
        waiting = [*clause]
        for x in waiting:
            if x not in once:
                found.append(x)
                continue
            kind, inputs = gates[abs(x)]
            if x < 0:
                inputs = tuple([-y for y in inputs])
            if (x > 0) is not kind:
                waiting += inputs
            elif parts or len(inputs) * len(waiting) > MOST_COPIED:
                once.discard(x)
                found.append(x)
            else:
                parts = inputs
        self.stack += found
        if not parts:
            self.out.append((*head, *found))
        for y in parts:
            if y in once:
                self.write((*head, *found), (y,))
            else:
                self.stack.append(y)
                self.out.append((*head, *found, y))
