"""Which page is named for a change: none but one whose operations and passes it is about.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pytest

from axmem.formats.ir.pairs import FunctionPair, sides
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.passes.asking import Inquiry, judged
from axmem.passes.changes import FunctionChange
from axmem.passes.known import cause
from axmem.refinement.inclusion import HELD, UNSOUND
from axmem.refinement.timed import timed
from tests.drawn import some

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


KEPT = written(LOAD, ACQUIRE, AGAIN, x="noalias", y="noalias", result="%c")
STORE, RELEASE = "store i32 1, ptr %x, align 4", "store atomic i32 1, ptr %y release, align 4"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (KEPT, written(LOAD, ACQUIRE.replace("acquire", "monotonic"), x="noalias", y="noalias")),
        (KEPT, written(LOAD, x="noalias", y="noalias")),
        (KEPT, written(LOAD, ACQUIRE, x="noalias", y="noalias", result="%b")),
        (KEPT, written(LOAD, ACQUIRE, x="noalias", y="noalias", result="7")),
        (KEPT, written(LOAD, ACQUIRE, x="noalias", y="noalias", result="poison")),
        (KEPT, written(LOAD, ACQUIRE, AGAIN.replace("%x", "%y"), x="noalias", y="noalias", result="%c")),
        (written(LOAD, STORE, AGAIN, x="noalias", result="%c"), written(LOAD, STORE, x="noalias")),
        (written(LOAD, STORE, x="noalias"), written(LOAD, x="noalias")),
        (written(LOAD, RELEASE, y="noalias"), written(LOAD, RELEASE.replace("release", "monotonic"), y="noalias")),
        (written(LOAD, RELEASE, x="noalias", y="noalias"), written(LOAD, x="noalias", y="noalias")),
        (written(LOAD, AGAIN.replace("load", "load volatile"), x="noalias", result="%c"), written(LOAD, x="noalias")),
        (written(LOAD, "fence acquire", AGAIN, x="noalias", result="%c"), written(LOAD, x="noalias")),
    ],
)
def test_a_wrong_change_behind_a_noalias_pointer_has_no_licence(before: str, after: str) -> None:
    """A synchronization that is weaker or gone, another value, memory that is written here, a volatile access."""
    assert page(before, after, "gvn") == ""


def test_what_is_read_in_order_is_what_is_read_again() -> None:
    first = LOAD.replace("load i32, ptr %x", "load atomic i32, ptr %x acquire")
    before = written(first, ACQUIRE, AGAIN, x="noalias", result="%c")
    assert page(before, written(first, ACQUIRE, x="noalias"), "early-cse<memssa>") == LICENCE
    assert page(before, written(LOAD, ACQUIRE, x="noalias"), "early-cse<memssa>") == ""


def test_a_fence_that_stays_is_no_matter() -> None:
    before = written(LOAD, "fence acquire", AGAIN, x="noalias", result="%c")
    assert page(before, written(LOAD, "fence acquire", x="noalias"), "gvn") == LICENCE


@pytest.mark.parametrize(
    ("before", "after", "result", "address"),
    some(
        [
            ((ACQUIRE, LOAD), (LOAD, ACQUIRE), ("%b", "%b"), "%x"),
            ((ACQUIRE, LOAD), (LOAD, ACQUIRE), ("%b", "%b"), "%g"),
            ((LOAD, "fence acquire", AGAIN), (LOAD, "fence acquire"), ("%c", "%a"), "%x"),
            ((LOAD, "fence acquire", AGAIN), (LOAD, "fence acquire"), ("%c", "%a"), "%g"),
        ], of=4,
    ),
)
def test_what_has_a_licence_holds_where_contexts_keep_it(
    before: tuple[str, ...], after: tuple[str, ...], result: tuple[str, str], address: str
) -> None:
    texts = (
        written("%g = getelementptr i8, ptr %x, i64 4", *lines, x="noalias", result=shown).replace(
            "i32, ptr %x", f"i32, ptr {address}"
        )
        for lines, shown in zip((before, after), result, strict=True)
    )
    change = FunctionChange(*texts)
    assert page(change.before, change.after, "gvn") == LICENCE
    pair = FunctionPair(*(sides(Source(f"{k}.ll", text))["f"] for k, text in enumerate((change.before, change.after))))
    assert timed(pair, ModelChoice("llvm"), 2, None).verdict in HELD
    assert judged(Inquiry(change, "", "llvm", 2, None)).verdict == UNSOUND


@pytest.mark.parametrize("gone", ["fence release", RELEASE.replace("%y", "%z")])
def test_a_page_on_accesses_is_not_that_of_what_orders_them(gone: str) -> None:
    """Beside a compare-exchange that acquires if it fails."""
    middle = CMPXCHG.format("monotonic", "acquire")
    before, after = (written(*gone_too, middle, LOAD, y="%z, ptr") for gone_too in ([gone], []))
    assert page(before, after, "gvn") == ""


def test_what_does_not_change_has_no_licence() -> None:
    """`passes` asks of changes alone: both functions are the same anyway."""
    assert page(written(LOAD, ACQUIRE), written(LOAD, ACQUIRE), "gvn") == ""
