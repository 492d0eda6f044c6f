"""Is a change of a program sound in every context? One pair of programs under one model.

What goes in: two tests, a model, and how far to go. What comes out: a `Judgement`: sound in every context of up to so
many operations, unsound with the smallest context that shows it, or unknown, with everything that was taken for granted
and how what was compared corresponds. Contexts grow one operation at a time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from axmem.check.selection import AnyModel, choice_of, loaded
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Limits
from axmem.formats.reading import as_test
from axmem.front.output import counted
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, field, replace
from axmem.front.source import Source
from axmem.litmus import syntax as ast
from axmem.litmus.edit import untraced
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.parser import with_bound
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.walk import statements
from axmem.litmus.words import AMDGPU
from axmem.refinement import pairs
from axmem.refinement.bounded_check import HOLDS, VERDICT_OF, Counterexample
from axmem.refinement.bounded_check import UNKNOWN as UNKNOWN_YET
from axmem.refinement.changed import Change, enough_iterations
from axmem.refinement.contexts.kept import Kept
from axmem.refinement.corresponding import Correspondence, Guess, corresponding
from axmem.refinement.everywhere import NOT_CONFIRMED, Scene, scene
from axmem.refinement.handlers import HANDLER, IS_HANDLER, beside_a_handler, hidden_from_handlers
from axmem.refinement.inclusion import BOUNDED, HELD, SOUND, UNKNOWN, UNSOUND
from axmem.refinement.interface.proving import Proved, proved_change
from axmem.refinement.interface.rows import Proof
from axmem.refinement.iterations import as_they_are, mapped
from axmem.refinement.refuting import refuted
from axmem.refinement.renaming import bare
from axmem.refinement.soundness import SAME, Outcomes, do_the_same, outcomes_sound, same_text
from axmem.refinement.spaces import space_words
from axmem.refinement.strengthened import WITHOUT, in_words, strengthened
from axmem.refinement.volatile import with_volatile_orders

SECONDS = 5.0
"""How long is looked, in seconds of a processor, if nobody says."""
NET = 2
"""How many operations contexts have at most that are all searched, if nobody says and nothing else decides."""
ALONE = "sound if no other thread runs; of contexts nothing is known"
"""Why a change is not called sound that nobody refutes who is alone."""
CALLS = "the calls of declared functions are others, or in another order: what these do is not known"
"""Why a change of kernels is not called sound whose calls have changed: executions know no effect of them."""
CARRIED = "nothing that a context sees through the program is lost"
"""How a change is found to be sound by what a row of operations carries."""
TRIED = "with the numbers that were tried for parameters"
"""What is said of what is the same, or proved, where numbers stand for parameters."""
SHARE, LEFT = 0.5, 0.1
"""The part of the time that the programs alone have; and that which is left for contexts that use what they show."""
FIRST = 96
"""Of so many of those, which refute most changes, it is asked before small contexts are searched, of others after."""
LATE = "the time limit came first: contexts of {} were not all searched (--timeout S permits more)"
"""What is said of contexts that were to be searched, and were not."""
UNMET = "contexts do not meet the function at its barriers: they are several, or others in number after the change"
"""Why a change of a function with barriers is not called sound that no context refutes."""


@dataclass(frozen=True, slots=True)
class Question:
    """How far to go: contexts of at most `context` operations (None: until `seconds` are over), for all of one pair.

    `closed` asks of the two programs alone, if no other thread runs. `renamed` are entries of `--map`, `iterations` is
    the text of `--map-iterations`. `functions`: of what the threads do nobody sees registers. Somebody who asks about
    many pairs in one process gives the same `kept` each time: what pairs that differ in orderings and scopes alone take
    time for is done once. `own` are locations that no context accesses, and whose values at last nobody sees;
    `unshared` those that nobody else writes while the program before runs. Of functions both follow from their text,
    and `unshared` is empty without `noalias`: the attribute then says only that pointers lead to separate memory. So
    do `pointed`, locations to which a pointer from memory may point although no program has their addresses, and
    `ends`: who waits for ever before the change has undefined behaviour. `tried`: numbers stand for parameters that may
    be others, so that what is proved of them is not proved of those.
    """

    context: int | None = None
    seconds: float | None = SECONDS
    closed: bool = False
    renamed: tuple[str, ...] = ()
    iterations: Source = Source("--map-iterations", "")
    functions: bool = False
    own: frozenset[str] = frozenset()
    unshared: frozenset[str] = frozenset()
    pointed: frozenset[str] = frozenset()
    noalias: bool = True
    ends: bool = False
    tried: bool = False
    kept: Kept | None = field(default=None, compare=False)

    def sharing(self) -> Question:
        """Return the question for many pairs, which share what those do that differ in orderings and scopes alone."""
        return replace(self, kept=Kept())


QUESTION = Question()
"""What is asked if nobody says."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of one pair under a model.

    `context` is the size of contexts, in operations, up to which a change is sound, or in which it is unsound; None if
    it is sound in contexts of any size, and `how` says why. `space` says which operations contexts have, `without` what
    programs may have and these contexts lack. `compared` are names before and after, `guessed` those of them that
    nobody said, `left_out` what only one side has. `assumed` is what was taken for granted of either side, `parameters`
    are the choices of a function's parameters of which this is said. `closed`: nothing else runs. `proofs` are those of
    threads, by their names.
    """

    before: str
    after: str
    model: str
    verdict: str
    context: int | None = 0
    closed: bool = False
    how: str = ""
    space: str = ""
    without: tuple[str, ...] = ()
    compared: tuple[tuple[str, str], ...] = ()
    guessed: tuple[Guess, ...] = ()
    left_out: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    proofs: tuple[tuple[str, Proof], ...] = field(default=(), compare=False)


def refine(
    before: str | ast.LitmusTest,
    after: str | ast.LitmusTest,
    model: AnyModel,
    *,
    context: int | None = None,
    closed: bool = False,
    renamed: Iterable[str] = (),
    seconds: float | None = SECONDS,
) -> Judgement:
    """Return whether every outcome of a test after a change is one of the test before, in every context.

    A context is what runs beside and around the program: of 0, 1, 2, … operations, `context` at most, for as long as
    `seconds` allow. `closed` asks of the two programs alone. `renamed` are pairs `P0:r1=P0:r2` of registers, locations
    and threads that have another name after the change. Raises InputError for what is wrong with a test or a pair.
    """
    question = Question(context, seconds, closed, tuple(renamed))
    return judged(as_test(before), as_test(after), choice_of(model), question)


def judged(
    before: ast.LitmusTest,
    after: ast.LitmusTest,
    model: ModelChoice,
    question: Question = QUESTION,
    show: Show = unseen,
) -> Judgement:
    """Return what is known of one pair; raise InputError for what cannot be compared.

    Of `noalias` parameters the question says what is known (`unshared`), and not the tests.
    """
    before, after = untraced(before), untraced(after)
    if question.iterations.text.strip():  # A map names registers as they are.
        same = Correspondence(bare(before), bare(after), ())
    else:
        same = corresponding(before, after, question.renamed, functions=question.functions)
    tests = with_volatile_orders(same.before, same.after)
    same = replace(same, before=tests[0], after=tests[1])
    names = before.name, after.name
    as_named = not (question.closed or question.renamed or question.iterations.text.strip())
    rules = strengthened(before, after, model) if as_named else None
    if rules is not None:
        found = Judgement(*names, model.label, SOUND, None, how=in_words(rules), without=WITHOUT)
    elif question.closed:
        found = _closed(names, model, same, question)
    else:
        found = _unrolled(names, model, same, question, show)
    # However it was found: what was not compared is not called sound.
    if found.verdict == SOUND and found.context is None and question.tried and not same_text(before, after):
        found = replace(found, verdict=BOUNDED, how=TRIED)
    if found.verdict in HELD and (missing := tuple(_not_compared(before, after, question))):
        handled = _interrupted(names, model, same, question) if HANDLER in missing and not question.closed else None
        unknown = replace(found, verdict=UNKNOWN, context=0, how="", reasons=(*missing, *found.reasons))
        found = handled or unknown
    return replace(found, compared=same.compared, guessed=same.guessed, left_out=same.left_out)


def _not_compared(before: ast.LitmusTest, after: ast.LitmusTest, question: Question) -> Iterator[str]:
    """Yield what differs between two tests and is not compared."""
    if not question.functions and _called(before) != _called(after):
        yield CALLS
    if not hidden_from_handlers(before, after):
        yield HANDLER


def _called(test: ast.LitmusTest) -> list[tuple[object, ...]]:
    """Return which functions each kernel calls, with which numbers, in the order of the text."""
    units = ((kernel.name, statements(kernel.body)) for kernel in test.kernels)
    return [
        (name, s.operation, *(o.value if isinstance(o, ast.Number) else None for o in s.operands))
        for name, body in units
        for s in body
        if isinstance(s, ast.Call) and s.operation not in SIGNATURES
    ]


def _unrolled(
    names: tuple[str, str], model: ModelChoice, same: Correspondence, question: Question, show: Show
) -> Judgement:
    """Return what is known of contexts that grow; with more iterations where loops then end that are cut.

    What a few iterations refute is found sooner, and has a part of the time.
    """
    longer = None if same.before.bound or same.after.bound else _longer(model, same, question)
    if longer is None:
        return _open(names, model, same, question, show)
    begun, most = time.process_time(), question.seconds
    found = _open(names, model, same, replace(question, seconds=most and most / 4), show)
    if found.verdict == UNSOUND:
        return found
    left = most and max(0.0, most - (time.process_time() - begun))
    return _open(names, model, longer, replace(question, seconds=left), show)


def _longer(model: ModelChoice, same: Correspondence, question: Question) -> Correspondence | None:
    """Return a pair with as many more iterations as its loops have, if they are cut and have few more."""
    bound = enough_iterations(_changed(same, question), loaded(model))
    if bound is None:
        return None
    return replace(same, before=with_bound(same.before, bound), after=with_bound(same.after, bound))


def _open(
    names: tuple[str, str], model: ModelChoice, same: Correspondence, question: Question, show: Show
) -> Judgement:
    """Return what is known of contexts that grow."""
    deadline = None if question.seconds is None else time.process_time() + question.seconds
    change = _changed(same, question)
    held: Outcomes | None = None
    found: Outcomes | None = None
    reasons: tuple[str, ...] = ()
    most = NET if question.context is None else question.context
    differs = change.before.levels == change.after.levels == AMDGPU and not do_the_same(change, loaded(model))
    if differs and (answer := _proved(names, model, change, question)) is not None:
        return answer

    def remaining() -> float | None:
        return None if deadline is None else max(0.0, deadline - time.process_time())

    def suggested(only: slice, above: int = -1, share: float = 1) -> Judgement | None:
        show(f"{' -> '.join(names)}  {model.label}  contexts that use what the program shows")
        here, left = scene(change, model), remaining()
        shown = refuted(here, left and share * left, only=only, above=above)
        return None if shown is None else _refuted(names, model, here, *shown)

    for size in range(most + 1):
        # What needs no context is the smaller counterexample.
        if size == 1 and differs and (answer := suggested(slice(FIRST), share=SHARE)) is not None:
            return answer
        known = held.finding.events if held else -1
        if size == NET + 1 and differs and (answer := suggested(slice(FIRST, None), known, SHARE)) is not None:
            return answer
        left, alone = remaining(), not size and differs and most > 0
        if size and differs and left:
            left = max(0.0, left - LEFT * (question.seconds or 0))
        elif alone and left:
            left *= SHARE
        show(f"{' -> '.join(names)}  {model.label}  contexts of {counted(size, 'operation')}")
        this = _searched(change, model, size, left, known, question.kept)
        cut_off = this is None or any(str(TIME_LIMIT) in reason for reason in this.finding.reasons)
        if alone and cut_off and (answer := suggested(slice(None))) is not None:
            return answer
        if this is None and found is None:
            return Judgement(*names, model.label, UNKNOWN, reasons=(LATE.format(counted(size, "operation")),))
        found = this or found
        assert found is not None
        why = tuple(r for r in found.finding.reasons if str(TIME_LIMIT) not in r) if this is not None else ()
        if found.finding.status == UNKNOWN_YET:
            # What is not known of some contexts may be known of larger ones: that there the change is unsound.
            reasons = reasons or tuple(_of_contexts(size, reason) for reason in why)
        if this is None or (found.finding.status == UNKNOWN_YET and len(why) < len(found.finding.reasons)):
            reasons = (*reasons, LATE.format(counted(size, "operation")))
            break
        if found.finding.status == UNKNOWN_YET:
            continue
        if found.finding.status != HOLDS or found.how == SAME:
            held = found
            break
        if not reasons:
            held = found
    assert found is not None
    last = held or found
    finding = last.finding
    verdict = VERDICT_OF[finding.status]
    if differs and most and verdict != UNSOUND and last.how != SAME:
        known = held.finding.events if held else -1
        if (answer := suggested(slice(FIRST, None), known)) is not None:
            return answer
    if verdict == SOUND and not finding.events and last.how != SAME and question.context != 0:
        verdict, reasons = UNKNOWN, (ALONE, *reasons)
    if verdict == SOUND and last.how != SAME and finding.events:
        verdict = BOUNDED
    if verdict in HELD and any(NOT_CONFIRMED in reason for reason in reasons):
        verdict = UNKNOWN
    if verdict in HELD and last.unmet and question.functions:
        verdict, reasons = UNKNOWN, (UNMET, *reasons)
    if verdict == UNSOUND:
        reasons = finding.reasons
    return Judgement(
        *names,
        model.label,
        verdict,
        None if last.how == SAME else finding.events,
        how=last.how,
        space=space_words(last.space),
        without=last.without,
        reasons=reasons,
        counterexample=finding.counterexample,
    )


def _searched(
    change: Change, model: ModelChoice, size: int, left: float | None, known: int, kept: Kept | None
) -> Outcomes | None:
    """Return what is known of contexts of up to so many operations; None if the time is over before anything is."""
    if left == 0:
        return None
    return outcomes_sound(change, model, size, Limits(seconds=left), known=known, kept=kept)


def _proved(names: tuple[str, str], model: ModelChoice, change: Change, question: Question) -> Judgement | None:
    """Return the judgement on a change that is proved for contexts of any size."""
    proof = proved_change(change.before, change.after, model, change.own) if not question.tried else ""
    if not isinstance(proof, Proved):
        return None
    found = Judgement(*names, model.label, SOUND, None, how=CARRIED, without=proof.without)
    return replace(found, proofs=proof.threads)


def _refuted(names: tuple[str, str], model: ModelChoice, here: Scene, size: int, shown: Counterexample) -> Judgement:
    """Return the judgement on a change that a context of so many operations refutes."""
    return Judgement(*names, model.label, UNSOUND, size, space=space_words(here.space), counterexample=shown)


def _interrupted(
    names: tuple[str, str], model: ModelChoice, same: Correspondence, question: Question
) -> Judgement | None:
    """Return the judgement on a change that a handler of signals refutes which uses what the program shows."""
    before, after = beside_a_handler(same.before), beside_a_handler(same.after)
    if before is None or after is None or before.levels != AMDGPU:
        return None
    here = scene(_changed(replace(same, before=before, after=after), question), model)
    if (shown := refuted(here, question.seconds, beside=1)) is None:
        return None
    return replace(_refuted(names, model, here, *shown), assumed=(IS_HANDLER,))


def _changed(same: Correspondence, question: Question) -> Change:
    """Return the change that a pair is."""
    tests = same.before, same.after
    change = mapped(*tests, question.iterations) if same.seen else as_they_are(*tests)
    change = replace(change, own=question.own, unshared=question.unshared, pointed=question.pointed)
    return replace(change, ends=question.ends, called=question.functions)


def _of_contexts(size: int, reason: str) -> str:
    """Return a reason with the contexts of which it is said."""
    return f"in contexts of {counted(size, 'operation')}: {reason}" if size else reason


def _closed(names: tuple[str, str], model: ModelChoice, same: Correspondence, question: Question) -> Judgement:
    """Return what is known if nothing else runs."""
    tests, limits = (same.before, same.after), Limits(seconds=question.seconds)
    if question.functions:  # What they are called with, and what memory holds then, is open.
        change = _changed(same, question)
        alone = outcomes_sound(change, model, 0, limits).finding
        about = Judgement(*names, model.label, VERDICT_OF[alone.status], closed=True, reasons=alone.reasons)
        return replace(about, counterexample=alone.counterexample)
    found = pairs.refine(*tests, model, limits=limits, explained=False, own=question.own)
    shown = None
    if found.verdict == UNSOUND:
        outcome = found.new[0] if found.new else f"undefined behaviour: {found.undefined[0]}"
        shown = Counterexample(print_test(tests[0]), print_test(tests[1]), outcome)
    return Judgement(
        *names, model.label, found.verdict, closed=True, reasons=found.reasons, counterexample=shown
    )  # fmt: skip
