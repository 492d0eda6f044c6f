"""Contexts that use what a program shows: what needs five or six operations is refuted.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement import refuting
from axmem.refinement.functions import judged_pair
from axmem.refinement.judging import Judgement, Question, judged
from tests.controls import rows
from tests.drawn import in_full
from tests.refinement.test_functions import SOUND, UNSOUND, asked, pair
from tests.refinement.test_rows import program

WRONG = [
    # What is acquired before a release fence is passed on; behind one it is not.
    ("fence acq_rel", "fence release; fence acquire", 5),
    # An idle load must see what another thread has read, and an acquire fence makes it synchronize.
    ("idle = load atomic x monotonic; fence acquire", "fence acquire", 5),
    ("idle = load atomic x monotonic", "-", 6),
    # Dekker's algorithm around a fence, and between an access and who synchronizes with it.
    ("fence seq_cst", "fence acq_rel", 4),
    ("store atomic 1, x seq_cst; store atomic 2, x seq_cst", "store atomic 2, x seq_cst", 4),
    # A narrower scope shows to a thread of another workgroup.
    ('store atomic 1, x syncscope("agent") release', 'store atomic 1, x syncscope("workgroup") release', 3),
]


LLVM = ModelChoice("llvm")


pytestmark = pytest.mark.usefixtures("longer_than_users_have")


def said(before: str, after: str, model: str = "llvm") -> Judgement:
    return judged(
        program(before, "before"), program(after, "after"), ModelChoice(model), Question(context=1, seconds=None)
    )


@pytest.mark.parametrize(("before", "after", "most"), WRONG)
def test_a_wrong_change_is_refuted_whatever_size_that_takes(before: str, after: str, most: int) -> None:
    found = said(before, after)
    assert found.verdict == "unsound"
    assert found.counterexample is not None
    assert found.context is not None
    assert found.context <= most


def test_what_is_proved_is_said_of_contexts_of_any_size() -> None:
    found = said("fence acq_rel", "fence acquire; fence release")
    assert (found.verdict, found.context) == ("sound", None)
    assert "dependencies" in found.without


def test_nothing_is_proved_where_numbers_stand_for_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refuting, "SECONDS", 0.25)  # Nothing is to be found.
    tests = program("store 1, x", "before"), program("r = load y; store 1, x", "after")
    assert judged(*tests, ModelChoice("llvm"), Question(context=1, seconds=None)).context is None
    assert judged(*tests, ModelChoice("llvm"), Question(context=1, seconds=None, tried=True)).context == 1


@in_full
def test_no_random_row_that_is_proved_is_refuted() -> None:
    pairs = 2
    counts, wrong = rows.trial(pairs=pairs, contexts=3, seed=7, kind=rows.Kind(scopes=0.4, branches=0.25))
    assert not wrong
    assert sum(counts[each] for each in counts if each != "proved, merging") == pairs


def test_a_trial_finds_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (
        program("store 1, x; store atomic 1, y release", "before"),
        program("store atomic 1, y release; store 1, x", "after"),
    )
    right = program("store 1, x", "before"), program("store 1, x; r = load x", "after")
    answer = judged(*right, LLVM)
    monkeypatch.setattr(rows, "pair", lambda random, kind: wrong)
    monkeypatch.setattr(rows, "judged", lambda *tests: answer)
    assert rows.trial(pairs=1, contexts=0, seed=0)[1]


FUNCTIONS = """define i32 @src(ptr dereferenceable(4) %x, ptr %y, i32 %v) {{
  %c = load atomic i32, ptr %y acquire, align 4
  %t = icmp eq i32 %c, 1
  br i1 %t, label %yes, label %no
yes:
  {before}
  ret i32 %b
no:
  ret i32 0
}}
define i32 @tgt(ptr dereferenceable(4) %x, ptr %y, i32 %v) {{
  %c = load atomic i32, ptr %y acquire, align 4
  %t = icmp eq i32 %c, 1
  br i1 %t, label %yes, label %no
yes:
  {after}
  ret i32 %b
no:
  ret i32 0
}}
"""
LOAD, AGAIN = "%b = load i32, ptr %x, align 4", "%a = load i32, ptr %x, align 4\n  %b = load i32, ptr %x, align 4"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [(AGAIN, LOAD, "sound"), (f"store i32 %v, ptr %x\n  {LOAD}", f"{LOAD}\n  store i32 %v, ptr %x", "unsound")],
)
def test_functions_with_branches_are_proved_path_by_path(before: str, after: str, verdict: str) -> None:
    (pair,) = function_pairs(Source("f.ll", FUNCTIONS.format(before=before, after=after)))
    judgement = judged_pair(pair, ModelChoice("llvm"), Question(context=1, seconds=None)).judgement
    assert judgement.verdict == verdict
    assert (judgement.context is None) == (verdict == "sound")


def test_parameters_that_stay_open_are_leaves_of_what_is_proved() -> None:
    stored = "store i32 %v, ptr %x\n  "
    (pair,) = function_pairs(Source("f.ll", FUNCTIONS.format(before=stored + AGAIN, after=stored + LOAD)))
    judgement = judged_pair(pair, ModelChoice("llvm"), Question(context=1, seconds=None)).judgement
    assert (judgement.verdict, judgement.context) == ("sound", None)


SPLIT = """define i32 @{}(i1 noundef %c) {{
  br i1 %c, label %yes, label %no
yes:
  {}
  ret i32 1
no:
  {}
  ret i32 0
}}
"""
WHOLE_FENCE, PARTS = "fence acq_rel", "fence release\n  fence acquire"


@pytest.mark.parametrize("sides", [(PARTS, WHOLE_FENCE), (WHOLE_FENCE, PARTS)])
def test_parameters_of_few_bits_have_numbers_that_fit(sides: tuple[str, str]) -> None:
    """81 was no number of one bit, and what has such a parameter was refuted by no context that is suggested."""
    text = SPLIT.format("src", WHOLE_FENCE, WHOLE_FENCE) + SPLIT.format("tgt", *sides)
    (pair,) = function_pairs(Source("f.ll", text))
    found = judged_pair(pair, LLVM, Question(context=1, seconds=None)).judgement
    assert found.verdict == "unsound"
    assert found.parameters == (f"%c = {int(sides[0] == PARTS)}",)


PUBLISHED = """@head = global ptr null
define i32 @src() {
  %p = load atomic ptr, ptr @head acquire, align 8
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt() {
  %p = load atomic ptr, ptr @head monotonic, align 8
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
"""


def test_who_publishes_memory_refutes_a_reader_that_does_not_acquire() -> None:
    (pair,) = function_pairs(Source("f.ll", PUBLISHED))
    judgement = judged_pair(pair, LLVM, Question(context=1, seconds=None)).judgement
    assert (judgement.verdict, judgement.context) == ("unsound", 2)
    assert judgement.counterexample is not None
    assert "store atomic &head.pointee" in judgement.counterexample.after


@pytest.mark.parametrize("context", [0, 2])
def test_what_the_limit_cuts_short_says_so(context: int) -> None:
    tests = program("r = load atomic x acquire", "before"), program("r = load atomic x acquire; fence release", "after")
    wrong = tests[1], tests[0]
    found = judged(*wrong, LLVM, Question(context, seconds=0.0))
    assert found.verdict == "unknown"
    assert found.reasons == (
        "the time limit came first: contexts of 0 operations were not all searched (--timeout S permits more)",
    )


@in_full
def test_contexts_are_tried_also_if_the_programs_alone_take_too_long(tmp_path: Path) -> None:
    """Products of what is read keep a solver busy: half of the time was not left for what tells the programs apart."""
    exchange = "%c = cmpxchg ptr @q, i32 %n, i32 7 acq_rel acquire, align 4; %v = extractvalue {{ i32, i1 }} %c, 0; "
    load, end = "%d = load i32, ptr @r, align 4; ", "%e = mul i32 %v, {}; %f = mul i32 %e, {}; ret i32 %f"
    sides = exchange.format() + load + end.format("%n", "%d"), load + exchange.format() + end.format("%d", "%n")
    text = "@q = global i32 0\n@r = global i32 0\n" + pair(*sides, parameters="i32 noundef %n")
    assert asked(tmp_path, text, "--context", "2", "--timeout", "6") == UNSOUND


BRANCHING = "%c = icmp eq i32 %v, 5; br i1 %c, label %a, label %b\na:; ret i32 1\nb:; ret i32 2"
READ = "%v = load i32, ptr %p, align 4; "
TURNING = (
    "br label %l\nl:; %i = phi i32 [ 0, %0 ], [ %j, %l ]; %j = add i32 %i, 1; %v = load i32, ptr %p, align 4; "
    "%c = icmp ult i32 %j, 2; %d = icmp eq i32 %v, 7; %e = and i1 %c, %d; br i1 %e, label %l, label %x\nx:; "
)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("fence acquire; " + READ + BRANCHING, READ + "fence acquire; " + BRANCHING, UNSOUND),
        ("fence acquire; " + READ + BRANCHING, "fence acq_rel; " + READ + BRANCHING, SOUND),
        ("fence acquire; " + TURNING + "ret i32 %j", TURNING + "fence acquire; ret i32 %j", UNSOUND),
        # What races wherever the function is called is undefined before, and nothing is worse.
        (READ + BRANCHING, READ + "fence acquire; " + BRANCHING, SOUND),
    ],
)
def test_a_context_may_call_a_function_only_where_it_read_something(
    before: str, after: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To branch on what a race reads is undefined behaviour, and who looks before it calls does not race."""
    text = pair(before, after).replace("  a:", "a:").replace("  b:", "b:").replace("  l:", "l:").replace("  x:", "x:")
    assert asked(tmp_path, text, "--model", "llvm", "--context", "2") == code
    assert ("only if cc1 == 1" in capsys.readouterr().out) == (code == UNSOUND)
