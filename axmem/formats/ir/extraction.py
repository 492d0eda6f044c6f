"""The concurrent skeleton of functions of a module, as a test.

What goes in: the text of a module, and which of its functions are threads, perhaps around which value. What comes out:
an `Extraction`: a checked test of the accesses of memory that threads share, what these depend on and what decides
whether they are executed; everything that was left out, with the reason; and what was guessed. Invariant: each
instruction of the functions is in the test, or left out and named; where leaving out can change the outcomes, that is
said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.formats.ir import finished
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.fields import with_fields
from axmem.formats.ir.flow import ADDRESSED, FunctionFlow, Root, places
from axmem.formats.ir.inlining import inlined, refuse_changing
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.mnemonics import REFUSED, TERMINATORS
from axmem.formats.ir.names import location_name, spelled, thread_name
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.reach import choosing, indexed, roomy_memory
from axmem.formats.ir.readable import readable
from axmem.formats.ir.sliced_functions import Rewriting
from axmem.formats.ir.slicing import CountedMemory, Guess, Slice, SliceEffect, SliceReason, by_root, ordering
from axmem.formats.ir.syntax import Function, Global, Module
from axmem.formats.ir.types import VOID
from axmem.formats.ir.units import LDS_SPACE, apart, bound, units, unnamed, with_arguments
from axmem.formats.ir.work_items import with_work_items
from axmem.front.records import dataclass, replace
from axmem.front.source import NOWHERE, Diagnostic, InputError, Source, did_you_mean, first_errors, mistake
from axmem.litmus import walk
from axmem.litmus.kernels import Launch
from axmem.litmus.syntax import FinalValue, LitmusTest, Number, RegisterOf, VectorOf
from axmem.litmus.words import RESULT

REACH = 4
"""So many accesses before and after a value are around it."""
MEANINGLESS = "has no meaning in a test"
"""What the reader says of an instruction that it knows and no test has."""
_VALUES = {Guess.ARGUMENT: (0, 1, 2), Guess.EITHER: (0, 1), Guess.ALWAYS: (0, 1)}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An instruction that is not in the test: its function, line and first word or callee, and why."""

    function: str
    line: int
    word: str
    reason: SliceReason


