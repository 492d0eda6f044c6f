"""The registry of the primitives that every model may use: what each is, and where it holds of nothing.

This is the one place where the vocabulary is written down: the elaborator looks names up here, the documentation prints
the table, and every engine attaches its meanings by name: on events `axmem.encoder.statics`, on families of programs
`axmem.families`, in explanations `axmem.explanations` (by `part`, `lacks` and `PICTURED`). Invariant: an engine that is
asked for a model which reaches an entry without a meaning there refuses it by name (`refuse`); nothing is taken to be
empty unless the entry says that programs without some construct leave it empty, and then what is printed names the
construct. `ALIASES` are other names of the same primitives.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from enum import Enum
from functools import lru_cache

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import vulkan
from axmem.litmus.words import (
    AMDGPU,
    NONPRIVATE_TAG,
    PRIVATE_TAG,
    SPACE_TAGS,
    AddressSpace,
    Hierarchy,
    Scope,
    counterparts,
)
from axmem.model.terms import Axiom, Model, Op, Term, UndefRule

CHOSEN = frozenset({"rf", "co"})
"""What an execution chooses; everything else a program fixes."""

ORDERS = "with … from"
"""What engines know that have executions choose further orders, as models ask for."""


class Part(Enum):
    """What a fact of a primitive does in an explanation."""

    EDGE = "an edge of a path, said by its name"
    FILTER = "only restricts other relations; a path does not go along it"
    FACT = "a fact that is said only where it is missing"


@dataclass(frozen=True, slots=True)
class Primitive:
    """A set or relation whose value comes from the candidate execution.

    `needs` is the construct without which it holds of nothing in any program, in the plural; empty if there is none.
    """

    name: str
    is_set: bool
    text: str
    part: Part = Part.FACT
    needs: str = ""


@dataclass(frozen=True, slots=True)
class FunctionPrimitive:
    """A function of cat that is not written in cat: `parameters` as shown to the user."""

    name: str
    parameters: tuple[str, ...]
    text: str


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


_SETS = {
    "_": "all events except final reads",
    "R": "reads, including the read half of a read-modify-write",
    "W": "writes, including initial writes and the write half of a read-modify-write",
    "M": "memory accesses: R | W",
    "F": "fences",
    "BAR": "barrier arrivals and waits",
    "IW": "initial writes",
    "Fin": "final reads, one per cell; a model that names them decides final values, else co's last write does",
    "MKA": "make.available operations",
    "MKV": "make.visible operations",
    "RMW": "both halves of every read-modify-write",
    "NA": "non-atomic accesses",
    "UN": "unordered atomics",
    "RLX": "events whose ordering is exactly monotonic",
    "ACQ": "events whose ordering is exactly acquire",
    "REL": "events whose ordering is exactly release",
    "ACQ_REL": "events whose ordering is exactly acq_rel",
    "SC": "events whose ordering is seq_cst",
    "Vol": "volatile accesses",
    "AVI": "accesses by an av load or store intrinsic",
    "NT": "nontemporal accesses",
    "GLOBAL": "accesses of global memory",
    "LDS": "accesses of LDS, the memory of a workgroup",
    "PRIVATE": "accesses of private memory",
    "OneAs": "events whose syncscope is one of the -one-as scopes",
    "CasFail": "reads of failed compare-exchanges",
    "CasFailRel": "reads of failed compare-exchanges whose success ordering has release semantics",
    "CasFailAcq": "reads of failed compare-exchanges whose success ordering has acquire semantics",
    "INITIATE": "instructions that initiate DMA operations",
    "WAIT": "waits for DMA operations",
    "DMA": "events of DMA operations: entry, reads, writes and the release at the end",
    "Tagged": "events with an MMRA tag whose prefix is not amdgcn-av",
}

_RELATIONS = {
    "id": "every event, final reads included, with itself",
    "po": "program order: an event before another of its thread",
    "rf": "reads-from: a write and a read that takes its value from it",
    "co": "coherence order, also known as modification order: total over the writes of a cell",
    "loc": "accesses of the same cell",
    "vloc": "accesses of the same cell under the same name: in Vulkan, of the same reference",
    "ssw": "events of two threads of which the first system-synchronizes-with the second",
    "int": "events of the same thread",
    "ext": "events of different threads",
    "rmw": "the read half and the write half of a read-modify-write",
    "addr": "address dependency: a read and an access whose address depends on its value",
    "data": "data dependency: a read and a write whose value depends on its value",
    "ctrl": "control dependency: a read that decides a branch and every event after that branch",
    "guard": "a read and an event that executes or not depending on its value",
    "admits": "a write and an event that a read guards which takes its value and may then execute the event",
    "excludes": "a write and an event that a read guards which takes its value and then does not execute the event",
    "conv": "converged instances of one statement of a kernel, in whichever lanes (an equivalence)",
    "xlane": "a read and an event of another lane that depends on its value through a cross-lane operation",
    "si": "events of the same instruction (an equivalence)",
    "sa": "events of the same access or half of a read-modify-write; the initial writes, the final reads of a location",
    "perf": "accesses of one cell by the same footprint; an initial or final event and any access of its cell",
    "tag-compat": "events whose explicit MMRA tags are compatible",
    "tag-compat-dd": "events compatible when both count the tag of their address space",
    "tag-compat-sd": "events compatible when the right one counts the tag of its address space",
    "as-compat": "fences that order a common address space",
    "bar": "a barrier arrival and a wait of the same barrier and phase",
    "covers": "a make operation and a write whose bytes it concerns (every write unless it is a ptr form)",
    "initiates": "the instruction that initiates a DMA operation and the entry of the operation",
    "completes": "the release at the end of a DMA operation and the wait or barrier at which it is completed",
}

_EDGES = frozenset({
    "xlane", "po", "rf", "co", "rmw", "addr", "data", "ctrl", "guard", "bar", "initiates", "completes", "ssw",
})  # fmt: skip
_FILTERS = frozenset(
    {"conv", "loc", "vloc", "int", "ext", "si", "sa", "perf", "id", "covers", "as-compat", "admits", "excludes"}
)

BARRIERS, DEPENDENCIES, FAILURES = "barriers", "dependencies", "failed compare-exchanges"
PRIVATE_MEMORY, LDS_MEMORY, MAKE_OPERATIONS = "private memory", "LDS", "make operations"
ONE_AS, NONTEMPORAL, VULKAN_TAGS = "one-as scopes", "nontemporal accesses", "tags of Vulkan"
DMA_OPERATIONS, SYSTEM_SYNCHRONIZATION = "DMA operations", "synchronization by the system"

_NEEDS = {
    **dict.fromkeys(("BAR", "bar"), BARRIERS),
    **dict.fromkeys(("addr", "data", "ctrl", "guard", "admits", "excludes"), DEPENDENCIES),
    **dict.fromkeys(("CasFail", "CasFailRel", "CasFailAcq"), FAILURES),
    **dict.fromkeys(("MKA", "MKV"), MAKE_OPERATIONS),
    **dict.fromkeys(("INITIATE", "WAIT", "DMA", "initiates", "completes"), DMA_OPERATIONS),
    "ssw": SYSTEM_SYNCHRONIZATION,
    "PRIVATE": PRIVATE_MEMORY, "LDS": LDS_MEMORY, "OneAs": ONE_AS, "NT": NONTEMPORAL,
}  # fmt: skip
"""What programs must have for a primitive to hold of anything. A space of programs may leave these out, and says so."""

NEEDS_OF_TAG = {
    **dict.fromkeys((PRIVATE_TAG, NONPRIVATE_TAG, *map(vulkan.mark, vulkan.WORDS)), VULKAN_TAGS),
    SPACE_TAGS[AddressSpace.PRIVATE]: PRIVATE_MEMORY,
}
"""The same for tags that models name."""

CONSTRUCTS = tuple(dict.fromkeys((*_NEEDS.values(), *NEEDS_OF_TAG.values())))
"""Everything that a primitive may need, in the order in which a bound names it."""


def needs(term: Term) -> str:
    """Return the construct without which a primitive or a tag that a model names holds of nothing; empty if none."""
    if term.op is Op.TAGGED:
        prefix, _, suffix = term.name.partition(":")
        return NEEDS_OF_TAG.get((prefix, suffix), "")
    return PRIMITIVES[term.name].needs if term.name in PRIMITIVES else ""


def in_words(constructs: Collection[str]) -> str:
    """Return constructs as a list in words."""
    words = [c for c in CONSTRUCTS if c in constructs]
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])


def _part(name: str) -> Part:
    return Part.EDGE if name in _EDGES else Part.FILTER if name in _FILTERS else Part.FACT


def _level_sets(levels: Hierarchy) -> dict[str, str]:
    return {level.word: f"events whose syncscope is exactly {level.word}" for level in levels}


def _level_relations(levels: Hierarchy) -> dict[str, str]:
    return {f"same-{level.word}": f"events of the same {level.word} instance" for level in levels}


_ACCESSES = frozenset({"R", "W"})
_UNLIKE = Lack(1.5, "the tags of {a} and {b} are not compatible{conflict}")

_LACKS = {
    "REL": Lack(2.4, "{a} is no release", frozenset({"W", "F"})),
    "ACQ": Lack(2.4, "{a} is no acquire", frozenset({"R", "F"})),
    "OneAs": Lack(2.0, "{a} orders one address space alone", frozenset({"R", "W", "F"})),
    "RLX": Lack(3.0, "{a} is not monotonic or stronger", _ACCESSES),
    "NA": Lack(3.0, "{a} is not atomic", _ACCESSES),
    "AVI": Lack(3.2, "{a} is neither atomic nor an av {noun a}", _ACCESSES),
    "covers": Lack(1.5, "{a} does not cover {place b}", frozenset({"MA", "MV"})),
    "perf": Lack(3.0, "{a} and {b} do not access the same bytes", same_cell=True),
    "as-compat": Lack(1.5, "{a} and {b} order no common address space"),
    "rf": Lack(4.0, "{b} does not read from {a}", frozenset({"W", "I"}), frozenset({"R"}), same_cell=True),
    **dict.fromkeys(("tag-compat", "tag-compat-dd", "tag-compat-sd"), _UNLIKE),
    "tagged": Lack(1.0, "{a} carries {name}"),
    "through": Lack(
        1.5, "on the way from {a} to {b} some operation has tags that are not compatible with those of both"
    ),
}


@lru_cache(maxsize=256)
def lacks(levels: Hierarchy) -> dict[str, Lack]:
    """Return what may be missing, by primitive or function: what one would mend first is cheapest.

    Nothing else can be mended.
    """
    text, kinds = "{a} has {scope a} scope where {name} scope is needed", frozenset({"R", "W", "F", "MA", "MV"})
    return {level.word: Lack(2 + 0.05 * number, text, kinds) for number, level in enumerate(levels)} | _LACKS


PICTURED = {"po": "po", "rf": "rf", "co": "mo", "fr": "fr"}
"""The relations of the vocabulary and of the prelude that pictures know, and the names under which they show them."""


@lru_cache(maxsize=256)
def primitives(levels: Hierarchy) -> dict[str, Primitive]:
    """Return the primitives of models that speak of these levels."""
    return {
        name: Primitive(name, is_set, text, _part(name), _NEEDS.get(name, ""))
        for is_set, texts in ((True, _SETS | _level_sets(levels)), (False, _RELATIONS | _level_relations(levels)))
        for name, text in texts.items()
    }


PRIMITIVES = primitives(AMDGPU)
"""The primitives of models that declare no levels."""

ALIASES = {"I": "IW", "MONO": "RLX", "B": "BAR"}

FUNCTIONS = {
    f.name: f
    for f in (
        FunctionPrimitive("domain", ("r",), "the events that r relates to something"),
        FunctionPrimitive("range", ("r",), "the events to which r relates something"),
        FunctionPrimitive("toid", ("S",), "[S], the identity on S"),
        FunctionPrimitive("fencerel", ("S",), "po & (_ * S) ; po: pairs with an event of S between them"),
        FunctionPrimitive("tagged", ('"prefix:suffix"',), "the events that carry this MMRA tag"),
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
        ),
    )
}

PRELUDE = """"prelude"
(** The empty set, and the empty relation. *)
let emptyset = 0
(** herd's CON: no event is consume-ordered. *)
let CON = emptyset
(** Atomic accesses and initial writes. *)
let A = (M & (UN | RLX | ACQ | REL | ACQ_REL | SC)) | IW
let ATOMIC = A
(** Program order between accesses of the same cell. *)
let po-loc = po & loc
(** From-reads: a read and the writes that come after the one it reads from. @path "fr" *)
let fr = (rf^-1 ; co) \\ id
let rfe = rf & ext
let rfi = rf & int
let coe = co & ext
let coi = co & int
let fre = fr & ext
let fri = fr & int
(** Coherence-after. *)
let ca = fr | co
let nodetour(r1, r2, r3) = r1 \\ (r2 ; r3)
let singlestep(r) = nodetour(r, r, r)
let noid(r) = r \\ id
let ctrlcfence(S) = (ctrl & (_ * S)) ; po
"""
"""What every model may use without an include; definitions of the model shadow it."""

INCLUDED = {
    "stdlib.cat": '"stdlib"\n',
    "cos.cat": '"cos"\n',
    "cross.cat": '"cross"\n',
    "fences.cat": '"fences"\n',
    "filters.cat": """"filters"
let P = M \\ A
let WW(r) = r & (W * W)
let WR(r) = r & (W * R)
let RW(r) = r & (R * W)
let RR(r) = r & (R * R)
let RM(r) = r & (R * M)
let MR(r) = r & (M * R)
let WM(r) = r & (W * M)
let MW(r) = r & (M * W)
let MM(r) = r & (M * M)
""",
}
"""The files of herd7's library that models include: what they define is in the prelude, or stands here."""


# ---------------------------------------------------------------- engines and what they know


def rules_of(model: Model) -> Iterator[Axiom | UndefRule]:
    """Yield each axiom, flag and undef rule of a model."""
    yield from model.axioms
    yield from model.undefs


def refuse(model: Model, engine: str, known: Container[str], levels: Hierarchy = AMDGPU) -> None:
    """Raise InputError if a model reaches a primitive of which an engine has no meaning, at the first rule that does.

    `known` are the names that it has a meaning for, `ORDERS` among them if it is one; `levels` those of its programs: a
    word for a level of another hierarchy has no meaning, but that of the system. In the dialect of another tradition
    AMDGPU's levels stand for those of the programs that are their counterparts.
    """
    alike = model.levels == levels or (model.dialect and model.levels == AMDGPU and counterparts(levels))
    foreign = () if alike else [level for level in model.levels if level is not Scope.SYSTEM]
    strange = {*_level_sets(tuple(foreign)), *_level_relations(tuple(foreign))}
    chosen = any(model.terms[index].op is Op.ORDER for index in model.reached)
    if all(name in known and name not in strange for name in model.base_names) and (ORDERS in known or not chosen):
        return
    found: dict[str, Diagnostic] = {}
    for rule in rules_of(model):
        for index in sorted(model.needed((rule.term,))):
            name = model.terms[index].name
            if model.terms[index].op is Op.ORDER and ORDERS not in known:
                message = f"{engine} has no meaning for orders that an execution chooses, such as `{name}`"
                found.setdefault(ORDERS, Diagnostic(rule.source, rule.span, message))
                continue
            key = "" if name in strange else name
            if model.terms[index].op is not Op.BASE or key in found or (key and key in known):
                continue
            text = primitives(model.levels)[name].text
            message = f"{engine} has no meaning for `{name}` ({text}), of which {model.name} speaks here"
            if not key:
                theirs, own = (" ".join(level.word for level in some) for some in (levels, model.levels))
                message = f"{model.name} speaks here of `{name}` and the levels {own}; {engine} is asked about {theirs}"
            found[key] = Diagnostic(rule.source, rule.span, message)
    if found:
        raise InputError(found.values())
