"""Which registers of two tests correspond: by names, by data flow, and by what can be seen outside.

What goes in: a test before and after a change, and the pairs of `--map`. What comes out: both tests with names under
which everything that is compared is called the same and nothing else is; what is compared, what of it was guessed, and
what is not compared. Of functions of LLVM IR nobody outside sees a register: what they return is compared, what callees
answer, and what the text asks about. Of threads of the test language all registers are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from axmem.formats.ir.opaque import ANSWERED
from axmem.formats.reading import form_of
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.words import RESULT
from axmem.refinement.dataflow import Flow, flow_of
from axmem.refinement.matching import read_map
from axmem.refinement.renaming import bare, with_names

NUMBERED = re.compile(r"[%rt_]?[0-9]+")
"""A name that says nothing of a register but when it was counted."""
READER = "ir"
"""The reader of texts whose threads are functions."""
SAME_NAME = "the same name"


@dataclass(frozen=True, slots=True)
class Guess:
    """Two registers, as outcomes call them, that are compared although neither a map nor a name says so; and why."""

    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Both tests, in which what is compared has one name; the pairs of names of that, and what is not compared.

    `seen`: whether all registers can be seen from outside. If not, the tests observe those of kernels that can.
    """

    before: ast.LitmusTest
    after: ast.LitmusTest
    compared: tuple[tuple[str, str], ...]
    guessed: tuple[Guess, ...] = ()
    left_out: tuple[str, ...] = ()
    seen: bool = True


def corresponding(
    before: ast.LitmusTest, after: ast.LitmusTest, entries: Iterable[str] = (), *, functions: bool = False
) -> Correspondence:
    """Return what of two tests corresponds; raise InputError for a bad map, and for pairs of two types.

    `functions`: the threads are functions, whatever the text says.
    """
    said = read_map(entries, before, after)
    outer = {new: old for old, new in said.items() if ":" not in old}
    registers = [(*old.split(":"), new.split(":")[1]) for old, new in said.items() if ":" in old]
    others = {outer.get(unit.name, unit.name): unit for unit in walk.units(after)}
    seen = not (functions or (_is_function(before) and _is_function(after)))
    asked = {o for test in (before, after) for o in walk.observed(test) if isinstance(o, ast.RegisterOf)}
    compared: list[tuple[str, str]] = []
    guessed: list[Guess] = []
    left: list[str] = []
    names: dict[str, Mapping[str, str]] = {}
    _same_units(before, after, outer)
    for unit in walk.units(before):
        other = others[unit.name]
        first, second = flow_of(unit), flow_of(other)
        given = {register: new for thread, register, new in registers if thread == unit.name}
        if seen:
            found = dict(_pairs(first, second, given))
            left += [f"{unit.name}:{r} (only before)" for r in first.assigned if r not in found]
            left += [f"{other.name}:{r} (only after)" for r in second.assigned if r not in _new(found)]
        else:
            shown = {RESULT} | {o.register for o in asked if o.thread.partition(".")[0] in (unit.name, other.name)}
            both = (r for r in first.assigned if (r in shown or ANSWERED in r) and r in second.assigned)
            found = {**{r: (r, "") for r in both}, **{old: (new, "") for old, new in given.items()}}
        for old, (new, why) in found.items():
            pair = f"{unit.name}:{old}", f"{other.name}:{new}"
            if first.assigned[old] != second.assigned[new]:
                message = f"{pair[1]} of '{after.name}' has another type than {pair[0]} here"
                raise InputError([Diagnostic(before.source, Span(1, 1), message, "compare values of one type")])
            compared.append(pair)
            guessed += [Guess(*pair, why)] if why else []
        names[unit.name] = _apart({new: old for old, (new, _) in found.items()}, first, second)
    _spoken_of(before, after, {old for old, _ in compared})
    tests = bare(before), with_names(after, outer, names)
    if not seen:
        tests = _observing(tests[0], compared), _observing(tests[1], compared)
    return Correspondence(*tests, tuple(compared), tuple(guessed), tuple(left), seen)


