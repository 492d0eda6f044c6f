"""What a test says under Vulkan's model and not under AMDGPU's: what its translation loses.

What goes in: a test whose operations carry Vulkan's tags. What comes out: a warning for each operation, or thread, of
which AMDGPU's models see less than Vulkan's. Invariant: of a test without warnings the two models speak of the same
facts, and differ by their rules alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.source import Diagnostic
from axmem.litmus import vulkan, walk
from axmem.litmus.syntax import LitmusTest, Make, Statement
from axmem.litmus.words import Ordering, Tag

_SEMANTICS = {vulkan.mark(name): vulkan.mark(word) for name, word in vulkan.SEMANTICS.items()}
_BOTH = {vulkan.mark(vulkan.SEMAV): "available", vulkan.mark(vulkan.SEMVIS): "visible"}


def losses(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield what the translation of a test loses, in the order of the text."""
    waiting: set[int] = set()
    for path, statement in walk.located(test):
        found = list(_lost(statement))
        tags = _tags(statement)
        if vulkan.synchronizations(tags, before=False) and path[0] not in waiting:
            waiting.add(path[0])
            found.append("what the system synchronizes this thread with is not said to AMDGPU's models")
        for message in found:
            yield Diagnostic(test.source, statement.span, message, "", "warning")


def _lost(statement: Statement) -> Iterator[str]:
    """Yield what is lost of one operation."""
    tags = _tags(statement)
    if isinstance(statement, Make) and tags & {vulkan.mark(vulkan.AVDEVICE), vulkan.mark(vulkan.VISDEVICE)}:
        yield "AMDGPU has no device domain: this is a make operation at system scope"
    named = [word for word in _SEMANTICS.values() if word in tags]
    own = [word for name, word in _SEMANTICS.items() if name in tags]
    if named and own and own[0] not in named:
        message = "the storage class of this atomic is not among those of its semantics, and one set of tags says both"
        yield f"{message}: AMDGPU's models take it for {', '.join(sorted(prefix for prefix, _ in named))}"
    if named and _ordering(statement) is Ordering.ACQ_REL and len(tags & _BOTH.keys()) == 1:
        (only,) = (word for tag, word in _BOTH.items() if tag in tags)
        yield f"semantics that make only {only} cannot be said of what acquires and releases: here it makes both"
    if vulkan.references(tags):
        yield "AMDGPU's models know no references: this is an access of the location under its first name"


def _tags(statement: Statement) -> frozenset[Tag]:
    if isinstance(statement, Make):
        return statement.tags
    mode = getattr(statement, "mode", None)
    return frozenset() if mode is None else mode.tags


def _ordering(statement: Statement) -> Ordering | None:
    mode = getattr(statement, "mode", None)
    return None if mode is None else mode.ordering
