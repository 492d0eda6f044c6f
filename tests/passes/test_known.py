"""Which page is named for a change: none but one whose operations and passes it is about."""

from __future__ import annotations

import pytest

from axmem.passes.changes import FunctionChange
from axmem.passes.known import cause

FAILURE, LICENCE = "docs/findings/fixed/failure-ordering.md", "docs/passes.md"
CMPXCHG = "%p = cmpxchg ptr %y, i32 0, i32 1 {} {}, align 4"
LOAD, ACQUIRE = "%a = load i32, ptr %x, align 4", "%b = load atomic i32, ptr %y acquire, align 4"
AGAIN = "%c = load i32, ptr %x, align 4"
PAIR = ["%q = insertvalue {{ i32, i32 }} poison, i32 %a, 0", "%r = insertvalue {{ i32, i32 }} %q, i32 {}, 1"]


def written(*lines: str, x: str = "", y: str = "", result: str = "%a") -> str:
    """Return a function that returns `%a` and a further value."""
    lines = (*lines, PAIR[0].format(), PAIR[1].format(result), "ret { i32, i32 } %r")
    body = "".join(f"  {line}\n" for line in lines)
    return f"define {{ i32, i32 }} @f(ptr {x} %x, ptr {y} %y) {{\n{body}}}\n"


def page(before: str, after: str, *passes: str) -> str:
    found = cause(FunctionChange(before, after), passes)
    return found.path if found else ""


@pytest.mark.parametrize(
    ("success", "failure", "passes", "named"),
    [
        ("monotonic", "acquire", ["gvn"], FAILURE),
        ("monotonic", "seq_cst", ["loop-mssa(licm)", "default<O2>"], FAILURE),
        ("monotonic", "acquire", ["gvn", "sink"], ""),
        ("monotonic", "monotonic", ["gvn"], ""),
        ("acquire", "acquire", ["gvn"], ""),
        ("release", "acquire", ["gvn"], ""),
    ],
)
def test_a_compare_exchange_that_acquires_if_it_fails(
    success: str, failure: str, passes: list[str], named: str
) -> None:
    middle = CMPXCHG.format(success, failure)
    assert page(written(middle, LOAD), written(LOAD, middle), *passes) == named


@pytest.mark.parametrize(
    ("x", "y", "named"),
    [("noalias", "noalias", LICENCE), ("noalias", "", LICENCE), ("", "noalias", ""), ("", "", "")],
)
def test_what_is_behind_a_noalias_pointer_alone_may_change(x: str, y: str, named: str) -> None:
    before = written(LOAD, ACQUIRE, AGAIN, x=x, y=y, result="%c")
    assert page(before, written(LOAD, ACQUIRE, x=x, y=y), "early-cse<memssa>") == named


def test_a_licence_is_of_addresses_behind_the_pointer_too() -> None:
    behind = ("%g = getelementptr i8, ptr %x, i64 4", LOAD.replace("%x", "%g"))
    again = AGAIN.replace("%x", "%g")
    before = written(*behind, ACQUIRE, again, x="noalias", result="%c")
    assert page(before, written(*behind, ACQUIRE, x="noalias"), "gvn") == LICENCE


def test_no_licence_is_named_where_something_else_changes_too() -> None:
    """The acquire, or a fence, which are not behind the pointer."""
    before = written(LOAD, ACQUIRE, AGAIN, x="noalias", result="%c")
    weaker = ACQUIRE.replace("acquire", "monotonic")
    assert page(before, written(LOAD, weaker, x="noalias"), "gvn") == ""
    fenced = written(LOAD, "fence acquire", AGAIN, x="noalias", result="%c")
    assert page(fenced, written(LOAD, x="noalias"), "gvn") == ""
    assert page(fenced, written(LOAD, "fence acquire", x="noalias"), "gvn") == LICENCE


def test_what_does_not_change_has_no_licence() -> None:
    same = written(LOAD, ACQUIRE, y="")
    assert page(same, same, "gvn") == ""
