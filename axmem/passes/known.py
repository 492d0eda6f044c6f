"""Which of the causes that have a page an unsound change is.

What goes in: a change and the passes that make it. What comes out: the page of docs/findings that has the cause, or
nothing. A cause is what became of which operations: it is read off both functions, not off the verdict. So a page is
named only for what a pass of the page did to operations such as the page is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from axmem.formats.ir.pairs import instructions, sides
from axmem.formats.ir.syntax import Instruction
from axmem.front.records import dataclass
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import Register
from axmem.litmus.words import SYSTEM_SCOPE, Ordering
from axmem.passes.changes import NAME, FunctionChange
from axmem.passes.unshared import unshared

PAGES = "docs/findings/"
MEMORY = ("load", "store", "atomicrmw", "cmpxchg", "fence")
FINDING, LICENCE = "finding", "licence"
"""What a cause is: a fault of a pass, or what LLVM's document permits and contexts here do not know of."""


@dataclass(frozen=True, slots=True)
class OperationDifference:
    """Operations that are only before a change or only after it, and all of both, in the order of the text."""

    change: FunctionChange
    gone: tuple[Instruction, ...]
    new: tuple[Instruction, ...]
    before: tuple[Instruction, ...]
    after: tuple[Instruction, ...]

    def lost(self, kind: str) -> list[Instruction]:
        """Return the operations of a kind that are gone."""
        return [each for each in self.gone if each.operation == kind]

    def made(self, kind: str) -> list[Instruction]:
        """Return the operations of a kind that are new."""
        return [each for each in self.new if each.operation == kind]

    def tags(self, kind: str) -> set[object]:
        """Return the sets of tags that operations of a kind have before the change."""
        return {each.mode.tags for each in self.before if each.operation == kind}

    @property
    def words(self) -> str:
        """Say what is gone and what is new."""
        parts = [f"{word} {_listed(found)}" for word, found in (("without", self.gone), ("with", self.new)) if found]
        return ", ".join(parts) or "in another order"


def _listed(found: Iterable[Instruction]) -> str:
    counts = Counter(_kind(each) for each in found)
    return " and ".join(f"{count} {word}" if count > 1 else f"a {word}" for word, count in counts.items())


def _kind(each: Instruction) -> str:
    words = ["volatile"] if each.mode.volatile else []
    if each.mode.ordering is not Ordering.NOT_ATOMIC:
        words.append(each.mode.ordering.value)
    return " ".join((*words, each.operation))


def difference(change: FunctionChange) -> OperationDifference:
    """Return what is different in what a function does with memory. Raises InputError for what cannot be read."""
    before, after = (_operations(text) for text in (change.before, change.after))
    counts = Counter(map(_told, before)), Counter(map(_told, after))
    gone, new = _beyond(before, counts[0] - counts[1]), _beyond(after, counts[1] - counts[0])
    return OperationDifference(change, tuple(gone), tuple(new), before, after)


def _operations(text: str) -> tuple[Instruction, ...]:
    function = sides(Source("change.ll", text))[NAME].function
    return tuple(each for each in instructions(function) if each.operation in MEMORY)


def _told(each: Instruction) -> tuple[object, ...]:
    """Return what tells operations apart: of accesses also of how many bytes, of updates which."""
    size = each.type if each.operation == "load" else each.operands[0].type if each.operation == "store" else None
    return each.operation, each.mode, each.failure, repr(size), each.words


def _beyond(operations: Iterable[Instruction], counts: Counter[tuple[object, ...]]) -> Iterable[Instruction]:
    left = Counter(counts)
    for each in operations:
        if left[_told(each)] > 0:
            left[_told(each)] -= 1
            yield each


