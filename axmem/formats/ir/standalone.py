"""Functions of which nothing is said, as tests: what their parameters may be is chosen here.

What goes in: a function of a module, or one before and after a change. What comes out: for each choice a test with
this function as its only thread; two that are made of a pair declare the same memory. Invariant: what a choice takes
for granted is said with it, and what no test can say raises `InputError`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from itertools import combinations, islice

from axmem.formats.ir.answers import OTHERS, answered
from axmem.formats.ir.bits import LowBits, aligned_bits, low_bits
from axmem.formats.ir.carried import carried
from axmem.formats.ir.choices import MOST_CHOICES, ParameterChoice, choices
from axmem.formats.ir.chosen import chosen_tests, is_unknown
from axmem.formats.ir.counting import with_counts
from axmem.formats.ir.elements import Elements, at_elements
from axmem.formats.ir.floats import IMPRECISE, environment, loosened
from axmem.formats.ir.flow import FunctionFlow, Root, places
from axmem.formats.ir.freezing import named_freezes
from axmem.formats.ir.inlining import inlined
from axmem.formats.ir.libcalls import library_atomics
from axmem.formats.ir.linkage import one_of_several
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.names import location_name
from axmem.formats.ir.once import computes_alike, parameters_taken_once, taken_once
from axmem.formats.ir.opaque import Opened, opened
from axmem.formats.ir.own import LOCAL, OwnMemory, own_memory, reads_and_writes
from axmem.formats.ir.pairs import Side, called, instructions
from axmem.formats.ir.plain import plain
from axmem.formats.ir.provenance import exempting
from axmem.formats.ir.ranges import bounded
from axmem.formats.ir.roomy import roomy
from axmem.formats.ir.syntax import Function, Global, Module, Parameter
from axmem.formats.ir.types import value_type
from axmem.formats.ir.unchanging import unchanging
from axmem.front.records import dataclass, field, replace
from axmem.front.source import InputError
from axmem.litmus.expressions import FAST
from axmem.litmus.syntax import (
    LitmusTest,
)

LEFT_OUT = "not every choice of the parameters was tried"


@dataclass(frozen=True, slots=True)
class StandaloneReading:
    """A choice, and the tests that functions are by it; `assumed` says what is taken for granted besides.

    `undecided` are reasons why the tests of a pair do not show everything that differs: a change that is sound by the
    tests is not decided then. `tried`: some parameters are numbers that could be others. `doubtful` are reasons
    why they may show more: one that is unsound is not decided then.
    `own` are locations that nobody else has a part in, `unshared` those with whose accesses nobody else's conflict
    while the function runs, with the parameters that point there, `unchanging` those that nobody writes meanwhile, as
    its loads say. `places` are the locations of which parameters are
    the addresses; `shifted`: some parameter is an address inside one. Behind its own `parameters` a function has what
    callees answer. `frozen`: before the change more is possible where parameters are undef, and why. `undefined`: the
    behaviour before the change is, whoever else runs. `imprecise`: before the change arithmetic need not give the
    rounded number; `loose` is the test of that in which it gives anything. `limits` say how much memory is there where
    indices may lead further.
    """

    words: str
    tests: tuple[LitmusTest, ...]
    assumed: tuple[str, ...]
    undecided: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    unshared: Mapping[str, str] = field(default_factory=dict)
    unchanging: frozenset[str] = frozenset()
    tried: bool = False
    places: Mapping[str, str] = field(default_factory=dict)
    shifted: bool = False
    parameters: tuple[Parameter, ...] = ()
    frozen: str = ""
    undefined: bool = False
    imprecise: bool = False
    loose: LitmusTest | None = None
    limits: tuple[str, ...] = ()


class Indices(Enum):
    """What is made of a parameter by which memory is addressed.

    `TRIED`: numbers, one after the other. `ELEMENTS`: pointers are those to the one element that is accessed, whichever
    it is. `OPEN`: it stays open, in memory of few elements.
    """

    TRIED = "tried"
    ELEMENTS = "elements"
    OPEN = "open"


def function_tests(
    sides: Sequence[tuple[Module, Function]], indices: Indices = Indices.TRIED
) -> Iterator[StandaloneReading]:
    """Yield the tests that a function is, or those before and after a change, for one choice after the other.

    None are yielded where there are no such elements. Raises InputError for what has no meaning in a test.
    """
    simple, granting = [], []
    for module, function in sides:
        try:
            _check(function)
            made, granted = plain(carried(library_atomics(inlined(module, function))))
        except Unspeakable as reason:
            raise InputError([reason.about(module)]) from None
        simple.append(made)
        granting.append(granted)
    everything = list(islice(low_bits(simple), MOST_CHOICES + 1))
    undecided = [LEFT_OUT] if len(everything) > MOST_CHOICES else []
    read: list[StandaloneReading] = []
    for low in everything[:MOST_CHOICES]:
        numbers = [_offsets(function, low) for function in simple]
        try:
            found = [aligned_bits(each, by_name) for each, by_name in zip(simple, numbers, strict=True)]
            read += _readings(sides, found, granting, low, indices)
        except InputError as error:
            if not read:
                raise
            undecided.append(error.diagnostics[0].message)
    for each in read:
        yield replace(each, undecided=(*each.undecided, *undecided))


def _offsets(function: Function, low: Mapping[int, LowBits]) -> dict[str, int]:
    """Return how far each pointer among the parameters is behind an aligned address."""
    pointers = ((i, each.name) for i, each in enumerate(function.parameters) if each.type.kind == "ptr")
    return {name: low[i].number if i in low else 0 for i, name in pointers}


def _possible(choice: ParameterChoice, low: Mapping[int, LowBits]) -> bool:
    """Say whether pointers can lead where a choice says, with such low bits."""
    there = [
        (choice.memory[i], choice.offsets.get(i, 0) - bits.number, bits)
        for i, bits in low.items()
        if i in choice.memory
    ]
    return all(
        (at - before) % min(bits.unit, others.unit) == 0
        for (name, at, bits), (other, before, others) in combinations(there, 2)
        if name == other
    )


def _readings(
    sides: Sequence[tuple[Module, Function]],
    simple: Sequence[Function],
    granting: Sequence[tuple[str, ...]],
    low: Mapping[int, LowBits],
    indices: Indices,
) -> Iterator[StandaloneReading]:
    """Yield the readings of functions that are simple, whose pointers have such low bits."""
    prepared = []
    whole: list[tuple[Module, Function]] = []
    for (module, _), function in zip(sides, simple, strict=True):
        whole.append((module, bounded(module, function, whole[0][1] if whole else None)))
    whole, unfrozen, fixed = _once(whole)
    answers = answered(whole)
    kept = named_freezes(answers.functions)
    moved = at_elements(kept.functions, low) if indices is Indices.ELEMENTS else Elements(kept.functions)
    if moved is None:
        return
    for (module, _), function, granted in zip(whole, moved.functions, granting, strict=True):
        try:
            found = roomy(opened(module, function))
            assumed = (*granted, *answers.assumed, *moved.said, *found.assumed)
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
    doubtful += (*answers.doubtful, *kept.doubtful, *moved.doubtful)
    doubtful += tuple(dict.fromkeys(text for module, each in whole for text in _private(module, each, own)))
    doubtful += tuple(exempting(whole[0][1]))
    variables = {name: each for module, _ in prepared for name, each in module.globals.items()}
    tried, rest = choices(functions, variables, indices=indices is not Indices.OPEN)
    read: list[StandaloneReading] = []
    refused: dict[str, InputError] = {}
    flow = FunctionFlow(functions[0])
    imprecise = bool(permissions(*sides[0]))
    (module, opened_), *others = prepared
    loose = loosened(opened_.function, everywhere=bool(environment(*sides[0]))) if imprecise and others else None
    bits = {i: f"%{parameters[i].name} = {each.number} mod {each.unit}" for i, each in low.items()}
    shown = ", ".join(words for i, words in bits.items() if low[i].number)
    for choice in (each for each in tried if _possible(each, low)):
        words = ", ".join(each for each in (shown, choice.words(parameters, variables)) if each)
        still = unchanging(flow, _places(parameters, choice, variables))
        here = [(prepared[0][0], replace(prepared[0][1], function=still.function)), *prepared[1:]]
        try:
            tests, apart, undefined, limits = chosen_tests(here, choice, own)
            alone, together = _apart(choice, unshared, accessed)
            together += tuple(
                f"%{p.name} is taken for any number, and is not null (nonnull)"
                for i, p in enumerate(parameters)
                if p.type.kind == "ptr" and i not in choice.memory and "nonnull" in p.attributes
            )
            together += tuple(f"{each}, and no address" for i, each in bits.items() if i not in choice.memory)
            together += still.doubtful
            made = StandaloneReading(words, tests, assumed, undecided, (*doubtful, *together), apart, alone)
            made = replace(made, unchanging=frozenset(map(location_name, still.memory)))
            places = {parameters[i].name: location_name(name) for i, name in choice.memory.items()}
            made = replace(made, tried=bool(choice.numbers), places=places, shifted=bool(choice.offsets))
            made = replace(made, parameters=parameters, frozen=fixed or kept.unsure, undefined=undefined)
            made = replace(made, limits=limits)
            if loose is not None:
                again = chosen_tests([(module, replace(opened_, function=loose)), *others], choice, own)
                made = replace(made, loose=again.tests[0])
            read.append(replace(made, imprecise=imprecise))
        except Unspeakable as reason:
            refused[words] = InputError([reason.about(sides[0][0])])
        except InputError as error:
            refused[words] = error
        if refused and not read and not choice.numbers:
            break
    if refused:
        first, why = next(iter(refused.items()))
        if not read:
            raise why
        more = f", and {len(refused) - 1} others" if len(refused) > 1 else ""
        undecided = (*undecided, f"{first}{more} has no test: {why.diagnostics[0].message}")
    if rest:
        undecided = (*undecided, LEFT_OUT)
    yield from (replace(each, undecided=undecided) for each in read)


def _places(
    parameters: Sequence[Parameter], choice: ParameterChoice, variables: Mapping[str, Global]
) -> dict[Root, str]:
    """Return the names of the memory that roots are in, as far as that is chosen."""
    found = {Root(parameters[i].name): name for i, name in choice.memory.items()}
    return found | {Root(name, variable=True): name for name in variables}


def _once(whole: Sequence[tuple[Module, Function]]) -> tuple[list[tuple[Module, Function]], tuple[str, ...], str]:
    """Return functions without intrinsics that count or move bits; why nothing is decided that such one is given before
    a change; and why it is not decided that the change is wrong where parameters are undef.
    """
    (module, first), *others = whole
    found, names = first, tuple[str, ...]()
    if not all(computes_alike(first, after) for _, after in others):
        found, names = taken_once(first)
        others = [(each, parameters_taken_once(after)) for each, after in others]
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
        if any(each is not None and each.constant and is_unknown(each) for each in variables):
            yield f"what @{root.name} holds is not known here"


def _private(module: Module, function: Function, own: OwnMemory) -> Iterator[str]:
    """Yield which memory of a function nobody else writes, though the tests let contexts do so."""
    for each in instructions(function):
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
        f"{each.operation} {word}" for each in instructions(function) for word in each.words if word in FAST | IMPRECISE
    )
    return found + Counter(environment(module, function))


def _check(function: Function) -> None:
    """Raise `Unspeakable` for a parameter that no value is chosen for."""
    for parameter in function.parameters:
        if parameter.type.kind != "ptr" and value_type(parameter.type) is None:
            raise Unspeakable(parameter.span, f"a parameter of type {parameter.type} has no meaning in a test")
