"""Decorations of accesses and fences: ordering, scope, `volatile`, av intrinsics, tags.

What goes in: words such as `Rel.ag`, `P.vol`, `Av.wg`, `Acq!none`, `#vulkan:private`. What comes out: an `AccessMode`,
and back its canonical word or the piece of a test's name that stands for it. Invariant: `parse_mark(mark_text(mode)) ==
mode`.
"""

from __future__ import annotations

import re

from axmem.front.records import replace
from axmem.front.source import did_you_mean
from axmem.litmus.syntax import AccessMode
from axmem.litmus.words import AV_PREFIX, SCOPE_OF, OperationKind, Ordering, Scope, SyncScope, Tag, legal_for, tag_text

DEFAULT = AccessMode(ordering=Ordering.MONOTONIC)
"""What an access without a decoration is."""
PLAIN = AccessMode()

ORDERING_WORDS = {
    Ordering.NOT_ATOMIC: "P",
    Ordering.UNORDERED: "Un",
    Ordering.MONOTONIC: "Mono",
    Ordering.ACQUIRE: "Acq",
    Ordering.RELEASE: "Rel",
    Ordering.ACQ_REL: "AcqRel",
    Ordering.SEQ_CST: "Sc",
}
AV = "Av"
MARK_WORDS = (*ORDERING_WORDS.values(), AV)
_NAME_WORDS = {Ordering.NOT_ATOMIC: "plain", Ordering.ACQ_REL: "acq_rel"}

ORDERINGS = {word.lower(): o for o, word in ORDERING_WORDS.items()}
ORDERINGS |= {o.value.replace("_", ""): o for o in Ordering} | {"plain": Ordering.NOT_ATOMIC}
SCOPES = {s.short: SyncScope(s) for s in Scope} | {word: SyncScope(s) for word, s in SCOPE_OF.items()}
SCOPES |= {f"{word}-one-as": replace(scope, one_as=True) for word, scope in SCOPES.items()}
SCOPES["one-as"] = SyncScope(one_as=True)

_TAG = re.compile(r"[!#][^!#]*")


