"""What is asked of a pass about a loop, and what may be answered.

What goes in: nothing. What comes out: the types of `axmem.transform.decisions`, and the operations that keep LLVM
22.1.8 from a transformation, measured pass by pass (`REFUSED`).
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.front.records import dataclass, field
from axmem.transform.attributes import PREFIX, is_set, number
from axmem.transform.forest import Content, Tree
from axmem.transform.modes import Mode
from axmem.transform.passes import Pass, PassTarget, Profile, When

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

WORDS = ("at run time", "checked", "interleaved", "masked")
"""What is said of an outcome besides: the trip count is not constant, pointers are checked, there are no vectors, masks
keep the vector loop from what would be the rest."""


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
class PassAnswer:
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
class PassSettings:
    """Under which rules passes run."""

    profile: Profile = Profile.LLVM_22
    target: PassTarget = PassTarget.X86_64
    forced_only: bool = False

    @property
    def circumstances(self) -> frozenset[When]:
        """What holds wherever the target is this one."""
        return frozenset({When.X86_64} if self.target is PassTarget.X86_64 else ())


@dataclass(frozen=True, slots=True)
class LoopQuestion:
    """A loop that a pass looks at, with the loop around it."""

    pass_: Pass
    loop: Tree
    around: Tree | None
    settings: PassSettings
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


def no(reason: str, warning: str = "") -> PassAnswer:
    """Return that nothing is done, and why."""
    return PassAnswer(False, reason, warning=warning)
