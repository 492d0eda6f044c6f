"""The mode of each transformation in a loop, as its attributes say.

What goes in: the attributes of a loop. What comes out: whether a transformation is forced, suppressed, disabled,
enabled, or left to the heuristics of its pass; and what `transform-warning` says of forced ones that are left. The
rules are data: the first that applies decides ([CodeTransformationMetadata], as LLVM 22.1.8 reads it).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from axmem.front.records import dataclass
from axmem.litmus.loops import Attribute
from axmem.transform.attributes import (
    DISABLE_NONFORCED,
    INTERLEAVE,
    IS_VECTORIZED,
    PREFIX,
    SCALABLE,
    UNROLL_DISABLE,
    WIDTH,
    find,
    is_set,
    number,
    short,
)
from axmem.transform.passes import Profile


class Mode(Enum):
    """What metadata says of a transformation of a loop."""

    FORCED = "forced"
    """It is asked for: the costs do not count, and there is a warning if it is left undone."""
    SUPPRESSED = "suppressed"
    """It must not be."""
    DISABLED = "disabled"
    """It is not done, as nothing asks for it, or as it was done."""
    ENABLED = "enabled"
    """It is asked for without a warning."""
    HEURISTIC = "heuristic"
    """Its pass decides."""

    @property
    def is_off(self) -> bool:
        """Whether its pass leaves the loop alone."""
        return self in (Mode.SUPPRESSED, Mode.DISABLED)


class Says(Enum):
    """What a condition asks of an attribute."""

    ON = "is set"
    OFF = "is false"
    NUMBER = "has a number"
    ONE = "is 1"
    MORE = "is more than 1"


@dataclass(frozen=True, slots=True)
class AttributeCondition:
    """A condition on one attribute."""

    name: str
    says: Says

    def holds(self, attributes: Sequence[Attribute]) -> bool:
        """Whether the attributes of a loop meet the condition. A width of scalable vectors is more than 1."""
        value = number(attributes, self.name)
        scalable = self.name == WIDTH and bool(is_set(attributes, SCALABLE))
        match self.says:
            case Says.ON:
                return is_set(attributes, self.name) is True
            case Says.OFF:
                return is_set(attributes, self.name) is False
            case Says.NUMBER:
                return value is not None
            case Says.ONE:
                return value == 1 and not scalable
            case Says.MORE:
                return value is not None and (value > 1 or (scalable and value != 0))
        raise AssertionError(self.says)


def _on(name: str) -> AttributeCondition:
    return AttributeCondition(PREFIX + name, Says.ON)


def _one(name: str) -> AttributeCondition:
    return AttributeCondition(name, Says.ONE)


Rule = tuple[Mode, tuple[AttributeCondition, ...]]
"""A mode, and the conditions that all hold where it is the mode."""

_NONFORCED: Rule = (Mode.DISABLED, (AttributeCondition(DISABLE_NONFORCED, Says.ON),))

RULES: dict[str, tuple[Rule, ...]] = {
    "unroll": (
        (Mode.SUPPRESSED, (AttributeCondition(UNROLL_DISABLE, Says.ON),)),
        (Mode.SUPPRESSED, (_one("llvm.loop.unroll.count"),)),
        (Mode.FORCED, (AttributeCondition("llvm.loop.unroll.count", Says.NUMBER),)),
        (Mode.FORCED, (_on("unroll.enable"),)),
        (Mode.FORCED, (_on("unroll.full"),)),
        _NONFORCED,
    ),
    "unroll-and-jam": (
        (Mode.SUPPRESSED, (_on("unroll_and_jam.disable"),)),
        (Mode.SUPPRESSED, (_one("llvm.loop.unroll_and_jam.count"),)),
        (Mode.FORCED, (AttributeCondition("llvm.loop.unroll_and_jam.count", Says.NUMBER),)),
        (Mode.FORCED, (_on("unroll_and_jam.enable"),)),
        _NONFORCED,
    ),
    "vectorize": (
        (Mode.SUPPRESSED, (AttributeCondition("llvm.loop.vectorize.enable", Says.OFF),)),
        (Mode.SUPPRESSED, (_on("vectorize.enable"), _one(WIDTH), _one(INTERLEAVE))),
        (Mode.DISABLED, (AttributeCondition(IS_VECTORIZED, Says.ON),)),
        (Mode.FORCED, (_on("vectorize.enable"),)),
        (Mode.DISABLED, (_one(WIDTH), _one(INTERLEAVE))),
        (Mode.ENABLED, (AttributeCondition(WIDTH, Says.MORE),)),
        (Mode.ENABLED, (AttributeCondition(INTERLEAVE, Says.MORE),)),
        _NONFORCED,
    ),
    "distribute": (
        (Mode.FORCED, (_on("distribute.enable"),)),
        _NONFORCED,
    ),
    "interchange": (),
    "versioning-licm": (
        (Mode.SUPPRESSED, (_on("licm_versioning.disable"),)),
        _NONFORCED,
    ),
}
"""The rules of each transformation. Interchange reads no metadata, `disable_nonforced` neither."""

_BY_DOCUMENT: dict[str, tuple[Rule, ...]] = {
    "unroll-and-jam": ((Mode.SUPPRESSED, (AttributeCondition(UNROLL_DISABLE, Says.ON),)), *RULES["unroll-and-jam"]),
    "interchange": ((Mode.FORCED, (_on("interchange.enable"),)),),
}
"""Where the document has other rules.

