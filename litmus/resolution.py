"""The passes after reading, in order: names, places, types, well-formedness.

What goes in: a tree as it was read, or built by a program. What comes out: the same test with everything filled in,
and all diagnostics. Invariant: a tree that has been through it without errors goes through it again unchanged, and is
what its printed text is read as.
"""

from __future__ import annotations

from functools import partial

from axmem.front.source import Diagnostic
from axmem.litmus import walk
from axmem.litmus.elaboration import Elaboration
from axmem.litmus.inference import infer
from axmem.litmus.kernels import SIGNATURES, UNKNOWN
from axmem.litmus.launch import WAVE, final_names, lanes_named, numbers_in, unit_named
from axmem.litmus.layout import implied_type, transferred_type
from axmem.litmus.memo import Memo, memo
from axmem.litmus.names import resolve_names
from axmem.litmus.placement import fill
from axmem.litmus.spelling import INTEGERS, type_name
from axmem.litmus.syntax import (
    I32,
    POINTER,
    Address,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    Branch,
    Call,
    CmpXchg,
    Condition,
    Expr,
    Fence,
    FinalValue,
    For,
    If,
    Kernel,
    LitmusTest,
    Load,
    Make,
    Number,
    Observable,
    Operand,
    OutcomeSet,
    Phi,
    RegisterOf,
    Statement,
    Store,
    Switch,
    Thread,
    Track,
    Transfer,
    Truth,
    Type,
    UndefValue,
    ValueComparison,
    While,
)
from axmem.litmus.walk import changed, with_comparisons
from axmem.litmus.wellformed import check, illegal


def resolve(test: LitmusTest) -> tuple[LitmusTest, list[Diagnostic]]:
    """Return a test that a program built, with names, places and types filled in, and all that is wrong with it."""
    diagnostics = illegal(test)
    test, more = resolve_read(test)
    return test, diagnostics + more


def resolve_read(test: LitmusTest) -> tuple[LitmusTest, list[Diagnostic]]:
    """Do the same for a test that the parser has read: it has said of each operation whether it is legal."""
    test, diagnostics = resolve_names(test)
    test, misplaced = fill(test)
    typing = _Typing(test)
    test = typing.test()
    diagnostics += misplaced + typing.values.diagnostics
    if not diagnostics:
        diagnostics = check(test)
    return test, diagnostics


