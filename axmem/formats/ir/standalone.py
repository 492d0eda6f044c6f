"""Functions of which nothing is said, as tests: what their parameters may be is chosen here.

What goes in: a function of a module, or one before and after a change. What comes out: for each choice a test with
this function as its only thread; two that are made of a pair declare the same memory. Invariant: what a choice takes
for granted is said with it, and what no test can say raises `InputError`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from axmem.formats.ir import finished
from axmem.formats.ir.answers import OTHERS, answered
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.bits import aligned_bits
from axmem.formats.ir.carried import carried
from axmem.formats.ir.choices import ParameterChoice, choices
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.counting import with_counts
from axmem.formats.ir.floats import IMPRECISE, environment
from axmem.formats.ir.flow import FunctionFlow, Root, places
from axmem.formats.ir.folding import FROZEN, folded, severed, thawed, without_slots
from axmem.formats.ir.freezing import named_freezes
from axmem.formats.ir.inlining import inlined
from axmem.formats.ir.libcalls import library_atomics
from axmem.formats.ir.linkage import one_of_several
from axmem.formats.ir.memory import EXTERNAL, Unspeakable
from axmem.formats.ir.names import location_name
from axmem.formats.ir.once import computes_alike, taken_once
from axmem.formats.ir.opaque import Opened, opened
from axmem.formats.ir.own import LOCAL, OwnMemory, own_memory, reads_and_writes
from axmem.formats.ir.pairs import Side, called
from axmem.formats.ir.plain import plain
from axmem.formats.ir.provenance import exempting
from axmem.formats.ir.ranges import bounded
from axmem.formats.ir.reach import ALIGNED, address, given
from axmem.formats.ir.roomy import ROOMY, roomy
from axmem.formats.ir.syntax import Function, Global, Instruction, Module, Operand, Parameter
from axmem.formats.ir.transfers import written_out
from axmem.formats.ir.types import VOID, size, value_type
from axmem.front.records import dataclass, field, replace
from axmem.front.source import InputError, Source
from axmem.litmus.expressions import FAST
from axmem.litmus.syntax import (
    I32,
    Expr,
    Given,
    LitmusTest,
    Location,
    Number,
    Placement,
    Type,
    UndefValue,
    VectorOf,
)

LANES = 1 << 8
"""No parameter has more lanes."""
HELD = 81
"""What a constant holds of which nothing is known: programs rarely have this number."""
NAME = "F"
"""The thread that the function is."""
_RANK = {1: 4, 3: 4, 4: 3, 5: 4, 0: 0}
"""Which address space two pointers have that are the same: the one that says more."""


@dataclass(frozen=True, slots=True)
class StandaloneReading:
    """A choice, and the tests that functions are by it; `assumed` says what is taken for granted besides.

    `undecided` are reasons why the tests of a pair do not show everything that differs: a change that is sound by the
    tests is not decided then. `tried`: some parameters are numbers that could be others. `doubtful` are reasons
    why they may show more: one that is unsound is not decided then.
    `own` are locations that nobody else has a part in, `unshared` those with whose accesses nobody else's conflict
    while the function runs, with the parameters that point there. `places` are the locations of which parameters are
    the addresses; `shifted`: some parameter is an address inside one. Behind its own `parameters` a function has what
    callees answer. `frozen`: before the change more is possible where parameters are undef, and why.
    """

    words: str
    tests: tuple[LitmusTest, ...]
    assumed: tuple[str, ...]
    undecided: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    unshared: Mapping[str, str] = field(default_factory=dict)
    tried: bool = False
    places: Mapping[str, str] = field(default_factory=dict)
    shifted: bool = False
    parameters: tuple[Parameter, ...] = ()
    frozen: str = ""


def readings(sides: Sequence[tuple[Module, Function]]) -> Iterator[StandaloneReading]:
    """Yield the tests that a function is, or those before and after a change, for one choice after the other.

    Raises InputError for what has no meaning in a test.
    """
    prepared, granting = [], []
    whole: list[tuple[Module, Function]] = []
    for module, function in sides:
        try:
            _check(function)
            simple, granted = plain(carried(library_atomics(inlined(module, function))))
            pointers = [each.name for each in simple.parameters if each.type.kind == "ptr"]
            simple, bits = aligned_bits(simple, pointers, ALIGNED)
            simple = bounded(module, simple, whole[0][1] if whole else None)
            granted = (*granted, f"pointers are aligned to {ALIGNED} bytes") if bits else granted
            whole.append((module, simple))
            granting.append(granted)
        except Unspeakable as reason:
            raise InputError([reason.about(module)]) from None
    whole, unfrozen, fixed = _once(whole)
    answers = answered(whole)
    kept = named_freezes(answers.functions)
    for (module, _), function, granted in zip(whole, kept.functions, granting, strict=True):
        try:
            found = roomy(opened(module, function))
            assumed = (*granted, *answers.assumed, *found.assumed)
            prepared.append((replace(module, rounded=True), replace(found, assumed=assumed)))
        except Unspeakable as reason:
            raise InputError([reason.about(module)]) from None
    own, unshared = own_memory(whole), dict(_unshared(whole[0][1]))
    roots = {root for some in reads_and_writes(FunctionFlow(whole[0][1])) for root in some}
    accessed = {i for i, parameter in enumerate(whole[0][1].parameters) if Root(parameter.name) in roots}
    assumed = tuple(dict.fromkeys(text for _, each in prepared for text in each.assumed))
    assumed += tuple(
        f"the definition of @{each.name} here is the one that is linked ({word})"
        for each in islice(called(Side(*sides[-1])), 1, None)
        if each.blocks and (word := one_of_several(each))
    )
    functions = [each.function for _, each in prepared]
    parameters = functions[0].parameters
    unsure = (*unfrozen, *kept.undecided, *answers.undecided)
    undecided = (*unsure, *_undecided(sides, prepared)) if len(sides) == 2 else ()
    narrow = sorted(name for _, each in prepared for name in each.narrow)
    doubtful = tuple(dict.fromkeys(f"{name} is taken to do more than it may" for name in narrow))
    if any(each.calls != prepared[0][1].calls for _, each in prepared):
        # Who makes or removes a call knows what the callee does.
        doubtful = (*undecided[:1], *doubtful)
    doubtful += (*answers.doubtful, *kept.doubtful)
    doubtful += tuple(dict.fromkeys(text for module, each in whole for text in _private(module, each, own)))
    doubtful += tuple(exempting(whole[0][1]))
    variables = {name: each for module, _ in prepared for name, each in module.globals.items()}
    tried, rest = choices(functions, variables)
    read: list[StandaloneReading] = []
    for choice in tried:
        words = choice.words(parameters, variables)
        try:
            tests, apart = _tests(prepared, choice, own)
            alone, together = _apart(choice, unshared, accessed)
            together += tuple(
                f"%{p.name} is taken for any number, and is not null (nonnull)"
                for i, p in enumerate(parameters)
                if p.type.kind == "ptr" and i not in choice.memory and "nonnull" in p.attributes
            )
            made = StandaloneReading(words, tests, assumed, undecided, (*doubtful, *together), apart, alone)
            places = {parameters[i].name: location_name(name) for i, name in choice.memory.items()}
            made = replace(made, tried=bool(choice.numbers), places=places, shifted=bool(choice.offsets))
            read.append(replace(made, parameters=parameters, frozen=fixed))
        except Unspeakable as reason:
            if choice is tried[0]:
                raise InputError([reason.about(sides[0][0])]) from None
            undecided = (*undecided, f"{words} has no test: {reason.message}")
        except InputError as error:
            if choice is tried[0]:
                raise
            undecided = (*undecided, f"{words} has no test: {error.diagnostics[0].message}")
    if rest:
        undecided = (*undecided, "not every choice of the parameters was tried")
    yield from (replace(each, undecided=undecided) for each in read)


def _once(whole: Sequence[tuple[Module, Function]]) -> tuple[list[tuple[Module, Function]], tuple[str, ...], str]:
    """Return functions without intrinsics that count or move bits; why nothing is decided that such one is given before
    a change; and why it is not decided that the change is wrong where parameters are undef.
    """
    (module, first), *others = whole
    found, names = first, tuple[str, ...]()
    if not all(computes_alike(first, after) for _, after in others):
        found, names = taken_once(first)
    reasons = (f"what {', '.join(names)} is given may be undef, one number here and several after",) if names else ()
    made = [(each, with_counts(f, poison=True)) for each, f in ((module, found), *others)]
    return made, reasons, "what intrinsics are given may be undef" if found is not first else ""


def _unshared(function: Function) -> Iterator[tuple[int, str]]:
    """Yield the `noalias` parameters whose address goes nowhere, by their numbers.

    [LangRef] "Parameter Attributes": of each location that the function accesses through one of them, nobody else has a
    conflicting access while it runs.
    """
    exposed = FunctionFlow(function).exposed
    for index, parameter in enumerate(function.parameters):
        if "noalias" in parameter.attributes and parameter.type.kind == "ptr" and Root(parameter.name) not in exposed:
            yield index, parameter.name


def _apart(
    choice: ParameterChoice, unshared: Mapping[int, str], accessed: Collection[int]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the memory behind `noalias` parameters, and why the tests do not show what is accessed through which.

    `accessed` are the parameters through which the function before accesses memory.
    """
    others = {name for i, name in choice.memory.items() if i in accessed and i not in unshared}
    found = {choice.memory[i]: p for i, p in unshared.items() if i in choice.memory}
    shared = (p for n, p in found.items() if n in others)
    both = (f"others may write what %{p} points to, where another pointer does" for p in shared)
    return {location_name(n): p for n, p in found.items() if n not in others}, tuple(both)


