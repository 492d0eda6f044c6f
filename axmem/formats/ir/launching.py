"""A module of which no comment says what is run, as a test: by the launch that is given, or by a guess that is said.

What goes in: the text of a module, and a launch as CUDA and HIP write it: `k<<<2, 64>>>(buf, 4); h<<<1, 1>>>(buf)`.
What comes out: the skeleton of what is launched (`axmem.formats.ir.extraction`). A name among the arguments is memory,
the same in all kernels; a function without `<<<…>>>` is a thread. Invariant: what is guessed, and what is left out and
can change the outcomes, is said on the standard error before anything is answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from axmem.formats.forms import SMALLEST
from axmem.formats.ir.attributes import WAVE, wave_size
from axmem.formats.ir.extraction import Extraction, extract, guesses, omissions, promises, unknowns
from axmem.formats.ir.fields import by_place, with_fields
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.slicing import SliceEffect, SliceReason
from axmem.formats.ir.syntax import Function, Module, Parameter
from axmem.formats.ir.units import is_kernel, source_name
from axmem.front.notes import note
from axmem.front.output import counted
from axmem.front.records import dataclass, replace
from axmem.front.source import Source, did_you_mean, mistake
from axmem.litmus.floats import FORMATS, float_bits
from axmem.litmus.kernels import Launch
from axmem.litmus.launch import counted_launch
from axmem.litmus.syntax import LitmusTest, Supposition

OPTION = "--launch"
HINT = "for example: --launch 'producer<<<1, 1>>>(data, flag); consumer<<<1, 64>>>(flag, data, n=4)'"
_COUNTS = re.compile(r"<<<\s*(?P<groups>\d+)\s*,\s*(?:(?P<waves>\d+)\s*x\s*)?(?P<lanes>\d+)\s*>>>")
_CALL = re.compile(rf"\s*(?P<name>[\w.$]+)\s*(?P<counts>{_COUNTS.pattern})?\s*(?:\((?P<arguments>[^()]*)\))?\s*")
_FRACTION = r"-?\d+\.\d*"
_ONE = rf"{_FRACTION}|-?\d+|0x[0-9A-Fa-f]+|null|[A-Za-z_]\w*"
_ARGUMENT = re.compile(rf"(?:(?P<to>[A-Za-z_]\w*)\s*=\s*)?(?P<value>{_ONE}|\{{.*\}})")
_WORD = re.compile(_ONE)
ADDING = (SliceEffect.ADDS, SliceEffect.BOTH)
_COERCED = ".coerce"
"""What clang puts behind the name of a parameter of a kernel that is a pointer."""


@dataclass(frozen=True, slots=True)
class Launched:
    """One kernel or thread of a launch: `given` are arguments by position, `named` those by the parameter's name."""

    name: str
    launch: Launch | None
    given: tuple[str, ...]
    named: Mapping[str, str]


def read_launched(
    source: Source, launch: str = "", lines: Mapping[int, int] | None = None, *, whole: bool = False
) -> LitmusTest:
    """Return the test that a launch of functions of a module is; raise InputError. Without a launch it is guessed.

    What is guessed is said, but not of the smallest launch, which is asked beside another. `lines` are those of the
    source that a module was compiled from. Of the `whole` program no memory is left out.
    """
    small = launch == SMALLEST
    extraction = extract(source, launched_functions(source, "" if small else launch), small=small, whole=whole)
    for line in said(extraction, source.name, lines) if not small else ():
        note(line)
    return replace(extraction.test, supposed=tuple(supposed(extraction, lines)))


def launched_functions(source: Source, launch: str) -> list[str]:
    """Return what a launch runs, as `extract` names it: nothing without one."""
    if not launch:
        return []
    module = with_fields(ModuleParser(source).module())
    wave = min((wave_size(each) for each in module.functions.values() if is_kernel(each)), default=WAVE)
    return [*_units(module, parse_launch(launch, wave))]


def parse_launch(text: str, wave: int = WAVE) -> list[Launched]:
    """Read a launch for a processor whose waves have so many lanes. Raises InputError."""
    found, at = [], 0
    while text[at:].strip():
        match = _CALL.match(text, at)
        if match is None or text[match.end() : match.end() + 1] not in ("", ";"):
            message = "a launch is KERNEL<<<WORKGROUPS, LANES>>>(ARGUMENTS), perhaps several"
            raise mistake(OPTION, message, HINT, text=text)
        found.append(_launched(match, text, wave))
        at = match.end() + 1
    return found


