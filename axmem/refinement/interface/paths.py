"""The paths of a function without loops, each as a row of operations under conditions.

What goes in: a thread, or a function with branches that one lane executes. What comes out: its `Path`s. Every execution
goes along one of them, or its behaviour is undefined since it branches on undef. Invariant: what is not understood, a
loop first of all, is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.kernels import Branch, Label, Phi, Return
from axmem.refinement.interface.operations import MOST, Operation, Reader, Refused, Row, Values

PATHS = 32
"""Functions of more paths are refused."""


@dataclass(frozen=True, slots=True)
class Path:
    """A row, and the conditions under which an execution goes along it: expressions, and the numbers that they are."""

    row: Row
    conditions: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _State:
    """Where a walk is: what is to be executed, the block that it came from and is in, what it has done and holds."""

    rest: tuple[ast.Statement, ...]
    came: str = ""
    block: str = ""
    visited: frozenset[str] = frozenset()
    done: tuple[Operation, ...] = ()
    registers: Mapping[str, int] | None = None
    conditions: frozenset[tuple[int, int]] = frozenset()


def paths_of(unit: ast.Thread | ast.Kernel, values: Values, first: int) -> list[Path]:
    """Return the paths of a unit, the operations of each numbered from `first`; raise Refused."""
    if isinstance(unit, ast.Kernel) and (not unit.lane_of_thread or unit.memory or unit.barriers):
        raise Refused("kernels of several lanes, or with memory of their own")
    blocks = {s.name: unit.body[k:] for k, s in enumerate(unit.body) if isinstance(s, Label)}
    found: list[Path] = []
    todo = [_State(unit.body, registers={})]
    while todo:
        state = todo.pop()
        further = _Walk(values, first, blocks, state).further()
        if isinstance(further, Path):
            found.append(further)
        else:
            todo += reversed(further)
        if len(found) + len(todo) > PATHS:
            raise Refused(f"more than {PATHS} paths")
    return found


class _Walk:
    """One walk from a state to the next fork, or to the end."""

    def __init__(
        self, values: Values, first: int, blocks: Mapping[str, tuple[ast.Statement, ...]], state: _State
    ) -> None:
        self.values = values
        self.blocks = blocks
        self.state = state
        self.reader = Reader(values, first + len(state.done))
        self.reader.registers.update(state.registers or {})
        self.done = list(state.done)

    def further(self) -> Path | list[_State]:
        """Return the path that ends, or the states behind a fork."""
        rest = self.state.rest
        while rest:
            statement, rest = rest[0], rest[1:]
            match statement:
                case Return():
                    break
                case Label(name=name):
                    self._enter(name)
                case Phi():
                    group = [statement]
                    while rest and isinstance(rest[0], Phi):
                        group.append(rest[0])
                        rest = rest[1:]
                    self._choose(group)
                case Branch(targets=(target,)):
                    rest = self.blocks[target]
                case Branch(targets=(then, otherwise), condition=condition) if condition is not None:
                    value = self.reader.value(condition)
                    return list(self._forks(value, self.blocks[then], self.blocks[otherwise]))
                case ast.If(condition=condition, then=body, otherwise=other):
                    value = self.reader.value(condition)
                    return list(self._forks(value, (*body, *rest), (*other, *rest)))
                case _:
                    self._done(statement)
        return Path(Row(tuple(self.done), dict(self.reader.registers)), self.state.conditions)

    def _done(self, statement: ast.Statement) -> None:
        operation = self.reader.operation(statement)
        if operation is not None:
            self.done.append(operation)
            self.reader.key += 1
        if len(self.done) > MOST:
            raise Refused(f"more than {MOST} operations")

    def _enter(self, name: str) -> None:
        if name in self.state.visited:
            raise Refused("a loop")
        visited = self.state.visited | {name}
        self.state = replace(self.state, came=self.state.block, block=name, visited=visited)

    def _choose(self, group: list[Phi]) -> None:
        """Give phis their values, all at once."""
        came = self.state.came
        found = {}
        for phi in group:
            value = next((i.value for i in phi.incoming if i.block == came), None)
            if value is None:
                raise Refused("a phi of another block")
            found[phi.register] = self.reader.value(value)
        self.reader.registers.update(found)

    def _forks(self, value: int, *arms: tuple[ast.Statement, ...]) -> Iterator[_State]:
        """Yield the states behind a fork, if the value is 1, and 0; of what is known the one that it leads to."""
        node, known = self.values.nodes[value], self.state.conditions
        for number, rest in zip((1, 0), arms, strict=True):
            fixed = node[0] == "number"
            if (fixed and node[1] != number) or (value, 1 - number) in known:
                continue
            yield replace(
                self.state,
                rest=rest,
                done=tuple(self.done),
                registers=dict(self.reader.registers),
                conditions=known if fixed else known | {(value, number)},
            )
