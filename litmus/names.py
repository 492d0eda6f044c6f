"""The name pass: which name is a register, which a location, and which is neither.

What goes in: a tree as it was read. What comes out: the tree in which every `Register` is assigned in its thread and
every `AddressOf`, observable and label names something that exists once; and the diagnostics. A name that means nothing
is reported and stands as `undef` from then on, so that it is reported once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import TypeVar

from axmem.front.source import Diagnostic, Span, did_you_mean
from axmem.litmus import walk
from axmem.litmus.edit import rewritten
from axmem.litmus.kernels import IDS
from axmem.litmus.launch import LANE, WAVE, final_names, names, numbers_in, unit_named
from axmem.litmus.memo import Memo, memo
from axmem.litmus.syntax import (
    Address,
    AddressOf,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    Call,
    CmpXchg,
    Condition,
    ConvergenceToken,
    Element,
    Expr,
    Fence,
    FinalValue,
    Given,
    If,
    Kernel,
    Label,
    LitmusTest,
    Load,
    Location,
    Make,
    Observable,
    Operand,
    OutcomeSet,
    Register,
    RegisterOf,
    Statement,
    Store,
    Thread,
    Track,
    Transfer,
    Truth,
    UndefValue,
    ValueComparison,
)
from axmem.litmus.walk import changed

Unit = TypeVar("Unit", Thread, Kernel)


def resolve_names(test: LitmusTest) -> tuple[LitmusTest, list[Diagnostic]]:
    """Return the test with its names resolved, and what is wrong with them."""
    return _Names(test).test()


class _Names:
    def __init__(self, test: LitmusTest) -> None:
        self.tree = test
        self.diagnostics: list[Diagnostic] = []
        self.named = _named_loads(test)
        self.locations = {location.name: location.name for location in walk.locations(test)}
        self.functions = {function.name: function for function in test.functions}
        self.registers = {unit.name: _registers(unit) for unit in walk.units(self.named)}
        self.tokens: set[str] = set()
        self.barriers: tuple[str, ...] = ()
        self.current = ""
        self.of_lanes = False
        self.memo = Memo()

    def error(self, span: Span, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(self.tree.source, span, message, hint))

    def test(self) -> tuple[LitmusTest, list[Diagnostic]]:
        tree = self.tree
        finals = final_names(tree)
        own = [location for kernel in tree.kernels for location in kernel.memory]
        several = [(name, location.span) for location in own for name, (shown, declared) in finals.items()
                   if declared == location.name and name == shown != declared]  # fmt: skip
        self.unique("location", [*((location.name, location.span) for location in walk.locations(tree)), *several])
        for location in walk.locations(tree) if tree.kernels else ():
            if location.name in IDS:
                message = f"location '{location.name}' has the name of a register of every kernel"
                self.error(location.span, message, "rename it")
        self.unique("thread", [(unit.name, unit.span) for unit in walk.units(tree)])
        self.unique("function", [(function.name, function.span) for function in tree.functions])
        if not walk.units(tree):
            self.error(Span(1, 1), "a test needs at least one thread", "thread P0 { store 1, x }")
        resolved = changed(
            tree,
            locations=walk.kept(tree.locations, [self.location(location) for location in tree.locations]),
            threads=walk.kept(tree.threads, [self.thread(thread) for thread in self.named.threads]),
            kernels=walk.kept(tree.kernels, [self.kernel(kernel) for kernel in self.named.kernels]),
        )
        self.locations = {name: shown for name, (shown, _) in finals.items()}
        resolved = changed(
            resolved,
            observe=tuple(self.observable(observable) or observable for observable in tree.observe),
            condition=self.condition(tree.condition),
            filter=None if tree.filter is None else walk.with_comparisons(tree.filter, self.comparison),
            outcome_sets=tuple(self.outcomes(outcomes) for outcomes in tree.outcome_sets),
        )
        return resolved, self.diagnostics

    def unique(self, what: str, names: Sequence[tuple[str, Span]]) -> None:
        """Report every name that stands for two things."""
        seen: dict[str, Span] = {}
        for name, span in names:
            if name in seen:
                where = f"the first is in line {seen[name].line}" if seen[name].line else ""
                self.error(span, f"{what} '{name}' is declared twice", where)
            seen.setdefault(name, span)

    def location(self, location: Location) -> Location:
        """Resolve the initial value of a location, which is a constant."""
        if location.initial is None:
            return location
        for part in walk.parts(location.initial):
            if isinstance(part, Register):
                hint = f"write &{part.name} for its address" if part.name in self.locations else ""
                self.error(part.span, f"an initial value is a constant, not '{part.name}'", hint)
                return changed(location, initial=UndefValue(span=part.span))
        return changed(location, initial=self.expr(location.initial, False))

    # ------------------------------------------------ statements

    def kernel(self, kernel: Kernel) -> Kernel:
        """Resolve a kernel; what its memory and its parameters begin with are constants."""
        everything = list(walk.statements(kernel.body))
        self.barriers = kernel.barriers
        self.tokens = {s.register for s in everything if isinstance(s, ConvergenceToken)}
        memory = tuple(self.location(location) for location in kernel.memory)
        self.unique("block", [(s.name, s.span) for s in everything if isinstance(s, Label)])
        self.unique("parameter", [(p.name, p.span) for p in kernel.parameters])
        registers = {name for s in everything for name in walk.results(s)}
        tokens = [(s.register, s.span) for s in everything if isinstance(s, ConvergenceToken)]
        self.unique("token", tokens)
        for name, span in tokens:
            if name in registers or name in self.locations:
                self.error(span, f"token '{name}' has the name of a register or location", "rename one of them")
        for parameter in kernel.parameters:
            if parameter.name in self.locations:
                message = f"parameter '{parameter.name}' has the name of a location"
                self.error(parameter.span, message, "rename one of them")
        self.unique("barrier", [(name, kernel.span) for name in kernel.barriers])
        self.current = ""
        parameters = tuple(
            changed(p, values=tuple(self.expr(value, False) for value in p.values)) for p in kernel.parameters
        )
        return changed(self.thread(kernel), memory=memory, parameters=parameters)

    def thread(self, thread: Unit) -> Unit:
        self.current = thread.name
        everything = list(walk.statements(thread.body))
        self.unique("label", [(s.label, s.span) for s in everything if s.label])
        shadowed = set()
        for statement in everything:
            for name in walk.results(statement):
                if name in self.locations and name not in shadowed:
                    shadowed.add(name)
                    self.error(statement.span, f"register '{name}' has the name of a location", "rename one of them")
        context = "names", frozenset(self.registers[thread.name]), tuple(self.locations)
        self.memo = Memo() if isinstance(thread, Kernel) or self.functions else memo(context)
        return changed(thread, body=self.body(thread.body))

    def body(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return walk.kept(body, [self.memo.of(statement, self.statement, self.diagnostics) for statement in body])

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Load():
                return changed(statement, address=self.address(statement.address))
            case Store() | AtomicRmw():
                value = self.expr(statement.value, False)
                return changed(statement, address=self.address(statement.address), value=value)
            case CmpXchg(address=address, expected=expected, desired=desired):
                new, old = self.expr(desired, False), self.expr(expected, False)
                return changed(statement, address=self.address(address), expected=old, desired=new)
            case Make(address=address):
                return changed(statement, address=None if address is None else self.address(address))
            case Transfer(memory=memory, lds=lds):
                return changed(statement, memory=self.address(memory), lds=self.address(lds))
            case Assign(value=value):
                return changed(statement, value=self.expr(value, False))
            case Assume(condition=condition):
                return changed(statement, condition=self.expr(condition, False))
            case If(condition=condition, then=then, otherwise=otherwise):
                condition = self.expr(condition, False)
                return changed(statement, condition=condition, then=self.body(then), otherwise=self.body(otherwise))
            case Fence() | Barrier() | Track():
                return statement
        return self.controlled(statement)

    def controlled(self, statement: Statement) -> Statement:
        """Resolve a statement of kernels."""
        if isinstance(statement, Call | ConvergenceToken):
            self.token(statement.token, statement.span)
        if isinstance(statement, Call):
            statement = self.call(statement)
        values = [self.expr(value, False) for value in walk.operands(statement)]
        bodies = [self.body(body) for _, body in walk.arms(statement)]
        return walk.with_arms(walk.with_operands(statement, values), bodies)

    def token(self, token: str, span: Span) -> None:
        """Check that a convergence token is one."""
        if token and token not in self.tokens:
            hint = did_you_mean(token, sorted(self.tokens)) or "the intrinsics entry, anchor and loop give tokens"
            self.error(span, f"no convergence token is named '{token}' in {self.current}", hint)

    def call(self, call: Call) -> Call:
        """Check what a call names, and fill in whether it is convergent."""
        if call.barrier and call.barrier not in self.barriers:
            hint = did_you_mean(call.barrier, self.barriers) or "declare it in the kernel: lds barrier b"
            self.error(call.span, f"no barrier is named '{call.barrier}' in {self.current}", hint)
        if not call.operation.startswith("@"):
            return call
        function = self.functions.get(call.operation[1:])
        if function is None:
            hint = did_you_mean(call.operation[1:], self.functions) or f"declare void {call.operation}() convergent"
            self.error(call.span, f"no function is named '{call.operation[1:]}'", hint)
            return call
        if len(call.operands) != len(function.parameters):
            message = f"'{function.name}' takes {len(function.parameters)} operands, not {len(call.operands)}"
            self.error(call.span, message)
        return changed(call, convergent=function.convergent)

    def address(self, address: Address) -> Address:
        index = None if address.index is None else self.expr(address.index, False)
        return changed(address, base=self.expr(address.base, True), index=index)

    def expr(self, expr: Expr, addresses: bool) -> Expr:
        """Resolve an expression; where `addresses` holds, a bare location name is its address."""
        if isinstance(expr, Register):
            return self.name(expr, addresses)
        if isinstance(expr, AddressOf):
            if expr.location in self.locations:
                return changed(expr, location=self.locations[expr.location])
            self.error(expr.span, f"no location is named '{expr.location}'", self.hint(expr.location))
            return UndefValue(expr.type, expr.span)
        inside = addresses and not isinstance(expr, Element)
        return walk.rebuilt(expr, tuple(self.expr(child, inside) for child in walk.children(expr)))

    def name(self, register: Register, addresses: bool) -> Expr:
        registers = self.registers.get(self.current, set())
        name = register.name
        if name in registers:
            return register
        if name in self.locations:
            if addresses:
                return AddressOf(name, register.type, register.span)
            hint = f"load it into a register first, or write &{name} for its address"
            self.error(register.span, f"'{name}' is a location, not a register", hint)
        else:
            hint = did_you_mean(name, [*sorted(registers), *self.locations])
            what = "location or register" if addresses else "register"
            self.error(register.span, f"no {what} is named '{name}' in thread {self.current}", hint)
        return UndefValue(register.type, register.span)

    # ------------------------------------------------ conditions

    def condition(self, condition: Condition) -> Condition:
        """Resolve the condition; what it says of threads is kept."""
        if self.tree.kernels:
            return walk.with_comparisons(condition, self.comparison)
        registers = tuple((unit, frozenset(names)) for unit, names in self.registers.items())
        known = memo(("names of a condition", registers, tuple(self.locations)))
        return known.of(condition, partial(walk.with_comparisons, change=self.comparison), self.diagnostics)

    def comparison(self, atom: ValueComparison) -> Condition:
        self.of_lanes = atom.lanes is not None
        left, right = self.operand(atom.left), self.operand(atom.right)
        self.of_lanes = False
        if atom.lanes and not any(isinstance(s, RegisterOf) for s in (atom.left, atom.right)):
            self.error(atom.span, f"'{atom.lanes.value}' asks a register of the lanes of a kernel", "all K:r=1")
        if left is None or right is None:
            return Truth(True, atom.span)
        return changed(atom, left=left, right=right)

    def operand(self, operand: Operand) -> Operand | None:
        """Resolve one side of a comparison; None if it names nothing."""
        if isinstance(operand, RegisterOf | FinalValue):
            return self.observable(operand)
        before = len(self.diagnostics)
        resolved = self.expr(operand, False)
        if len(self.diagnostics) > before or isinstance(resolved, Element | Register | Given):
            return None
        return resolved

    def observable(self, observable: Observable) -> Observable | None:
        """Check that an observable exists; None if it does not."""
        if isinstance(observable, FinalValue):
            if observable.location in self.locations:
                return changed(observable, location=self.locations[observable.location])
            hint = self.hint(observable.location)
            if any(observable.location in registers for registers in self.registers.values()):
                hint = f"a register is named with its thread: P0:{observable.location}"
            self.error(observable.span, f"no location is named '{observable.location}'", hint)
            return None
        unit = unit_named(self.tree, observable.thread)
        registers = self.registers[unit.name] if unit is not None else set()
        if unit is None:
            hint = did_you_mean(observable.thread, self.registers)
            self.error(observable.span, f"no thread is named '{observable.thread}'", hint)
        elif isinstance(unit, Kernel) and not self.of_lanes and (wrong := _misnamed(unit, observable)):
            self.error(observable.span, *wrong)
        elif observable.register not in registers:
            hint = did_you_mean(observable.register, sorted(registers))
            message = f"thread {observable.thread} assigns no register '{observable.register}'"
            self.error(observable.span, message, hint)
        else:
            return observable
        return None

    def hint(self, name: str) -> str:
        """Return what may be meant by the name of a location that is none."""
        instance = next((full for full in self.locations if full.endswith(f".{name}")), "")
        return f"there are several, each with a name: {instance}" if instance else did_you_mean(name, self.locations)

    def outcomes(self, outcomes: OutcomeSet) -> OutcomeSet:
        """Resolve the rows; the observables are reported for the first row alone, since every row has the same."""
        found = {o: self.observable(o) for row in outcomes.rows[:1] for o, _ in row}
        rows = []
        for row in outcomes.rows:
            cells = [(known, self.operand(value)) for o, value in row if (known := found.get(o)) is not None]
            rows.append(tuple((observable, value) for observable, value in cells if value is not None))
        return changed(outcomes, rows=tuple(rows))


def _registers(unit: Thread | Kernel) -> set[str]:
    """Return the registers that have a value in a thread or kernel."""
    found = {name for statement in walk.statements(unit.body) for name in walk.results(statement)}
    return found | {p.name for p in unit.parameters} | set(IDS) if isinstance(unit, Kernel) else found


def _misnamed(kernel: Kernel, observable: RegisterOf) -> tuple[str, str] | None:
    """Return what is wrong with the lanes whose register is observed, if anything."""
    if observable.register in {p.name for p in kernel.parameters}:
        if numbers_in(kernel, observable.thread) == 0:
            return None
        return f"'{observable.register}' is a parameter, not a lane's", f"write {kernel.name}:{observable.register}"
    if numbers_in(kernel, observable.thread) >= WAVE:
        return None
    shown = f"{names(kernel, LANE)[0]}:{observable.register}"
    return f"'{observable.thread}' has several lanes", f"name a lane or a wave, as {shown}, or ask all or some of them"


def _named_loads(test: LitmusTest) -> LitmusTest:
    """Give every load without a destination a register of its own: `_1`, `_2`, …"""
    if all(s.register for unit in walk.units(test) for s in walk.statements(unit.body) if isinstance(s, Load)):
        return test
    taken = [{name for s in walk.statements(unit.body) for name in walk.results(s)} for unit in walk.units(test)]

    def named(path: walk.Path, statement: Statement | None) -> tuple[Statement, ...]:
        if isinstance(statement, Load) and not statement.register:
            names = taken[path[0]]
            name = next(name for number in count(1) if (name := f"_{number}") not in names)
            names.add(name)
            return (changed(statement, register=name),)
        return () if statement is None else (statement,)

    return rewritten(test, named)
