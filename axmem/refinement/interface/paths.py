"""The paths of a function without loops, each as a row of operations under conditions.

What goes in: a thread, or a function with branches that one lane executes. What comes out: its `Path`s. Every execution
goes along one of them; where it branches on undef, its behaviour is undefined. Invariant: what is not understood, a
loop first of all, is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from axmem.events.parts import compared
from axmem.events.values import POISON, Apply, Constant, Expr, apply
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.kernels import Branch, Label, Phi, Return, Switch, Unreachable
from axmem.litmus.poison import supposed
from axmem.refinement.interface.operations import MOST, Cell, Lanes, Operation, Reader, Refused, Row, settled

PATHS = 32
"""Functions of more paths are refused."""
BRANCH, COMPARED, SPURIOUS = "branch", "compared", "may fail spuriously"
"""By what a path goes on: a branch; a compare-exchange by what it has read; one that fails, whatever that was."""


class Condition(NamedTuple):
    """A truth value that is a number on a path."""

    value: Expr
    number: int
    how: str = BRANCH


@dataclass(frozen=True, slots=True)
class Path:
    """A row, and the conditions under which an execution goes along it, in order.

    A path that is not `whole` ends in undefined behaviour.
    """

    row: Row
    conditions: tuple[Condition, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _State:
    """Where a walk is: what is to be executed, the block that it came from and is in, what it has done and holds."""

    rest: tuple[ast.Statement, ...]
    came: str = ""
    block: str = ""
    visited: frozenset[str] = frozenset()
    done: tuple[Operation, ...] = ()
    registers: Mapping[str, Lanes] | None = None
    held: Mapping[Cell, tuple[object, Lanes]] | None = None
    conditions: tuple[Condition, ...] = ()


def paths_of(unit: ast.Thread | ast.Kernel, test: ast.LitmusTest, own: frozenset[str], first: int) -> list[Path]:
    """Return the paths of a unit of a test, the operations of each numbered from `first`; raise Refused.

    Nobody else accesses the locations that are its `own`.
    """
    if isinstance(unit, ast.Kernel) and (not unit.lane_of_thread or unit.memory or unit.barriers):
        raise Refused("kernels of several lanes, or with memory of their own")
    blocks = {s.name: unit.body[k:] for k, s in enumerate(unit.body) if isinstance(s, Label)}
    found: list[Path] = []
    todo = [_State(unit.body, registers={}, held={})]
    while todo:
        state = todo.pop()
        further = _Walk(Reader(test, own, first + len(state.done)), blocks, state).further()
        if isinstance(further, Path):
            found.append(further)
        else:
            todo += reversed(further)
        if len(found) + len(todo) > PATHS:
            raise Refused(f"more than {PATHS} paths")
    return found


class _Walk:
    """One walk from a state to the next fork, or to the end."""

    def __init__(self, reader: Reader, blocks: Mapping[str, tuple[ast.Statement, ...]], state: _State) -> None:
        self.blocks = blocks
        self.state = state
        self.reader = reader
        self.reader.registers.update(state.registers or {})
        self.reader.held.update(state.held or {})
        self.done = list(state.done)

    def further(self) -> Path | list[_State]:
        """Return the path that ends, or the states behind a fork."""
        rest = self.state.rest
        whole = True
        while rest:
            statement, rest = rest[0], rest[1:]
            match statement:
                case Return():
                    break
                case Unreachable():
                    whole = False
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
                case Branch(condition=condition) | ast.If(condition=condition) if self._undef(condition):
                    whole = False
                    break
                case Switch(value=value) if self._undef(value):
                    whole = False
                    break
                case Branch(targets=(then, otherwise), condition=condition) if condition is not None:
                    return list(self._forks(self._value(condition), self.blocks[then], self.blocks[otherwise]))
                case Switch():
                    return list(self._cases(statement))
                case ast.Assume(condition=condition) if (known := supposed(condition)) is not None:
                    truth, wanted = known
                    if self._undef(truth):
                        whole = False
                        break
                    arms: list[tuple[ast.Statement, ...]] = [(Unreachable(),), rest]
                    return list(self._forks(self._value(truth), arms[wanted], arms[not wanted]))
                case ast.If(condition=condition, then=body, otherwise=other):
                    return list(self._forks(self._value(condition), (*body, *rest), (*other, *rest)))
                case ast.CmpXchg():
                    return list(self._compares(statement, rest))
                case _:
                    self._done(self.reader.operation(statement))
        row = Row(tuple(self.done), dict(self.reader.registers))
        return Path(row, self.state.conditions, whole)

    def _undef(self, expr: ast.Expr | None) -> bool:
        """Whether going on by a value is undefined behaviour, whatever was read."""
        if expr is None:
            return False
        value = self._value(expr)
        if isinstance(value, Constant):
            return not isinstance(value.value, int)
        return isinstance(value, Apply) and value.operation == POISON

    def _value(self, expr: ast.Expr) -> Expr:
        return self.reader.lanes(expr)[0]

    def _done(self, operation: Operation | None) -> None:
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
            found[phi.register] = self.reader.lanes(value)
        self.reader.registers.update(found)

    # ------------------------------------------------------------ forks

    def _behind(self, rest: tuple[ast.Statement, ...], conditions: tuple[Condition, ...]) -> _State:
        return replace(
            self.state,
            rest=rest,
            done=tuple(self.done),
            registers=dict(self.reader.registers),
            held=dict(self.reader.held),
            conditions=conditions,
        )

    def _forks(self, value: Expr, *arms: tuple[ast.Statement, ...]) -> Iterator[_State]:
        """Yield the states behind a fork, if the value is 1, and 0; of what is known the one that it leads to."""
        known = self.state.conditions
        for number, rest in zip((1, 0), arms, strict=True):
            if _may_be(value, number, known):
                yield self._behind(rest, _with(known, value, number))

    def _cases(self, statement: Switch) -> Iterator[_State]:
        """Yield the states behind a switch."""
        value = self._value(statement.value)
        known = self.state.conditions
        for case in statement.cases:
            here = apply("eq", 1, value, Constant(case.value.value % (1 << (statement.value.type or ast.I32).bits)))
            if _may_be(here, 1, known):
                yield self._behind(self.blocks[case.block], _with(known, here, 1))
            if not _may_be(here, 0, known):
                return
            known = _with(known, here, 0)
        yield self._behind(self.blocks[statement.default], known)

    def _compares(self, statement: ast.CmpXchg, rest: tuple[ast.Statement, ...]) -> Iterator[_State]:
        """Yield the states behind a compare-exchange that succeeds, and one that fails."""
        kept = dict(self.reader.registers)
        done = list(self.done)
        for succeeds in (True, False):
            self.reader.registers, self.done = dict(kept), list(done)
            operation, pair = self.reader.compared(statement, succeeds=succeeds)
            self.done.append(operation)
            how = COMPARED if succeeds or not statement.weak else SPURIOUS
            ended = Condition(compared("eq", *pair), int(succeeds), how)
            yield self._behind(rest, (*self.state.conditions, ended))


def _with(known: tuple[Condition, ...], value: Expr, number: int) -> tuple[Condition, ...]:
    """Return conditions with one more, unless that holds anyway."""
    here = plainer(value, number)
    return known if isinstance(here.value, Constant) or here in known else (*known, here)


def plainer(value: Expr, number: int) -> Condition:
    """Return a condition without negations."""
    while isinstance(value, Apply):
        negated = value.operation == "not" or (value.operation == "xor" and value.arguments[1] == Constant(1))
        if negated and value.bits == 1:
            value, number = value.arguments[0], 1 - number
        elif value.operation == "ne":
            value, number = apply("eq", 1, *value.arguments, parameters=value.parameters), 1 - number
        else:
            break
    return Condition(value, number)


def _may_be(value: Expr, number: int, known: tuple[Condition, ...]) -> bool:
    """Whether a truth value may be a number on a path; a branch on undef may go anywhere."""
    fixed = settled(value)
    if isinstance(fixed, Constant) and isinstance(fixed.value, int):
        return fixed.value & 1 == number
    return plainer(value, 1 - number) not in known
