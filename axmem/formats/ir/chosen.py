"""A function, or one before and after a change, by one choice of what its parameters are, as tests.

What goes in: functions in which what tests do not have is written out, and a choice. What comes out: tests with a
function as their only thread, and which of their memory is their own. Invariant: both declare the same memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from axmem.formats.ir import finished
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.choices import ParameterChoice
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.flow import Root
from axmem.formats.ir.folding import FROZEN, Place, folded, severed, thawed, undefined_at_once, without_slots
from axmem.formats.ir.memory import EXTERNAL
from axmem.formats.ir.names import location_name
from axmem.formats.ir.opaque import Opened
from axmem.formats.ir.own import OwnMemory
from axmem.formats.ir.reach import address, given
from axmem.formats.ir.roomy import ROOMY
from axmem.formats.ir.syntax import Function, Global, Module, Operand, Parameter
from axmem.formats.ir.transfers import written_out
from axmem.formats.ir.types import VOID, size, value_type
from axmem.front.output import counted
from axmem.front.records import dataclass, replace
from axmem.front.source import Source
from axmem.litmus.syntax import I32, Expr, Given, LitmusTest, Location, Number, Placement, Type, UndefValue, VectorOf

LANES = 1 << 8
"""No parameter has more lanes."""
HELD = 81
"""What a constant holds of which nothing is known: programs rarely have this number."""
NAME = "F"
"""The thread that the function is."""
_RANK = {1: 4, 3: 4, 4: 3, 5: 4, 0: 0}
"""Which address space two pointers have that are the same: the one that says more."""


class ChosenTests(NamedTuple):
    """Tests that declare the same memory, what of that is their own, and whether the first one is surely undefined.

    `limits` say how much memory is where indices may lead further.
    """

    tests: tuple[LitmusTest, ...]
    own: frozenset[str]
    undefined: bool
    limits: tuple[str, ...]


def chosen_tests(prepared: Sequence[tuple[Module, Opened]], choice: ParameterChoice, own: OwnMemory) -> ChosenTests:
    """Return what functions are by a choice."""
    first = prepared[0][1].function
    memory: dict[str, Global] = {}
    for name in dict.fromkeys(choice.memory.values()):
        spaces = [first.parameters[i].type.space for i, each in choice.memory.items() if each == name]
        space = max(spaces, key=lambda number: _RANK.get(number, 9))
        memory[name] = Global(name, VOID, space, Operand(VOID, Number(0)), (), first.span)
    for module, each in prepared:
        memory |= {name: _variable(variable) for name, variable in module.globals.items()}
        memory |= each.memory
    sides = [_Side(module, each.function, choice) for module, each in prepared]
    drafts = [side.assembly(memory, {}).test() for side in sides]
    memory, begins, rooms = given(memory, drafts)
    limits = tuple(
        f"%{name} leads to {counted(rooms[name], 'byte')}" for name in rooms if name in choice.memory.values()
    )
    # What is memory of one function may be a register of the other.
    apart = {location.name for draft in drafts for location in draft.locations}
    made = [side.assembly(memory, begins, apart) for side in sides]
    tests = [replace(finished(each, []), source=each.module.source) for each in made]
    allocated = [pair for each in made for body in each.bodies.values() for pair in body.allocated.items()]
    mine = {location for name, location in allocated if name in own.allocas}
    given_away = {location for name, location in allocated if name not in own.allocas}
    variables = own.variables | {f"{name}{ROOMY}" for name in own.allocas}
    mine |= {each.places.given[name] for each in made for name in variables & each.places.given.keys()}
    return ChosenTests(_alike(tests, set(memory)), frozenset(mine - given_away), sides[0].undefined(), limits)


@dataclass(frozen=True, slots=True)
class _Side:
    """A function of a module, and what its parameters are."""

    module: Module
    function: Function
    choice: ParameterChoice

    def undefined(self) -> bool:
        """Say whether the behaviour is undefined whoever else runs."""
        return undefined_at_once(*self._chosen(self.function.name))

    def _chosen(self, name: str) -> tuple[Function, set[Root], dict[Root, Place]]:
        """Return the function with what is chosen, which of its pointers lead nowhere, and where the others lead."""
        numbers = self.choice.numbers
        given = {p.name: numbers[i] for i, p in enumerate(self.function.parameters) if i in numbers}
        pointers = {i: p.name for i, p in enumerate(self.function.parameters) if p.type.kind == "ptr"}
        nowhere = {name for i, name in pointers.items() if i not in self.choice.memory}
        open_ = {
            p.name for p in self.function.parameters
            if "noundef" not in p.attributes and p.name not in given and (p.type.kind != "ptr" or p.name in nowhere)
        }  # fmt: skip
        sizes = {name: size(each.type) for name, each in self.module.globals.items() if each.type.sized}
        inside = {Root(name, variable=True): Place(name, 0, room) for name, room in sizes.items()}
        inside |= {
            Root(pointers[i]): Place(there, self.choice.offsets.get(i, 0), sizes.get(there))
            for i, there in self.choice.memory.items()
        }
        function = without_slots(replace(self.function, name=name))
        nothing = {Root(each) for one in nowhere for each in (one, f"{one}{FROZEN}")}
        return folded(thawed(function, open_), given), nothing, inside

    def assembly(
        self, memory: Mapping[str, Global], begins: Mapping[str, int], apart: Collection[str] = ()
    ) -> Assembly:
        """Return the test that the function is, of which nothing is checked yet, with this memory.

        No register has one of the names `apart`.
        """
        name = NAME
        while name in self.module.functions or name in memory:
            name += "_"
        function = written_out(severed(*self._chosen(name)))
        module = replace(self.module, functions={**self.module.functions, name: function}, globals=dict(memory))
        comments = Comments(Source(module.source.name, ""))
        arguments = tuple(self.argument(i, each, begins) for i, each in enumerate(function.parameters))
        comments.units = [RunUnit(NAME, name, Placement(), arguments, None, function.span)]
        return Assembly(module, comments, apart)

    def argument(self, index: int, parameter: Parameter, begins: Mapping[str, int]) -> ParameterComment:
        """Return what a parameter is; one that was added is what another is where that is frozen."""
        type_ = value_type(parameter.type)
        value: Expr
        if index in self.choice.memory:
            name = self.choice.memory[index]
            value = address(name, begins.get(name, 0) + self.choice.offsets.get(index, 0))
        elif index in self.choice.numbers:
            value = Number(self.choice.numbers[index], type_)
        else:
            undef, astray = "noundef" not in parameter.attributes, index in self.choice.said
            value = _open(index, type_ or I32, undef=undef, astray=astray)
            if index >= len(self.function.parameters):
                names = [each.name for each in self.function.parameters]
                frozen = LANES * names.index(parameter.name.removesuffix(FROZEN))
                value = Given(LANES * index, type_, frozen=frozen)
        return ParameterComment((value,), choice=False, span=parameter.span)


def _open(index: int, type_: Type, *, undef: bool, astray: bool) -> Expr:
    """Return a parameter, or its lanes, of which nothing is known but that it is `astray`."""
    numbers = range(index * LANES, index * LANES + max(1, type_.lanes))
    lanes = tuple(Given(number, type_.element, undef=undef, astray=astray) for number in numbers)
    return VectorOf(lanes) if type_.lanes else lanes[0]


def is_unknown(variable: Global) -> bool:
    """Say whether nothing here says what a variable holds at first, or that it is any number."""
    return variable.initial is None or isinstance(variable.initial.value, UndefValue)


def _variable(variable: Global) -> Global:
    """Return a variable of a module as the function may find it: what is not initialized here is so elsewhere.

    Contexts store to it what it may hold, but not to a constant, which may hold any number.
    """
    if not is_unknown(variable) or not variable.type.sized:
        return variable
    words = tuple(word for word in variable.words if word not in EXTERNAL)
    held = HELD if variable.constant and variable.type.kind == "int" else 0
    return replace(variable, initial=Operand(variable.type, Number(held), variable.span), words=words)


def _alike(tests: Sequence[LitmusTest], given: set[str]) -> tuple[LitmusTest, ...]:
    """Return tests that declare the same memory; what the function is given has an initial value."""
    declared = {location.name for test in tests for location in test.locations}
    tests = [_without_memory_of_kernels(test, declared) for test in tests]
    everything: dict[str, Location] = {}
    for test in tests:
        for location in test.locations:
            everything.setdefault(location.name, location)
    names = set(map(location_name, given))
    locations = tuple(_initialized(each) if each.name in names else each for each in everything.values())
    return tuple(replace(test, locations=locations) for test in tests)


def _without_memory_of_kernels(test: LitmusTest, names: Collection[str]) -> LitmusTest:
    """Return a test that declares what its kernels do of memory that another test declares by these names.

    The kernels are functions of one lane, which has it in any case.
    """
    taken = [location for kernel in test.kernels for location in kernel.memory if location.name in names]
    if not taken:
        return test
    kernels = (replace(k, memory=tuple(each for each in k.memory if each not in taken)) for k in test.kernels)
    return replace(test, locations=(*test.locations, *taken), kernels=tuple(kernels))


def _initialized(location: Location) -> Location:
    """Return memory that others have written before, which holds something."""
    if location.initial is not None:
        return location
    type_ = location.type or Type(32)
    number = Number(0, type_.element)
    return replace(location, initial=VectorOf((number,) * type_.lanes) if type_.lanes else number)
