r"""What is true of the primitives in every execution of every program: the algebra that proofs without a bound rest on.

What comes out: cat text, each fact a check that never fails, `empty (smaller) \ (larger) as name`, so that the engines
can evaluate what proofs assume (`tests/model/test_facts.py` does, on the corpus and on random programs). `PREMISES` are
facts of programs that lack some construct: a proof that uses one is about these programs alone, and says so.
Invariant: a fact speaks of primitives and of no model's definitions.
"""

from __future__ import annotations

from itertools import pairwise

from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.litmus.words import AMDGPU, Hierarchy, tag_text
from axmem.model.primitives import CONSTRUCTS, NEEDS_OF_TAG, PRIMITIVES


@dataclass(frozen=True, slots=True)
class Fact:
    """All of `smaller` is in `larger`, both expressions of cat."""

    name: str
    smaller: str
    larger: str = "0"


@dataclass(frozen=True, slots=True)
class Premise:
    """What is true of some programs: `text` says of which. `lacks`: the construct that they have not, or none."""

    name: str
    text: str
    facts: tuple[Fact, ...]
    lacks: str = ""


_EVENTS = "_ | Fin"
_THREADS = "_ \\ IW"
"""The events of threads."""

_ORDERINGS = "UN | RLX | ACQ | REL | ACQ_REL | SC"

_ALIKE = ("R", "W", "F", "NA", *_ORDERINGS.split(" | "))
"""What is the same of all events of an access."""

_FACTS = (
    # events
    Fact("events", "id", f"[{_EVENTS}]"),
    Fact("final-reads-apart", "_ & Fin"),
    Fact("kinds", "R | W | F | BAR | MKA | MKV | M | IW", "_"),
    Fact("accesses", "M", "R | W"),
    Fact("accesses-all", "R | W", "M"),
    Fact("initial-writes", "IW", "W"),
    Fact("reads-apart", "R & (W | F | BAR | MKA | MKV)"),
    Fact("writes-apart", "W & (F | BAR | MKA | MKV)"),
    Fact("fences-apart", "F & (BAR | MKA | MKV)"),
    Fact("orderings", f"NA | {_ORDERINGS}", "(R | W | F) \\ IW"),
    Fact("not-atomic", "NA", "M"),
    Fact("not-atomic-apart", f"NA & ({_ORDERINGS})"),
    Fact("atomic-or-not", "M \\ IW", f"NA | {_ORDERINGS}"),
    Fact("release-and-acquire-apart", "(REL & ACQ) | (RLX & (ACQ | REL | ACQ_REL | SC))"),
    Fact("operations-alone", "NA | Vol | AVI | MKA | MKV | CasFail | CasFailRel | CasFailAcq", _THREADS),
    # threads
    Fact("po-transitive", "po ; po", "po"),
    Fact("po-irreflexive", "po & id"),
    Fact("po-in-thread", "po", "int"),
    Fact("po-total", "int", "po | po^-1 | si"),
    Fact("int-symmetric", "int^-1", "int"),
    Fact("int-transitive", "int ; int", "int"),
    Fact("int-reflexive", f"[{_THREADS}]", "int"),
    Fact("int-of-threads", "int", f"({_THREADS}) * ({_THREADS})"),
    Fact("ext-apart", "ext & (int | id)"),
    Fact("ext-symmetric", "ext^-1", "ext"),
    Fact("ext-or-int", f"({_THREADS}) * ({_THREADS})", "ext | int"),
    Fact("ext-of-events", "ext", "_ * _"),
    # instructions
    Fact("si-symmetric", "si^-1", "si"),
    Fact("si-transitive", "si ; si", "si"),
    Fact("si-reflexive", "id", "si"),
    Fact("si-in-thread", "si", "int | ((IW | Fin) * (IW | Fin))"),
    Fact("sa-symmetric", "sa^-1", "sa"),
    Fact("sa-transitive", "sa ; sa", "sa"),
    Fact("sa-reflexive", "id", "sa"),
    Fact("sa-in-si", "sa", "si | ((IW | Fin) * (IW | Fin))"),
    *(Fact(f"{name}-of-access", f"[{name}] ; sa", f"sa ; [{name}]") for name in _ALIKE),
    Fact("rmw-in-po", "rmw", "po & si & (R * W)"),
    # memory
    Fact("loc-symmetric", "loc^-1", "loc"),
    Fact("loc-transitive", "loc ; loc", "loc"),
    Fact("loc-reflexive", "[M | Fin]", "loc"),
    Fact("loc-of-accesses", "loc", "(M | Fin) * (M | Fin)"),
    Fact("perf-in-loc", "perf", "loc"),
    Fact("perf-symmetric", "perf^-1", "perf"),
    Fact("perf-reflexive", "[M | Fin]", "perf"),
    Fact("rf-in-loc", "rf", "loc & (W * (R | Fin))"),
    Fact("rf-functional", "rf ; rf^-1", "id"),
    Fact("co-in-loc", "co", "loc & (W * W)"),
    Fact("co-transitive", "co ; co", "co"),
    Fact("co-irreflexive", "co & id"),
    Fact("co-total", "loc & (W * W)", "co | co^-1 | id"),
    Fact("dependencies", "addr | data | ctrl | guard", "R * _"),
    Fact("barriers", "bar", "BAR * BAR"),
    # tags
    Fact("compatible-symmetric", "tag-compat^-1", "tag-compat"),
    Fact("compatible-reflexive", "id", "tag-compat"),
    Fact("compatible-dd-symmetric", "tag-compat-dd^-1", "tag-compat-dd"),
    Fact("compatible-implied", "tag-compat-dd", "tag-compat-sd"),
    Fact("compatible-explicit", "tag-compat-sd", "tag-compat"),
)


