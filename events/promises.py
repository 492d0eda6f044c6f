"""Promises of accesses to be parallel, and where they do not hold.

What goes in: the loops of a kernel whose LoopIDs list accesses, and of each node of the walk its key and its events.
What comes out: undefined behaviour. The promise is of one thread: in two iterations of one execution of the loop no two
listed accesses conflict, which is to have a byte in common and one of them to write it ([LangRef] "llvm.access.group").
A key says which iteration a node is in: how often the header stands in it, and what was the last key before the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.convergence.keys import Key
from axmem.convergence.order import entered_after, iterations
from axmem.events.graph import Event, EventKind, Guard, Undefined, compatible
from axmem.front.records import dataclass
from axmem.front.source import Span
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.legality import WORDS
from axmem.litmus.loop_rules import listed
from axmem.litmus.natural import identified, natural_loops
from axmem.litmus.walk import Path, kind_of


@dataclass(frozen=True, slots=True)
class Parallel:
    """A loop with the accesses that it lists, by their paths in the body of the kernel."""

    cycle: ControlCycle
    accesses: Mapping[Path, ast.Statement]


@dataclass(frozen=True, slots=True)
class _Instance:
    """A listed access in an iteration: one event of it."""

    iteration: int
    path: Path
    event: Event

    @property
    def writes(self) -> bool:
        return self.event.kind is EventKind.WRITE


_Execution = tuple[int, str, Key | None]
"""A thread, the header of a loop, and the last key before the loop was entered."""


def parallel_loops(flow: ControlFlow, hierarchy: Hierarchy) -> tuple[list[Parallel], list[Span]]:
    """Return the loops that list accesses, and accesses of loops whose executions no key tells apart.

    That is where an irreducible cycle around a loop has its header for its own.
    """
    cycles = {cycle.header: cycle for cycle in hierarchy.within()}
    found, unknown = [], []
    for loop in natural_loops(flow):
        identity = identified(flow, loop)
        if identity is None:
            continue
        accesses = {
            path: statement
            for block in flow.blocks
            if block.name in loop.blocks
            for path, statement in zip(block.paths[len(block.phis) :], block.statements, strict=False)
            if isinstance(statement, ast.AccessStatement) and listed(statement.mode.promises, identity)
        }
        if cycles[loop.header].reducible and cycles[loop.header].blocks == loop.blocks:
            found += [Parallel(cycles[loop.header], accesses)] if accesses else []
        else:
            unknown += [statement.span for statement in accesses.values()]
    return found, unknown


class Promised:
    """The listed accesses of one kernel as they are executed; `kernel` is its name in reasons."""

    def __init__(self, kernel: str, loops: Sequence[Parallel]) -> None:
        self.kernel = kernel
        self.loops = loops
        self.met: dict[tuple[_Execution, int], list[_Instance]] = {}

    def made_in(self, blocks: Iterable[str], flow: ControlFlow) -> bool:
        """Say whether some of these blocks have an access that a loop lists."""
        paths = {path for loop in self.loops for path in loop.accesses}
        return any(not paths.isdisjoint(flow.block[name].paths) for name in blocks)

    def add(self, key: Key, events: Iterable[Event]) -> None:
        """Note the events of a node."""
        loops = [loop for loop in self.loops if key.block in loop.cycle.blocks]
        for event in events if loops else ():
            for loop in loops:
                path = event.path[1:]
                if path in loop.accesses and event.cell >= 0:
                    header = loop.cycle.header
                    execution = (event.thread, header, entered_after(key, loop.cycle.blocks))
                    instance = _Instance(iterations(key, header), path, event)
                    self.met.setdefault((execution, event.cell), []).append(instance)

    def broken(self, cells: Sequence[str]) -> Iterator[Undefined]:
        """Yield where two accesses conflict; of two statements not where they have in any case done so before.

        `cells` are the names of the bytes, by the numbers of their cells.
        """
        said: dict[tuple[int, str, frozenset[Path]], list[set[tuple[int, int]]]] = {}
        for ((thread, header, _), cell), instances in self.met.items():
            ordered = sorted(instances, key=lambda i: (i.iteration, i.event.index))
            for one, other in combinations(ordered, 2):
                apart = one.iteration != other.iteration and (one.writes or other.writes)
                if not apart or not compatible(one.event.guard, other.event.guard):
                    continue
                guard = _both(one.event.guard, other.event.guard)
                earlier = said.setdefault((thread, header, frozenset((one.path, other.path))), [])
                if not any(known <= set(guard) for known in earlier):
                    earlier.append(set(guard))
                    yield Undefined(guard, None, self._reason(header, one, other, cells[cell]), other.event.span)

    def _reason(self, header: str, one: _Instance, other: _Instance, where: str) -> str:
        statements = {path: s for loop in self.loops for path, s in loop.accesses.items()}
        words = dict.fromkeys(_named(statements[instance.path]) for instance in (one, other))
        pair = f"iterations {one.iteration} and {other.iteration} of loop '{header}' of {self.kernel}"
        return f"{pair} conflict at {where}, against a promise ({'; '.join(words)})"


def _both(one: Guard, other: Guard) -> Guard:
    return tuple(dict.fromkeys((*one, *other)))


def _named(statement: ast.Statement) -> str:
    kind = kind_of(statement)
    assert kind is not None
    place = f", line {statement.span.line}" if statement.span.line else ""
    return f"{WORDS[kind]}{place}"
