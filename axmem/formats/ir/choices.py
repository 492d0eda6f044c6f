"""What the parameters of a function may be: which memory pointers lead to, and which numbers are tried.

What goes in: a function, or one before and after a change, and the variables of its module. What comes out:
`ParameterChoice`s, the plainest first. Pointers lead where `layouts` says. A number stays open, and may be undef where
it is not `noundef`. But one by which memory is addressed, or transferred, is one that is tried and said: of those for
which the same accesses meet, one. Invariant: where there are more choices than are tried, the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from axmem.formats.ir.flow import ADDRESSED, address, value_names
from axmem.formats.ir.folding import folded
from axmem.formats.ir.layouts import Layouts, extent
from axmem.formats.ir.ranges import POSSIBLE
from axmem.formats.ir.syntax import Function, Global, Instruction, Parameter, Value
from axmem.formats.ir.types import size
from axmem.front.records import dataclass, field
from axmem.litmus.syntax import AddressOf, Number, Register

MOST_CHOICES = 48
"""So many choices of all parameters are tried at most."""
OPEN = -1
"""A number of which nothing is said."""
LENGTH = 16
"""How many bytes a transfer moves whose length is a parameter."""
MOST_ELEMENTS = 32
"""Of a constant with more elements not every one is tried."""
_NO_ARITHMETIC = frozenset({*ADDRESSED, "call", "phi", "freeze"})


@dataclass(frozen=True, slots=True)
class ParameterChoice:
    """What the parameters of a function are, by their position: memory by its name, or a number.

    A number that is not here is open. `offsets` are bytes of the memory before the one that a pointer is the address
    of; a pointer without memory leads nowhere. `said` are the pointers that may lead nowhere, or to memory.
    """

    memory: Mapping[int, str]
    numbers: Mapping[int, int]
    offsets: Mapping[int, int] = field(default_factory=dict)
    said: frozenset[int] = frozenset()

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
        found += [f"%{parameters[i].name} leads nowhere" for i in sorted(self.said - self.memory.keys())]
        found += [f"%{parameters[i].name} = {n}" for i, n in self.numbers.items()]
        return ", ".join(found)


def _memory_name(parameter: Parameter, variables: Mapping[str, Global]) -> str:
    """Return the name of the memory that a pointer has of its own."""
    name = f"p{parameter.name}" if parameter.name.isdecimal() else parameter.name
    while name in variables:
        name += "_"
    return name


def choices(
    functions: Sequence[Function], variables: Mapping[str, Global], *, indices: bool = True
) -> tuple[list[ParameterChoice], bool]:
    """Return what the parameters of functions with the same parameters may be, and whether that is not everything.

    Without `indices` a number stays open by which memory is addressed.
    """
    parameters = functions[0].parameters
    numbers = _Numbers(functions, variables, indices=indices)
    apart = {i: _memory_name(p, variables) for i, p in enumerate(parameters) if p.type.kind == "ptr"}
    found: list[ParameterChoice] = []
    everything = numbers.all
    for chosen in numbers.found():
        given = {parameters[i].name: number for i, number in chosen.items()}
        layouts = Layouts([folded(function, given) for function in functions], variables, apart)
        everything &= layouts.all
        said = frozenset(layouts.nowhere & layouts.somewhere)
        some = islice(layouts.found(), MOST_CHOICES + 1 - len(found))
        found += [ParameterChoice(memory, chosen, offsets, said) for memory, offsets in some]
        if len(found) > MOST_CHOICES:
            return found[:MOST_CHOICES], True
    return found, not everything


# ---------------------------------------------------------------- numbers


class _Numbers:
    """The numbers that are tried for parameters by which memory is addressed, or transferred.

    Accesses `p[i + a]` and `p[j + b]` meet if `j` is `i + a - b`: a number is one at which something meets, or another
    one. `all` says that this is everything that makes a difference.
    """

    def __init__(self, functions: Sequence[Function], variables: Mapping[str, Global], *, indices: bool) -> None:
        self.functions, self.variables, self.all = functions, variables, True
        self.indices = indices
        self.addressing: list[int] = []
        self.lengths: list[int] = []
        for index, parameter in enumerate(functions[0].parameters):
            if parameter.type.kind != "ptr":
                self._parameter(index)
        names = {f.parameters[i].name for f in functions for i in (*self.addressing, *self.lengths)}
        self.all &= not any(_looks_at(name, function) for name in names for function in functions)
        self.constants, self.addends, strides = {0}, {0}, set[int]()
        wraps: list[set[tuple[str, ...]]] = []
        for function in functions:
            made = {each.result: each for each in _all(function) if each.result}
            wraps.append(set())
            for each in _all(function):
                if each.operation == "getelementptr" and len(each.operands) > 1:
                    self._step(each, made, names, strides, wraps[-1])
        self.all &= all(each == wraps[0] for each in wraps)
        if self.addressing:
            sizes = [extent(each)[0] for f in functions for each in _all(f) if address(each) is not None]
            self.all &= len(strides) == 1
            wide = -(-max(sizes, default=1) // max(1, min(strides, default=1)))
            self.addends |= {a + k for a in self.addends for k in range(wide)}

    def _parameter(self, index: int) -> None:
        addresses = lengths = False
        for function in self.functions:
            name = function.parameters[index].name
            for each in _all(function):
                addresses |= each.operation == "getelementptr" and _depends(each, name, function, 1, ("phi",))
                lengths |= each.callee.startswith("llvm.mem") and _depends(each, name, function)
        self.addressing += [index] if addresses and self.indices else []
        self.lengths += [index] if lengths and not addresses else []

    def _step(
        self,
        each: Instruction,
        made: Mapping[str, Instruction],
        names: set[str],
        strides: set[int],
        wraps: set[tuple[str, ...]],
    ) -> None:
        """Take note of how an address is computed: of a constant, or a parameter and a constant.

        `wraps` are the ways in which a number that is negative, or wraps, gives another address than by itself.
        """
        last, addend = each.operands[-1].value, 0
        way: tuple[str, ...] = ()
        if isinstance(last, Number):
            self.constants.add(last.value)
            return
        while isinstance(last, Register) and (step := made.get(last.name)) is not None:
            by = step.operands[1].value if len(step.operands) == 2 else None
            if step.operation in ("add", "sub") and isinstance(by, Number):
                addend += by.value if step.operation == "add" else -by.value
                if way and "nsw" not in step.words and "nuw" not in step.words:
                    way = (*way, f"{step.operation} {by.value}")
            elif step.operation not in ("zext", "sext"):
                break
            else:
                way = (*way, step.operation)
            last = step.operands[0].value
        if isinstance(last, Register) and last.name in names:
            self.addends.add(addend)
            wraps.add((last.name, *way))
            self._elements(each.operands[0].value)
            type_ = each.type
            for _ in each.operands[2:]:
                self.all &= type_.kind == "array" and type_.element is not None
                type_ = type_.element or type_
            strides.add(size(type_))
        else:
            self.all &= not any(_depends(each, name, f, 1, ("phi",)) for f in self.functions for name in names)

    def _elements(self, array: Value) -> None:
        """Take note of the elements of a constant, each of which holds a number of its own."""
        table = self.variables.get(array.location) if isinstance(array, AddressOf) else None
        if table is not None and table.constant and table.type.count > 1:
            self.constants |= {*range(min(table.type.count, MOST_ELEMENTS))}
            self.all &= table.type.count <= MOST_ELEMENTS

    def found(self) -> Iterator[dict[int, int]]:
        """Yield numbers for these parameters: first those at which nothing meets."""
        for numbers in self._placed(len(self.addressing), ()):
            lengths = dict.fromkeys(self.lengths, LENGTH)
            yield dict(zip(self.addressing, numbers, strict=True)) | lengths

    def _placed(self, more: int, placed: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not more:
            yield placed
            return
        apart = {a - b for a in self.addends for b in self.addends}
        near = {c - a for c in self.constants for a in self.addends} | {v + d for v in placed for d in apart}
        fresh = next(n for n in range(1, len(near) + 2) if n not in near)
        for number in (fresh, *sorted(near, key=lambda n: (abs(n), n))):
            yield from self._placed(more - 1, (*placed, number))


def _looks_at(name: str, function: Function) -> bool:
    """Whether more is done with a parameter than to say where memory is: what, depends on its number.

    Where a number is impossible, the behaviour is undefined before the change.
    """
    named_here = {name} if any(p.name == name for p in function.parameters) else set()
    for each in _all(function):
        if each.operation == "getelementptr" or each.callee.startswith("llvm.mem"):
            continue
        used = {n for operand in each.operands for n in value_names(operand.value)}
        if not used & named_here or each.result.startswith(f"{name}{POSSIBLE}"):
            continue
        if each.operation not in ("zext", "sext", "trunc", "phi"):
            return True
        named_here.add(each.result)
    return False


def _depends(user: Instruction, name: str, function: Function, first: int = 0, through: Sequence[str] = ()) -> bool:
    """Say whether operands of an instruction, from one on, are computed of a parameter, by arithmetic alone.

    What instructions `through` pass on counts as well.
    """
    made = {each.result: each for each in _all(function) if each.result}
    ahead = [n for o in user.operands[first:] for n in value_names(o.value)]
    seen: set[str] = set()
    while ahead:
        if (one := ahead.pop()) == name:
            return True
        each = made.get(one)
        if one in seen or each is None or each.operation in _NO_ARITHMETIC - {*through}:
            continue
        seen.add(one)
        ahead += [n for o in each.operands for n in value_names(o.value)]
    return False


def _all(function: Function) -> Iterator[Instruction]:
    return (each for block in function.blocks for each in block.instructions)