def _levels(levels: Hierarchy) -> tuple[Fact, ...]:
    """Return what is true of the levels of a hierarchy, from the narrowest to the system."""
    words = [level.word for level in levels]
    every = " | ".join(words)
    found = [
        Fact("scopes", every, "(R | W | F | MKA | MKV) \\ IW"),
        Fact("scoped", f"MKA | MKV | {_ORDERINGS}", every),
        Fact("in-the-system", f"({_EVENTS}) * ({_EVENTS})", f"same-{words[-1]}"),
        Fact("thread-in-instance", "int", f"same-{words[0]} | (DMA * DMA)"),
    ]
    for word in words:
        same = f"same-{word}"
        found.append(Fact(f"{same}-symmetric", f"{same}^-1", same))
        found.append(Fact(f"{same}-transitive", f"{same} ; {same}", same))
    for narrow, wide in pairwise(words):
        found.append(Fact(f"same-{narrow}-nested", f"same-{narrow}", f"same-{wide}"))
    for word in words:
        others = " | ".join(w for w in words if w != word)
        if others:
            found.append(Fact(f"{word}-apart", f"{word} & ({others})"))
    return tuple(found)


def facts(levels: Hierarchy = AMDGPU) -> tuple[Fact, ...]:
    """Return what is true of the primitives of models that speak of these levels."""
    return (*_FACTS, *_levels(levels))


_ALL_PAIRS = f"({_EVENTS}) * ({_EVENTS})"


def without(construct: str) -> str:
    """Return the name of the premise that programs lack a construct."""
    return f"no-{construct.replace(' ', '-')}"


def _lacking(construct: str) -> Premise:
    """Return that primitives which need a construct hold of nothing.

    Each has a fact of its own, since a step of a proof is given the facts that speak of nothing else than it does.
    """
    name = without(construct)
    sets = [n for n, p in PRIMITIVES.items() if p.needs == construct and p.is_set]
    relations = [n for n, p in PRIMITIVES.items() if p.needs == construct and not p.is_set]
    tags = [f'tagged("{tag_text(tag)}")' for tag, needed in NEEDS_OF_TAG.items() if needed == construct]
    facts = tuple(Fact(name, part) for part in (*sets, *tags, *relations))
    return Premise(name, f"no {construct}", facts, construct)


PREMISES = {
    p.name: p
    for p in (
        Premise("one-thread", "one thread", (Fact("one-thread", "ext", "(IW * _) | (_ * IW)"),)),
        Premise(
            "untagged",
            "no tags",
            (
                Fact("untagged", _ALL_PAIRS, "tag-compat & tag-compat-sd & as-compat"),
                Fact("untagged-spaces", "loc", "tag-compat-dd"),
                Fact("no-tags", "Tagged"),
            ),
        ),
        Premise(
            "whole-accesses",
            "no vectors, nor accesses of unlike sizes",
            (Fact("whole-accesses", "sa", "id"), Fact("whole-footprints", "loc", "perf")),
        ),
        Premise("no-volatile", "no volatile accesses", (Fact("no-volatile", "Vol"),)),
        *map(_lacking, CONSTRUCTS),
    )
}
"""What proofs may assume of programs, by name."""


def as_cat(name: str, some: tuple[Fact, ...], levels: Hierarchy = AMDGPU, check: str = "empty") -> Source:
    """Return facts as a text of cat whose checks never fail; `flag ~empty` as a check reports where one would."""
    declared = f"(** @levels {' '.join(level.word for level in levels)} *)\n" if levels != AMDGPU else ""
    lines = [f"{check} ({f.smaller}) \\ ({f.larger}) as {f.name}\n" for f in some]
    return Source(f"{name}.cat", f'"{name}"\n{declared}{"".join(lines)}')
