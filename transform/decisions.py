"""Whether a pass transforms a loop, and into which loops: what metadata and facts decide, and what they leave open.

What goes in: a loop of the forest. What comes out: yes, no, or that costs decide, with the reason. What is certain is
what LLVM 22.1.8 does with such a loop, measured pass by pass. Unrolling is in `axmem.transform.unroll_decisions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from axmem.litmus.loops import Attribute
from axmem.transform.answers import UNCONTROLLED, WORDS, LoopQuestion, Outcome, PassAnswer, PassSettings, no
from axmem.transform.attributes import (
    DISABLE_NONFORCED,
    INTERLEAVE,
    IS_DISTRIBUTED,
    IS_VECTORIZED,
    PREDICATE,
    PREFIX,
    SCALABLE,
    WIDTH,
    is_set,
)
from axmem.transform.forest import Dependence, Tree
from axmem.transform.modes import Mode, because, deciding
from axmem.transform.passes import SCALAR, Pass, PassTarget, Profile, When
from axmem.transform.unroll_decisions import full, is_asked_of, unroll

LONG = 16
"""So many iterations are enough for every width that LLVM 22 chooses by itself for these targets."""


def answer(pass_: Pass, loop: Tree, around: Tree | None, settings: PassSettings) -> PassAnswer:
    """Say whether a pass transforms a loop."""
    found, decisive = deciding(_seen(pass_, loop, settings), pass_.transformation, settings.profile)
    if found.is_off:
        return PassAnswer(False, f"it is {found.value} by {because(decisive)}")
    question = LoopQuestion(pass_, loop, around, settings, found, because(decisive))
    return _ANSWERS[pass_.name](question)


def _seen(pass_: Pass, loop: Tree, settings: PassSettings) -> tuple[Attribute, ...]:
    """Return the attributes that a pass reads: LLVM's vectorizer takes none without a value for `isvectorized`."""
    read = settings.profile is Profile.LLVM_22 and pass_.transformation == "vectorize"
    return tuple(a for a in loop.attributes if not (read and a.name == IS_VECTORIZED and a.value is None))


# ---------------------------------------------------------------- innermost loops


def _vectorize(q: LoopQuestion) -> PassAnswer:
    facts = q.loop.facts
    forced = q.mode is Mode.FORCED
    if q.settings.forced_only and not forced:
        return no("the pipeline vectorizes what is forced alone")
    if q.loop.inner:
        return no("there are loops in it")
    if refused := q.refused():
        return no(f"{refused} stands in it")
    if facts.dependence in (Dependence.SERIAL, Dependence.PARTLY):
        return no(facts.dependence.value)
    if not facts.counted and facts.exits == 1 and not facts.checkable:
        return no("how often it is executed is not known on entry")
    if facts.checks and q.settings.target is PassTarget.AMDGCN:
        return no("it needs run-time checks of pointers, which are not made for a target with divergence")
    free = facts.dependence is Dependence.NONE and facts.counted
    open_checks = q.settings.target is PassTarget.AMDGCN and facts.checks is not False
    long = facts.trips is None or facts.trips >= LONG
    certain = forced and free and long and not open_checks and _worth(q)
    if certain:
        return PassAnswer(True, f"{q.why}, and {facts.dependence.value}", _vectorized(q))
    return PassAnswer(None, "costs decide" if free else "dependences and costs decide", _vectorized(q))


def _worth(q: LoopQuestion) -> bool:
    """Whether there is a width, or a number of interleaved iterations, that is done because somebody asks for it."""
    width, interleave = q.number(WIDTH), q.number(INTERLEAVE)
    return width != 1 or (interleave or 0) > 1


def _vectorized(q: LoopQuestion) -> tuple[Outcome, ...]:
    """Return what vectorizing may leave, as far as that makes a difference."""
    facts, width = q.loop.facts, q.number(WIDTH)
    wide_ = width != 1 or is_set(q.loop.attributes, SCALABLE) is True
    widths = [True, False] if width is None and q.mode is not Mode.FORCED else [wide_]
    checked = [facts.checks] if facts.checks is not None else [False, True]
    checked = checked if facts.counted or facts.exits > 1 else [False, True]
    found = []
    for check in checked:
        for kinds, masked in _lengths(q, checked=check):
            for wide in widths:
                when = frozenset({When.UNCHECKED}) if wide and not check else frozenset[When]()
                words = [w for w, holds in zip(WORDS[1:], (check, not wide, masked), strict=True) if holds]
                found.append(Outcome(kinds, when, _factor(q), tuple(words)))
    return tuple(found)


def _factor(q: LoopQuestion) -> int | None:
    """Return how many iterations become one, if metadata says."""
    width = q.number(WIDTH)
    interleave = 1 if q.has(DISABLE_NONFORCED.removeprefix(PREFIX)) else q.number(INTERLEAVE)
    return width * interleave if width and interleave else None


def _lengths(q: LoopQuestion, *, checked: bool) -> list[tuple[tuple[str, ...], bool]]:
    """Return which loops there may be, and whether masks are asked for: then the vector loop has the rest as well.

    After a check that fails the epilogue has all iterations.
    """
    masks = q.settings.profile is Profile.LLVM_22 and is_set(q.loop.attributes, PREDICATE) is True
    found: dict[tuple[tuple[str, ...], bool], None] = {}
    for kinds in _unchecked(q, masks=masks):
        whole = not {SCALAR, "epilogue"} & {*kinds}
        found[(*kinds, "epilogue") if whole and checked else kinds, whole and masks] = None
    return list(found)


