"""Whether a loop is unrolled: what metadata and facts decide, and what they leave open.

What goes in: a question of `axmem.transform.answers`. What comes out: an answer, what LLVM 22.1.8 does with such a
loop. Full unrolling is asked early in pipelines, all shapes late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.front.records import replace
from axmem.litmus.loops import Attribute
from axmem.transform.answers import UNCONTROLLED, WORDS, LoopQuestion, Outcome, PassAnswer, no
from axmem.transform.attributes import RUNTIME_DISABLE, find, is_set, number
from axmem.transform.modes import Mode, mode
from axmem.transform.passes import PassTarget, Profile, When

SMALL = 6
"""So many statements LLVM 22 repeats eight times for x86-64; more of them perhaps four times, or twice."""

_NO_MULTIPLE = frozenset({When.TESTS_BETWEEN, When.NO_MULTIPLE})

PRAGMA_THRESHOLD = 2048
"""So many statements, if not more, LLVM 22 makes of a loop whose unrolling is forced."""


def full(q: LoopQuestion) -> PassAnswer:
    """Say whether full unrolling, which comes early, transforms a loop."""
    found = unroll(q)
    whole = tuple(each for each in found.outcomes if not each.kinds)
    if found.done is False or not whole:
        trips = q.loop.facts.trips
        return (
            found if found.done is False else no("its trip count is not constant" if trips is None else "only in part")
        )
    return PassAnswer(found.done, found.reason, whole)


def unroll(q: LoopQuestion) -> PassAnswer:
    """Say whether unrolling transforms a loop."""
    around = q.around
    nested = around is not None and mode(around.attributes, "unroll-and-jam") is Mode.FORCED
    if nested and q.mode is not Mode.FORCED and q.settings.profile is Profile.LLVM_22:
        return no("unroll-and-jam is forced for the loop around it")
    if q.loop.facts.extended:
        return no("a token of an iteration is taken behind the loop")
    if q.loop.facts.trips is not None:
        first = not q.loop.facts.rotated and q.settings.profile is Profile.LLVM_22
        return _known(q, q.loop.facts.trips, q.loop.facts.trips + first)
    if q.loop.facts.bound is not None and q.settings.profile is Profile.LLVM_22:
        return _known(q, q.loop.facts.bound, q.loop.facts.bound)
    if q.loop.facts.most is not None and q.settings.profile is Profile.LLVM_22:
        either = (*_known(q, q.loop.facts.most, q.loop.facts.most).outcomes, *_unknown(q).outcomes)
        if q.loop.facts.checkable:
            either += _unknown(replace(q, loop=replace(q.loop, facts=replace(q.loop.facts, counted=True)))).outcomes
        reason = f"it has at most {q.loop.facts.most} iterations: costs decide"
        return PassAnswer(None, reason, tuple(dict.fromkeys(either)))
    if q.loop.facts.constant is None:
        either = (*_constant(q).outcomes, *_unknown(q).outcomes)
        return PassAnswer(None, "whether its trip count is a constant is not known here", tuple(dict.fromkeys(either)))
    return _constant(q) if q.loop.facts.constant else _unknown(q)


def _constant(q: LoopQuestion) -> PassAnswer:
    """Answer about a loop with a trip count that is constant, and not known here."""
    when = _asked(q)
    count = q.number("llvm.loop.unroll.count") or None
    parts = (Outcome(("unrolled",), when, count), Outcome(("unrolled",), when | _NO_MULTIPLE, count))
    return PassAnswer(None, "its trip count is a constant that is not known here", (Outcome(()), *parts))


def _asked(q: LoopQuestion) -> frozenset[When]:
    return frozenset({When.FORCED} if is_asked_of(q) else ())


def _known(q: LoopQuestion, trips: int, tests: int) -> PassAnswer:
    """Answer about a loop with a constant trip count, or of which one exit is taken then at the latest.

    LLVM counts its `tests`: there is one more than there are iterations if it stands before the body.
    """
    count = q.number("llvm.loop.unroll.count") or 0
    when = _asked(q)
    whole = Outcome((), factor=trips)
    if count > 1:
        if count >= tests:
            return PassAnswer(True, f"count {count} is not less than its {trips} iterations", (whole,))
        if tests % count and q.loop.facts.contents & UNCONTROLLED:
            return PassAnswer(
                None, f"{trips} is no multiple of {count}, and a convergent operation stands in it", (whole,)
            )
        between = _tests(q) if tests % count else frozenset[When]()
        return PassAnswer(True, f"count {count}", (Outcome(("unrolled",), when | between, count),))
    if is_asked_of(q) and trips * q.loop.facts.size <= PRAGMA_THRESHOLD:
        return PassAnswer(True, f"{q.why}, and its trip count is {trips}", (whole,))
    plain = (Outcome(("unrolled",), when), Outcome(("unrolled",), when | _NO_MULTIPLE))
    parts = tuple(_by_factor(tests, when)) if q.loop.inner else plain
    return PassAnswer(None, f"it has {trips} iterations: costs decide", (whole, *parts))


def _by_factor(tests: int, when: frozenset[When]) -> Iterator[Outcome]:
    """Yield what costs may leave of a loop around another one, of which there are as many copies as the factor says.

    It divides the trip count, or is a power of two that the target has for loops whose trip count is not known.
    """
    yield from (Outcome(("unrolled",), when, each) for each in range(2, tests // 2 + 1) if tests % each == 0)
    others = (each for each in (8, 4, 2) if tests % each and each < tests)
    yield from (Outcome(("unrolled",), when | _NO_MULTIPLE, each) for each in others)


def _dividing(count: int, multiple: int) -> int:
    """Return the count, halved as often as it takes to divide what a trip count is a multiple of."""
    while count > 1 and multiple % count:
        count //= 2
    return count


def _tests(q: LoopQuestion) -> frozenset[When]:
    """Return what holds where copies keep their tests; a loop whose test stands before its body keeps attributes."""
    before = not q.loop.facts.rotated and q.settings.profile is Profile.LLVM_22
    return frozenset({When.TESTS_BETWEEN}) if before else _NO_MULTIPLE


def is_asked(attributes: Sequence[Attribute]) -> bool:
    """Whether a count, `enable` or `full` asks for unrolling. LLVM takes `unroll.enable i1 false` for `enable`."""
    names = ("llvm.loop.unroll.enable", "llvm.loop.unroll.full")
    asked = any(find(attributes, name) is not None for name in names)
    return asked or (number(attributes, "llvm.loop.unroll.count") or 0) > 0


def is_asked_of(q: LoopQuestion) -> bool:
    """Whether that is so of the loop of a question."""
    return is_asked(q.loop.attributes)


def _unknown(q: LoopQuestion) -> PassAnswer:
    """Answer about a loop whose trip count is not constant."""
    count, facts = q.number("llvm.loop.unroll.count") or 0, q.loop.facts
    enabled = find(q.loop.attributes, "llvm.loop.unroll.enable") is not None
    convergent = facts.contents & UNCONTROLLED
    when = _asked(q)
    if convergent and (factor := _dividing(count, facts.multiple)) > 1:
        return PassAnswer(True, f"count {factor}", (Outcome(("unrolled",), when, factor),))
    if convergent:
        return no("a convergent operation would be divided between the unrolled and the remainder loop")
    tested_first = not facts.rotated and q.settings.profile is Profile.LLVM_22
    if count > 1:
        return _by_count(count, when, tests=tested_first or not facts.counted)
    full_alone = find(q.loop.attributes, "llvm.loop.unroll.full") is not None and not enabled
    if full_alone and not _by_costs(q):
        return no("full, and its trip count is not constant")
    if is_set(q.loop.attributes, RUNTIME_DISABLE):
        return no("its trip count is not constant, and unroll.runtime.disable is set")
    if not facts.counted:
        return no("how often it is executed is not known on entry")
    if tested_first:
        return no("its test stands before its body, and rounds with a remainder need it behind")
    if full_alone:
        reason = "full, and its trip count is not constant; costs decide whether it is unrolled in part"
        return PassAnswer(None, reason, (_runtime(8, when), _runtime(4, when), _runtime(2, when)))
    if not enabled:
        if q.mode is Mode.FORCED:
            return no("count 0 asks for no factor")
        return PassAnswer(None, "costs decide", () if q.loop.inner else (_runtime(4, when), _runtime(2, when)))
    if facts.costly and q.settings.profile is Profile.LLVM_22:
        return no("its trip count is costly to compute; a count would make it worth that")
    perhaps = facts.costly is None and q.settings.profile is Profile.LLVM_22
    small = facts.size <= SMALL and not q.loop.inner and not perhaps
    plain = q.settings.profile is Profile.DOC or q.settings.target is PassTarget.X86_64
    factors = (8,) if small and plain else (8, 4, 2)
    cheap = " and its trip count not costly to compute" if perhaps else ""
    why = f"{q.why or 'unroll.enable'}, at run time" + ("" if small else f", if it is not too large{cheap}")
    return PassAnswer(True if small else None, why, tuple(_runtime(count, when) for count in factors))


def _by_count(count: int, when: frozenset[When], *, tests: bool) -> PassAnswer:
    """Answer about a loop whose trip count is not constant and that a count is given for; `tests` stay, or do not."""
    if tests:
        outcome = Outcome(("unrolled",), when | {When.TESTS_BETWEEN}, count)
        return PassAnswer(True, f"count {count}, each copy with its tests", (outcome,))
    return PassAnswer(True, f"count {count}", (_runtime(count, when),))


def _by_costs(q: LoopQuestion) -> bool:
    """Whether LLVM may unroll a loop at run time that nobody asks that of: for x86-64 that depends on the CPU.

    Functions name it (`tune-cpu`), and those that clang writes do so.
    """
    return q.settings.profile is Profile.LLVM_22 and q.settings.target is PassTarget.X86_64


def _runtime(count: int, when: frozenset[When]) -> Outcome:
    """Return what unrolling at run time leaves: of one iteration that remains there is no loop."""
    kinds = ("unrolled",) if count == 2 else ("unrolled", "remainder")
    return Outcome(kinds, when, count, WORDS[:1])
