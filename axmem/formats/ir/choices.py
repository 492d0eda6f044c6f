"""What the parameters of a function may be: which memory pointers point to, and which numbers are tried.

What goes in: a function, or one before and after a change, and the variables of its module. What comes out:
`ParameterChoice`s, the plainest first. Two pointers, or a pointer and a variable, are also the same, or so far apart
that accesses through them meet, where address spaces, `noalias` and constants permit, and one of the two is written or
both are compared. A pointer that a function may leave alone, or compares with null, is also null. A number stays open,
and may be undef where it is not `noundef`. But one by which memory is addressed, or transferred, is one that is tried
and said. Invariant: where there are more choices than are tried, the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from axmem.formats.ir.flow import ADDRESSED, FunctionFlow, Root, address, effect, named, wide
from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.syntax import ConstantExpression, Function, Global, Instruction, Operand, Parameter, Value
from axmem.formats.ir.types import size
from axmem.front.records import dataclass, field
from axmem.litmus.syntax import Number, Register

MOST_CHOICES = 12
"""So many choices of all parameters are tried at most."""
OPEN = -1
"""A number of which nothing is said."""
LENGTH = 16
"""How many bytes a transfer moves whose length is a parameter."""
_SOMEWHERE = ("nonnull", "dereferenceable", "byval", "byref", "sret")
"""Attributes of pointers that are never null."""
_NO_ARITHMETIC = frozenset({*ADDRESSED, "call", "phi", "freeze"})


@dataclass(frozen=True, slots=True)
class ParameterChoice:
    """What the parameters of a function are, by their position: memory by its name, or a number.

    A number that is not here is open. `offsets` are bytes of the memory before the one that a pointer is the address
    of; a pointer without memory is null.
    """

    memory: Mapping[int, str]
    numbers: Mapping[int, int]
    offsets: Mapping[int, int] = field(default_factory=dict)

    def words(self, parameters: Sequence[Parameter], variables: Mapping[str, Global]) -> str:
        """Say what is chosen."""
        found = []
        own = {i: _memory_name(each, variables) for i, each in enumerate(parameters)}
        for name in dict.fromkeys(self.memory.values()):
            there = [i for i, each in self.memory.items() if each == name]
            shown = [f"%{parameters[i].name}" for i in there if not self.offsets.get(i)]
            shown += [f"@{name}"] if not any(own[i] == name for i in there) else []
            found += [f"{' and '.join(shown)} the same memory"] if len(shown) > 1 else []
            found += [f"%{parameters[i].name} {o} bytes behind {shown[0]}" for i in there if (o := self.offsets.get(i))]
        found += [f"%{p.name} null" for i, p in enumerate(parameters) if p.type.kind == "ptr" and i not in self.memory]
        found += [f"%{parameters[i].name} = {n}" for i, n in self.numbers.items()]
        return ", ".join(found)


def _memory_name(parameter: Parameter, variables: Mapping[str, Global]) -> str:
    """Return the name of the memory that a pointer has of its own."""
    name = f"p{parameter.name}" if parameter.name.isdecimal() else parameter.name
    while name in variables:
        name += "_"
    return name


def choices(functions: Sequence[Function], variables: Mapping[str, Global]) -> tuple[list[ParameterChoice], bool]:
    """Return what the parameters of functions with the same parameters may be, and whether that is not everything."""
    parameters = functions[0].parameters
    numbers = {i: _numbers(i, functions) for i, parameter in enumerate(parameters) if parameter.type.kind != "ptr"}
    combined = [
        {i: n for i, n in zip(numbers, chosen, strict=True) if n != OPEN} for chosen in product(*numbers.values())
    ]
    apart = {i: _memory_name(p, variables) for i, p in enumerate(parameters) if p.type.kind == "ptr"}
    places = [(apart, {}), *islice(_places(functions, variables, apart), MOST_CHOICES)]
    found = [ParameterChoice(memory, chosen, offsets) for memory, offsets in places for chosen in combined]
    tried = [i for i, each in numbers.items() if OPEN not in each]
    looked_at = any(_looks_at(parameters[i].name, function) for i in tried for function in functions)
    return found[:MOST_CHOICES], looked_at or len(found) > MOST_CHOICES


# ---------------------------------------------------------------- memory


class _Accesses:
    """What functions access: of each root whether it is written, and at which constant offsets."""

    def __init__(self, functions: Iterable[Function]) -> None:
        self.read: set[Root] = set()
        self.written: set[Root] = set()
        self.offsets: dict[Root, set[int]] = {}
        self.compared: set[Root] = set()
        for flow in map(FunctionFlow, functions):
            for each in flow.instructions:
                if (place := address(each)) is not None:
                    self._access(flow, each, place)
                elif each.operation == "icmp" and each.operands[0].type.kind == "ptr":
                    self.compared |= {root for o in each.operands for root in flow.roots(o.value)}

    def _access(self, flow: FunctionFlow, each: Instruction, at: Value) -> None:
        (self.read if effect(each) == "r" else self.written).update(flow.roots(at))
        place = offset_of_root(flow, at)
        if place is not None:
            self.offsets.setdefault(place[0], set()).add(place[1])

    def meet(self, one: Root, other: Root) -> bool:
        """Whether it makes a difference that two pointers are the same."""
        return {one, other} <= self.compared or self.conflict(one, other)

    def conflict(self, one: Root, other: Root) -> bool:
        """Whether both pointers are accessed, and one of them is written through."""
        both = {one, other}
        return both <= self.read | self.written and bool(both & self.written)


def offset_of_root(flow: FunctionFlow, value: Value) -> tuple[Root, int] | None:
    """Return the root of an address and how many bytes it is behind that, if both are constant."""
    offset = 0
    while True:
        operands: tuple[Operand, ...]
        made = flow.results.get(value.name) if isinstance(value, Register) else value
        if isinstance(made, Instruction | ConstantExpression) and made.operation in (
            "getelementptr",
            "bitcast",
            "addrspacecast",
        ):
            operands, type_ = made.operands, made.type
            numbers = [o.value.value for o in operands[1:] if isinstance(o.value, Number)]
            if len(numbers) != len(operands) - 1 or type_ is None:
                return None
            offset += constant_offset(type_, numbers) if numbers else 0
            value = operands[0].value
            continue
        roots = flow.roots(value)
        return (next(iter(roots)), offset) if len(roots) == 1 else None


def _places(
    functions: Sequence[Function], variables: Mapping[str, Global], apart: Mapping[int, str]
) -> Iterator[tuple[dict[int, str], dict[int, int]]]:
    """Yield where pointers may point to but each to memory of its own."""
    parameters = functions[0].parameters
    accesses, before = _Accesses(functions), _Accesses(functions[:1])
    roots = {i: Root(parameters[i].name) for i in apart}
    for classes in _partitions(list(apart)):
        groups = [each for each in classes if len(each) > 1]
        same = all(_may_be_same(parameters, g, before) and _meeting(accesses, [roots[i] for i in g]) for g in groups)
        if groups and same:
            yield {i: apart[each[0]] for each in classes for i in each}, {}
    for i, (name, variable) in product(apart, variables.items()):
        fits = _least(functions[0], roots[i]) <= _bytes(variable)
        if fits and _may_be(parameters[i], variable, before) and accesses.meet(roots[i], Root(name, variable=True)):
            yield {**apart, i: name}, {}
    for one, other in combinations(apart, 2):
        if _may_be_same(parameters, (one, other), before) and accesses.meet(roots[one], roots[other]):
            between = {
                a - b for a in accesses.offsets.get(roots[one], ()) for b in accesses.offsets.get(roots[other], ())
            }
            for distance in sorted(between - {0}, key=lambda n: (abs(n), n)):
                behind = {other: distance} if distance > 0 else {one: -distance}
                yield {**apart, other: apart[one]}, behind
    for i in apart:
        if _may_be_null(parameters[i], roots[i], functions):
            yield {k: name for k, name in apart.items() if k != i}, {}


def _least(function: Function, root: Root) -> int:
    """Return how many bytes a pointer points to at least, since they are accessed at once."""
    flow, found = FunctionFlow(function), 0
    for each in function.blocks[0].instructions:
        accessed, by_call = address(each), wide(each)
        place = None if accessed is None else offset_of_root(flow, accessed)
        if place is None or place[0] != root:
            continue
        type_ = each.operands[0].type if each.operation == "store" else each.type
        type_ = each.operands[1].type if each.operation == "cmpxchg" else type_
        if by_call or type_.sized:
            found = max(found, place[1] + (by_call[1] if by_call else size(type_)))
    return found


def _bytes(variable: Global) -> int:
    return size(variable.type) if variable.type.sized else 1 << 30


def _meeting(accesses: _Accesses, group: Sequence[Root]) -> bool:
    return any(accesses.meet(one, other) for one, other in combinations(group, 2))


def _partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield every way of grouping items, the one in which each stands alone first."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for found in _partitions(rest):
        yield [[first], *found]
    for found in _partitions(rest):
        for index, group in enumerate(found):
            yield [*found[:index], [first, *group], *found[index + 1 :]]


def _may_be_same(parameters: Sequence[Parameter], group: Sequence[int], before: _Accesses) -> bool:
    """Say whether pointers may have the same value: `noalias` is about memory that is accessed and modified.

    [LangRef] "Parameter Attributes".
    """
    some = [parameters[index] for index in group]
    for one, other in combinations(some, 2):
        alone = "noalias" in one.attributes or "noalias" in other.attributes
        if alone and before.conflict(Root(one.name), Root(other.name)):
            return False
    spaces = {each.type.space for each in some} - {0}
    return len(spaces) < 2 or spaces == {1, 4}


def _may_be(parameter: Parameter, variable: Global, before: _Accesses) -> bool:
    """Say whether a pointer may be the address of a variable; nothing is written through one to a constant."""
    spaces = {parameter.type.space, variable.space} - {0}
    root = Root(parameter.name)
    alone = "noalias" in parameter.attributes and before.conflict(root, Root(variable.name, variable=True))
    apart = alone or (variable.constant and root in before.written) or "thread_local" in variable.words
    return not apart and (len(spaces) < 2 or spaces == {1, 4})


def _may_be_null(parameter: Parameter, root: Root, functions: Sequence[Function]) -> bool:
    """Say whether it makes a difference that a pointer is null: it is compared, or not always accessed before."""
    if any(word in parameter.attributes for word in _SOMEWHERE):
        return False
    before, after = FunctionFlow(functions[0]), FunctionFlow(functions[-1])
    for flow in (before, after):
        compared = (each.operands for each in flow.instructions if each.operation == "icmp")
        with_null = (both for both in compared if any(o.value == Number(0) and o.type.kind == "ptr" for o in both))
        if any(root in flow.roots(o.value) for both in with_null for o in both):
            return True
    if not any(root in after.accessed(i) for i in after.instructions if address(i) is not None):
        return False
    first = functions[0].blocks[0].instructions
    return not any(address(i) is not None and before.accessed(i) == {root} for i in first)


# ---------------------------------------------------------------- numbers


def _numbers(index: int, functions: Sequence[Function]) -> list[int]:
    """Return what a parameter is: open, unless it says where memory is, or how much of it."""
    addresses = lengths = False
    for function in functions:
        name = function.parameters[index].name
        for each in _all(function):
            addresses |= each.operation == "getelementptr" and _depends(each, name, function, 1, ("phi",))
            lengths |= each.callee.startswith("llvm.mem") and _depends(each, name, function)
    if not addresses:
        return [LENGTH if lengths else OPEN]
    return [*dict.fromkeys((1, 0, *(n for function in functions for n in _indices(function))))]


def _looks_at(name: str, function: Function) -> bool:
    """Whether more is done with a parameter than to say where memory is: what, depends on its number."""
    named_here = {name} if any(p.name == name for p in function.parameters) else set()
    for each in _all(function):
        if each.operation == "getelementptr" or each.callee.startswith("llvm.mem"):
            continue
        used = {n for operand in each.operands for n in named(operand.value)}
        if not used & named_here:
            continue
        if each.operation not in ("zext", "sext", "trunc", "phi"):
            return True
        named_here.add(each.result)
    return False


def _indices(function: Function) -> list[int]:
    """Return constant indices of a function, few of them."""
    steps = (each for each in _all(function) if each.operation == "getelementptr")
    found = (o.value.value for each in steps for o in each.operands[-1:] if isinstance(o.value, Number))
    return list(islice(dict.fromkeys(found), 2))


def _depends(user: Instruction, name: str, function: Function, first: int = 0, through: Sequence[str] = ()) -> bool:
    """Say whether operands of an instruction, from one on, are computed of a parameter, by arithmetic alone.

    What instructions `through` pass on counts as well.
    """
    made = {each.result: each for each in _all(function) if each.result}
    ahead = [n for o in user.operands[first:] for n in named(o.value)]
    seen: set[str] = set()
    while ahead:
        if (one := ahead.pop()) == name:
            return True
        each = made.get(one)
        if one in seen or each is None or each.operation in _NO_ARITHMETIC - {*through}:
            continue
        seen.add(one)
        ahead += [n for o in each.operands for n in named(o.value)]
    return False


def _all(function: Function) -> Iterator[Instruction]:
    return (each for block in function.blocks for each in block.instructions)
