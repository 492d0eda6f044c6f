"""Is a change of a function of LLVM IR sound in every context, whatever it is called with?

What goes in: a pair of functions, a model, how far to go. What comes out: a `Judgement`, and the tests that show it if
it is unsound. A function is read once for each choice of its parameters; sound is what is sound for all of them.
Invariant: what differs between functions and does not show in their tests is never called sound.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence

from axmem.formats.ir.chosen import LANES
from axmem.formats.ir.folding import undefined_at_once
from axmem.formats.ir.inlining import inlined
from axmem.formats.ir.names import location_name
from axmem.formats.ir.own import LOCAL
from axmem.formats.ir.pairs import FunctionPair
from axmem.formats.ir.standalone import LEFT_OUT, Indices, StandaloneReading, function_tests
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import Counterexample
from axmem.refinement.contexts.beginning import defined, pointer_text
from axmem.refinement.flags import compares_places, new_flags, same_memory_operations
from axmem.refinement.inclusion import BOUNDED, HELD, SOUND, UNKNOWN, UNSOUND
from axmem.refinement.judging import CARRIED, QUESTION, Judgement, Question, judged
from axmem.refinement.lockstep import in_lockstep
from axmem.refinement.promises import concerning_other_lanes, promised
from axmem.refinement.soundness import SAME
from axmem.refinement.unseen import Alias, aliases, unshown

ELSEWHERE = "not decided here: Alive2's"
"""What is said of a change of which something is beyond this tool."""
APART = "all pointers to different memory"
"""The choice of parameters of which there is nothing to say."""
UNCHANGED = "the same instructions"
ALIKE = "the same operations with the same values on every path"
UNSHARED = "nobody else writes what the function accesses behind %{}, or reads what it writes there (noalias)"
"""What is taken for granted of a parameter that is `noalias`."""
UNWRITTEN = "nobody writes {} while the function runs (constant memory, !invariant.load)"
"""What is taken for granted of memory that loads say does not change."""
PLACES = "addresses are compared by their order, which is looked at for one layout of memory"
LATE = "the time limit came first: {} of the {} choices of parameters were not judged (--timeout S permits more)"
"""What is said where a limit came before the last choice."""
INTERNAL = "@{} is called with any numbers, and its result is used, though it is internal to the module"
"""What is taken for granted of a function of which a pass that looks at callers knows more."""
OWN_ADDRESS = "a parameter would be the address of memory that the function allocates, which nobody can know"
IMPRECISELY = "arithmetic of floating point before the change need not give the rounded number"
_POINTED = re.compile(r"= &([\w.$-]+)")
"""A parameter that is the address of a location, in words."""
OPEN = ((Indices.ELEMENTS, 1.0), (Indices.OPEN, 0.5))
"""How functions are read of whose indices not every number can be tried, and the share of the time that is left."""
LEAST = 0.1
"""So many seconds of a processor a question has at least."""
WILL_RETURN = "willreturn"
"""The attribute of a function that does not wait for ever."""
UNDEFINED = "the behaviour before the change is undefined"
"""How a change is found to be sound of a function that always accesses memory where none is."""
TARGETS = {"amdgcn": ("llvm", "amdgpu"), "": ("llvm",)}
"""The models of a target by what its triple begins with; any other target has the model of the language."""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What is known of a pair, with the reading that decided: of an unsound change that with the counterexample."""

    judgement: Judgement
    reading: StandaloneReading | None = None


def models_of(pair: FunctionPair) -> tuple[ModelChoice, ...]:
    """Return the models under which a pair is judged, if nobody says: the language's, and that of the target."""
    target = pair.triple.partition("-")[0]
    return tuple(map(ModelChoice, TARGETS.get(target, TARGETS[""])))


