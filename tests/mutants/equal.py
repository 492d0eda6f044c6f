"""Replacements that no test can tell, and why.

Keys are the file, the definition and the change as the page has them, in the patterns of shells (`fnmatch`).
`make mutants` fails on an entry that is not needed, and `make test` on one that fits no replacement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

Row = tuple[str, str, str]
"""A file, a definition, and a change."""

_HB = "happens-before"
_SC = "readings/sc"
_RC11, _LANGREF = "sc=rc11: sc-order", "sc=langref: sc-order"
_EQWIDER = "fence.pair=eqwider: no-wider-than"
_TWICE = "equal: `release-side`, `release-sequence`, `link` and `acquire-side` ask it of the same event"
_NARROW = "equal: a fence of singlethread scope synchronizes with no other thread"
_BARRIER = "equal: a barrier carries no tags, and is compatible with everything"
_HALVES = "equal: what orders the write half of a read-modify-write orders its read half, by atomicity"
_CLUSTER = "equal: the instance of a DMA operation, its cluster, contains whoever meets at a barrier"
_CELLS = "equal: each cell has an initial write and a final read of its own (`perf`)"
_DOUBTFUL = "equal: `undef-by-itself` asks again for a write that depends on undef, and that the read may see it"
_UNTAGGED_SPACES = "equal: `compat` is that where as.implicit=off"
_NAMED = "equal: a one-as operation names an address space, so that none is added"
_SEVERAL = "equal: where a write is ordered before the read too, several-writes says as much"

_DMA_END = "equal: what hb lacks ends in a DMA operation, in which nothing is seq_cst"
_DMA_ECO = "equal: no access of a DMA operation is monotonic, and eco relates what is"
_ACCESSES = "equal: eco relates accesses, and no fence is one"
_BYTES = "equal: of accesses of unlike bytes, one has a byte that the other has not"
_UNORDERED_RMW = "equal: no read-modify-write is unordered"
_ONE_SCOPE = "equal: the halves of a read-modify-write have one scope; the other operand asks for it"
_BY_SC_BEFORE = "equal: `sc-before` asks for inclusive scopes"
_SC_ONLY = "equal: `sc-only` is of accesses alone"

_ORDERS: dict[Row, str] = {
    ("readings/dma.hb", "dma.hb=enters: into-dma", "po is cpo"): "equal: the entry of a DMA operation carries no tags",
    (_HB, "mo", "Mono 1 is Atomic"): "equal: `co` may have unordered writes last; nothing else asks where",
    (_HB, "apart", "Mono 3 is Atomic"): "equal: what `apart` relates to is monotonic",
    (_HB, "rmw-strong", "Mono * is Atomic"): _UNORDERED_RMW,
    (_HB, "atomicity", "rf-included 2 is rf-atomic"): _ONE_SCOPE,
    (_HB, "atomicity", "smo 3 is mo"): _ONE_SCOPE,
    (_HB, "sc-tags", "compat-as-written is compat"): "equal: what is seq_cst is in `sync`",
    (_HB, "strong-step", "hb is ahb"): _DMA_END,
    (_HB, "sc-order", "SCa * is SC"): _ACCESSES,
    (_HB, "sc-order", "hb 1 is ahb"): _DMA_ECO,
    (_HB, "sc-order", "hb 2 is ahb"): _DMA_END,
    (_SC, "sc=rc11: other-loc", "loc is *"): _BYTES,
    (_SC, _RC11, "SC * is SCa"): "equal: beside it `hb?` is of the fences themselves, too",
    (_SC, _RC11, "hb [235] is ahb"): _DMA_END,
    (_SC, _RC11, "hb 4 is ahb"): _DMA_ECO,
    (_SC, "sc=langref: sc-only", "SC is SCa"): _SC_ONLY,
    (_SC, _LANGREF, "hb is ahb"): _DMA_END,
    (_SC, _LANGREF, "SC [34] is SCa"): _SC_ONLY,
    (_SC, _LANGREF, "rf-atomic is rf-included"): _BY_SC_BEFORE,
    (_SC, _LANGREF, "smo is mo"): _BY_SC_BEFORE,
}
"""What is said of modifications and of the order of seq_cst."""

EQUAL: dict[Row, str] = _ORDERS | {
    (_HB, "one-as-apart", "compat-with-data * is compat-of-data"): _NAMED,
    (_HB, "sync", "REL is Rel"): _HALVES,
    ("readings/fence.pair", _EQWIDER, "singlethread is wavefront"): _NARROW,
    (_HB, "link", "Mono * is Atomic"): _TWICE,
    (_HB, "release-sequence", "Mono is Atomic"): _TWICE,
    (_HB, "release-side", "Mono is Atomic"): _TWICE,
    (_HB, "acquire-side", "Mono is Atomic"): _TWICE,
    (_HB, "fence-pairs", "compat-with-data is compat-of-data"): "equal: a fence is in no address space",
    ("readings/as.implicit", "as.implicit=off: fence-pairs", "compat-as-written is compat"): _UNTAGGED_SPACES,
    (_HB, "sync-tags", "compat-as-written is compat"): "equal: what synchronizes is in `sync`",
    (_HB, "barrier-sw", "po * is cpo"): _BARRIER,
    ("readings/relseq", "relseq=headtail: link", "Mono * is Atomic"): _TWICE,
    ("readings/fence.pair", _EQWIDER, "system 1 is agent-or-wider"): "equal: the agents are in the row above it",
    ("readings/dma.hb", "dma.hb=enters: ahb", "ahb is hb"): "equal: `ahb` is `hb` where nothing replaces it",
    (_HB, "dma-sw", "po is cpo"): _BARRIER,
    (_HB, "dma-sw", "inst is inclusive"): _CLUSTER,
    ("amdgpu", "lo-start", "loc is *"): _CELLS,
    ("amdgpu", "lo-end", "loc is *"): _CELLS,
    ("amdgpu", "lo-write", "hbv is ahb"): "equal: lo-po has what program order adds",
    ("amdgpu", "lo-read", "hbv is ahb"): "equal: lo-po has what program order adds",
    ("amdgpu", "read-precedes", "ahb is hbv"): "equal: program order stands beside it",
    ("amdgpu", "some-unordered", "may-see is *"): _SEVERAL,
    ("readings/sc.tags", "sc.tags=po: strongly-hb", "sc-po is po"): "equal: `sc-po` is that where sc.tags=po",
    # values.cat
    ("values", "suspect", "may-see is candidates"): _DOUBTFUL,
}


def reason(file: str, name: str, action: str) -> str:
    """Return why no test can tell a replacement; empty if that is not known."""
    return next((why for entry, why in EQUAL.items() if _fits(entry, (file, name, action))), "")


def stale(alive: Iterable[Row]) -> Iterator[Row]:
    """Yield the entries that fit no replacement of those that turn no test red."""
    rows = list(alive)
    yield from (entry for entry in EQUAL if not any(_fits(entry, row) for row in rows))


def _fits(entry: Row, row: Row) -> bool:
    return all(fnmatchcase(part, pattern) for part, pattern in zip(row, entry, strict=True))