def _undecided(sides: Sequence[tuple[Module, Function]], prepared: Sequence[tuple[Module, Opened]]) -> Iterator[str]:
    """Yield what differs between two functions that their tests do not show."""
    (_, before), (_, after) = prepared
    if others := sorted((before.calls - after.calls) | (after.calls - before.calls)):
        yield OTHERS.format(", ".join(others))
    more = permissions(*sides[1]).keys() - permissions(*sides[0]).keys()
    if more:
        yield f"arithmetic of floating point has more permissions: {', '.join(sorted(more))}"
    read = {root for _, each in prepared for root in reads_and_writes(FunctionFlow(each.function))[0] if root.variable}
    for root in sorted(read, key=lambda each: each.name):
        variables = (module.globals.get(root.name) for module, _ in sides)
        if any(each is not None and each.constant and _unknown(each) for each in variables):
            yield f"what @{root.name} holds is not known here"


def _private(module: Module, function: Function, own: OwnMemory) -> Iterator[str]:
    """Yield which memory of a function nobody else writes, though the tests let contexts do so."""
    for each in _instructions(function):
        if each.operation == "alloca" and each.result not in own.allocas:
            yield f"what %{each.result} points to is taken for memory of others"
        for name in (name for operand in each.operands for name in places(operand.value)):
            variable = module.globals.get(name)
            if variable is None or name in own.variables:
                continue
            if variable.constant or LOCAL & set(variable.words):
                yield f"@{name} is taken for memory that others write"