class _Typing:
    """Carries the type pass through statements and conditions."""

    def __init__(self, test: LitmusTest) -> None:
        self.tree = test
        self.types = infer(test)
        self.functions = {function.name: function.parameters for function in test.functions}
        self.of_lanes = False
        self.finals = final_names(test)
        spaces = {location.name: location.space for location in walk.locations(test)}
        spaces |= {name: spaces[declared] for name, declared in self.finals.values()}
        self.values = Elaboration(test.source, self.types, spaces)
        self.places = tuple(spaces.items()), tuple(self.types.accesses.items()), tuple(self.types.extents.items())
        self.memo = Memo()

    def test(self) -> LitmusTest:
        tree = self.tree
        locations = walk.kept(tree.locations, [self.values.location(location) for location in tree.locations])
        threads = walk.kept(tree.threads, [self.thread(thread) for thread in tree.threads])
        for observable in tree.observe:
            self.observable(observable)
        return changed(
            tree,
            locations=locations,
            threads=threads,
            kernels=walk.kept(tree.kernels, [self.kernel(kernel) for kernel in tree.kernels]),
            condition=self.condition(tree.condition),
            filter=None if tree.filter is None else with_comparisons(tree.filter, self.comparison),
            outcome_sets=tuple(self.outcomes(outcomes) for outcomes in tree.outcome_sets),
        )

    def thread(self, thread: Thread) -> Thread:
        self.values.thread = thread.name
        own = [(name, type_) for (unit, name), type_ in self.types.registers.items() if unit == thread.name]
        self.memo = Memo() if self.functions else memo(("types", tuple(own), self.places))
        return changed(thread, body=self.body(thread.body))

    def kernel(self, kernel: Kernel) -> Kernel:
        self.values.thread, self.memo = kernel.name, Memo()
        return changed(
            kernel,
            parameters=tuple(
                changed(p, values=tuple(self.values.typed(value, p.type) for value in p.values))
                for p in kernel.parameters
            ),
            memory=tuple(self.values.location(location) for location in kernel.memory),
            body=self.body(kernel.body),
        )

    def body(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        wrong = self.values.diagnostics
        return walk.kept(body, [self.memo.of(statement, self.statement, wrong) for statement in body])

    def register(self, name: str) -> Type:
        return self.types.registers.get((self.values.thread, name), I32)

    def check_register(self, statement: Statement, name: str, type_: Type) -> None:
        """Report a register that one statement gives another type than the rest."""
        own = self.register(name)
        if name and own != type_ and not (own.pointer is not None and type_.pointer is not None):
            message = f"register '{name}' is {type_name(own)} elsewhere, but {type_name(type_)} here"
            self.values.error(statement.span, message, "use another register")

    def access_type(self, address: Address, stated: Type | None, *values: Expr) -> Type:
        """Return the type of an access: stated, implied by the location, or that of a value."""
        implied = stated or implied_type(address, self.types.accesses)
        return implied or next((t for v in values if (t := self.values.natural(v)) is not None), None) or I32

    def address(self, address: Address) -> Address:
        base = self.values.typed(address.base)
        if isinstance(base, UndefValue):
            base = changed(base, type=base.type)
        elif base.type is None or base.type.pointer is None or base.type.lanes:
            shown = type_name(base.type or I32)
            self.values.error(address.span, f"an address is a pointer, not {shown}", "declare the memory or load a ptr")
        index = None if address.index is None else self.values.typed(address.index)
        if index is not None and index.type is not None and (index.type.pointer is not None or index.type.lanes):
            self.values.error(index.span, f"an index is an integer, not {type_name(index.type)}")
        return changed(address, base=base, index=index)

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Load(address=address, register=register):
                type_ = self.access_type(address, statement.type) if self.knows(address, statement.type) else (
                    self.register(register))  # fmt: skip
                self.check_register(statement, register, type_)
                return changed(statement, type=type_, address=self.address(address))
            case Store(address=address, value=value):
                type_ = self.access_type(address, statement.type, value)
                value = self.values.typed(value, type_)
                return changed(statement, type=type_, address=self.address(address), value=value)
            case AtomicRmw(address=address, value=value, register=register):
                type_ = self.access_type(address, statement.type, value)
                self.check_register(statement, register, type_)
                value = self.values.typed(value, type_)
                return changed(statement, type=type_, address=self.address(address), value=value)
            case CmpXchg():
                return self.cmpxchg(statement)
            case Make(address=address):
                if address is None:
                    return statement
                type_ = statement.type or implied_type(address, self.types.extents) or I32
                return changed(statement, address=self.address(address), type=type_)
            case Transfer(memory=memory, lds=lds):
                type_ = statement.type or transferred_type(statement, self.types.accesses) or I32
                return changed(statement, memory=self.address(memory), lds=self.address(lds), type=type_)
            case Assign(register=register, value=value):
                typed = self.assigned(statement, register, value)
                return changed(statement, value=typed)
            case Assume(condition=condition):
                return changed(statement, condition=self.values.truth(condition))
            case If(condition=condition):
                then, otherwise = self.body(statement.then), self.body(statement.otherwise)
                return changed(statement, condition=self.values.truth(condition), then=then, otherwise=otherwise)
            case Fence() | Barrier() | Track():
                return statement
        return self.controlled(statement)

    def controlled(self, statement: Statement) -> Statement:
        """Type a statement of kernels."""
        bodies = [self.body(body) for _, body in walk.arms(statement)]
        wanted: list[Type | None] = [None] * len(walk.operands(statement))
        match statement:
            case While(condition=condition):
                return walk.with_arms(changed(statement, condition=self.values.truth(condition)), bodies)
            case Branch(condition=condition) if condition is not None:
                return changed(statement, condition=self.values.truth(condition))
            case For(register=register) | Phi(register=register):
                wanted = [self.register(register) for _ in wanted]
            case Switch(value=value, cases=cases):
                type_ = self.values.natural(value) or I32
                wanted = [type_]
                for case in cases:
                    self.values.typed(case.value, type_)
                cases = tuple(changed(each, value=changed(each.value, type=type_)) for each in cases)
                statement = changed(statement, cases=cases)
            case Call():
                return self.call(statement)
        if isinstance(statement, Phi):
            if statement.type is not None:
                self.check_register(statement, statement.register, statement.type)
            statement = changed(statement, type=self.register(statement.register))
        values = [self.values.typed(v, t) for v, t in zip(walk.operands(statement), wanted, strict=True)]
        return walk.with_arms(walk.with_operands(statement, values), bodies)

    def call(self, call: Call) -> Call:
        """Type a convergent operation, or the call of a declared function."""
        if call.operation not in SIGNATURES:
            if call.type is not None or call.operation.startswith(UNKNOWN):
                return changed(call, operands=tuple(map(self.values.typed, call.operands)))
            wanted = self.functions.get(call.operation[1:], ())
            return changed(call, operands=tuple(map(self.values.typed, call.operands, wanted)))
        signature = SIGNATURES[call.operation]
        type_ = call.type
        if signature.result == "T":
            type_ = type_ or (self.register(call.register) if call.register else self.values.natural(call.operands[0]))
            type_ = type_ or I32
        if call.register and type_ is not None:
            self.check_register(call, call.register, type_)
        kinds = [kind for kind in signature.operands if kind != "barrier"]
        types = [type_ if kind == "T" else INTEGERS.get(kind, Type(16)) for kind in kinds]
        return changed(call, type=type_, operands=tuple(map(self.values.typed, call.operands, types)))

    def knows(self, address: Address, stated: Type | None) -> bool:
        """Say whether the type of a load is known without the register it goes to."""
        return stated is not None or implied_type(address, self.types.accesses) is not None

    def assigned(self, statement: Assign, register: str, value: Expr) -> Expr:
        """Type an assigned value; a literal takes the register's type, and null its address space."""
        own = self.register(register)
        natural = self.values.natural(value)
        null = isinstance(value, Number) and natural == POINTER and own.pointer is not None and not own.lanes
        if natural is None or null:
            return self.values.typed(value, own if not own.pair else None)
        typed = self.values.typed(value)
        if typed.type is not None:
            self.check_register(statement, register, typed.type)
        return typed

    def cmpxchg(self, statement: CmpXchg) -> Statement:
        type_ = self.access_type(statement.address, statement.type, statement.expected, statement.desired)
        expected = self.values.typed(statement.expected, type_)
        desired = self.values.typed(statement.desired, type_)
        if statement.ok_register:
            self.check_register(statement, statement.register, type_)
            self.check_register(statement, statement.ok_register, Type(1))
        else:
            self.check_register(statement, statement.register, changed(type_, pair=True, lanes=0))
        address = self.address(statement.address)
        return changed(statement, type=type_, address=address, expected=expected, desired=desired)

    # ------------------------------------------------ conditions

    def observable(self, observable: Observable) -> Type | None:
        """Return the type of what is observed; None, with a diagnostic, if it has no value."""
        index = observable.index
        if isinstance(observable, FinalValue):
            _, declared = self.finals.get(observable.location, ("", ""))
            whole = self.types.extents.get(declared)
        else:
            whole = self.lanes_type(observable)
        if whole is None:
            return None
        count = 2 if whole.pair else whole.lanes
        if index is None:
            if whole.pair:
                hint = f"write {observable.register}[0] or {observable.register}[1]" if isinstance(
                    observable, RegisterOf) else ""  # fmt: skip
                self.values.error(observable.span, "a cmpxchg's result is a pair of old value and success", hint)
                return None
            return whole
        if isinstance(observable, FinalValue) and not whole.lanes:
            count = 1
        if index >= count:
            what = f"{type_name(whole)} has {count}" if count else f"{type_name(whole)} has none"
            self.values.error(observable.span, f"there is no element {index}: {what}")
            return None
        return self.values.element_type(whole, index)

    def lanes_type(self, observable: RegisterOf) -> Type | None:
        """Return the type of a register: of a whole wave's the vector over its lanes."""
        unit = unit_named(self.tree, observable.thread)
        type_ = self.types.registers.get((unit.name, observable.register)) if unit is not None else None
        wave = isinstance(unit, Kernel) and numbers_in(unit, observable.thread) == WAVE
        if type_ is None or not isinstance(unit, Kernel) or not wave or self.of_lanes:
            return type_
        if type_.lanes or type_.pair:
            self.values.error(observable.span, f"'{observable.register}' is no scalar", "name a lane, as K.0.0.0:r")
            return None
        return changed(type_, lanes=unit.launch.lanes)

    def condition(self, condition: Condition) -> Condition:
        """Type the condition; what it says of threads is kept."""
        if self.tree.kernels:
            return with_comparisons(condition, self.comparison)
        known = memo(("types of a condition", tuple(self.types.registers.items()), self.places))
        return known.of(condition, partial(with_comparisons, change=self.comparison), self.values.diagnostics)

    def comparison(self, atom: ValueComparison) -> Condition:
        self.of_lanes = atom.lanes is not None
        typed = self.compared(atom)
        self.of_lanes = False
        if isinstance(typed, ValueComparison) and typed.lanes is not None:
            sides = [side for side in (atom.left, atom.right) if isinstance(side, RegisterOf)]
            units = [(unit_named(self.tree, side.thread), side.thread) for side in sides]
            members = [lanes_named(unit, name) for unit, name in units if isinstance(unit, Kernel)]
            most = max(members, key=len, default=())
            typed = changed(typed, members=tuple(lane.name for lane in most))
        return typed

    def compared(self, atom: ValueComparison) -> Condition:
        sides = (atom.left, atom.right)
        named = [isinstance(side, RegisterOf | FinalValue) for side in sides]
        types = [
            self.observable(s) if isinstance(s, RegisterOf | FinalValue) else self.values.natural(s) for s in sides
        ]
        observed = [type_ for type_, is_named in zip(types, named, strict=True) if is_named]
        if None in observed:
            return Truth(True, atom.span)
        common = next((t for t in (*observed, *types) if t is not None), I32)
        left, right = (self.operand(side, common) for side in sides)
        if len(observed) == 2 and types[0] != types[1] and not all(t is not None and t.pointer for t in types):
            message = f"these have different types: {type_name(types[0] or I32)} and {type_name(types[1] or I32)}"
            self.values.error(atom.span, message)
        return changed(atom, left=left, right=right)

    def operand(self, operand: Operand, type_: Type) -> Operand:
        if isinstance(operand, RegisterOf | FinalValue):
            return operand
        typed = self.values.typed(operand, type_)
        assert not isinstance(typed, RegisterOf | FinalValue)
        return typed  # type: ignore[return-value]

    def outcomes(self, outcomes: OutcomeSet) -> OutcomeSet:
        """Type the values of every row; an observable without a value is reported once."""
        first = outcomes.rows[0] if outcomes.rows else ()
        types = {observable: self.observable(observable) for observable, _ in first}
        rows = tuple(
            tuple((observable, self.operand(value, types[observable] or I32)) for observable, value in row
                  if types.get(observable) is not None)
            for row in outcomes.rows
        )  # fmt: skip
        return changed(outcomes, rows=rows)