class MarkError(ValueError):
    """A word that is no decoration; `hint` may say what was meant."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def is_mark(word: str) -> bool:
    """Tell whether a word is meant as a decoration, whatever is wrong with its parts."""
    base = re.split(r"[.!#]", word, maxsplit=1)[0]
    return word[:1] in ("!", "#") or _folded(base) in ORDERINGS or base.lower() == "av"


def parse_mark(word: str, start: AccessMode | None = None) -> AccessMode:
    """Read a decoration; one that begins with `!` or `#` adds tags to `start`, or to the default. Raises MarkError."""
    body = re.split(r"[!#]", word, maxsplit=1)[0]
    tags = parse_tags(word[len(body) :])
    if not body:
        mode = start or DEFAULT
        return replace(mode, tags=mode.tags | tags)
    if start is not None:
        raise MarkError("this access has two decorations", "only tags may be given separately")
    base, *rest = body.split(".")
    mode = AccessMode(av=True) if base.lower() == "av" else AccessMode(ordering=parse_ordering(base))
    for part in rest:
        volatile = part.lower() == "vol"
        mode = replace(mode, volatile=True) if volatile else replace(mode, scope=parse_scope(part))
    if mode.av and mode.volatile:
        raise MarkError("an av intrinsic cannot be volatile")
    if mode.scope != SyncScope() and not mode.av and mode.ordering is Ordering.NOT_ATOMIC:
        raise MarkError("an access that is not atomic has no scope", "the av intrinsics have one: 'Av.ag'")
    return replace(mode, tags=tags)


def parse_ordering(word: str) -> Ordering:
    """Read an ordering, `Rel` or `release`, in any case."""
    if _folded(word) not in ORDERINGS:
        hint = did_you_mean(word, MARK_WORDS) or f"known: {', '.join(MARK_WORDS)}"
        raise MarkError(f"unknown ordering '{word}'", hint)
    return ORDERINGS[_folded(word)]


def parse_scope(word: str) -> SyncScope:
    """Read a scope, `ag`, `agent` or `ag-one-as`."""
    if word not in SCOPES:
        hint = did_you_mean(word, SCOPES) or f"the scopes are {', '.join(s.short for s in Scope)}"
        raise MarkError(f"unknown scope '{word}'", hint)
    return SCOPES[word]


def parse_tags(text: str) -> frozenset[Tag]:
    """Read `!none#vulkan:private`; `!none` is short for `#amdgcn-av:none`."""
    tags = set()
    for word in _TAG.findall(text):
        prefix, colon, suffix = (AV_PREFIX, ":", word[1:]) if word[0] == "!" else word[1:].partition(":")
        if not (prefix and colon and suffix) or re.search(r"[\s,;\"]", word) or (word[0] == "!" and ":" in word):
            raise MarkError(f"'{word}' is no tag", "write #prefix:suffix, or !none for #amdgcn-av:none")
        tags.add((prefix, suffix))
    return frozenset(tags)


def mark_text(mode: AccessMode) -> str:
    """Return the canonical word of a decoration, `Rel.ag!none`."""
    scope = "" if mode.scope == SyncScope() else f".{scope_text(mode.scope)}"
    word = AV if mode.av else ORDERING_WORDS[mode.ordering]
    return f"{word}{scope}{'.vol' if mode.volatile else ''}{tags_text(mode)}"


def tags_text(mode: AccessMode) -> str:
    """Return the tags of a decoration, `!none#vulkan:private`."""
    return "".join(f"!{tag[1]}" if tag[0] == AV_PREFIX else f"#{tag_text(tag)}" for tag in sorted(mode.tags))


def scope_text(scope: SyncScope) -> str:
    """Return the short word of a scope."""
    if not scope.one_as:
        return scope.level.short
    return "one-as" if scope.level is Scope.SYSTEM else f"{scope.level.short}-one-as"


def mark_name(mode: AccessMode) -> str:
    """Return what stands for a decoration in the name of a test, `rel.ag.none`."""
    word = "av" if mode.av else _NAME_WORDS.get(mode.ordering, ORDERING_WORDS[mode.ordering].lower())
    scope = [] if mode.scope == SyncScope() else [scope_text(mode.scope)]
    volatile = ["vol"] if mode.volatile else []
    return ".".join([word, *scope, *volatile, *(suffix for _, suffix in sorted(mode.tags))])


def fault(mode: AccessMode, direction: str) -> str:
    """Return why a read (`R`), write (`W`) or update (`U`) cannot be decorated so, or nothing."""
    word = ORDERING_WORDS[mode.ordering]
    if direction == "R" and mode.ordering not in legal_for(OperationKind.LOAD):
        return f"a read cannot be {word}: it writes nothing that could be released"
    if direction == "W" and mode.ordering not in legal_for(OperationKind.STORE):
        return f"a write cannot be {word}: it reads nothing that could be acquired"
    if direction == "U" and (mode.av or mode.ordering not in legal_for(OperationKind.RMW)):
        return f"a read-modify-write cannot be {AV if mode.av else word}: it is at least Mono"
    return ""


def united(read: AccessMode, write: AccessMode) -> AccessMode:
    """Return the decoration of a read-modify-write from those of its two halves; raise MarkError if they differ."""
    wide = SyncScope()
    if read.scope != write.scope and wide not in (read.scope, write.scope):
        raise MarkError("the halves of a read-modify-write have one scope")
    found = {read.ordering, write.ordering} - {Ordering.MONOTONIC}
    if found & {Ordering.NOT_ATOMIC, Ordering.UNORDERED} or read.av or write.av:
        raise MarkError(fault(read, "U") or fault(write, "U"))
    ordering = Ordering.MONOTONIC if not found else found.pop() if len(found) == 1 else Ordering.ACQ_REL
    if Ordering.SEQ_CST in (read.ordering, write.ordering):
        ordering = Ordering.SEQ_CST
    scope = write.scope if read.scope == wide else read.scope
    return AccessMode(ordering, scope, read.volatile or write.volatile, tags=read.tags | write.tags)


def _folded(word: str) -> str:
    return word.lower().replace("_", "")