def permissions(module: Module, function: Function) -> Counter[str]:
    """Count what permits arithmetic of floating point to give other results than the rounded number."""
    found = Counter(
        f"{each.operation} {word}"
        for each in _instructions(function)
        for word in each.words
        if word in FAST | IMPRECISE
    )
    return found + Counter(environment(module, function))


# ---------------------------------------------------------------- tests


def _check(function: Function) -> None:
    """Raise `Unspeakable` for a parameter that no value is chosen for."""
    for parameter in function.parameters:
        if parameter.type.kind != "ptr" and value_type(parameter.type) is None:
            raise Unspeakable(parameter.span, f"a parameter of type {parameter.type} has no meaning in a test")


def _tests(
    prepared: Sequence[tuple[Module, Opened]], choice: ParameterChoice, own: OwnMemory
) -> tuple[tuple[LitmusTest, ...], frozenset[str]]:
    """Return the tests that functions are by a choice, which declare the same memory; and what of it is their own."""
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
    memory, begins = given(memory, drafts)
    # What is memory of one function may be a register of the other.
    apart = {location.name for draft in drafts for location in draft.locations}
    made = [side.assembly(memory, begins, apart) for side in sides]
    tests = [replace(finished(each, []), source=each.module.source) for each in made]
    allocated = [pair for each in made for body in each.bodies.values() for pair in body.allocated.items()]
    mine = {location for name, location in allocated if name in own.allocas}
    given_away = {location for name, location in allocated if name not in own.allocas}
    variables = own.variables | {f"{name}{ROOMY}" for name in own.allocas}
    mine |= {each.places.given[name] for each in made for name in variables & each.places.given.keys()}
    return _alike(tests, set(memory)), frozenset(mine - given_away)