`unroll.disable` suppresses unroll-and-jam, too ("Unroll and Jam"); interchange may be asked for, though no pass does it
for that reason, and "Leftover Transformations" wants a warning where it is left.
"""


def rules(transformation: str, profile: Profile) -> tuple[Rule, ...]:
    """Return the rules of a transformation."""
    own = _BY_DOCUMENT.get(transformation) if profile is Profile.DOC else None
    return RULES[transformation] if own is None else own


LEFT = {
    "unroll": "loop not unrolled",
    "unroll-and-jam": "loop not unroll-and-jammed",
    "vectorize": "loop not vectorized",
    "distribute": "loop not distributed",
    "interchange": "loop not interchanged",
}
"""What `transform-warning` says of a forced transformation that is left, in the order in which it looks."""

NOT_INTERLEAVED = "loop not interleaved"
"""What it says instead of a vectorization with a width that is none."""

SUFFIX = (
    ": the optimizer was unable to perform the requested transformation; the transformation might be disabled or "
    "specified as part of an unsupported transformation ordering"
)


def deciding(
    attributes: Sequence[Attribute], transformation: str, profile: Profile = Profile.LLVM_22
) -> tuple[Mode, tuple[Attribute, ...]]:
    """Return the mode of a transformation, and the attributes that make it so."""
    for mode, conditions in rules(transformation, profile):
        if all(each.holds(attributes) for each in conditions):
            named = (find(attributes, each.name) for each in conditions)
            return mode, tuple(each for each in named if each is not None)
    return Mode.HEURISTIC, ()


def mode(attributes: Sequence[Attribute], transformation: str) -> Mode:
    """Return the mode of a transformation in a loop with these attributes."""
    return deciding(attributes, transformation)[0]


def left(attributes: Sequence[Attribute], profile: Profile = Profile.LLVM_22) -> Iterator[tuple[str, str]]:
    """Yield the transformations that a loop asks for still, each with what `transform-warning` says, suffix aside."""
    for transformation, text in LEFT.items():
        if deciding(attributes, transformation, profile)[0] is Mode.FORCED:
            narrow = number(attributes, WIDTH) is not None and not AttributeCondition(WIDTH, Says.MORE).holds(
                attributes
            )
            yield transformation, NOT_INTERLEAVED if transformation == "vectorize" and narrow else text


def because(attributes: Sequence[Attribute]) -> str:
    """Return the attributes that decided, as a sentence names them."""
    return " and ".join(_written(each) for each in attributes)


def _written(attribute: Attribute) -> str:
    value = "" if attribute.value is None else f" {attribute.value.value}"
    return f"{short(attribute.name)}{value}"