def _launched(match: re.Match[str], text: str, wave: int) -> Launched:
    """Return one kernel or thread; where it does not say `waves x lanes`, waves are as long as they can be."""
    given, named = [], {}
    for word in _listed(match["arguments"] or ""):
        argument = _ARGUMENT.fullmatch(word)
        if argument is None:
            message = f"'{word}' is no argument: the name of memory, a number, or PARAMETER=…"
            raise mistake(OPTION, message, HINT, text=text)
        if argument["to"]:
            named[argument["to"]] = argument["value"]
        elif named:
            raise mistake(OPTION, f"'{word}' stands behind an argument with a name", HINT, text=text)
        else:
            given.append(argument["value"])
    if not match["counts"]:
        return Launched(match["name"], None, tuple(given), named)
    groups, lanes = int(match["groups"]), int(match["lanes"])
    waves = int(match["waves"] or 1)
    if match["waves"] and lanes > wave:
        message = f"a wave has {wave} lanes here, not {lanes}"
        raise mistake(OPTION, message, f"{waves * lanes // wave}x{wave} are so many lanes in waves", text=text)
    if lanes > wave:
        if lanes % wave:
            message = f"{lanes} lanes are no whole number of waves of {wave}"
            raise mistake(OPTION, message, "3x32 are three waves of 32 lanes", text=text)
        waves, lanes = lanes // wave, wave
    if not groups * waves * lanes:
        raise mistake(OPTION, "a launch has at least one lane", HINT, text=text)
    return Launched(match["name"], Launch(groups, waves, lanes), tuple(given), named)


def _listed(text: str) -> Iterator[str]:
    """Yield what stands between the commas of a list that are in no braces."""
    depth, begin = 0, 0
    for index, letter in enumerate(f"{text},"):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            if word := text[begin:index].strip():
                yield word
            begin = index + 1
    if depth:
        raise mistake(OPTION, "braces that are opened are closed", HINT, text=text)


def _units(module: Module, launches: Sequence[Launched]) -> Iterator[str]:
    """Yield what is run as `extract` names it. Raises InputError for functions that there are not."""
    defined = {name: function for name, function in module.functions.items() if function.blocks}
    for each in launches:
        function = _function(defined, each.name, module.source.name)
        if each.launch is None and is_kernel(function):
            raise mistake(OPTION, f"'{each.name}' is a kernel: how many lanes of it are there?", HINT, text=each.name)
        launch = each.launch or Launch()
        counts = f"workgroups {launch.workgroups}, wavefronts {launch.wavefronts}, lanes {launch.lanes}"
        yield f"@{function.name}({', '.join(_arguments(function, each))}) {counts}"


def _function(defined: Mapping[str, Function], name: str, module: str) -> Function:
    """Return the function of a name, or the one whose name is mangled of it."""
    if name in defined:
        return defined[name]
    found = [each for each in defined.values() if source_name(each.name) == name]
    if len(found) == 1:
        return found[0]
    known = sorted({source_name(each) for each in defined})
    hint = f"one of {', '.join(each.name for each in found)}" if found else did_you_mean(name, known)
    raise mistake(OPTION, f"{module} defines no function '{name}'", hint or f"there are {', '.join(known)}", text=name)


def _arguments(function: Function, launched: Launched) -> Iterator[str]:
    """Yield the arguments of a function as comments write them; what is not said is guessed, which is said."""
    named = dict(launched.named)
    taken = by_place(function.parameters)
    names = [(each[0].part_of or each[0].name).removesuffix(_COERCED) for each in taken]
    if len(launched.given) > len(taken):
        message = f"'{launched.name}' takes {counted(len(taken), 'argument')}, not {len(launched.given)}"
        raise mistake(OPTION, message, text=launched.name)
    for index, (name, parameters) in enumerate(zip(names, taken, strict=True)):
        word = launched.given[index] if index < len(launched.given) else named.pop(name, "")
        if not word:
            yield from (_guess(launched.name, each, each.name.removesuffix(_COERCED)) for each in parameters)
        elif parameters[0].part_of or (word.startswith("{") and len(_WORD.findall(word)) == 1):
            yield from _fields(launched.name, name, parameters, word)
        else:
            yield _argument(launched.name, parameters[0], word)
    for name in named:
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise mistake(OPTION, f"'{launched.name}' has no parameter '{name}' that is not given before", hint, text=name)