# ---------------------------------------------------------------- the causes


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause with its page: which passes have it, what a difference of its kind is, and what it is in words."""

    page: str
    passes: str
    words: str
    shown: Callable[[OperationDifference], bool]
    kind: str = FINDING

    @property
    def path(self) -> str:
        """Where the page stands: of a licence a page on passes, which says what permits the change."""
        return f"{PAGES}{self.page}.md" if self.kind == FINDING else f"docs/{self.page}.md"


def _plain(each: Instruction) -> bool:
    return each.mode.ordering is Ordering.NOT_ATOMIC


def _hoisted(found: OperationDifference) -> bool:
    """Whether one of several plain loads is gone, and something that acquires stood between them."""
    loads = [k for k, each in enumerate(found.before) if each.operation == "load" and _plain(each)]
    if not any(map(_plain, found.lost("load"))) or len(loads) < 2:
        return False
    between = found.before[loads[0] : loads[-1]]
    return any(each.mode.ordering.synchronizes or each.failure.synchronizes for each in between)


def _plain_first(found: OperationDifference) -> bool:
    """Whether an update became a loop of compare-exchanges behind a plain load."""
    return bool(found.made("cmpxchg")) and any(map(_plain, found.made("load")))


def _only_read(found: OperationDifference) -> bool:
    """Whether an update is a load now."""
    return bool(found.lost("atomicrmw")) and not found.made("atomicrmw") and bool(found.made("load"))


def _fence_dropped(found: OperationDifference) -> bool:
    return bool(found.lost("fence")) and len(found.tags("fence")) > 1


def _tags_of_one(found: OperationDifference) -> bool:
    return bool(found.lost("store")) and len(found.tags("store")) > 1


def _retagged(found: OperationDifference) -> bool:
    """Whether the same operations stand there, in their order, with other tags, and none of these is a load."""
    pairs = [(a, b) for a, b in zip(found.before, found.after, strict=False) if _told(a) != _told(b)]
    alike = all(_told(a)[0] == _told(b)[0] != "load" and a.mode.tags != b.mode.tags for a, b in pairs)
    return bool(pairs) and alike and len(found.before) == len(found.after)


def _stored_back(found: OperationDifference) -> bool:
    """Whether a store is gone, and it alone, of what the operation before it has read."""
    if len(found.gone) != 1 or found.new or not found.lost("store"):
        return False
    at = found.before.index(found.gone[0])
    value, source = found.gone[0].operands[0].value, found.before[at - 1]
    return at > 0 and source.operation == "load" and isinstance(value, Register) and value.name == source.result


def _narrower(found: OperationDifference) -> bool:
    """Whether an unordered load is gone behind one with a scope."""
    gone = [each for each in found.lost("load") if each.mode.ordering is Ordering.UNORDERED]
    return bool(gone) and any(each.operation == "load" and each.mode.scope != SYSTEM_SCOPE for each in found.after)


def _no_longer_atomic(found: OperationDifference) -> bool:
    lost = any(each.mode.ordering is Ordering.UNORDERED for each in found.lost("store"))
    return lost and any(map(_plain, found.made("store")))


def _over_failure(found: OperationDifference) -> bool:
    """Whether only plain and unordered accesses differ, beside a compare-exchange that synchronizes if it fails."""
    before, after = ([_told(each) for each in side if not _idle(each)] for side in (found.before, found.after))
    return before == after and any(
        each.operation == "cmpxchg" and each.failure.synchronizes and not each.mode.ordering.synchronizes
        for each in found.before
    )


def _idle(each: Instruction) -> bool:
    """Whether an operation is an access that orders nothing."""
    weak = each.mode.ordering in (Ordering.NOT_ATOMIC, Ordering.UNORDERED) and not each.mode.volatile
    return weak and each.operation in ("load", "store")


_PIPELINES = "default<.*"
CAUSES = (
    Cause("merged-functions", "mergefunc", "functions that differ in tags are merged", _retagged),
    Cause("dropped-fence", rf"instcombine.*|{_PIPELINES}", "a fence with other tags is deleted", _fence_dropped),
    Cause(
        "tags-of-one-store",
        rf"dse|early-cse.*|instcombine.*|newgvn|gvn.*|simplifycfg.*|{_PIPELINES}",
        "of two stores one is left, with its own tags",
        _tags_of_one,
    ),
    Cause(
        "fixed/vectorized-over-acquire",
        "load-store-vectorizer",
        "a plain load moves up over an acquire",
        _hoisted,
    ),
    Cause(
        "stored-back",
        rf"dse|early-cse.*|instcombine.*|{_PIPELINES}",
        "a store of what was just read is deleted",
        _stored_back,
    ),
    Cause(
        "narrow-load",
        rf"early-cse.*|gvn.*|newgvn|instcombine.*|{_PIPELINES}",
        "an unordered load takes the value of one with a narrower scope",
        _narrower,
    ),
    Cause("expanded-plain-load", r"atomic-expand", "the first load of a loop is plain", _plain_first),
    Cause(
        "fixed/idempotent-read-modify-write",
        rf"atomic-expand|instcombine.*|{_PIPELINES}",
        "an update that changes nothing becomes a load",
        _only_read,
    ),
    Cause(
        "fixed/failure-ordering",
        rf"gvn|newgvn|early-cse.*|loop-mssa\(licm\)|{_PIPELINES}",
        "accesses move over a compare-exchange that acquires if it fails",
        _over_failure,
    ),
    Cause(
        "fixed/merged-unordered", rf"simplifycfg.*|{_PIPELINES}", "unordered stores become a plain one",
        _no_longer_atomic,
    ),
    Cause(
        "passes", ".*", "nobody else may change what is read behind a noalias pointer",
        lambda found: unshared(found.change), LICENCE,
    ),
)  # fmt: skip


def cause(change: FunctionChange, passes: Iterable[str]) -> Cause | None:
    """Return the cause of an unsound change, the first that every pass which makes it has; None if it is not known."""
    try:
        found = difference(change)
    except InputError:
        return None
    names = [*passes]
    for each in CAUSES:
        if each.shown(found) and all(re.fullmatch(each.passes, name) for name in names):
            return each
    return None
