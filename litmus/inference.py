"""The types that the text leaves out.

What goes in: a tree whose names are resolved. What comes out: a type for every register and location. A register or an
untyped location is a variable; accesses, assignments and operators unify variables, stated types bind them, and what
stays open is i32. Conflicts are not reported here: the first binding in the order of the text stands, and the type pass
finds the place that disagrees with it.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TypeAlias

from axmem.front.records import dataclass, replace
from axmem.litmus import walk
from axmem.litmus.kernels import IDS, SIGNATURES
from axmem.litmus.layout import implied_type, location_of, offset_of
from axmem.litmus.memo import memo
from axmem.litmus.spelling import COMPARING, CONVERSIONS, pointer_to
from axmem.litmus.syntax import (
    I1,
    I32,
    POINTER,
    AccessStatement,
    Address,
    AddressOf,
    Assign,
    AtomicRmw,
    Barrier,
    Call,
    CmpXchg,
    Element,
    Expr,
    Fence,
    For,
    Given,
    IntegerOperation,
    LitmusTest,
    Load,
    Location,
    Number,
    Phi,
    Register,
    Statement,
    Store,
    Transfer,
    Type,
    UndefValue,
    VectorOf,
)

Variable: TypeAlias = tuple[str, str]
"""A register with its thread, or a location with an empty thread."""
Term: TypeAlias = Type | Variable


@dataclass(frozen=True, slots=True)
class Types:
    """What was found out: `extents` are the whole types of the locations, `accesses` what an access to one implies."""

    registers: dict[Variable, Type]
    accesses: dict[str, Type]
    extents: dict[str, Type]


def infer(test: LitmusTest) -> Types:
    """Return the types of all registers and locations."""
    return _untyped(test) or _Inference(test).solve()


def _untyped(test: LitmusTest) -> Types | None:
    """Return the types of a test where nothing says a type: all are i32. None where something may."""
    if test.kernels or not all(
        location.type is None and (location.initial is None or _silent(location.initial)) for location in test.locations
    ):
        return None
    registers: dict[Variable, Type] = {}
    silent = memo(_silent_results)
    for thread in test.threads:
        for statement in thread.body:
            names = silent.of(statement, _silent_results)
            if names is None:
                return None
            for name in names:
                registers[thread.name, name] = I32
    types = {location.name: I32 for location in test.locations}
    return Types(registers, types, types)


def _silent(value: Expr) -> bool:
    """Say whether a value is that of a register or a number, and says nothing of its type."""
    return isinstance(value, Number | Register | UndefValue) and value.type is None


def _silent_results(statement: Statement) -> tuple[str, ...] | None:
    """Return the registers that a statement assigns if it is a plain access to a whole location, or no access."""
    match statement:
        case Fence() | Barrier():
            return ()
        case Load() | Store() | AtomicRmw() if statement.type is None:
            base, index = statement.address.base, statement.address.index
            plain = index is None and isinstance(base, AddressOf) and base.type is None
            return walk.results(statement) if plain and all(map(_silent, walk.operands(statement))) else None
    return None


class _Inference:
    def __init__(self, test: LitmusTest) -> None:
        self.tree = test
        self.parent: dict[Variable, Variable] = {}
        self.bound: dict[Variable, Type] = {}
        self.thread = ""
        self.statements = [(unit.name, s) for unit in walk.units(test) for s in walk.statements(unit.body)]
        self.users: dict[Variable, set[int]] = {}
        self.turn = (0, -1)
        self.queue = [(0, index) for index in range(len(self.statements))]
        self.queued = set(self.queue)
        self.paired = {
            (unit.name, statement.register)
            for unit in walk.units(test)
            for statement in walk.statements(unit.body)
            if isinstance(statement, CmpXchg) and not statement.ok_register
        }
        self.locations = walk.locations(test)
        self.spaces = {location.name: location.space for location in self.locations}
        self.declared = {loc.name: t for loc in self.locations if (t := _declared_type(loc)) is not None}
        stated = self.stated_types()
        for kernel in test.kernels:
            phis = ((s.register, s.type) for s in kernel.body if isinstance(s, Phi) and s.type)  # Loops use them above.
            for name, type_ in (*((name, I32) for name in IDS), *((p.name, p.type) for p in kernel.parameters), *phis):
                self.bound[kernel.name, name] = type_
        for location in self.locations:
            if location.name not in self.declared:
                self.bind_untyped(location, stated.get(location.name, []))

    def stated_types(self) -> dict[str, list[Type | None]]:
        """Return, for each location, the types its accesses state (None where one states none)."""
        found: dict[str, list[Type | None]] = {}
        for _, statement in walk.located(self.tree):
            for address in walk.addresses(statement):
                name = location_of(address)
                if name is not None and isinstance(statement, AccessStatement | Transfer):
                    found.setdefault(name, []).append(statement.type or _value_type(statement))
        return found

    def bind_untyped(self, location: Location, stated: list[Type | None]) -> None:
        """Bind the element type of an untyped location to what its accesses agree on, if they state anything."""
        elements = {t.element for t in stated if t is not None}
        if len(elements) == 1:
            self.bound[self.root(("", location.name))] = elements.pop()
        elif elements:
            self.bound[self.root(("", location.name))] = I32

    # ------------------------------------------------ unification

    def root(self, variable: Variable) -> Variable:
        """Return the variable that stands for all that are of one type with this one."""
        root = variable
        while (above := self.parent.get(root)) is not None:
            root = above
        while variable != root:
            self.parent[variable], variable = root, self.parent[variable]
        if self.turn[1] >= 0:
            self.users.setdefault(root, set()).add(self.turn[1])
        return root

    def known(self, term: Term | None) -> Type | None:
        """Return the type of a term, or None while it is open."""
        return term if isinstance(term, Type) or term is None else self.bound.get(self.root(term))

    def unify(self, left: Term | None, right: Term | None) -> None:
        """Make two terms one type where both are open or one is."""
        if left is None or right is None:
            return
        first, second = self.known(left), self.known(right)
        if first is not None and second is not None:
            return
        if first is not None and not isinstance(right, Type):
            self.bind(right, first)
        elif second is not None and not isinstance(left, Type):
            self.bind(left, second)
        elif not isinstance(left, Type) and not isinstance(right, Type):
            self.join(self.root(left), self.root(right))

    def join(self, one: Variable, other: Variable) -> None:
        """Make two open variables one; the smaller set of users is moved."""
        if one != other:
            root, below = sorted((one, other), key=lambda v: len(self.users.get(v, ())), reverse=True)
            self.parent[below] = root
            self.users.setdefault(root, set()).update(self.users.pop(below, ()))

    def bind(self, variable: Variable, type_: Type) -> None:
        """Give an open variable its type; the statements that have asked for it have another turn."""
        root = self.root(variable)
        self.bound[root] = type_
        number, at = self.turn
        for index in self.users.get(root, ()):
            turn = (number + (index <= at), index)
            if turn not in self.queued:
                self.queued.add(turn)
                heappush(self.queue, turn)

    # ------------------------------------------------ terms

    def term(self, expr: Expr) -> Term | None:
        """Return what an expression's type is as far as it says so itself."""
        match expr:
            case Number() | Given() | UndefValue():
                return expr.type
            case Register(name=name):
                variable = (self.thread, name)
                if variable in self.paired:
                    return self.known(variable)
                self.unify(variable, expr.type)
                return variable
            case AddressOf(location=location):
                return pointer_to(self.spaces[location])
            case VectorOf(elements=elements):
                found = next((t for e in elements if (t := self.known(self.term(e))) is not None), None)
                return replace(found, lanes=len(elements)) if found is not None else expr.type
            case Element(value=value, index=index):
                return self.element(self.known(self.term(value)), index)
            case IntegerOperation():
                return self.operation(expr)

    def element(self, whole: Type | None, index: int) -> Type | None:
        if whole is None:
            return None
        if whole.pair:
            return I1 if index == 1 else replace(whole, pair=False)
        return whole.element

    def operation(self, expr: IntegerOperation) -> Term | None:
        terms = [self.term(operand) for operand in expr.operands]
        if expr.name in CONVERSIONS:
            return expr.type
        if expr.name == "select":
            terms = terms[1:]
        types = [self.known(t) for t in terms]
        pointer = next((t for t in types if t is not None and t.pointer is not None), None)
        if pointer is not None and expr.name in ("add", "sub"):
            return pointer
        stated = [t for t in terms if t is not None]
        for other in stated[1:]:
            self.unify(stated[0], other)
        if expr.name in COMPARING:
            lanes = next((t.lanes for t in map(self.known, stated) if t is not None), 0)
            return Type(1, lanes)
        return stated[0] if stated else expr.type

    def accessed(self, address: Address, stated: Type | None) -> Term | None:
        """Return the type of an access as far as it is known."""
        self.term(address.base)
        if address.index is not None:
            self.term(address.index)
        if stated is not None:
            return stated
        name = location_of(address)
        if name is None:
            return None
        return implied_type(address, self.declared) if name in self.declared else ("", name)

    # ------------------------------------------------ statements

    def statement(self, statement: Statement) -> None:
        """Unify what a statement brings together."""
        match statement:
            case Load(register=register, address=address, type=stated):
                self.unify((self.thread, register), self.accessed(address, stated))
            case Store(value=value, address=address, type=stated):
                self.unify(self.term(value), self.lane(self.accessed(address, stated), value))
            case AtomicRmw(register=register, address=address, value=value, type=stated):
                access = self.accessed(address, stated)
                self.unify(self.term(value), self.lane(access, value))
                if register:
                    self.unify((self.thread, register), access if access is not None else self.term(value))
            case CmpXchg():
                self.cmpxchg(statement)
            case Transfer(memory=memory, lds=lds, type=stated):
                access, copied = self.accessed(memory, stated), self.accessed(lds, stated)
                if not isinstance(copied, Type):
                    self.unify(copied, access)
            case Assign(register=register, value=value):
                self.unify((self.thread, register), self.term(value))
            case For(register=register, first=first, last=last):
                self.unify(self.term(first), (self.thread, register))
                self.unify((self.thread, register), self.term(last))
            case Phi(register=register, type=stated, incoming=incoming):
                self.unify((self.thread, register), stated)
                for each in incoming:
                    self.unify((self.thread, register), self.term(each.value))
            case Call():
                self.call(statement)
            case _:
                for expr in walk.expressions(statement):
                    self.term(expr)

    def lane(self, access: Term | None, value: Expr) -> Term | None:
        """Return what the value of an access is: a scalar is stored to every lane of a vector."""
        type_, own = self.known(access), self.known(self.term(value))
        if type_ is not None and type_.lanes and (own is None or not own.lanes):
            return None if isinstance(value, VectorOf) else type_.element
        return access

    def cmpxchg(self, statement: CmpXchg) -> None:
        access = self.accessed(statement.address, statement.type)
        for value in (statement.expected, statement.desired):
            self.unify(self.term(value), access)
        values = (self.known(self.term(value)) for value in (statement.expected, statement.desired))
        old = self.known(access) or next((type_ for type_ in values if type_ is not None), None)
        if statement.ok_register:
            self.unify((self.thread, statement.ok_register), I1)
            self.unify((self.thread, statement.register), access or old)
        elif statement.register and old is not None:
            self.unify((self.thread, statement.register), replace(old, pair=True, lanes=0))

    def call(self, call: Call) -> None:
        """Unify the result of a convergent operation with its operand, where they are of one type."""
        signature = SIGNATURES.get(call.operation)
        terms = [self.term(operand) for operand in call.operands]
        if signature is None and call.register and call.type is not None:
            self.unify((self.thread, call.register), call.type)
        if signature is None or not signature.result:
            return
        result = (self.thread, call.register) if call.register else None
        self.unify(result, call.type)
        if signature.result == "T":
            self.unify(result or call.type, terms[0])

    def settle(self) -> None:
        """Unify until nothing changes: pass after pass over the text, without what nothing has changed for."""
        while self.queue:
            self.turn = heappop(self.queue)
            self.queued.remove(self.turn)
            self.thread, statement = self.statements[self.turn[1]]
            self.statement(statement)
        self.turn = (self.turn[0] + 1, -1)

    def solve(self) -> Types:
        """Settle, then let open locations be i32, then open registers."""
        self.settle()
        for location in self.locations:
            if location.name not in self.declared and self.known(("", location.name)) is None:
                self.bind(("", location.name), I32)
        self.settle()
        units = walk.units(self.tree)
        variables = [(u.name, r) for u in units for s in walk.statements(u.body) for r in walk.results(s)]
        own = [(k.name, name) for k in self.tree.kernels for name in (*IDS, *(p.name for p in k.parameters))]
        for variable in variables:
            if self.known(variable) is None:
                self.bind(variable, replace(I32, pair=True) if variable in self.paired else I32)
                self.settle()
        registers = {variable: self.bound[self.root(variable)] for variable in (*variables, *own)}
        accesses = {loc.name: self.declared.get(loc.name) or self.bound[self.root(("", loc.name))]
                    for loc in self.locations}  # fmt: skip
        extents = {name: self.extent(name, type_) for name, type_ in accesses.items()}
        return Types(registers, accesses, extents)

    def extent(self, name: str, type_: Type) -> Type:
        """Return the type of a location; an untyped one reaches as far as its accesses do."""
        if name in self.declared:
            return type_
        end = type_.size
        for _, statement in walk.located(self.tree):
            for address in walk.addresses(statement):
                size = (statement_type(statement) or type_).size
                offset = offset_of(address, size) if location_of(address) == name else None
                if offset is not None and offset >= 0:
                    end = max(end, min(offset + size, 64 * type_.size))
        lanes = -(-end // type_.size)
        return type_ if lanes == 1 else replace(type_, lanes=lanes)


def statement_type(statement: Statement) -> Type | None:
    """Return the type that an access states."""
    return getattr(statement, "type", None)


def _value_type(statement: Statement) -> Type | None:
    """Return the type that the value of a write states by its look: an address is a pointer, a vector has lanes."""
    for value in walk.operands(statement):
        if isinstance(value, AddressOf):
            return POINTER
        if isinstance(value, Number | UndefValue) and value.type is not None:
            return value.type
    return None


def _declared_type(location: Location) -> Type | None:
    """Return the type of a location that states one, itself or through its initial value."""
    initial = location.initial
    if location.type is not None or initial is None:
        return location.type
    if isinstance(initial, VectorOf):
        claimed = next((e.type for e in initial.elements if isinstance(e, Number) and e.type is not None), I32)
        claimed = POINTER if any(isinstance(e, AddressOf) for e in initial.elements) else claimed
        return replace(claimed, lanes=len(initial.elements))
    if isinstance(initial, Number | UndefValue):
        return initial.type
    return POINTER if any(isinstance(part, AddressOf) for part in walk.parts(initial)) else None