def _fields(function: str, name: str, parameters: Sequence[Parameter], word: str) -> Iterator[str]:
    """Yield the fields of a structure, which are given in braces."""
    given = _WORD.findall(word)
    if not word.startswith("{") or len(given) != len(parameters):
        what = f"'%{name}' of '{function}' is a structure of {counted(len(parameters), 'number')} and pointers"
        hint = f"write {{{', '.join('p' if each.type.kind == 'ptr' else '0' for each in parameters)}}}"
        raise mistake(OPTION, what, hint, text=word)
    yield from (_argument(function, *pair) for pair in zip(parameters, given, strict=True))


def _argument(function: str, parameter: Parameter, word: str) -> str:
    pointer, number = parameter.type.kind == "ptr", word.lstrip("-")[:1].isdecimal()
    if word.startswith("in "):
        return word
    if pointer == number or word.startswith("{") or (not pointer and word != "null" and not number):
        wanted = "the name of memory, or null" if pointer else "a number"
        raise mistake(OPTION, f"'%{parameter.name}' of '{function}' is {wanted}", text=word)
    width = FORMATS.get(str(parameter.type))
    if number and width is not None and "x" not in word:
        return str(float_bits(word, width))
    if "." in word:
        raise mistake(OPTION, f"'%{parameter.name}' of '{function}' is a whole number, or its bits", text=word)
    return str(int(word, 0)) if number else "null" if word == "null" else f"@{word}"


def _guess(function: str, parameter: Parameter, name: str) -> str:
    """Return what is put for a parameter of which nothing is said, and say so."""
    if parameter.type.kind == "ptr":
        place = name if name.isidentifier() else f"{source_name(function)}_arg{name}"
        note(f"{OPTION}: nothing is said of %{name} of '{function}': memory called {place}")
        return f"@{place}"
    note(f"{OPTION}: nothing is said of %{name} of '{function}': 0, 1 or 2: {SliceEffect.LOSES.value}")
    return "in {0, 1, 2}"


def supposed(extraction: Extraction, lines: Mapping[int, int] | None = None) -> Iterator[Supposition]:
    """Yield what is supposed of a program: how it is launched, what it is given, what it does that is not known.

    A loop that is taken to end is none of that: where it does not, that is a fault.
    """
    for function, launch in extraction.launches:
        yield Supposition(f"{source_name(function)}: {counted_launch(launch)}")
    for guess in dict.fromkeys(each.guess for each in extraction.guessed):
        names = dict.fromkeys(f"%{each.value}" for each in extraction.guessed if each.guess is guess)
        yield Supposition(f"{', '.join(names)}: {guess.text}", guess.effect in ADDING)
    for reason in (SliceReason.CALL, SliceReason.UNREAD):
        if found := [each for each in extraction.left_out if each.reason is reason]:
            yield from (Supposition(f"{line.partition(': ')[0]} does nothing", adds=True)
                        for line in omissions(found, lines))  # fmt: skip


def said(extraction: Extraction, name: str, lines: Mapping[int, int] | None = None) -> Iterator[str]:
    """Yield what was guessed, and what was left out and can change the outcomes, in lines."""
    for function, launch in extraction.launches:
        yield (
            f"{name}: nothing says how @{function} is launched: {counted_launch(launch)}; "
            f"{OPTION} '{source_name(function)}<<<…, …>>>(…)' says it"
        )
    for function in dict.fromkeys(each.function for each in extraction.guessed):
        yield from (f"{name}: guessed of @{function}: {line}" for line in guesses(extraction, function))
        yield from (f"{name}: not known of @{function}: {line}" for line in unknowns(extraction, function, lines))
    for function in dict.fromkeys(function for function, _ in extraction.promised):
        yield f"{name}: not judged of @{function}: {promises(extraction, function)}"
    changing = [each for each in extraction.left_out if each.reason.effect is not SliceEffect.NONE]
    for function in dict.fromkeys(each.function for each in changing):
        own = [each for each in changing if each.function == function]
        yield from (f"{name}: left out of @{function}: {line}" for line in omissions(own, lines))
