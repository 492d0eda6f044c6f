"""The edges of cycles: communications, program order, dependencies, fences, read-modify-writes.

What goes in: a word such as `Rfe`, `PodWW`, `DpAddrdR`, `Fence.acq_rel.ag.dRW`, `Rmw`. What comes out: a `CycleEdge`,
which knows the directions of its two events, whether they are at one location, and whether they are in one thread.
Invariant: `parse_edge(edge.text) == edge`.
"""

from __future__ import annotations

import re
from enum import Enum
from fnmatch import fnmatchcase
from itertools import product

from axmem.front.records import dataclass
from axmem.front.source import did_you_mean
from axmem.generate.marks import MarkError, parse_ordering, parse_scope, parse_tags, scope_text, tags_text
from axmem.litmus.syntax import AccessMode, Ordering, SyncScope


class EdgeKind(Enum):
    """What an edge is; the value is how its word begins."""

    READS_FROM = "Rf"
    FROM_READS = "Fr"
    COHERENCE = "Ws"
    PROGRAM_ORDER = "Po"
    ADDRESS = "DpAddr"
    DATA = "DpData"
    CONTROL = "DpCtrl"
    FENCE = "Fence"
    UPDATE = "Rmw"


COMMUNICATIONS = frozenset({EdgeKind.READS_FROM, EdgeKind.FROM_READS, EdgeKind.COHERENCE})
DEPENDENCIES = frozenset({EdgeKind.ADDRESS, EdgeKind.DATA, EdgeKind.CONTROL})
_ENDS = {EdgeKind.READS_FROM: ("W", "R"), EdgeKind.FROM_READS: ("R", "W"), EdgeKind.COHERENCE: ("W", "W")}
_FENCES = {Ordering.ACQUIRE: "acq", Ordering.RELEASE: "rel", Ordering.ACQ_REL: "acq_rel", Ordering.SEQ_CST: "sc"}


@dataclass(frozen=True, slots=True)
class CycleEdge:
    """An edge from an event of direction `source` to one of direction `target`, each `R` or `W`.

    `same` says that both are at one location, `external` that they are in different threads; `fence` is the fence
    that stands between them.
    """

    kind: EdgeKind
    source: str
    target: str
    same: bool
    external: bool = False
    fence: AccessMode | None = None

    @property
    def communication(self) -> bool:
        """Whether the edge is a communication, internal or external."""
        return self.kind in COMMUNICATIONS

    @property
    def text(self) -> str:
        """The edge as cycles spell it."""
        if self.communication:
            return f"{self.kind.value}{'e' if self.external else 'i'}"
        if self.kind is EdgeKind.UPDATE:
            return "Rmw"
        place = "s" if self.same else "d"
        if self.fence is not None:
            return f"{self._fence_text()}{tags_text(self.fence)}.{place}{self.source}{self.target}"
        return f"{self.kind.value}{place}{'' if self.kind in DEPENDENCIES else self.source}{self.target}"

    @property
    def name(self) -> str:
        """The edge as names of tests spell it, without directions."""
        if self.kind is EdgeKind.UPDATE:
            return "rmw"
        if self.communication:
            return self.text.lower()
        place = "s" if self.same else ""
        if self.fence is not None:
            suffixes = "".join(f".{suffix}" for _, suffix in sorted(self.fence.tags))
            return f"{self._fence_text().lower()}{suffixes}{'-s' if self.same else ''}"
        return f"{self.kind.value.removeprefix('Dp').lower()}{place}"

    def _fence_text(self) -> str:
        assert self.fence is not None
        scope = "" if self.fence.scope == SyncScope() else f".{scope_text(self.fence.scope)}"
        return f"Fence.{_FENCES[self.fence.ordering]}{scope}"


def _simple_edges() -> dict[str, CycleEdge]:
    """Return every edge but fences, by its word."""
    edges = [CycleEdge(kind, a, b, same=True, external=e) for kind, (a, b) in _ENDS.items() for e in (True, False)]
    for same in (False, True):
        edges += [CycleEdge(EdgeKind.PROGRAM_ORDER, a, b, same) for a, b in product("RW", "RW")]
        depending = product((EdgeKind.ADDRESS, EdgeKind.DATA, EdgeKind.CONTROL), "RW")
        edges += [CycleEdge(kind, "R", b, same) for kind, b in depending if (kind, b) != (EdgeKind.DATA, "R")]
    edges.append(CycleEdge(EdgeKind.UPDATE, "R", "W", same=True))
    return {edge.text: edge for edge in edges}


SIMPLE = _simple_edges()
SYNONYMS = {"Coe": "Wse", "Coi": "Wsi", "Amo": "Rmw"}
_FENCE = re.compile(
    r"Fence\.(?P<ordering>[A-Za-z_]+)(\.(?P<scope>[a-z-]+?))?(?P<tags>([!#][^.!#]+)*)\.?(?P<place>[ds])(?P<ends>[RW*]{2})"
)
FENCE_HINT = "a fence is written Fence.ORDERING.dXY or Fence.ORDERING.SCOPE.dXY, for example Fence.acq_rel.ag.dRW"


def is_edge(word: str) -> bool:
    """Tell whether a word is meant as an edge: a known one, or any fence."""
    return word in SIMPLE or word in SYNONYMS or word.startswith("Fence")


def parse_edge(word: str) -> CycleEdge:
    """Read one edge; raise MarkError for a word that is none."""
    word = SYNONYMS.get(word, word)
    if word in SIMPLE:
        return SIMPLE[word]
    if word.startswith("Fence"):
        fences = _fences(word)
        if len(fences) > 1:
            raise MarkError("'*' stands for several edges", "in a cycle every edge has its directions")
        return fences[0]
    raise MarkError(f"unknown edge '{word}'", edge_hint(word))


def edge_hint(word: str) -> str:
    """Return which known edge may have been meant."""
    return did_you_mean(word, [*SIMPLE, *SYNONYMS]) or "docs/generate.md lists the edges"


def matching_edges(pattern: str) -> tuple[CycleEdge, ...]:
    """Return the edges of a pattern: one word, or several edges by `*`, as in `Pod**` and `Fence.sc.d**`."""
    if pattern.startswith("Fence"):
        return _fences(pattern)
    if "*" not in pattern:
        return (parse_edge(pattern),)
    found = tuple(edge for word, edge in SIMPLE.items() if fnmatchcase(word, pattern))
    if not found:
        raise MarkError(f"no edge matches '{pattern}'", edge_hint(pattern))
    return found


def _fences(word: str) -> tuple[CycleEdge, ...]:
    """Return the fence edges of a word; each `*` stands for both directions."""
    match = _FENCE.fullmatch(word)
    if match is None:
        raise MarkError(f"'{word}' is no fence", FENCE_HINT)
    ordering = parse_ordering(match["ordering"])
    if ordering not in _FENCES:
        raise MarkError(f"a fence cannot be {match['ordering']}", f"a fence is one of {', '.join(_FENCES.values())}")
    scope = parse_scope(match["scope"]) if match["scope"] else SyncScope()
    mode = AccessMode(ordering=ordering, scope=scope, tags=parse_tags(match["tags"]))
    ends = [("R", "W") if letter == "*" else (letter,) for letter in match["ends"]]
    return tuple(
        CycleEdge(EdgeKind.FENCE, a, b, match["place"] == "s", external=False, fence=mode) for a, b in product(*ends)
    )