def judged_pair(
    pair: FunctionPair, model: ModelChoice, question: Question = QUESTION, show: Show = unseen
) -> JudgedPair:
    """Return what is known of a pair under a model; raise InputError for what no test can say."""
    names = pair.before.function.name, pair.after.function.name
    about = Judgement(*names, model.label, SOUND, None, how=UNCHANGED, closed=question.closed)
    if pair.diagnostics:
        raise InputError(pair.diagnostics)
    _same_types(pair)
    if pair.same:
        return JudgedPair(about)
    if undefined_at_once(pair.before.function):
        return JudgedPair(replace(about, how=UNDEFINED))
    if callees := concerning_other_lanes(pair):
        shared = ", ".join(f"@{name}" for name in callees)
        why = f"a function is judged as one lane, and other lanes share {shared}"
        return JudgedPair(replace(about, verdict=UNKNOWN, context=0, how="", reasons=(why,)))
    kinds, hidden = promised(pair), tuple(unshown(pair))
    if not kinds and not hidden and in_lockstep(pair):
        return JudgedPair(replace(about, how=ALIKE))
    functions = pair.before.function, pair.after.function
    sides = [(side.module, side.function) for side in (pair.before, pair.after)]
    try:
        found = list(function_tests(sides))
    except InputError as error:
        if not same_memory_operations(*functions):
            raise
        reasons = tuple(f"{ELSEWHERE} ({each.message})" for each in error.diagnostics[:1])
        return JudgedPair(replace(about, verdict=UNKNOWN, context=0, how="", reasons=reasons))
    unseen_by_tests = []
    whole = inlined(pair.before.module, pair.before.function), inlined(pair.after.module, pair.after.function)
    if flags := new_flags(*whole):
        unseen_by_tests.append(f"{ELSEWHERE} (whether {', '.join(flags)} makes no poison)")
    doubts: tuple[str, ...] = ()
    if lost := new_flags(*reversed(whole)):
        doubts = (f"before the change {', '.join(lost)} may be poison, which tests do not show",)
    if any(map(compares_places, whole)):
        unseen_by_tests.append(f"{ELSEWHERE} ({PLACES})")
    if kinds:
        unseen_by_tests.append(f"{ELSEWHERE} (whether {', '.join(kinds)} is true, which is promised only after)")
    unseen_by_tests += (f"{ELSEWHERE} ({words})" for words in hidden)
    placed = tuple(dict.fromkeys(aliases(pair)))
    question = replace(question, ends=WILL_RETURN in functions[0].attributes)
    beyond = tuple(unseen_by_tests), placed
    begun = time.process_time()

    def known(way: Iterable[StandaloneReading], share: float = 1.0) -> JudgedPair:
        left = None if question.seconds is None else question.seconds - (time.process_time() - begun)
        asked = replace(question, seconds=left if left is None else max(LEAST, left) * share)
        doubted = [replace(each, doubtful=(*each.doubtful, *doubts)) for each in way]
        return _all(pair, doubted, model, asked, show, beyond, about)

    if any(LEFT_OUT in each.undecided for each in found):
        for indices, share in OPEN:
            try:
                way = list(function_tests(sides, indices))
                one = known(way, share) if way else None
            except InputError:
                continue
            # Of larger memory only a proof says something.
            worth = {SOUND, UNSOUND, *((BOUNDED,) if not any(each.limits for each in way) else ())}
            if one is not None and one.judgement.verdict in worth:
                return one
    return known(found)


def _same_types(pair: FunctionPair) -> None:
    """Refuse functions that are called with other things, or return another thing."""
    before, after = pair.before.function, pair.after.function
    if [p.type for p in before.parameters] != [p.type for p in after.parameters] or before.result != after.result:
        message = f"'@{after.name}' has other parameters than '@{before.name}', or another result"
        raise InputError([Diagnostic(pair.after.module.source, after.span, message, "compare functions of one type")])


