"""Whether a pass transforms a loop, and into which loops: what metadata and facts decide, and what they leave open.

What goes in: a loop of the forest. What comes out: yes, no, or that costs decide, with the reason. What is certain is
what LLVM 22.1.8 does with such a loop, measured pass by pass; `REFUSED` says which operations keep a pass from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from axmem.litmus.loops import Attribute
from axmem.transform.attributes import (
    DISABLE_NONFORCED,
    INTERLEAVE,
    IS_DISTRIBUTED,
    PREFIX,
    RUNTIME_DISABLE,
    WIDTH,
    find,
    is_set,
    number,
)
from axmem.transform.forest import Content, Dependence, Tree
from axmem.transform.modes import Mode, because, deciding, mode
from axmem.transform.passes import Pass, Profile, Target, When

_MEMORY = frozenset({Content.UNORDERED, Content.ATOMIC, Content.RMW, Content.VOLATILE})
UNCONTROLLED = frozenset({Content.BARRIER, Content.CROSS_LANE, Content.HEART})
_ALL = frozenset(Content)

REFUSED: dict[str, frozenset[Content]] = {
    "distribute": _MEMORY | {Content.FENCE, Content.BARRIER},
    "vectorize": _ALL,
    "unroll-and-jam": _ALL,
    "interchange": (_MEMORY - {Content.RMW}) | {Content.BARRIER},
    "versioning-licm": _ALL,
}
"""What LLVM 22.1.8 refuses in a loop. Runtime unrolling refuses what is `UNCONTROLLED`, other unrolling nothing."""

SMALL = 6
"""So many statements LLVM 22 repeats eight times for x86-64; more of them perhaps four times, or twice."""

LONG = 16
"""So many iterations are enough for every width that LLVM 22 chooses by itself for these targets."""

PRAGMA_THRESHOLD = 2048
"""So many statements, if not more, LLVM 22 makes of a loop whose unrolling is forced."""

WORDS = ("at run time", "checked", "interleaved")
"""What is said of an outcome besides: the trip count is not constant, pointers are checked, there are no vectors."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a transformation leaves: the kinds of loops in their order, under which circumstances, by which factor.

    The factor is how many iterations become one; None where nothing depends on it. `words` say more to the user.
    """

    kinds: tuple[str, ...]
    when: frozenset[When] = frozenset()
    factor: int | None = None
    words: tuple[str, ...] = ()


def described(outcomes: Sequence[Outcome]) -> str:
    """Return what is left: `vectorized and epilogue (plain, or checked)`, of several outcomes one after the other."""
    by_kinds: dict[tuple[str, ...], list[str]] = {}
    for each in outcomes:
        by_kinds.setdefault(each.kinds, []).append(" and ".join(each.words))
    parts = []
    for kinds, words in by_kinds.items():
        said = ", or ".join(word or "plain" for word in dict.fromkeys(words))
        parts.append(f"{' and '.join(kinds) or 'nothing'}{f' ({said})' if any(words) else ''}")
    return ", or ".join(parts)


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a pass transforms a loop: `done` is None where costs decide between nothing and the `outcomes`.

    `safe` says whether the pass came to the question of costs, None: not known. `warning` is what the pass itself says
    of a failure.
    """

    done: bool | None
    reason: str
    outcomes: tuple[Outcome, ...] = ()
    safe: bool | None = False
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Under which rules passes run."""

    profile: Profile = Profile.LLVM_22
    target: Target = Target.X86_64
    forced_only: bool = False

    @property
    def circumstances(self) -> frozenset[When]:
        """What holds wherever the target is this one."""
        return frozenset({When.X86_64} if self.target is Target.X86_64 else ())


@dataclass(frozen=True, slots=True)
class Question:
    """A loop that a pass looks at, with the loop around it."""

    pass_: Pass
    loop: Tree
    around: Tree | None
    settings: Settings
    mode: Mode = field(default=Mode.HEURISTIC)
    why: str = ""

    def has(self, name: str) -> bool:
        """Whether a boolean attribute is set."""
        return is_set(self.loop.attributes, PREFIX + name) is True

    def number(self, name: str) -> int | None:
        """Return the number of an attribute."""
        return number(self.loop.attributes, name)

    def refused(self) -> str:
        """Return what stands in the loop that the pass refuses, `""` if nothing does."""
        found = self.loop.facts.contents & REFUSED[self.pass_.transformation]
        return " and ".join(each.value for each in Content if each in found)


def answer(pass_: Pass, loop: Tree, around: Tree | None, settings: Settings) -> Answer:
    """Say whether a pass transforms a loop."""
    found, decisive = deciding(loop.attributes, pass_.transformation)
    if found.is_off:
        return Answer(False, f"it is {found.value} by {because(decisive)}")
    question = Question(pass_, loop, around, settings, found, because(decisive))
    return _ANSWERS[pass_.name](question)


def _no(reason: str, warning: str = "") -> Answer:
    return Answer(False, reason, warning=warning)


# ---------------------------------------------------------------- unrolling


def _full(q: Question) -> Answer:
    found = _unroll(q)
    whole = tuple(each for each in found.outcomes if not each.kinds)
    if found.done is False or not whole:
        trips = q.loop.facts.trips
        return (
            found if found.done is False else _no("its trip count is not constant" if trips is None else "only in part")
        )
    return Answer(found.done, found.reason, whole)


def _unroll(q: Question) -> Answer:
    around = q.around
    nested = around is not None and mode(around.attributes, "unroll-and-jam") is Mode.FORCED
    if nested and q.mode is not Mode.FORCED and q.settings.profile is Profile.LLVM_22:
        return _no("unroll-and-jam is forced for the loop around it")
    if q.loop.facts.trips is not None:
        return _known(q)
    if q.loop.facts.constant is None:
        either = (*_constant(q).outcomes, *_unknown(q).outcomes)
        return Answer(None, "whether its trip count is a constant is not known here", tuple(dict.fromkeys(either)))
    return _constant(q) if q.loop.facts.constant else _unknown(q)


def _constant(q: Question) -> Answer:
    """Answer about a loop with a trip count that is constant, and not known here."""
    when = _asked(q)
    count = q.number("llvm.loop.unroll.count") or None
    parts = (Outcome(("unrolled",), when, count), Outcome(("unrolled",), when | {When.TESTS_BETWEEN}, count))
    return Answer(None, "its trip count is a constant that is not known here", (Outcome(()), *parts))


def _asked(q: Question) -> frozenset[When]:
    return frozenset({When.FORCED} if _explicit(q) else ())


def _known(q: Question) -> Answer:
    """Answer about a loop with a constant trip count."""
    trips, count = q.loop.facts.trips, q.number("llvm.loop.unroll.count") or 0
    assert trips is not None
    when = _asked(q)
    whole = Outcome((), factor=trips)
    if count > 1:
        if count >= trips:
            return Answer(True, f"count {count} is not less than its {trips} iterations", (whole,))
        if trips % count and q.loop.facts.contents & UNCONTROLLED:
            return Answer(None, f"{trips} is no multiple of {count}, and a convergent operation stands in it", (whole,))
        between = frozenset({When.TESTS_BETWEEN} if trips % count else ())
        return Answer(True, f"count {count}", (Outcome(("unrolled",), when | between, count),))
    if _explicit(q) and trips * q.loop.facts.size <= PRAGMA_THRESHOLD:
        return Answer(True, f"{q.why}, and its trip count is {trips}", (whole,))
    parts = (Outcome(("unrolled",), when), Outcome(("unrolled",), when | {When.TESTS_BETWEEN}))
    return Answer(None, f"it has {trips} iterations: costs decide", (whole, *(() if q.loop.inner else parts)))


def is_asked(attributes: Sequence[Attribute]) -> bool:
    """Whether a count, `enable` or `full` asks for unrolling. LLVM takes `unroll.enable i1 false` for `enable`."""
    names = ("llvm.loop.unroll.enable", "llvm.loop.unroll.full")
    asked = any(find(attributes, name) is not None for name in names)
    return asked or (number(attributes, "llvm.loop.unroll.count") or 0) > 0


def _explicit(q: Question) -> bool:
    return is_asked(q.loop.attributes)


def _unknown(q: Question) -> Answer:
    """Answer about a loop whose trip count is not constant."""
    count, facts = q.number("llvm.loop.unroll.count") or 0, q.loop.facts
    enabled = find(q.loop.attributes, "llvm.loop.unroll.enable") is not None
    convergent = facts.contents & UNCONTROLLED
    when = _asked(q)
    if convergent:
        return _no("a convergent operation would be divided between the unrolled and the remainder loop")
    if count > 1 and not facts.counted:
        return Answer(
            True,
            f"count {count}, each copy with its tests",
            (Outcome(("unrolled",), when | {When.TESTS_BETWEEN}, count),),
        )
    if count > 1:
        return Answer(True, f"count {count}", (_runtime(count, when),))
    if find(q.loop.attributes, "llvm.loop.unroll.full") is not None and not enabled:
        return _no("full, and its trip count is not constant")
    if is_set(q.loop.attributes, RUNTIME_DISABLE):
        return _no("its trip count is not constant, and unroll.runtime.disable is set")
    if not facts.counted:
        return _no("how often it is executed is not known on entry")
    if not enabled:
        if q.mode is Mode.FORCED:
            return _no("count 0 asks for no factor")
        return Answer(None, "costs decide", () if q.loop.inner else (_runtime(4, when), _runtime(2, when)))
    if facts.costly and q.settings.profile is Profile.LLVM_22:
        return _no("its trip count is costly to compute; a count would make it worth that")
    small = facts.size <= SMALL and not q.loop.inner
    plain = q.settings.profile is Profile.DOC or q.settings.target is Target.X86_64
    factors = (8,) if small and plain else (8, 4, 2)
    why = f"{q.why or 'unroll.enable'}, at run time" + ("" if small else ", if it is not too large")
    return Answer(True if small else None, why, tuple(_runtime(count, when) for count in factors))


def _runtime(count: int, when: frozenset[When]) -> Outcome:
    """Return what unrolling at run time leaves: of one iteration that remains there is no loop."""
    kinds = ("unrolled",) if count == 2 else ("unrolled", "remainder")
    return Outcome(kinds, when, count, WORDS[:1])


# ---------------------------------------------------------------- innermost loops


def _vectorize(q: Question) -> Answer:
    facts = q.loop.facts
    forced = q.mode is Mode.FORCED
    if q.settings.forced_only and not forced:
        return _no("the pipeline vectorizes what is forced alone")
    if q.loop.inner:
        return _no("there are loops in it")
    if refused := q.refused():
        return _no(f"{refused} stands in it")
    if facts.dependence in (Dependence.SERIAL, Dependence.PARTLY):
        return _no(facts.dependence.value)
    if not facts.counted and facts.exits == 1:
        return _no("how often it is executed is not known on entry")
    if facts.checks and q.settings.target is Target.AMDGCN:
        return _no("it needs run-time checks of pointers, which are not made for a target with divergence")
    free = facts.dependence is Dependence.NONE and facts.counted
    open_checks = q.settings.target is Target.AMDGCN and facts.checks is not False
    long = facts.trips is None or facts.trips >= LONG
    certain = forced and free and long and not open_checks and _worth(q)
    if certain:
        return Answer(True, f"{q.why}, and {facts.dependence.value}", _vectorized(q))
    return Answer(None, "costs decide" if free else "dependences and costs decide", _vectorized(q))


def _worth(q: Question) -> bool:
    """Whether there is a width, or a number of interleaved iterations, that is done because somebody asks for it."""
    width, interleave = q.number(WIDTH), q.number(INTERLEAVE)
    return width != 1 or (interleave or 0) > 1


def _vectorized(q: Question) -> tuple[Outcome, ...]:
    """Return what vectorizing may leave, as far as that makes a difference."""
    facts, width = q.loop.facts, q.number(WIDTH)
    widths = [True, False] if width is None and q.mode is not Mode.FORCED else [width != 1]
    checked = [facts.checks] if facts.checks is not None else [False, True]
    found = []
    for kinds in _lengths(q):
        for wide in widths:
            for check in checked:
                when = frozenset({When.UNCHECKED}) if wide and not check else frozenset[When]()
                words = [word for word, holds in zip(WORDS[1:], (check, not wide), strict=True) if holds]
                found.append(Outcome(kinds, when, _factor(q), tuple(words)))
    return tuple(found)


def _factor(q: Question) -> int | None:
    """Return how many iterations become one, if metadata says."""
    width = q.number(WIDTH)
    interleave = 1 if q.has(DISABLE_NONFORCED.removeprefix(PREFIX)) else q.number(INTERLEAVE)
    return width * interleave if width and interleave else None


def _lengths(q: Question) -> list[tuple[str, ...]]:
    """Return which loops there may be: one without iterations is none, one with a single one may be none.

    Of a short loop the vector body may have the rest of the iterations, with masks, and no epilogue.
    """
    trips, factor = q.loop.facts.trips, _factor(q)
    both = ("vectorized", "epilogue")
    if trips is None and q.loop.facts.constant is False:
        return [both]
    if factor is None or trips is None or trips < LONG:
        return [both, ("vectorized",), ("epilogue",), ()]
    rest = both[1:] if trips % factor else ()
    return [(*both[:1], *rest)] if trips // factor > 1 else [(*both[:1], *rest), rest]


FAILED = "loop not distributed: failed explicitly specified loop distribution"
"""What the pass says besides."""


def _distribute(q: Question) -> Answer:
    facts = q.loop.facts
    warning = FAILED if q.settings.profile is Profile.LLVM_22 else ""
    if q.mode is not Mode.FORCED:
        return _no("loops are distributed where distribute.enable asks for it")
    if q.loop.inner:
        return _no("there are loops in it")
    if is_set(q.loop.attributes, IS_DISTRIBUTED) and q.settings.profile is Profile.LLVM_22:
        return _no("isdistributed is set")
    if refused := q.refused():
        return _no(f"{refused} stands in it", warning)
    if not facts.counted or facts.exits > 1:
        return _no("how often it is executed is not known on entry", warning)
    if facts.dependence in (Dependence.NONE, Dependence.SERIAL):
        return _no(f"{facts.dependence.value}: there is nothing to separate", warning)
    kinds = (facts.partitions,) if facts.partitions else (("sequential", "coincident"),)
    fallback = [facts.checks] if facts.checks is not None else [False, True]
    outcomes = tuple(Outcome((*parts, "fallback") if check else parts) for parts in kinds for check in fallback)
    if facts.dependence is Dependence.PARTLY and facts.checks is not None:
        return Answer(True, f"{q.why}, and {facts.dependence.value}", outcomes)
    return Answer(None, facts.dependence.value, outcomes, warning=warning)


# ---------------------------------------------------------------- nests


def _jam(q: Question) -> Answer:
    facts = q.loop.facts
    if q.mode is not Mode.FORCED:
        return _no("loops are unrolled and jammed where metadata asks for it")
    if len(q.loop.inner) != 1 or q.loop.inner[0].inner:
        return _no("it is not a loop around one innermost loop")
    if refused := q.refused():
        return _no(f"{refused} stands in it")
    if facts.jams is False:
        return _no("iterations depend on each other")
    if not facts.counted or not q.loop.inner[0].facts.counted:
        return _no("how often it is executed is not known on entry")
    safe = facts.jams
    if _explicit(q):
        return Answer(False, "unroll metadata leaves it to unrolling", safe=safe)
    count, trips = q.number("llvm.loop.unroll_and_jam.count") or 0, facts.trips
    if count < 2:
        outcomes = (_jammed(4, trips), _jammed(2, trips)) if trips is None else (Outcome((), factor=trips),)
        return Answer(None, "without a count costs decide", outcomes, safe=safe)
    return Answer(True if safe else None, f"count {count}", (_jammed(count, trips),), safe=safe)


def _jammed(count: int, trips: int | None) -> Outcome:
    """Return what unroll-and-jam leaves; a remainder of one iteration is no loop, the loop in it remains."""
    rest = None if trips is None else trips % count
    if trips is not None and count >= trips:
        return Outcome(("inner",), factor=trips)
    kinds: tuple[str, ...] = ("outer", "inner")
    if rest != 0:
        kinds += ("remainder inner",) if count == 2 else ("remainder outer", "remainder inner")
    return Outcome(kinds, factor=count)


def _interchange(q: Question) -> Answer:
    if len(q.loop.inner) != 1:
        return _no("it is not a loop around one loop")
    if refused := q.refused():
        return _no(f"{refused} stands in it")
    return Answer(None, "dependences and costs decide", (Outcome(("outer", "inner")),))


def _version(q: Question) -> Answer:
    if refused := q.refused():
        return _no(f"{refused} stands in it")
    if q.loop.inner:
        return _no("there are loops in it")
    return Answer(None, "dependences and costs decide", (Outcome(("versioned", "unversioned")),))


_ANSWERS: dict[str, Callable[[Question], Answer]] = {
    "unroll-full": _full,
    "unroll": _unroll,
    "vectorize": _vectorize,
    "distribute": _distribute,
    "unroll-and-jam": _jam,
    "interchange": _interchange,
    "versioning-licm": _version,
}
