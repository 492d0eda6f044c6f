"""Where the registers of a thread come from and where they go.

What goes in: a thread or kernel. What comes out: a `Flow`: of each register that one statement assigns, what it is
computed of, down to loads and other operations, and what it is used for. Two registers of two threads are alike if
these are the same; names take no part in it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from axmem.front.records import dataclass, field
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.registers import assigned, read


@dataclass(frozen=True, slots=True)
class Flow:
    """The registers that a unit assigns, in the order of their first assignments, each with its type.

    `origins` are what each is computed of, `uses` what for, and `words` how that reads; one that several statements
    assign has none of these.
    """

    assigned: Mapping[str, ast.Type]
    origins: Mapping[str, Hashable] = field(default_factory=dict)
    uses: Mapping[str, Hashable] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)


def flow_of(unit: ast.Thread | ast.Kernel) -> Flow:
    """Return the flow of a thread or kernel."""
    types: dict[str, ast.Type] = {}
    count: dict[str, int] = {}
    every = list(walk.statements(unit.body))
    for statement in every:
        for register, type_ in assigned(statement):
            types.setdefault(register, type_)
            count[register] = count.get(register, 0) + 1
    origins: dict[str, Hashable] = {}
    words: dict[str, str] = {}
    uses: dict[str, list[Hashable]] = {register: [] for register in types}
    for statement in every:
        for register, _ in assigned(statement):
            if count[register] == 1:
                origins[register] = (_origin(statement, origins), walk.results(statement).index(register))
                words[register] = _words(statement)
        for register, use in _uses(statement, origins):
            if register in uses:
                uses[register].append(use)
    return Flow(types, origins, {r: tuple(sorted(map(repr, used))) for r, used in uses.items()}, words)


def _origin(statement: ast.Statement, known: Mapping[str, Hashable]) -> Hashable:
    """Return what a statement computes: its operation, the place, and what its operands come from."""
    places = [_place(address, known) for address in walk.addresses(statement)]
    values = [_value(value, known) for value in walk.operands(statement)]
    operation = getattr(statement, "operation", "")
    return (type(statement).__name__, operation, tuple(places), tuple(values))


def _place(address: ast.Address, known: Mapping[str, Hashable]) -> Hashable:
    index = None if address.index is None else _value(address.index, known)
    return (_value(address.base, known), index)


def _value(expr: ast.Expr, known: Mapping[str, Hashable]) -> Hashable:
    match expr:
        case ast.Register(name=name):
            return known.get(name, "some register")
        case ast.Number(value=value):
            return value
        case ast.AddressOf(location=location):
            return f"&{location}"
    name = getattr(expr, "name", getattr(expr, "index", ""))
    return (type(expr).__name__, name, tuple(_value(child, known) for child in walk.children(expr)))


def _uses(statement: ast.Statement, known: Mapping[str, Hashable]) -> Iterator[tuple[str, Hashable]]:
    """Yield the registers that a statement reads, each with what the statement does."""
    places = tuple(_place(address, known) for address in walk.addresses(statement))
    for expr in walk.expressions(statement):
        for register in read(expr):
            yield register.name, (type(statement).__name__, places)


def _words(statement: ast.Statement) -> str:
    """Return in words where a result comes from."""
    place = next((a.base.location for a in walk.addresses(statement) if isinstance(a.base, ast.AddressOf)), "")
    match statement:
        case ast.Load():
            return f"both load {place}" if place else "both are loaded from the same address"
        case ast.RmwStatement():
            return f"both update {place}" if place else "both update memory at the same address"
    return "both are computed alike"