def _all(
    pair: FunctionPair,
    found: list[StandaloneReading],
    model: ModelChoice,
    question: Question,
    show: Show,
    unseen_by_tests: tuple[tuple[str, ...], tuple[Alias, ...]],
    about: Judgement,
) -> JudgedPair:
    """Return what is known of all readings together; for what tests do not see none is called sound.

    Part of that is where pointers lead that are loaded. A proof takes them to lead anywhere, and so do programs that do
    the same.
    """
    deadline = None if question.seconds is None else time.process_time() + question.seconds
    done: list[JudgedPair] = []
    variables = {location_name(name) for side in (pair.before, pair.after) for name in side.module.globals}
    for index, reading in enumerate(found):
        if reading.undefined:
            done.append(JudgedPair(replace(about, how=UNDEFINED, parameters=(reading.words,)), reading))
            continue
        if reading.undecided and reading.doubtful:  # Neither answer would count.
            reasons = tuple(dict.fromkeys((*reading.undecided, *reading.doubtful)))
            done.append(JudgedPair(replace(about, verdict=UNKNOWN, context=0, how="", reasons=reasons), reading))
            continue
        left = None if deadline is None else deadline - time.process_time()
        if left is not None and left <= 0 and done:
            reasons = (LATE.format(len(found) - index, len(found)),)
            done.append(JudgedPair(replace(about, verdict=UNKNOWN, context=0, how="", reasons=reasons)))
            break
        left = left if left is None else max(LEAST, left) / (len(found) - index)
        unshared = reading.unshared if question.noalias else {}
        alone = reading.unchanging.union(unshared)
        asked = replace(question, seconds=left, functions=True, own=reading.own, unshared=alone)
        pointed, placed = _pointed(reading, unseen_by_tests[1])
        asked = replace(asked, tried=reading.tried, pointed=pointed)
        before, after = reading.tests
        try:
            one = judged(before, after, model, asked, show)
        except InputError as error:
            if len(found) == 1:
                raise
            reasons = (f"{reading.words or APART}: {error.diagnostics[0].message}",)
            done.append(JudgedPair(replace(about, verdict=UNKNOWN, context=0, how="", reasons=reasons), reading))
            continue
        if one.verdict == UNSOUND and reading.frozen and _with_undef(one.counterexample):
            # Before the change there is more than what is frozen.
            known = judged(defined(before), defined(after), model, asked, show)
            one = known if known.verdict == UNSOUND else _doubted(one, reading.frozen)
        if one.verdict == UNSOUND and reading.imprecise:
            loose = None if reading.loose is None else judged(reading.loose, after, model, asked, show)
            one = loose if loose is not None and loose.verdict == UNSOUND else _doubted(one, IMPRECISELY)
        if reading.limits and one.verdict == SOUND and one.context is not None:
            one = replace(one, verdict=BOUNDED)  # In larger memory there may be more to see.
        there = [location.name for location in before.locations]
        numbers = _numbers(reading, one.counterexample, there)
        if one.verdict == UNSOUND and not (reading.own - variables).isdisjoint(_POINTED.findall(numbers)):
            one = _doubted(one, OWN_ADDRESS)
        words = ", ".join(each for each in (reading.words, numbers) if each)
        given = (words,) if words else ()
        taken = (*reading.assumed, *reading.limits, *one.assumed)
        unwritten = tuple(UNWRITTEN.format(name) for name in sorted(reading.unchanging.difference(unshared)))
        assumed = (*(UNSHARED.format(name) for name in unshared.values()), *unwritten, *taken)
        if one.verdict == UNSOUND and LOCAL & {*pair.before.function.words}:
            assumed = (*assumed, INTERNAL.format(about.before))
        one = replace(one, before=about.before, after=about.after, assumed=assumed, parameters=given)
        if one.verdict == UNSOUND and not reading.doubtful:
            return JudgedPair(one, reading)
        reasons = reading.doubtful if one.verdict == UNSOUND else reading.undecided
        if one.verdict == UNSOUND:
            one = replace(one, counterexample=None)
        if one.verdict in HELD:
            reasons = (*reasons, *unseen_by_tests[0], *(() if one.how in (CARRIED, SAME) else placed))
        if reasons:
            one = replace(one, verdict=UNKNOWN, context=0, how="", reasons=(*reasons, *one.reasons))
        done.append(JudgedPair(one, reading))
    return JudgedPair(_worst([each.judgement for each in done], [each.reading.words for each in done if each.reading]))


def _doubted(one: Judgement, reason: str) -> Judgement:
    """Return what is known where a counterexample may be none."""
    return replace(one, verdict=UNKNOWN, context=0, counterexample=None, reasons=(reason,))


def _pointed(reading: StandaloneReading, found: Sequence[Alias]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the locations to which pointers from memory may point besides, and what of that is not decided."""
    there = {location.name for test in reading.tests for location in test.locations}
    open_, undecided = set[str](), []
    for each in found:
        roots = None if each.memory is None or reading.shifted else each.memory
        places = [location_name(r.name) if r.variable else reading.places.get(r.name) for r in roots or ()]
        names = {name for name in places if name is not None}  # A parameter that is null leads nowhere.
        if roots is not None and names <= there:
            open_ |= names
        else:
            undecided.append(f"{ELSEWHERE} ({each.words})")
    return frozenset(open_), tuple(undecided)


def _with_undef(found: Counterexample | None) -> bool:
    """Whether a parameter is undef or poison in a counterexample."""
    return found is not None and any(not each.partition("=")[2].isdecimal() for each in found.given.split())


def _numbers(reading: StandaloneReading, found: Counterexample | None, locations: Sequence[str]) -> str:
    """Return what numbers parameters have in a counterexample; `locations` are those of its tests, in their order."""
    parameters = reading.parameters
    said = []
    for each in (found.given if found is not None else "").split():
        place, number = each.split("=")
        index, lane = divmod(int(place), LANES)
        name = f"%{parameters[index].name}" if index < len(parameters) else "what is frozen"
        lanes = parameters[index].type.kind == "vector" if index < len(parameters) else False
        pointer = index < len(parameters) and parameters[index].type.kind == "ptr"
        value = pointer_text(int(number), locations) if pointer and number.isdecimal() else number
        said.append(f"{name}{f'[{lane}]' if lanes else ''} = {value}")
    return ", ".join(said)


def _worst(found: list[Judgement], choices: list[str]) -> Judgement:
    """Return what holds of all: unknown if one is, else no counterexample as far as none has one, else sound."""
    worst = next((each for each in found if each.verdict == UNKNOWN), None)
    found = [each for each in found if each.verdict == BOUNDED] or found
    smallest = worst or min(found, key=lambda each: (each.context is None, each.context or 0))
    assumed = tuple(dict.fromkeys(text for each in found for text in each.assumed))
    parameters = tuple(words or APART for words in choices) if any(choices) else ()
    without = tuple(dict.fromkeys(w for each in found for w in each.without))
    proofs = tuple(pair for each in found for pair in each.proofs)
    return replace(smallest, proofs=proofs, assumed=assumed, parameters=parameters, without=without)