def _observing(test: ast.LitmusTest, compared: Iterable[tuple[str, str]]) -> ast.LitmusTest:
    """Return a test that observes registers of its kernels; those of its threads it does anyway."""
    kernels = {kernel.name for kernel in test.kernels}
    names = (name.partition(":") for name, _ in compared)
    return replace(test, observe=tuple(ast.RegisterOf(unit, name) for unit, _, name in names if unit in kernels))


def _same_units(before: ast.LitmusTest, after: ast.LitmusTest, outer: Mapping[str, str]) -> None:
    """Refuse tests of which one has a thread that the other has not."""
    names = [unit.name for unit in walk.units(before)], [outer.get(u.name, u.name) for u in walk.units(after)]
    for mine, theirs, test, other in ((*names, before, after), (*names[::-1], after, before)):
        for unit in walk.units(test):
            name = outer.get(unit.name, unit.name)
            if name in mine and name not in theirs:
                message = f"there is no thread '{name}' in '{other.name}'"
                raise InputError(
                    [Diagnostic(test.source, unit.span, message, "--map P0=Q says what it is called there")]
                )


def _spoken_of(before: ast.LitmusTest, after: ast.LitmusTest, compared: set[str]) -> None:
    """Refuse a test that speaks of a register to which nothing corresponds."""
    parameters = {(kernel.name, p.name) for kernel in before.kernels for p in kernel.parameters}
    for o in walk.observed(before):
        if isinstance(o, ast.FinalValue) or (o.thread, o.register) in parameters:
            continue
        if f"{o.thread.partition('.')[0]}:{o.register}" not in compared:
            message = f"nothing in '{after.name}' stands for {o.thread}:{o.register}, which this test observes"
            raise InputError([Diagnostic(before.source, o.span, message, "say with --map what stands for it")])


def _is_function(test: ast.LitmusTest) -> bool:
    """Whether the threads of a test are functions of LLVM IR, of which nobody outside sees a register."""
    form = form_of(test.source.text, test.source.name)
    return form is not None and form.reader == READER


def _new(found: Mapping[str, tuple[str, str]]) -> set[str]:
    return {new for new, _ in found.values()}


def _apart(found: Mapping[str, str], first: Flow, second: Flow) -> dict[str, str]:
    """Return new names for the registers after a change: those of their counterparts, and names of their own."""
    taken = {*first.assigned, *second.assigned}
    names = dict(found)
    for register in second.assigned:
        if register in first.assigned and register not in found:
            names[register] = next(n for k in count(1) if (n := f"{register}.after{k}") not in taken)
    return names


def _pairs(first: Flow, second: Flow, given: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield which register after a change corresponds to one before it, and why if that is a guess.

    Names count where they are names; where they are numbers, what is alike in its origin and its uses corresponds, then
    what is alike in its origin, and only what is left over corresponds by its number.
    """
    old = {r: None for r in first.assigned if r not in given}
    new = {r: None for r in second.assigned if r not in given.values()}
    yield from ((r, (n, "")) for r, n in given.items())
    for r in [r for r in old if r in new and (not NUMBERED.fullmatch(r) or _alike(first, r, second, r))]:
        yield r, (r, "")
        del old[r], new[r]
    for keys in (_origins_and_uses, _origins):
        groups = keys(first, old), keys(second, new)
        for key, mine in groups[0].items():
            theirs = groups[1].get(key, [])
            if len(mine) == len(theirs):
                for r, n in zip(mine, theirs, strict=True):
                    yield r, (n, first.words[r])
                    del old[r], new[n]
    yield from ((r, (r, SAME_NAME)) for r in [*old] if r in new)


def _alike(first: Flow, old: str, second: Flow, new: str) -> bool:
    return first.origins.get(old) == second.origins.get(new) is not None


def _origins(flow: Flow, among: Iterable[str]) -> dict[object, list[str]]:
    found: dict[object, list[str]] = {}
    for register in among:
        if register in flow.origins:
            found.setdefault((flow.origins[register], flow.assigned[register]), []).append(register)
    return found


def _origins_and_uses(flow: Flow, among: Iterable[str]) -> dict[object, list[str]]:
    found: dict[object, list[str]] = {}
    for key, registers in _origins(flow, among).items():
        for register in registers:
            found.setdefault((key, flow.uses[register]), []).append(register)
    return found
