"""Integers that carry pointers are read as pointers: what clang writes is what somebody would write with `ptr`."""

from __future__ import annotations

import pytest

from axmem.check.results import outcomes
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.model.library import load
from tests.drawn import some

WRITER = """\
; axmem: thread @w
; axmem: thread @r
; axmem: exists (r:v=0 /\\ head=&a)
@a = global i32 0
@b = global i32 5
@head = global ptr {initial}
define void @w() {{
  store i32 7, ptr @a
  {publish}
  ret void
}}
define void @r() {{
entry:
  {take}
  %none = icmp eq ptr %p, null
  br i1 %none, label %no, label %yes
yes:
  %v = load i32, ptr %p
  br label %no
no:
  ret void
}}
"""
PUBLISH = {
    "store": (
        "store atomic ptr @a, ptr @head release, align 8",
        "store atomic i64 ptrtoint (ptr @a to i64), ptr @head release, align 8",
    ),
    "exchange": (
        "%o = atomicrmw xchg ptr @head, ptr @a release",
        "%n = ptrtoint ptr @a to i64\n  %o = atomicrmw xchg ptr @head, i64 %n release",
    ),
    "cmpxchg": (
        "%o = cmpxchg ptr @head, ptr null, ptr @a release monotonic",
        "%n = ptrtoint ptr @a to i64\n  %o = cmpxchg ptr @head, i64 0, i64 %n release monotonic",
    ),
}
TAKE = {
    "load": (
        "%p = load atomic ptr, ptr @head acquire, align 8",
        "%i = load atomic i64, ptr @head acquire, align 8\n  %p = inttoptr i64 %i to ptr",
    ),
    "exchange": (
        "%p = atomicrmw xchg ptr @head, ptr null acquire",
        "%i = atomicrmw xchg ptr @head, i64 0 acquire\n  %p = inttoptr i64 %i to ptr",
    ),
    "cmpxchg": (
        "%c = cmpxchg ptr @head, ptr @a, ptr @b acquire monotonic\n  %p = extractvalue { ptr, i1 } %c, 0",
        "%c = cmpxchg ptr @head, i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64) acquire monotonic\n"
        "  %i = extractvalue { i64, i1 } %c, 0\n  %p = inttoptr i64 %i to ptr",
    ),
    "select": (
        "%q = load atomic ptr, ptr @head acquire, align 8\n  %e = icmp eq ptr %q, null\n"
        "  %p = select i1 %e, ptr @b, ptr %q",
        "%q = load atomic i64, ptr @head acquire, align 8\n  %e = icmp eq i64 %q, 0\n"
        "  %i = select i1 %e, i64 ptrtoint (ptr @b to i64), i64 %q\n  %p = inttoptr i64 %i to ptr",
    ),
}


def states(text: str) -> set[tuple[str, ...]]:
    """Return what outcomes show of `v` and `head`, and the flags; what is but another name has no register."""
    result = outcomes(parse(text, "m.ll"), load("llvm"))
    assert not result.incomplete
    shown = {tuple(sorted(w for w in state.split() if w.startswith(("r:v", "head")))) for state in result.states()}
    assert all(len(each) == 2 for each in shown)
    return {*shown, tuple(result.flags)}


@pytest.mark.parametrize("initial", ["null", "@b"])
@pytest.mark.parametrize("taken", some([*TAKE], of=2))
@pytest.mark.parametrize("published", PUBLISH)
def test_clangs_integers_are_pointers(published: str, taken: str, initial: str) -> None:
    pointers, integers = (
        WRITER.format(initial=initial, publish=PUBLISH[published][n], take=TAKE[taken][n]) for n in (0, 1)
    )
    for text in (pointers, pointers.replace("acquire", "monotonic")):
        same = integers if text is pointers else integers.replace("acquire", "monotonic")
        assert states(text) == states(same)


@pytest.mark.parametrize(
    "take",
    [
        # Computed with, compared with a number, of another size, mixed with what is computed.
        "%i = load atomic i64, ptr @head acquire, align 8\n  %j = add i64 %i, 4\n  %p = inttoptr i64 %j to ptr",
        "%i = load atomic i64, ptr @head acquire, align 8\n  %k = icmp eq i64 %i, 1\n  %p = inttoptr i64 %i to ptr",
        "%i = load i32, ptr @head\n  %p = inttoptr i32 %i to ptr",
        "%i = load i64, ptr @head\n  %j = and i64 %i, -2\n  %s = select i1 true, i64 %i, i64 %j\n"
        "  %p = inttoptr i64 %s to ptr",
        "%i = atomicrmw add ptr @head, i64 8 acquire\n  %p = inttoptr i64 %i to ptr",
        "%i = load i64, ptr @head\n  %u = icmp ult i64 %i, 0\n  %p = inttoptr i64 %i to ptr",
    ],
    ids=["sum", "another number", "narrow", "mask", "update", "order"],
)
def test_what_is_computed_stays_an_integer(take: str) -> None:
    text = WRITER.format(initial="null", publish=PUBLISH["store"][0], take=take)
    with pytest.raises(InputError, match=r"'inttoptr' has no meaning in a test"):
        parse(text, "m.ll")
