"""Why a pair of events is in a relation of a model.

What goes in: an execution and a pair of a term's value. What comes out: the pair as a chain of pairs of named
relations and primitives, one definition deep; and cycles, as chains. Invariant: each step of a chain is in the value
that plain evaluation gives its relation.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from axmem.encoder.witness import Execution
from axmem.model.relation import Relation, bits, union
from axmem.model.terms import Op


@dataclass(frozen=True, slots=True)
class Step:
    """One pair: events by index, and the name of a definition or primitive that relates them."""

    first: int
    name: str
    second: int


Chain = tuple[Step, ...]

SAME = "id"
_FILTERS = frozenset({Op.CROSS, Op.IDENTITY})


class Derivations:
    """Chains in one execution."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.model = execution.model
        self.names = {d.term: name for name, d in execution.definitions.items()}
        self._active: set[tuple[int, int, int]] = set()

    def holds(self, term: int, first: int, second: int) -> bool:
        """Tell whether a pair is in the value of a term."""
        value = self.execution.terms[term]
        return isinstance(value, tuple) and bool(value) and value[first] >> second & 1 == 1

    def chain(self, term: int, first: int, second: int) -> Chain:
        """Return the steps by which a pair of a term comes about, the term itself opened; empty if nothing is told."""
        found = self._open(term, first, second)
        return tuple(step for step in found or () if step.name != SAME)

    def definition(self, name: str, first: int, second: int) -> Chain:
        """Return the steps by which a pair of a definition comes about, empty for a primitive."""
        known = self.execution.definitions.get(name)
        return () if known is None else self.chain(known.term, first, second)

    def cycle(self, term: int) -> Chain:
        """Return a shortest cycle of a relation, each pair as its chain; empty if there is none."""
        value = self.execution.terms[term]
        assert isinstance(value, tuple)
        cycles = [path for e in range(len(value)) if (path := shortest_path(value, e, e))]
        best = min(cycles, key=len, default=())
        return tuple(step for a, b in best for step in self._step(term, a, b) or () if step.name != SAME)

    # ------------------------------------------------------------ opening terms

    def _step(self, term: int, first: int, second: int) -> Chain | None:
        """Return one step where the term has a name, else what it consists of."""
        name = self.names.get(term)
        if name is not None:
            return (Step(first, name, second),) if self.holds(term, first, second) else None
        return self._open(term, first, second)

    def _open(self, term: int, first: int, second: int) -> Chain | None:
        key = term, first, second
        if key in self._active or not self.holds(term, first, second):
            return None
        self._active.add(key)
        try:
            return self._opened(term, first, second)
        finally:
            self._active.discard(key)

    def _opened(self, term: int, first: int, second: int) -> Chain | None:
        node = self.model.terms[term]
        match node.op:
            case Op.BASE:
                return (Step(first, node.name, second),)
            case Op.UNION:
                chains = (self._step(a, first, second) for a in node.arguments)
                return min((c for c in chains if c is not None), key=len, default=None)
            case Op.INTERSECTION:
                return self._telling(node.arguments, first, second)
            case Op.DIFFERENCE:
                return self._step(node.arguments[0], first, second)
            case Op.SEQUENCE:
                return self._sequence(node.arguments, first, second)
            case Op.INVERSE:
                turned = self._step(node.arguments[0], second, first)
                return None if turned is None else tuple(_inverse(s) for s in reversed(turned))
            case Op.PLUS:
                return self._path(node.arguments[0], first, second)
            case Op.IDENTITY:
                return (Step(first, SAME, second),)
            case Op.FIX | Op.RECVAR:
                body = self.model.fixpoints[node.fixpoint].bodies[node.position]
                return self._open(body, first, second)
            case Op.THROUGH:
                links = node.arguments[:2]
                return self._links(links, first, second)
        return (Step(first, "all", second),)

    def _telling(self, arguments: tuple[int, ...], first: int, second: int) -> Chain | None:
        """Return the chain of the member of an intersection that tells most: the longest, then one with a name."""
        chains = [self._step(a, first, second) for a in arguments if self.model.terms[a].op not in _FILTERS]
        known = [c for c in chains if c is not None]
        if not known:
            return (Step(first, "all", second),)
        return max(known, key=lambda c: (len(c), any(s.name in self.execution.definitions for s in c)))

    def _sequence(self, arguments: tuple[int, ...], first: int, second: int) -> Chain | None:
        left, right = arguments
        rows = self.execution.terms[left]
        assert isinstance(rows, tuple)
        best: Chain | None = None
        for middle in bits(rows[first]) if rows else ():
            if self.holds(right, middle, second):
                before, after = self._step(left, first, middle), self._step(right, middle, second)
                if before is not None and after is not None and (best is None or len(before + after) < len(best)):
                    best = before + after
        return best

    def _path(self, term: int, first: int, second: int) -> Chain | None:
        value = self.execution.terms[term]
        assert isinstance(value, tuple)
        steps = [self._step(term, a, b) for a, b in shortest_path(value, first, second)]
        return None if None in steps else tuple(s for chain in steps for s in chain or ())

    def _links(self, terms: tuple[int, ...], first: int, second: int) -> Chain:
        """Return a path over several relations, or the pair alone."""
        values = [v for t in terms if isinstance(v := self.execution.terms[t], tuple) and v]
        joined = reduce(union, values, (0,) * len(self.execution.graph.events))
        chain: list[Step] = []
        for a, b in shortest_path(joined, first, second):
            term = next(t for t in terms if self.holds(t, a, b))
            chain += self._step(term, a, b) or (Step(a, "all", b),)
        return tuple(chain)


def shortest_path(rows: Relation, first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a shortest path of at least one step, empty if there is none."""
    before: dict[int, int] = {}
    queue = deque([first])
    while queue:
        here = queue.popleft()
        for there in bits(rows[here]) if rows else ():
            if there not in before:
                before[there] = here
                if there == last:
                    path = [there]
                    while not (path[-1] == first and len(path) > 1):
                        path.append(before[path[-1]])
                    path.reverse()
                    return tuple(pairwise(path))
                queue.append(there)
    return ()


def _inverse(step: Step) -> Step:
    name = step.name.removesuffix("^-1") if step.name.endswith("^-1") else f"{step.name}^-1"
    return Step(step.second, step.name if step.name == SAME else name, step.first)
