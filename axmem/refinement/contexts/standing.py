"""Where the operations of a context stand, if that is open.

What goes in: which operations are something, the threads of the program around which they may stand. What comes out:
literals of which operations stand before a thread, after it, or in threads of their own, and which of these they share
(`Standing`). Operations are numbered in the order of the places where they stand, and in program order where they stand
together, so that no context is met twice for its numbers; what is nothing has the last numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from axmem.encoder.circuit import FALSE, TRUE, Circuit

BESIDE, BEFORE, AFTER = range(3)


class Standing:
    """Literals of where each of some operations stands.

    `at[k][t, BEFORE]` is the literal that operation k stands before thread t, `beside[k]` that it stands in a thread of
    its own, or of its own and others. Operations that share one have numbers in a row; if a thread has several, the
    first operation is of one that has.
    """

    def __init__(self, circuit: Circuit, present: Sequence[int], threads: Sequence[int]) -> None:
        self.circuit = circuit
        self.threads = tuple(threads)
        self.at: list[dict[tuple[int, int], int]] = []
        self.beside: list[int] = []
        where = [(t, side) for t in threads for side in (BEFORE, AFTER)]
        for literal in present:
            self.at.append({place: circuit.variable() for place in where})
            self.beside.append(circuit.variable() if where else TRUE)
            circuit.exactly_one([self.beside[-1], *self.at[-1].values()])
            # What is nothing stands beside.
            circuit.add(literal, self.beside[-1])
        self._joined = [circuit.variable() for _ in present[1:]]
        for (a, b), joined in zip(pairwise(range(len(present))), self._joined, strict=True):
            circuit.add(-joined, present[b])
            circuit.add(-joined, self.beside[a])
            circuit.add(-joined, self.beside[b])
            circuit.add(-joined, self._joined[0])
            circuit.add(present[a], -present[b])
            self._in_order(present[b], self._places(a), self._places(b))

    def _places(self, k: int) -> list[int]:
        return [self.beside[k], *self.at[k].values()]

    def _in_order(self, present: int, first: Sequence[int], second: Sequence[int]) -> None:
        """Assert that an operation that is something does not stand at an earlier place than the one before it."""
        for i, x in enumerate(first):
            for y in second[:i]:
                self.circuit.add(-present, -x, -y)

    def joined(self, a: int, b: int) -> int:
        """Return the literal that two operations, the lower number first, share a thread beside the program."""
        return self.circuit.conjunction(self._joined[a:b])

    def inside(self, k: int, thread: int) -> int:
        """Return the literal that an operation stands in a thread of the program."""
        at = self.at[k]
        return self.circuit.either(at.get((thread, BEFORE), FALSE), at.get((thread, AFTER), FALSE))

    def together(self, a: int, b: int) -> int:
        """Return the literal that two operations, the lower number first, stand in one thread."""
        circuit = self.circuit
        shared = (circuit.both(self.inside(a, t), self.inside(b, t)) for t in self.threads)
        return circuit.disjunction([self.joined(a, b), *shared])

    def alone(self, k: int) -> int:
        """Return the literal that an operation has a thread to itself."""
        around = (joined for j, joined in enumerate(self._joined) if j in (k - 1, k))
        return self.circuit.conjunction([self.beside[k], *(-joined for joined in around)])

    def literals(self) -> Iterator[int]:
        """Yield the literals that say where operations stand."""
        yield from (x for at in self.at for x in at.values())
        yield from (self.joined(a, b) for a, b in combinations(range(len(self.at)), 2))
