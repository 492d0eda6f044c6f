r"""What a change of programs says of the primitives: of the program before it (primed) and the one after it.

What comes out: for each rule that keeps the events of a program the primitives that it may change, and inclusions in
cat, checked by a test on programs that the rule makes of one another. What a change does not name is the same in both.
In an execution that follows another the coherence is the same, and what is read is read from the same write, or undef
(see the package).
"""

from __future__ import annotations

from itertools import accumulate

from axmem.front.records import dataclass
from axmem.litmus.words import AMDGPU
from axmem.model.facts import Fact

FOLLOWED = Fact("read-or-undef", "rf'", "rf")
"""What is true of every execution that follows another."""


@dataclass(frozen=True, slots=True)
class Primed:
    """Which primitives a change may change, and what it says of them.

    `tags_lost`: the sets of events with a tag may change, and after it no event has a tag that it had not before.
    """

    varied: frozenset[str] = frozenset()
    facts: tuple[Fact, ...] = ()
    tags_lost: bool = False


def _primed(varied: str, *facts: Fact, tags_lost: bool = False) -> Primed:
    return Primed(frozenset(varied.split()), facts, tags_lost)


_TAGS = _primed(
    "tag-compat tag-compat-sd tag-compat-dd as-compat Tagged",
    Fact("more-compatible", "tag-compat'", "tag-compat"),
    Fact("more-compatible-sd", "tag-compat-sd'", "tag-compat-sd"),
    Fact("more-compatible-dd", "tag-compat-dd'", "tag-compat-dd"),
    Fact("more-spaces", "as-compat'", "as-compat"),
    Fact("fewer-tagged", "Tagged", "Tagged'"),
    tags_lost=True,
)
_WORDS = [level.word for level in AMDGPU]
_WIDER = dict(zip(reversed(_WORDS), accumulate(reversed(_WORDS), lambda wider, word: f"{word} | {wider}"), strict=True))
"""For each level the events of that scope or a wider one."""

NOTHING = Primed()

CHANGES = {
    "swap-incompatible": _primed(
        "po",
        Fact(
            "as-before-where-compatible", "po' & (tag-compat | tag-compat-sd | tag-compat-sd^-1 | tag-compat-dd)", "po"
        ),
        Fact("as-before-of-one-location", "po' & loc", "po"),
    ),
    "drop-prefix": _TAGS,
    "drop-av-none": Primed(tags_lost=True),
    "widen-scope": _primed(
        " ".join(_WORDS), *(Fact(f"no-narrower-than-{word}", f"{word}'", wider) for word, wider in _WIDER.items())
    ),
    "strengthen-atomic": _primed(
        "UN RLX ACQ REL ACQ_REL SC",
        Fact("still-atomic", "UN'", "UN | RLX | ACQ | REL | ACQ_REL | SC"),
        Fact("no-more-unordered", "UN", "UN'"),
        Fact("still-strong", "RLX'", "RLX | ACQ | REL | ACQ_REL | SC"),
        Fact("still-acquiring", "ACQ'", "ACQ | ACQ_REL | SC"),
        Fact("still-releasing", "REL'", "REL | ACQ_REL | SC"),
        Fact("still-both", "ACQ_REL'", "ACQ_REL | SC"),
        Fact("still-in-order", "SC'", "SC"),
    ),
    "atomic-instead-of-av": _primed(
        "NA AVI RLX",
        Fact("atomic-or-av", "AVI' & NA", "AVI"),
        Fact("still-av", "AVI", "AVI'"),
        Fact("plain-or-av", "NA'", "NA | AVI'"),
        Fact("still-plain", "NA", "NA'"),
        Fact("still-monotonic", "RLX'", "RLX"),
    ),
}
"""The changes that keep the events of a program, by the names of their rules."""