@dataclass(frozen=True, slots=True)
class Guessed:
    """A value of a function and what it is taken to be."""

    function: str
    value: str
    guess: Guess


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why what an instruction gives is not known: its function, its line, what the reader says of it."""

    function: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """A test and how it differs from the functions that it is of; `threads` are their names, in order.

    `launches` are the kernels whose launch is guessed, with the guess; `promised` the functions with parameters that
    are noalias, which a skeleton does not judge; `unknown` why values had to be guessed.
    """

    test: LitmusTest
    threads: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    guessed: tuple[Guessed, ...]
    launches: tuple[tuple[str, Launch], ...] = ()
    promised: tuple[tuple[str, str], ...] = ()
    unknown: tuple[Unknown, ...] = ()


def omissions(found: Iterable[LeftOut], lines: Mapping[int, int] | None = None) -> Iterator[str]:
    """Yield what is left out of a function by the reason, with what that can do.

    `lines` gives for lines of the module those of the source, if that is what is read: what has none there has none.
    """
    listed = list(found)
    for reason in dict.fromkeys(each.reason for each in listed):
        same = [each for each in listed if each.reason is reason]
        words = ", ".join(dict.fromkeys(each.word for each in same))
        known = (each.line if lines is None else lines.get(each.line) for each in same)
        numbers = [str(number) for number in dict.fromkeys(known) if number is not None]
        where = f" (line{'s' * (len(numbers) > 1)} {', '.join(numbers)})" if numbers else ""
        yield f"{words}{where}: {reason.text}: {reason.effect.value}"


def guesses(extraction: Extraction, function: str) -> Iterator[str]:
    """Yield what is guessed in a function by the guess, with what that can do."""
    found = [each for each in extraction.guessed if each.function == function]
    for guess in dict.fromkeys(each.guess for each in found):
        names = ", ".join(f"%{each.value}" for each in found if each.guess is guess)
        yield f"{names}: {guess.text}: {guess.effect.value}"


def unknowns(extraction: Extraction, function: str, lines: Mapping[int, int] | None = None) -> Iterator[str]:
    """Yield why values of a function are not known; `lines` as in `omissions`."""
    for each in dict.fromkeys(each for each in extraction.unknown if each.function == function):
        line = each.line if lines is None else lines.get(each.line)
        yield each.message + (f" (line {line})" if line is not None else "")


def promises(extraction: Extraction, function: str) -> str:
    """Return which promises of a function are not judged, with what that can do; the empty string for none."""
    names = ", ".join(f"%{parameter}" for owner, parameter in extraction.promised if owner == function)
    return f"that {names} is noalias: {SliceEffect.LOSES.value}" if names else ""


def extract(
    source: Source, functions: Sequence[str] = (), around: str = "", *, small: bool = False, whole: bool = False
) -> Extraction:
    """Return the skeleton of functions: of those named, each run as what it is, else of those comments or no call name.

    A name may have arguments and a launch behind it, as in comments: `F(@x, 1) workgroups 2`.

    `around` is the name of a value, without its sigil: only what is up to `REACH` accesses away from it is kept, and of
    the other threads the accesses of the memory that this leaves. A launch that is guessed has single lanes if it is to
    be `small`. The `whole` program has memory that one thread alone accesses, too. Raises InputError.
    """
    comments = Comments(source)
    comments.items()
    parser = ModuleParser(source)
    parser.cursor.levels = comments.cursor.levels
    module = replace(with_fields(parser.module()), declared=tuple(comments.functions))
    found, guessed = units(module, comments, functions, small=small, whole=whole)
    made = _Extracting(bound(module, found), comments, found, around, parser.diagnostics, whole=whole).extraction()
    launches = dict.fromkeys((u.function, u.launch) for u in found if u.launch is not None and u.function in guessed)
    run = [module.functions[name] for name in dict.fromkeys(unit.function for unit in found)]
    promised = tuple((f.name, p.name) for f in run for p in f.parameters if "noalias" in p.attributes)
    return replace(made, launches=(*launches,), promised=promised)


class _Extracting:
    def __init__(
        self,
        module: Module,
        comments: Comments,
        found: list[RunUnit],
        around: str,
        unread: list[Diagnostic],
        *,
        whole: bool,
    ) -> None:
        self.whole = whole
        self.module = module
        self.comments = comments
        self.around = around
        self.unread = unread
        self.opaque: set[str] = set()
        self.unknown: dict[tuple[str, str], Unknown] = {}
        self.places: dict[str, Global] = {}
        self.functions = list(dict.fromkeys(unit.function for unit in found))
        self.found = found
        self.keys = [_key(unit.function, [u.function for u in found[:n]]) for n, unit in enumerate(found)]
        begun = ((name, value) for name, (value, _) in comments.initial.items())
        self.listed = {name: len(value.elements) for name, value in begun if isinstance(value, VectorOf)}
        """How many elements memory has for which a comment says what each holds."""
        self.lines = self.check_read()
        observed = [*walk.observed(comments.tree())]
        self.asked = {each.register for each in observed if isinstance(each, RegisterOf)}
        self.places_asked = {each.location for each in observed if isinstance(each, FinalValue)}
        try:
            for name in self.functions:
                for parameter in module.functions[name].parameters:
                    refuse_changing(parameter)
            bodies = {name: self.body(module.functions[name]) for name in self.functions}
            given = [
                with_arguments(with_work_items(bodies[unit.function], unit.launch or Launch()), unit) for unit in found
            ]
        except Unspeakable as reason:
            raise InputError([reason.about(module)]) from None
        self.units = [unit for _, unit in given]
        self.numbered = unnamed(list({function.name: function for function, _ in given}.values()))
        self.flows = {
            key: FunctionFlow(replace(apart(each, self.numbered.get(each.name, {})), name=key))
            for key, (each, _) in zip(self.keys, given, strict=True)
        }

    def body(self, function: Function) -> Function:
        """Return a function with what it calls; if nobody has optimized it, with its own variables as values."""
        return readable(inlined(self.module, function), self.asked)

    def extraction(self) -> Extraction:
        """Return the test; what turns out to have no meaning in it is left out in another round."""
        while True:
            slices = {key: self.slice(key, unit) for key, unit in zip(self.keys, self.units, strict=True)}
            if not any(each.kept for each in slices.values()) and not self.stops():
                raise mistake(self.module.source.name, "no thread of this accesses memory that others do", self.hint())
            self.places = dict(self.module.globals)
            functions = {key: Rewriting(self.module, self.places, found).function() for key, found in slices.items()}
            module = replace(self.module, globals=self.places, functions=functions)
            self.comments.units = [
                self.unit(key, unit, functions[key], slices[key])
                for key, unit in zip(self.keys, self.units, strict=True)
            ]
            try:
                count = max(unit.lanes for unit in self.units)
                lds = any(each.type == VOID and each.space == LDS_SPACE for each in self.places.values())
                chosen = any(map(choosing, functions.values()))
                if count > 1 or lds or chosen or self.listed:
                    draft = Assembly(module, self.comments).test()
                    module = replace(module, globals=indexed(self.places, draft, count, self.listed))
                test = finished(Assembly(module, self.comments), self.comments.cursor.diagnostics)
            except InputError as error:
                if not self.clouds(error):
                    raise
                continue
            threads, why = tuple(unit.function for unit in self.units), tuple(self.reasons(slices))
            module = replace(self.module, globals=self.places)
            unsized = {n for n, each in self.places.items() if each.type == VOID and n not in self.listed}
            test = roomy_memory(test, unsized)
            test = Assembly(module, self.comments).with_calls(test, self.found, self.numbered)
            return Extraction(test, threads, self.left_out(slices), self.guessed(slices), unknown=why)

    def stops(self) -> bool:
        """Whether a thread comes to `unreachable`, or cannot end, which is a fault even where nothing is shared."""
        flows = self.flows.values()
        return any(flow.endless or any(i.operation == "unreachable" for i in flow.instructions) for flow in flows)

    def hint(self) -> str:
        """Return what to do where nothing is shared."""
        if len(self.units) < 2:
            return "a function named twice, --function F --function F, is two threads"
        shared = any(self.numbered.values())
        return "--function 'F(@x, @y)' says what the parameters of F point to" if shared else ""

    def check_read(self) -> list[tuple[str, Diagnostic]]:
        """Return what has no meaning in the functions. Raises InputError for text that is none, and for exceptions."""
        own = [(name, self.extent(name)) for name in self.reached()]
        found = [(n, d) for d in self.unread for n, (first, last) in own if first <= d.span.line <= last]
        words = {f"'{word}'" for word in REFUSED}
        wrong = [d for _, d in found if MEANINGLESS not in d.message or d.message.split(" ")[0] in words]
        blocks = [block for name, _ in own for block in self.module.functions[name].blocks]
        ends = [block.instructions[-1].operation if block.instructions else "" for block in blocks]
        if wrong or not TERMINATORS.issuperset(ends):
            raise InputError(first_errors(wrong or self.unread))
        return found

    def reached(self) -> list[str]:
        """Return the functions of the threads, and those that they call and the module defines."""
        found = list(self.functions)
        for name in found:
            for block in self.module.functions[name].blocks:
                called_here = (each.callee for each in block.instructions if each.callee in self.module.functions)
                found += [each for each in dict.fromkeys(called_here) if each not in found]
        return found

    def extent(self, name: str) -> tuple[int, int]:
        """Return the first and the last line of a function."""
        first = self.module.functions[name].span.line
        lines = self.module.source.text.split("\n")
        return first, next((n for n in range(first, len(lines)) if lines[n].startswith("}")), len(lines))

    # ------------------------------------------------ what is kept

    def slice(self, key: str, unit: RunUnit) -> Slice:
        """Return what is kept of a thread."""
        flow = self.flows[key]
        near = self.near(key)
        found = by_root((f, u.lanes) for f, u in zip(self.flows.values(), self.units, strict=True))
        several = sum(unit.lanes for unit in self.units) > 1 and not self.whole
        kept = {root for root, (threads, written) in found.items() if not several or (threads > 1 and written)}
        kept |= {r for r in found if not r.variable and r.name in flow.results}
        exposed = self.exposed()
        kept |= exposed & found.keys()
        kept |= {root for root in found if root.variable and location_name(root.name) in self.places_asked}
        kept -= flow.private
        if self.around and near is None:
            kept &= self.around_roots() | {r for r in kept if not r.variable and r.name in flow.results}
        unwritten = frozenset(root for root, (_, written) in found.items() if not written) - exposed
        asked = {each for each in flow.results if each in self.asked or spelled(each) in self.asked}
        asked |= {RESULT} & self.asked
        given = [p.name for p in flow.function.parameters] if unit.arguments is not None else []
        return Slice(
            flow, CountedMemory(frozenset(kept), unwritten, near), opaque=self.opaque, asked=asked, given=given
        )

    def exposed(self) -> frozenset[Root]:
        """Return the memory that may be accessed by a pointer that was read or returned, if there are such accesses."""
        if not any(flow.loose for flow in self.flows.values()):
            return frozenset()
        named = (place for each in self.module.globals.values() if each.initial for place in places(each.initial.value))
        initial = frozenset(Root(name, variable=True) for name in named)
        return initial.union(*(flow.exposed for flow in self.flows.values()))

    def near(self, key: str) -> frozenset[int] | None:
        """Return the accesses and fences around the value, in the thread that has it; None if nothing limits them."""
        flow = self.flows[key]
        if not self.around or key != self.home():
            return None
        items = {
            index for index, each in enumerate(flow.instructions)
            if ordering(each, self.opaque) or (each.operation in ADDRESSED and not flow.accessed(each) <= flow.private)
        }  # fmt: skip
        return flow.near(self.around, items, REACH)

    def home(self) -> str:
        """Return the first thread that has the value. Raises InputError if none has."""
        for key, flow in self.flows.items():
            if self.around in flow.results:
                return key
        known = [result for flow in self.flows.values() for result in flow.results]
        hint = did_you_mean(self.around, known) or "of a call in the function: CALLEE.VALUE"
        raise mistake("--around", f"no value of {', '.join(f'@{n}' for n in self.functions)} has this name", hint,
                      text=f"%{self.around}")  # fmt: skip

    def around_roots(self) -> frozenset[Root]:
        """Return the memory that is accessed around the value."""
        flow, near = self.flows[self.home()], self.near(self.home()) or frozenset()
        accesses = [flow.instructions[index] for index in near if flow.instructions[index].operation in ADDRESSED]
        return frozenset().union(*map(flow.accessed, accesses))

    def clouds(self, error: InputError) -> bool:
        """Note which values an error is about; say whether there is a new one, so that another round makes sense."""
        lines = {diagnostic.span.line: diagnostic.message for diagnostic in reversed(error.diagnostics)}
        before = len(self.opaque)
        for (key, flow), unit in zip(self.flows.items(), self.units, strict=True):
            for each in flow.instructions:
                if each.span.line in lines and each.operation not in {*ADDRESSED, *TERMINATORS, "fence", "alloca"}:
                    self.opaque.add(each.result or each.callee)
                    unknown = Unknown(unit.function, each.span.line, lines[each.span.line])
                    self.unknown.setdefault((key, each.result), unknown)
        return len(self.opaque) > before

    # ------------------------------------------------ what is said

    def reasons(self, slices: Mapping[str, Slice]) -> Iterator[Unknown]:
        """Yield why values are guessed, where that is an instruction that has no meaning."""
        for key, part in slices.items():
            if any(name in self.flows[key].results for name, _ in part.guesses):
                yield from (unknown for (own, _), unknown in self.unknown.items() if own == key)

    def unit(self, key: str, unit: RunUnit, function: Function, part: Slice) -> RunUnit:
        """Return a thread with what its guessed parameters are; one that has some is a kernel of one lane."""
        name = unit.name or thread_name(key)
        if not part.given and not function.parameters:
            return replace(unit, name=name, function=key, arguments=None)
        choices = {n: tuple(map(Number, _VALUES[g])) for n, g in part.guesses if g in _VALUES}
        known = dict(zip(part.given, unit.arguments or (), strict=True))
        arguments = tuple(
            known.get(p.name) or ParameterComment(choices[p.name], choice=True, span=NOWHERE)
            for p in function.parameters
        )
        return replace(unit, name=name, function=key, arguments=arguments, launch=unit.launch or Launch())

    def left_out(self, slices: dict[str, Slice]) -> tuple[LeftOut, ...]:
        """Return everything that is left out, in the order of the text."""
        found = [
            LeftOut(unit.function, each.span.line, f"call of @{each.callee}" if each.callee else each.operation, reason)
            for part, unit in zip(slices.values(), self.units, strict=True)
            for each, reason in part.left_out()
        ]
        found += [LeftOut(name, each.span.line, each.message, SliceReason.UNREAD) for name, each in self.lines]
        order = self.reached()
        return tuple(sorted(dict.fromkeys(found), key=lambda each: (order.index(each.function), each.line)))

    def guessed(self, slices: dict[str, Slice]) -> tuple[Guessed, ...]:
        """Return every guess, each once; a parameter has the name that it has in the module."""
        names = {f: {new: old for old, new in renamed.items()} for f, renamed in self.numbered.items()}
        pairs = zip(slices.values(), self.units, strict=True)
        return tuple(dict.fromkeys(
            Guessed(u.function, names.get(u.function, {}).get(value, value), guess)
            for part, u in pairs for value, guess in part.guesses
        ))  # fmt: skip


def _key(function: str, before: list[str]) -> str:
    """Return what a thread of a function is called, of which there may be several."""
    return f"{function}_{before.count(function) + 1}" if function in before else function