@dataclass(frozen=True, slots=True)
class _Side:
    """A function of a module, and what its parameters are."""

    module: Module
    function: Function
    choice: ParameterChoice

    def assembly(
        self, memory: Mapping[str, Global], begins: Mapping[str, int], apart: Collection[str] = ()
    ) -> Assembly:
        """Return the test that the function is, of which nothing is checked yet, with this memory.

        No register has one of the names `apart`.
        """
        name = NAME
        while name in self.module.functions or name in memory:
            name += "_"
        numbers = self.choice.numbers
        given = {p.name: numbers[i] for i, p in enumerate(self.function.parameters) if i in numbers}
        pointers = {i: p.name for i, p in enumerate(self.function.parameters) if p.type.kind == "ptr"}
        nowhere = {name for i, name in pointers.items() if i not in self.choice.memory}
        open_ = {
            p.name for p in self.function.parameters
            if "noundef" not in p.attributes and p.name not in given and (p.type.kind != "ptr" or p.name in nowhere)
        }  # fmt: skip
        variables = self.module.globals
        inside = {
            Root(pointers[i]): (self.choice.offsets.get(i, 0), size(variables[there].type))
            for i, there in self.choice.memory.items()
            if there in variables and variables[there].type.sized
        }
        function = without_slots(replace(self.function, name=name))
        function = folded(thawed(function, open_), given)
        nothing = {Root(each) for one in nowhere for each in (one, f"{one}{FROZEN}")}
        function = written_out(severed(function, nothing, inside))
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
            value = _open(index, type_ or I32, undef="noundef" not in parameter.attributes)
            if index >= len(self.function.parameters):
                names = [each.name for each in self.function.parameters]
                frozen = LANES * names.index(parameter.name.removesuffix(FROZEN))
                value = Given(LANES * index, type_, frozen=frozen)
        return ParameterComment((value,), choice=False, span=parameter.span)


def _open(index: int, type_: Type, *, undef: bool) -> Expr:
    """Return a parameter, or its lanes, of which nothing is known."""
    lanes = tuple(Given(index * LANES + k, type_.element, undef=undef) for k in range(max(1, type_.lanes)))
    return VectorOf(lanes) if type_.lanes else lanes[0]


def _unknown(variable: Global) -> bool:
    """Say whether nothing here says what a variable holds at first, or that it is any number."""
    return variable.initial is None or isinstance(variable.initial.value, UndefValue)


def _variable(variable: Global) -> Global:
    """Return a variable of a module as the function may find it: what is not initialized here is so elsewhere.

    Contexts store to it what it may hold, but not to a constant, which may hold any number.
    """
    if not _unknown(variable) or not variable.type.sized:
        return variable
    words = tuple(word for word in variable.words if word not in EXTERNAL)
    held = HELD if variable.constant and variable.type.kind == "int" else 0
    return replace(variable, initial=Operand(variable.type, Number(held), variable.span), words=words)


def _alike(tests: Sequence[LitmusTest], given: set[str]) -> tuple[LitmusTest, ...]:
    """Return tests that declare the same memory; what the function is given has an initial value."""
    everything: dict[str, Location] = {}
    for test in tests:
        for location in test.locations:
            everything.setdefault(location.name, location)
    names = set(map(location_name, given))
    locations = tuple(_initialized(each) if each.name in names else each for each in everything.values())
    return tuple(replace(test, locations=locations) for test in tests)


def _initialized(location: Location) -> Location:
    """Return memory that others have written before, which holds something."""
    if location.initial is not None:
        return location
    type_ = location.type or Type(32)
    number = Number(0, type_.element)
    return replace(location, initial=VectorOf((number,) * type_.lanes) if type_.lanes else number)


def _instructions(function: Function) -> Iterable[Instruction]:
    return (each for block in function.blocks for each in block.instructions)
