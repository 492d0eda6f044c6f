"""The LoopIDs of the loops that a transformation makes, with where every attribute came from.

What goes in: the attributes of the loop before, the kind of loop that comes to be, and under what circumstances. What
comes out: its attributes in LLVM's order, or None where it has no LoopID. Invariant: LoopIDs are immutable; a loop
whose attributes change has a new one, one whose attributes stay keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.front.records import dataclass
from axmem.litmus.loops import Attribute, LoopID
from axmem.litmus.terms import I32, Number
from axmem.transform.attributes import PREFIX, UNROLL_DISABLE, followups, short
from axmem.transform.passes import NOTHING, Add, Drop, Follow, Makeup, Pass, Step, When


@dataclass(frozen=True, slots=True)
class CarriedAttribute:
    """An attribute, and where it came from: the name of a LoopID of the text, or what a pass did."""

    attribute: Attribute
    origin: str


@dataclass(frozen=True, slots=True)
class Identity:
    """The LoopID of a loop: its `name` in the text, `""` of one that a pass made; its attributes in order."""

    name: str
    carried: tuple[CarriedAttribute, ...]

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes alone."""
        return tuple(each.attribute for each in self.carried)

    def loop_id(self, name: str = "") -> LoopID:
        """Return it as loop metadata, under a name if it has none."""
        return LoopID(self.name or name, self.attributes)


def written(identity: LoopID | None) -> Identity | None:
    """Return the LoopID of a loop of the text."""
    if identity is None:
        return None
    return Identity(identity.name, tuple(CarriedAttribute(a, f"!{identity.name}") for a in identity.attributes))


def attributes(identity: Identity | None) -> tuple[Attribute, ...]:
    """Return the attributes of a loop, none if it has no LoopID."""
    return () if identity is None else identity.attributes


def followup_loop(
    pass_: Pass, makeup: Makeup, loop: Identity | None, circumstances: frozenset[When], inner: Identity | None = None
) -> Identity | None:
    """Return the LoopID of a kind of loop that a pass makes of a loop; `inner` is that of the loop in it.

    Followups are those of the transformed loop, for the loop in it as well.
    """
    base = inner if makeup.inner else loop
    names = pass_.followups(makeup.kind)
    given = None if makeup.given is None else followups(attributes(loop), names)
    follow = () if given is None else _followed(given, pass_, attributes(loop), names)
    old = () if base is None else base.carried
    new = old
    steps = makeup.without if given is None or makeup.given is None else makeup.given
    for step in steps:
        if isinstance(step, Follow) or _applies(step.when, new, circumstances):
            new = _taken(step, new, pass_, follow)
    if not new and (base is None or old or NOTHING in steps):
        return None
    return base if new == old and base is not None else Identity("", new)


def _followed(
    given: tuple[Attribute, ...], pass_: Pass, own: tuple[Attribute, ...], names: Iterable[str]
) -> tuple[CarriedAttribute, ...]:
    """Return the attributes that followups give, each with the list that it stands in."""
    lists = [(name, part) for name in names if (part := followups(own, (name,))) is not None]
    origins = [f"{short(name)} of {pass_.name}" for name, part in lists for _ in part]
    return tuple(CarriedAttribute(a, origin) for a, origin in zip(given, origins, strict=True))


def _taken(
    step: Step, old: tuple[CarriedAttribute, ...], pass_: Pass, follow: tuple[CarriedAttribute, ...]
) -> tuple[CarriedAttribute, ...]:
    match step:
        case Drop(prefixes=prefixes):
            return tuple(each for each in old if not each.attribute.name.startswith(prefixes))
        case Add(name=name, value=value, renewed=renewed):
            number = None if value is None else Number(value, I32)
            kept = tuple(each for each in old if not (renewed and each.attribute.name == name))
            return (*kept, CarriedAttribute(Attribute(name, number), f"added by {pass_.name}"))
    return (*old, *follow)


def _applies(when: tuple[When, ...], so_far: tuple[CarriedAttribute, ...], circumstances: frozenset[When]) -> bool:
    """Whether a step applies, to a loop that has these attributes so far."""
    names = [each.attribute.name for each in so_far]
    for each in when:
        match each:
            case When.NO_UNROLL_METADATA:
                if any(name.startswith(f"{PREFIX}unroll.") for name in names):
                    return False
            case When.LAST_DISABLES_NO_UNROLLING:
                if names and names[-1].startswith(UNROLL_DISABLE):
                    return False
            case _:
                if each not in circumstances:
                    return False
    return True
