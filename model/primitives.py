"""The registry of the primitives that every model may use: a row says all of one that no engine has to compute.

What comes out: `primitives(levels)`, the rows by name, with those of the levels of a hierarchy. The elaborator, the
facts, the bounds of searches, explanations, pictures and the tables of docs/models.md take everything from them. What
a primitive holds of is a function of each engine, under its name: on the events of a test in `SETS` or `RELATIONS` of
`axmem.encoder.statics` (or `RELATIONS` of `axmem.encoder.outlines`, if no ordering, scope or value matters), on
families of programs in those of `axmem.refinement.bounded.vocabulary`, unless the row says why it holds of nothing
there. Bounds follow from the former, since a program fixes all but `CHOSEN`. Invariant: an engine without a function
for a row refuses it by name (`axmem.model.vocabulary.refuse`), and a test asks every engine about every row.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from functools import lru_cache, partial

from axmem.front.records import dataclass
from axmem.litmus import vulkan
from axmem.litmus.words import (
    AMDGPU,
    NONPRIVATE_TAG,
    PRIVATE_TAG,
    SPACE_TAGS,
    AddressSpace,
    Hierarchy,
)

CHOSEN = frozenset({"rf", "co"})
"""What an execution chooses; everything else a program fixes."""

BARRIERS, DEPENDENCIES, FAILURES = "barriers", "dependencies", "failed compare-exchanges"
PRIVATE_MEMORY, LDS_MEMORY, MAKE_OPERATIONS = "private memory", "LDS", "make operations"
ONE_AS, NONTEMPORAL, VULKAN_TAGS = "one-as scopes", "nontemporal accesses", "tags of Vulkan"
DMA_OPERATIONS, SYSTEM_SYNCHRONIZATION = "DMA operations", "synchronization by the system"

CONSTRUCTS = (
    *(BARRIERS, DEPENDENCIES, FAILURES, MAKE_OPERATIONS, DMA_OPERATIONS, SYSTEM_SYNCHRONIZATION),
    *(PRIVATE_MEMORY, LDS_MEMORY, ONE_AS, NONTEMPORAL, VULKAN_TAGS),
)
"""Everything that a primitive may need, in the order in which a bound names it."""

SPOKEN = ("fences", "rmw", "orderings", "scopes", "placements", "tags", "av", "volatile")
"""What a primitive may rest on besides loads, stores and where they are: that operations are fences, or are
read-modify-writes; every ordering, every scope, where threads are placed; tags, av intrinsics, volatile accesses."""

NEEDS_OF_TAG = {
    **dict.fromkeys((PRIVATE_TAG, NONPRIVATE_TAG, *map(vulkan.mark, vulkan.WORDS)), VULKAN_TAGS),
    SPACE_TAGS[AddressSpace.PRIVATE]: PRIVATE_MEMORY,
}
"""What programs must have for a tag that models name to hold of anything."""


class FactRole(Enum):
    """What a fact of a primitive does in an explanation."""

    EDGE = "an edge of a path, said by its name"
    FILTER = "only restricts other relations; a path does not go along it"
    FACT = "a fact that is said only where it is missing"


@dataclass(frozen=True, slots=True)
class Lack:
    """How explanations say that a fact of a primitive is missing, and what it costs to mend, in an arbitrary unit.

    The text has the placeholders of remarks (docs/models.md), `{name}` for the primitive's name, `{place b}` for the
    memory of an event, `{noun a}` for load or store, and `{conflict}` for the tags that do not agree. `first` and
    `second` are the kinds of events that can be mended, all if empty; `same_cell` says that both must access one cell.
    """

    price: float
    text: str
    first: frozenset[str] = frozenset()
    second: frozenset[str] = frozenset()
    same_cell: bool = False


@dataclass(frozen=True, slots=True)
class Primitive:
    """A set or relation whose value comes from the candidate execution.

    `text` says of what it holds. `needs` is the construct without which it holds of nothing in any program, in the
    plural, empty if there is none. `speaks_of` are the words of `SPOKEN` for what of an operation it rests on: searches
    leave out what no primitive of a model speaks of, since nothing changes with it. (The set of an ordering or of a
    scope speaks of that one besides.) `not_in_families` says why it holds of nothing in any program of a family. `part`
    is what a fact of it does in an explanation; `lack` says that one is missing, and is None if that cannot be mended.
    `pictured` is the name under which pictures show it, empty if they do not.
    """

    name: str
    text: str
    part: FactRole = FactRole.FACT
    is_set: bool = False
    needs: str = ""
    speaks_of: str = ""
    not_in_families: str = ""
    lack: Lack | None = None
    pictured: str = ""


@dataclass(frozen=True, slots=True)
class FunctionPrimitive:
    """A function of cat that is not written in cat: `parameters` as shown to the user, `lack` as for primitives."""

    name: str
    parameters: tuple[str, ...]
    text: str
    lack: Lack | None = None


# ---------------------------------------------------------------- the rows

_set, _relation = partial(Primitive, is_set=True), Primitive


def _kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


_UNLIKE = Lack(1.5, "the tags of {a} and {b} are not compatible{conflict}")
_ONE_LANE = "their threads have one lane each"
_CONSTANT = "they write constants, to locations that are fixed, and have no branches"
_NO_PHASES = "no two of their threads meet at a barrier"

ROWS = [
    # sets
    _set("_", "all events except final reads", speaks_of="fences"),
    _set("R", "reads, including the read half of a read-modify-write"),
    _set("W", "writes, including initial writes and the write half of a read-modify-write"),
    _set("M", "memory accesses: R | W"),
    _set("F", "fences", speaks_of="fences"),
    _set("BAR", "barrier arrivals and waits", needs=BARRIERS),
    _set("IW", "initial writes"),
    _set("Fin", "final reads, one per cell; a model that names them decides final values, else co's last write does"),
    _set("MKA", "make.available operations", needs=MAKE_OPERATIONS),
    _set("MKV", "make.visible operations", needs=MAKE_OPERATIONS),
    _set("RMW", "both halves of every read-modify-write", speaks_of="rmw"),
    _set("NA", "non-atomic accesses", lack=Lack(3.0, "{a} is not atomic", _kinds("R W")), speaks_of="fences"),
    _set("UN", "unordered atomics", speaks_of="fences"),
    _set(
        "RLX", "events whose ordering is exactly monotonic",
        lack=Lack(3.0, "{a} is not monotonic or stronger", _kinds("R W")), speaks_of="fences",
    ),
    _set(
        "ACQ", "events whose ordering is exactly acquire",
        lack=Lack(2.4, "{a} is no acquire", _kinds("R F")), speaks_of="fences",
    ),
    _set(
        "REL", "events whose ordering is exactly release",
        lack=Lack(2.4, "{a} is no release", _kinds("W F")), speaks_of="fences",
    ),
    _set("ACQ_REL", "events whose ordering is exactly acq_rel", speaks_of="fences"),
    _set(
        "SC", "events whose ordering is seq_cst",
        lack=Lack(2.8, "{a} is not seq_cst", _kinds("R W F")), speaks_of="fences",
    ),
    _set("Vol", "volatile accesses", speaks_of="volatile"),
    _set(
        "AVI", "accesses by an av load or store intrinsic",
        lack=Lack(3.2, "{a} is neither atomic nor an av {noun a}", _kinds("R W")), speaks_of="av",
    ),
    _set("NT", "nontemporal accesses", needs=NONTEMPORAL),
    _set("GLOBAL", "accesses of global memory"),
    _set("LDS", "accesses of LDS, the memory of a workgroup", needs=LDS_MEMORY),
    _set("PRIVATE", "accesses of private memory", needs=PRIVATE_MEMORY),
    _set(
        "OneAs", "events whose syncscope is one of the -one-as scopes",
        needs=ONE_AS, lack=Lack(2.0, "{a} orders one address space alone", _kinds("R W F")),
    ),
    _set("CasFail", "reads of failed compare-exchanges", needs=FAILURES),
    _set(
        "CasFailRel", "reads of failed compare-exchanges whose success ordering has release semantics",
        needs=FAILURES,
    ),
    _set(
        "CasFailAcq", "reads of failed compare-exchanges whose success ordering has acquire semantics",
        needs=FAILURES,
    ),
    _set("INITIATE", "instructions that initiate DMA operations", needs=DMA_OPERATIONS),
    _set("WAIT", "waits for DMA operations", needs=DMA_OPERATIONS),
    _set("DMA", "events of DMA operations: entry, reads, writes and the release at the end", needs=DMA_OPERATIONS),
    _set("Tagged", "events with an MMRA tag whose prefix is not amdgcn-av", speaks_of="tags"),
    # relations
    _relation("id", "every event, final reads included, with itself", FactRole.FILTER),
    _relation("po", "program order: an event before another of its thread", FactRole.EDGE, pictured="po"),
    _relation(
        "rf", "reads-from: a write and a read that takes its value from it",
        FactRole.EDGE, pictured="rf",
        lack=Lack(4.0, "{b} does not read from {a}", _kinds("W I"), _kinds("R"), same_cell=True),
    ),
    _relation(
        "co", "coherence order, also known as modification order: total over the writes of a cell",
        FactRole.EDGE, pictured="mo",
    ),
    _relation("loc", "accesses of the same cell", FactRole.FILTER),
    _relation("vloc", "accesses of the same cell under the same name: in Vulkan, of the same reference",
              FactRole.FILTER),
    _relation(
        "ssw", "events of two threads of which the first system-synchronizes-with the second",
        FactRole.EDGE, needs=SYSTEM_SYNCHRONIZATION,
    ),
    _relation("int", "events of the same thread", FactRole.FILTER),
    _relation("ext", "events of different threads", FactRole.FILTER),
    _relation("rmw", "the read half and the write half of a read-modify-write", FactRole.EDGE, speaks_of="rmw"),
    _relation(
        "addr", "address dependency: a read and an access whose address depends on its value",
        FactRole.EDGE, needs=DEPENDENCIES, not_in_families=_CONSTANT,
    ),
    _relation(
        "data", "data dependency: a read and a write whose value depends on its value",
        FactRole.EDGE, needs=DEPENDENCIES, not_in_families=_CONSTANT,
    ),
    _relation(
        "ctrl", "control dependency: a read that decides a branch and every event after that branch",
        FactRole.EDGE, needs=DEPENDENCIES, not_in_families=_CONSTANT,
    ),
    _relation(
        "guard", "a read and an event that executes or not depending on its value",
        FactRole.EDGE, needs=DEPENDENCIES, not_in_families=_CONSTANT,
    ),
    _relation(
        "admits", "a write and an event that a read guards which takes its value and may then execute the event",
        FactRole.FILTER, needs=DEPENDENCIES, not_in_families=_CONSTANT,
    ),
    _relation(
        "excludes", "a write and an event that a read guards which takes its value and then does not execute the event",
        FactRole.FILTER, needs=DEPENDENCIES, not_in_families=_CONSTANT,
    ),
    _relation(
        "conv", "converged instances of one statement of a kernel, in whichever lanes (an equivalence)",
        FactRole.FILTER, not_in_families=_ONE_LANE,
    ),
    _relation(
        "xlane", "a read and an event of another lane that depends on its value through a cross-lane operation",
        FactRole.EDGE, not_in_families=_ONE_LANE,
    ),
    _relation("si", "events of the same instruction (an equivalence)", FactRole.FILTER, speaks_of="rmw"),
    _relation(
        "sa",
        "events of the same access or half of a read-modify-write; the initial writes, the final reads of a location",
        FactRole.FILTER,
    ),
    _relation(
        "perf", "accesses of one cell by the same footprint; an initial or final event and any access of its cell",
        FactRole.FILTER, lack=Lack(3.0, "{a} and {b} do not access the same bytes", same_cell=True),
    ),
    _relation("tag-compat", "events whose explicit MMRA tags are compatible", lack=_UNLIKE, speaks_of="tags"),
    _relation(
        "tag-compat-dd", "events compatible when both count the tag of their address space",
        lack=_UNLIKE, speaks_of="tags",
    ),
    _relation(
        "tag-compat-sd", "events compatible when the right one counts the tag of its address space",
        lack=_UNLIKE, speaks_of="tags",
    ),
    _relation(
        "as-compat", "fences that order a common address space",
        FactRole.FILTER, lack=Lack(1.5, "{a} and {b} order no common address space"), speaks_of="tags",
    ),
    _relation(
        "bar", "a barrier arrival and a wait of the same barrier and phase",
        FactRole.EDGE, needs=BARRIERS, not_in_families=_NO_PHASES,
    ),
    _relation(
        "covers", "a make operation and a write whose bytes it concerns (every write unless it is a ptr form)",
        FactRole.FILTER, lack=Lack(1.5, "{a} does not cover {place b}", _kinds("MA MV")),
    ),
    _relation(
        "initiates", "the instruction that initiates a DMA operation and the entry of the operation",
        FactRole.EDGE, needs=DMA_OPERATIONS,
    ),
    _relation(
        "completes", "the release at the end of a DMA operation and the wait or barrier at which it is completed",
        FactRole.EDGE, needs=DMA_OPERATIONS,
        lack=Lack(5.0, "the DMA operation that {a} ends is not complete at {b}", _kinds("F"), _kinds("wait")),
    ),
]
"""Every primitive but those of the levels."""


def _of_levels(levels: Hierarchy) -> list[Primitive]:
    """Return the rows of each level of a hierarchy, from the narrowest: the set of its scope, and its instances."""
    text, kinds = "{a} has {scope a} scope where {name} scope is needed", _kinds("R W F MA MV")
    rows = []
    for number, word in enumerate(level.word for level in levels):
        lack = Lack(2 + 0.05 * number, text, kinds)
        rows.append(_set(word, f"events whose syncscope is exactly {word}", lack=lack))
        rows.append(_relation(f"same-{word}", f"events of the same {word} instance"))
    return rows


def level_names(levels: Hierarchy) -> frozenset[str]:
    """Return the names of the primitives that a hierarchy has of its own."""
    return frozenset(row.name for row in _of_levels(levels))


@lru_cache(maxsize=256)
def primitives(levels: Hierarchy) -> dict[str, Primitive]:
    """Return the primitives of models that speak of these levels, sets first."""
    rows = [*ROWS, *_of_levels(levels)]
    return {row.name: row for row in sorted(rows, key=lambda row: not row.is_set)}


PRIMITIVES = primitives(AMDGPU)
"""The primitives of models that declare no levels."""

PICTURED = {row.name: row.pictured for row in ROWS if row.pictured} | {"fr": "fr"}
"""The relations of the vocabulary and of the prelude that pictures know, and the names under which they show them."""

ALIASES = {"I": "IW", "MONO": "RLX", "B": "BAR"}

FUNCTIONS = {
    f.name: f
    for f in (
        FunctionPrimitive("domain", ("r",), "the events that r relates to something"),
        FunctionPrimitive("range", ("r",), "the events to which r relates something"),
        FunctionPrimitive("toid", ("S",), "[S], the identity on S"),
        FunctionPrimitive("fencerel", ("S",), "po & (_ * S) ; po: pairs with an event of S between them"),
        FunctionPrimitive(
            "tagged", ('"prefix:suffix"',), "the events that carry this MMRA tag", Lack(1.0, "{a} carries {name}")
        ),
        FunctionPrimitive("linearisations", ("S", "r"), "the total orders of S that contain r there"),
        FunctionPrimitive(
            "coherences", ("S", "r"), "the orders that are total on the accesses of S to each cell and contain r there"
        ),
        FunctionPrimitive("partial-orders", ("r", "s"), "the orders inside r that contain s there"),
        FunctionPrimitive("classes-loc", ("S",), "the accesses of S to each cell"),
        FunctionPrimitive("tag2events", ("tag",), "of bell files, which are not supported"),
        FunctionPrimitive(
            "through",
            ("step", "link", "S", "c"),
            "pairs joined by a chain of step and at least one link edge whose stations are in S and c to both ends",
            Lack(
                1.5, "on the way from {a} to {b} some operation has tags that are not compatible with those of both"
            ),
        ),
    )
}


@lru_cache(maxsize=256)
def lacks(levels: Hierarchy) -> dict[str, Lack]:
    """Return what may be missing, by primitive or function: what one would mend first is cheapest.

    Nothing else can be mended.
    """
    rows: list[Primitive | FunctionPrimitive] = [*primitives(levels).values(), *FUNCTIONS.values()]
    return {row.name: row.lack for row in rows if row.lack is not None}


def in_words(constructs: Collection[str]) -> str:
    """Return constructs as a list in words."""
    words = [c for c in CONSTRUCTS if c in constructs]
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])