def _unchecked(q: LoopQuestion, *, masks: bool) -> Iterator[tuple[str, ...]]:
    """Yield which loops there may be without a check.

    A loop without iterations is none, one with a single one may be none. Of a short loop the vector loop may have the
    rest of the iterations, without anybody asking for it. A loop too short for one round, of a size that metadata asks
    for, stays as it was, in LLVM.
    """
    trips, factor = q.loop.facts.trips, _factor(q)
    both, known = ("vectorized", "epilogue"), q.settings.profile is Profile.LLVM_22
    if known and not q.loop.facts.rotated and trips is not None:
        trips -= 1
    if trips is None and q.loop.facts.constant is False and q.loop.facts.most is None:
        yield from [both[:1], both] if masks else [both]
    elif factor is None or trips is None or trips < LONG:
        asked = known and (q.number(WIDTH) or q.number(INTERLEAVE))
        yield from [both, both[:1], both[1:], (), *([(SCALAR,)] if asked else [])]
    elif factor > trips:
        yield from [(SCALAR,) if known else both[1:], *([()] if masks else [])]
    else:
        for rest in [(), both[1:]] if masks else [both[1:] if trips % factor else ()]:
            yield (*both[:1], *rest)
            if trips // factor == 1:
                yield rest


FAILED = "loop not distributed: failed explicitly specified loop distribution"
"""What the pass says besides."""


def _distribute(q: LoopQuestion) -> PassAnswer:
    facts = q.loop.facts
    warning = FAILED if q.settings.profile is Profile.LLVM_22 else ""
    if q.mode is not Mode.FORCED:
        return no("loops are distributed where distribute.enable asks for it")
    if q.loop.inner:
        return no("there are loops in it")
    if is_set(q.loop.attributes, IS_DISTRIBUTED) and q.settings.profile is Profile.LLVM_22:
        return no("isdistributed is set")
    if refused := q.refused():
        return no(f"{refused} stands in it", warning)
    if not (facts.counted or facts.checkable) or facts.exits > 1:
        return no("how often it is executed is not known on entry", warning)
    parts = facts.partitions if q.settings.profile is Profile.LLVM_22 else facts.parts
    if facts.dependence in (Dependence.NONE, Dependence.SERIAL) or len(parts) == 1:
        return no(f"{facts.dependence.value}: there is nothing to separate", warning)
    kinds = (parts,) if parts else (("sequential", "coincident"),)
    convergent = facts.contents & UNCONTROLLED
    if convergent and facts.checks:
        return no("a convergent operation stands in it, and pointers would have to be checked", warning)
    fallback = [facts.checks] if facts.checks is not None else [False] if convergent else [False, True]
    outcomes = tuple(Outcome((*parts, "fallback") if check else parts) for parts in kinds for check in fallback)
    if facts.dependence is Dependence.PARTLY and facts.checks is not None and facts.counted:
        return PassAnswer(True, f"{q.why}, and {facts.dependence.value}", outcomes)
    return PassAnswer(None, facts.dependence.value, outcomes, warning=warning)


# ---------------------------------------------------------------- nests


def _jam(q: LoopQuestion) -> PassAnswer:
    facts = q.loop.facts
    if q.mode is not Mode.FORCED:
        return no("loops are unrolled and jammed where metadata asks for it")
    if len(q.loop.inner) != 1 or q.loop.inner[0].inner:
        return no("it is not a loop around one innermost loop")
    if refused := q.refused():
        return no(f"{refused} stands in it")
    if facts.past:
        return no("a branch goes past the loop in it")
    if facts.wraps and q.settings.profile is Profile.LLVM_22:
        return no("a counter of fewer bits than an address may wrap")
    if facts.jams is False:
        return no("iterations depend on each other")
    if not facts.counted or not q.loop.inner[0].facts.counted:
        return no("how often it is executed is not known on entry")
    safe = facts.jams
    if is_asked_of(q) and q.settings.profile is Profile.LLVM_22:
        return PassAnswer(False, "unroll metadata leaves it to unrolling", safe=safe)
    count, trips = q.number("llvm.loop.unroll_and_jam.count") or 0, facts.trips
    if count < 2:
        outcomes = (_jammed(4, trips), _jammed(2, trips)) if trips is None else (Outcome((), factor=trips),)
        return PassAnswer(None, "without a count costs decide", outcomes, safe=safe)
    return PassAnswer(True if safe else None, f"count {count}", (_jammed(count, trips),), safe=safe)


def _jammed(count: int, trips: int | None) -> Outcome:
    """Return what unroll-and-jam leaves; a remainder of one iteration is no loop, the loop in it remains."""
    rest = None if trips is None else trips % count
    if trips is not None and count >= trips:
        return Outcome(("inner",), factor=trips)
    kinds: tuple[str, ...] = ("outer", "inner")
    if rest != 0:
        kinds += ("remainder inner",) if count == 2 else ("remainder outer", "remainder inner")
    return Outcome(kinds, factor=count)


def _interchange(q: LoopQuestion) -> PassAnswer:
    if len(q.loop.inner) != 1:
        return no("it is not a loop around one loop")
    if refused := q.refused():
        return no(f"{refused} stands in it")
    return PassAnswer(None, "dependences and costs decide", (Outcome(("outer", "inner")),))


def _version(q: LoopQuestion) -> PassAnswer:
    if refused := q.refused():
        return no(f"{refused} stands in it")
    if q.loop.inner:
        return no("there are loops in it")
    return PassAnswer(None, "dependences and costs decide", (Outcome(("versioned", "unversioned")),))


_ANSWERS: dict[str, Callable[[LoopQuestion], PassAnswer]] = {
    "unroll-full": full,
    "unroll": unroll,
    "vectorize": _vectorize,
    "distribute": _distribute,
    "unroll-and-jam": _jam,
    "interchange": _interchange,
    "versioning-licm": _version,
}
