"""`axmem refine` of functions of LLVM IR: which are compared, what is said of them, and what is left to others.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from axmem.cli import main
from axmem.encoder.solve import Limits
from axmem.formats.ir.pairs import function_pairs
from axmem.front.records import replace
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import Finding
from axmem.refinement.changed import Change
from axmem.refinement.functions import LATE, judged_pair, models_of
from axmem.refinement.judging import Question
from axmem.refinement.soundness import Outcomes, outcomes_sound
from tests.drawn import WHOLE, in_full, some

SOUND, UNSOUND, WRONG, UNKNOWN, INTERNAL = 0, 1, 2, 3, 4


def pair(before: str, after: str, name: str = "", parameters: str = "ptr %p, ptr %q", result: str = "i32") -> str:
    """Return two functions whose instructions are separated by semicolons."""
    return "".join(
        f"define {result} @{side}{name}({parameters}) {{\n  {body.replace('; ', chr(10) + '  ')}\n}}\n"
        for side, body in (("src", before), ("tgt", after))
    )


def asked(folder: Path, text: str, *options: str) -> int:
    path = folder / "pairs.ll"
    path.write_text(text, encoding="utf-8")
    return main(["refine", str(path), "--context", "1", "--bounded", "0", "--timeout", "60", *options])


def named(*names: str) -> str:
    return "".join(f"define void @{name}() {{\n  ret void\n}}\n" for name in names)


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (("src", "tgt"), [("src", "tgt")]),
        (("src.f", "tgt.g", "tgt.f", "src.g"), [("src.f", "tgt.f"), ("src.g", "tgt.g")]),
        (("src1", "tgt1", "source", "src_x", "tgt_x"), [("src1", "tgt1"), ("src_x", "tgt_x")]),
    ],
)
def test_names_that_are_pairs(names: tuple[str, ...], pairs: list[tuple[str, str]]) -> None:
    found = function_pairs(Source("a.ll", named(*names)))
    assert [(each.before.function.name, each.after.function.name) for each in found] == pairs


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("src.f", "tgt"), "there is no function '@tgt.f' beside '@src.f'"),
        (("f", "g"), "this module has no functions @src and @tgt"),
    ],
)
def test_names_that_are_none(names: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        function_pairs(Source("a.ll", named(*names)))


def test_two_texts_are_compared_by_the_names_of_their_functions() -> None:
    first, second = Source("a.ll", named("f", "g", "gone")), Source("b.ll", named("g", "new", "f"))
    assert [each.before.function.name for each in function_pairs(first, second)] == ["f", "g"]
    with pytest.raises(InputError, match=r"no function of 'a\.ll' is in 'b\.ll'"):
        function_pairs(Source("a.ll", named("f")), Source("b.ll", named("g")))


@pytest.mark.parametrize(
    ("triple", "models"), [("", ["llvm"]), ("x86_64-linux", ["llvm"]), ("amdgcn-amd-amdhsa", ["llvm", "amdgpu"])]
)
def test_the_triple_says_under_which_models(triple: str, models: list[str]) -> None:
    text = (f'target triple = "{triple}"\n' if triple else "") + named("src", "tgt")
    (found,) = function_pairs(Source("a.ll", text))
    assert [model.label for model in models_of(found)] == models


LOAD = "%a = load i32, ptr %p; "


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        # Only what is returned is compared: a register of no use may hold anything.
        (f"{LOAD}ret i32 0", "ret i32 0", SOUND),
        (f"{LOAD}ret i32 %a", "%b = load i32, ptr %q; ret i32 %b", UNSOUND),
        (f"{LOAD}ret i32 %a", "%b = load i32, ptr %p; ret i32 %b", SOUND),
        # Two pointers may be the same: the second store is the last.
        (
            "store i32 1, ptr %p; store i32 2, ptr %q; ret i32 0",
            "store i32 2, ptr %q; store i32 1, ptr %p; ret i32 0",
            UNSOUND,
        ),
        # Arithmetic that is the same for all numbers.
        (f"{LOAD}%b = mul i32 %a, -1; ret i32 %b", f"{LOAD}%b = sub i32 0, %a; ret i32 %b", SOUND),
        (f"{LOAD}%b = mul i32 %a, 2; ret i32 %b", f"{LOAD}%b = shl i32 %a, 1; ret i32 %b", SOUND),
        (f"{LOAD}%b = mul i32 %a, 2; ret i32 %b", f"{LOAD}%b = shl i32 %a, 2; ret i32 %b", UNSOUND),
        (f"{LOAD}%b = mul i32 %a, 2; ret i32 %b", f"{LOAD}%b = mul i32 %a, 2; ret i32 %b", SOUND),
        # A branch that became a choice: both ways are tried.
        (
            f"{LOAD}%c = icmp eq i32 %a, 0; %b = zext i1 %c to i32; ret i32 %b",
            f"{LOAD}%c = icmp eq i32 %a, 0; %b = select i1 %c, i32 1, i32 0; ret i32 %b",
            SOUND,
        ),
        (
            "%x = getelementptr i32, ptr %p, i32 1; store i32 1, ptr %x; ret i32 0",
            "%x = getelementptr i8, ptr %p, i32 4; store i32 1, ptr %x; ret i32 0",
            SOUND,
        ),
        (f"{LOAD}%b = and i32 %a, 65535; ret i32 %b", f"{LOAD}ret i32 %a", UNSOUND),
        (f"{LOAD}%b = add nsw i32 %a, 1; ret i32 %b", f"{LOAD}%b = mul i32 %a, 3; ret i32 %b", UNSOUND),
    ],
)
def test_answers(before: str, after: str, code: int, tmp_path: Path) -> None:
    assert asked(tmp_path, pair(before, after)) == code


LOOP = """br label %h
h:; %v = load atomic i32, ptr %p monotonic, align 4; %c = icmp eq i32 %v, 0; br i1 %c, label %out, label %h
out:; ret i32 {}"""


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (LOOP.format("1"), LOOP.format("2"), UNSOUND),
        (LOOP.format("1"), "ret i32 2", UNSOUND),
        ("ret i32 2", LOOP.format("1"), UNSOUND),
        (LOOP.format("%v"), LOOP.format("0"), SOUND),
    ],
)
def test_what_a_function_with_a_loop_returns_is_compared(before: str, after: str, code: int, tmp_path: Path) -> None:
    assert (
        asked(tmp_path, pair(before, after).replace("  h:", "h:").replace("  out:", "out:"), "--context", "0") == code
    )


COUNTS = """br label %h
h:; %i = phi i32 [ 0, %0 ], [ %n, %h ]; %n = add i32 %i, 1; %c = icmp ult i32 %n, %x; br i1 %c, label %h, label %out
out:; ret i32 %n"""


def test_the_size_is_that_of_the_context_which_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a loop without a bound more is known in larger contexts, and what is found there may need none of them."""
    text = pair(COUNTS, "ret i32 %x", parameters="i32 noundef %x").replace("  h:", "h:").replace("  out:", "out:")
    assert asked(tmp_path, text, "--model", "llvm", "--context", "2") == UNSOUND
    assert "unsound even if no other thread runs" in capsys.readouterr().out


TWO = "%a = load volatile i32, ptr %p; %b = load volatile i32, ptr %q; "
BRANCH = "%c = icmp eq i32 %x, 0; br i1 %c, label %t, label %e\nt:; {}br label %e\ne:; ret i32 0"


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (f"{TWO}ret i32 0", "%b = load volatile i32, ptr %q; %a = load volatile i32, ptr %p; ret i32 0", UNSOUND),
        (f"{TWO}ret i32 0", "%b = load volatile i32, ptr %q; ret i32 0", UNSOUND),
        (f"{TWO}ret i32 0", f"{TWO}{LOAD.replace('%a', '%d')}ret i32 0", SOUND),
        (f"{TWO}ret i32 0", "%a = load volatile i32, ptr %p; %b = load i32, ptr %q; ret i32 0", UNSOUND),
        # One more on a path, as many in the function.
        (
            "%a = load volatile i32, ptr %p; " + BRANCH.format(""),
            BRANCH.format("%a = load volatile i32, ptr %p; "),
            UNSOUND,
        ),
        (BRANCH.format("%a = load volatile i32, ptr %p; "), BRANCH.format("%b = load volatile i32, ptr %p; "), SOUND),
    ],
)
def test_volatile_accesses_stay_in_number_and_order(
    before: str, after: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = pair(before, after, parameters="ptr noalias %p, ptr noalias %q, i32 %x")
    assert asked(tmp_path, text.replace("  t:", "t:").replace("  e:", "e:")) == code
    out = " ".join(capsys.readouterr().out.split())
    said = "forbidden before: volatile accesses are others, or executed in another order" in out
    assert said == (code == UNSOUND) and "volatile.order" not in out


def test_an_index_is_one_of_its_own_0_and_others_of_the_functions(tmp_path: Path) -> None:
    place = "%a = getelementptr i32, ptr %p, i32 {}; store i32 1, ptr %a; ret i32 0"
    after = place.replace("i32, ptr %p", "i8, ptr %p").format("8")
    assert asked(tmp_path, pair(place.format("%x"), after, parameters="ptr %p, i32 %x")) == UNSOUND
    assert asked(tmp_path, pair(place.format("2"), after, parameters="ptr %p, i32 %x")) == SOUND


WAITING = """{}br label %h
h:; %f = load atomic i32, ptr %q acquire; %c = icmp ne i32 %f, 0; br i1 %c, label %out, label %h
out:; {}ret i32 %a"""


def test_a_load_may_not_go_up_out_of_a_loop_that_waits(tmp_path: Path) -> None:
    """Alone neither function ends."""
    text = pair(WAITING.format("", LOAD), WAITING.format(LOAD, "")).replace("  h:", "h:").replace("  out:", "out:")
    text = text.replace("load atomic i32, ptr %q acquire", "load atomic i32, ptr %q acquire, align 4")
    assert asked(tmp_path, text, "--context", "2") == UNSOUND


@in_full
def test_after_contexts_of_which_nothing_is_known_larger_ones_are_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But a change is sound only up to where everything is known."""

    def unknown(change: Change, model: ModelChoice, events: int, limits: Limits, known: int, kept: None) -> Outcomes:
        found = outcomes_sound(change, model, events, limits, known=known)
        return found if events != 1 else replace(found, finding=Finding("unknown", 1, reasons=("it is late",)))

    monkeypatch.setattr("axmem.refinement.judging.outcomes_sound", unknown)
    monkeypatch.setattr("axmem.refinement.judging.proved_change", lambda *tests: "not asked")
    assert asked(tmp_path, pair(f"{LOAD}ret i32 0", "ret i32 0"), "--context", "2") == UNKNOWN
    assert "in contexts of 1 operation: it is late" in capsys.readouterr().out
    unsound = pair(WAITING.format("", LOAD), WAITING.format(LOAD, "")).replace("  h:", "h:").replace("  out:", "out:")
    unsound = unsound.replace("load atomic i32, ptr %q acquire", "load atomic i32, ptr %q acquire, align 4")
    assert asked(tmp_path, unsound, "--context", "2") == UNSOUND


def test_pointers_that_are_not_the_same(tmp_path: Path) -> None:
    stores = "store i32 1, ptr %p; store i32 2, ptr %q; ret i32 0"
    swapped = "store i32 2, ptr %q; store i32 1, ptr %p; ret i32 0"
    assert asked(tmp_path, pair(stores, swapped, parameters="ptr noalias %p, ptr noalias %q")) == SOUND


def test_what_is_left_to_others_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    step = "%b = getelementptr {}i8, ptr %p, i64 4; %a = load i32, ptr %b; ret i32 %a"
    assert asked(tmp_path, pair(step.format(""), step.format("inbounds "))) == UNKNOWN
    assert "not decided here: Alive2's (whether getelementptr inbounds makes no poison)" in capsys.readouterr().out
    assert asked(tmp_path, pair(step.format("inbounds "), step.format(""))) == SOUND
    order = "%b = load ptr, ptr %p, align 8; %c = icmp {} ptr %b, %q; %r = zext i1 %c to i32; ret i32 %r"
    unused = "%d = load i32, ptr %p, align 4; "
    assert asked(tmp_path, pair(unused + order.format("ult"), order.format("ult"))) == UNKNOWN
    assert "addresses are compared by their order" in capsys.readouterr().out
    assert asked(tmp_path, pair(unused + order.format("eq"), order.format("eq"))) == SOUND


TRUTHS = {
    "compared": ("ptr %p, i8 %v", "%x = load atomic i8, ptr %p monotonic, align 1; %c = icmp eq i8 %x, %v; "),
    "given": ("ptr %p, i1 %c", "store atomic i8 7, ptr %p release, align 1; "),
    "loaded": ("ptr %p", "%c = load i1, ptr %p, align 1; "),
    "exchanged": (
        "ptr %p",
        "%x = cmpxchg ptr %p, i8 1, i8 2 monotonic monotonic; %c = extractvalue { i8, i1 } %x, 1; ",
    ),
}


@pytest.mark.parametrize("truth", some([*TRUTHS], of=2))
def test_both_numbers_that_a_truth_value_becomes_are_tried(tmp_path: Path, truth: str) -> None:
    parameters, body = TRUTHS[truth]
    chosen = f"{body}%r = select i1 %c, i32 1, i32 0; ret i32 %r"
    for cast, verdict in (("zext", SOUND), ("sext", UNSOUND)):
        extended = f"{body}%r = {cast} i1 %c to i32; ret i32 %r"
        for sides in ((chosen, extended), (extended, chosen)):
            assert asked(tmp_path, pair(*sides, parameters=parameters), "--context", "1") == verdict, (cast, sides)


def test_every_pair_has_an_answer_and_the_counts_come_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        pair(f"{LOAD}ret i32 %a", f"{LOAD}ret i32 %a", ".same")
        + pair(f"{LOAD}ret i32 %a", "ret i32 7", ".wrong")
        + pair("%v = load <vscale x 4 x i32>, ptr %p; ret i32 1", "ret i32 1", ".unread")
    )
    assert asked(tmp_path, text) == WRONG
    out, err = capsys.readouterr()
    heads = [line for line in out.splitlines() if line.startswith("src")]
    assert heads[0] == "src.same -> tgt.same  llvm  sound in every context: the same instructions"
    assert heads[1].startswith("src.wrong -> tgt.wrong  llvm  unsound ")
    assert out.endswith("\n2 pairs: 1 sound, 1 unsound; 1 has the same instructions; 1 without an answer\n")
    assert "vector whose length is not known" in err
    asked(tmp_path, text, "--format", "json")
    records = json.loads(capsys.readouterr().out)["refinements"]
    assert [(r["before"], r["verdict"]) for r in records] == [("src.same", "sound"), ("src.wrong", "unsound")]


def test_a_fault_of_one_pair_does_not_end_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But it is no answer, and of one pair alone it is what it is everywhere."""

    def fail(*_: object) -> None:
        raise KeyError("provoked")

    monkeypatch.setattr("axmem.refinement.functions.function_tests", fail)
    wrong = pair(f"{LOAD}ret i32 %a", "ret i32 7", ".wrong")
    assert asked(tmp_path, pair("ret i32 1", "ret i32 1", ".same") + wrong) == INTERNAL
    out, err = capsys.readouterr()
    assert "@src.wrong: internal error: KeyError" in err and out.endswith("same instructions; 1 without an answer\n")
    assert asked(tmp_path, wrong) == INTERNAL
    assert capsys.readouterr().err.startswith("axmem: internal error: KeyError")


def test_what_opt_left_as_it_was_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "a.ll", tmp_path / "b.ll"
    text = pair(f"{LOAD}ret i32 %a", f"{LOAD}ret i32 %a")
    first.write_text(text, encoding="utf-8")
    second.write_text(text.replace("%a", "%b", 2), encoding="utf-8")
    assert main(["refine", str(first), str(second), "--context", "1", "--bounded", "0"]) == SOUND
    out = capsys.readouterr().out
    assert "sound in every context" in out.splitlines()[0] and "tgt  llvm" not in out
    assert out.endswith("\n2 pairs: 2 sound; 1 has the same instructions\n")


def test_other_parameters_are_no_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = pair("ret i32 1", "ret i32 1").replace("@tgt(ptr %p, ptr %q)", "@tgt(ptr %p)")
    assert asked(tmp_path, text) == WRONG
    assert "'@tgt' has other parameters than '@src', or another result" in capsys.readouterr().err


def test_options_of_tests_are_not_for_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(tmp_path, pair("ret i32 1", "ret i32 1"), "--map", "x=y") == WRONG
    assert "--map is for tests: of functions nobody sees registers" in capsys.readouterr().err


def test_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    """Both functions with the changed lines marked, the context, the outcome, a sentence each: on one screen."""
    assert main(["refine", "@examples/hoisted-load.ll", "--context", "2"]) == UNSOUND
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 40 and max(map(len, out.splitlines())) <= 100
    letters = {line[4]: line for line in out.splitlines() if line[2:4] in ("  ", "+ ", "- ") and line[4:5].isalpha()}
    assert "@flag acquire" in letters["A"] and "load i32, ptr %p" in letters["B"]
    assert "  + B " in out and "  - B " in out and "    in another thread, C0, of another agent\n      C  " in out
    assert "\n  allowed after: B returns undef by " in out and "\n  forbidden before: " in out and '[LangRef] "' in out


BOTH = ("barrier a", "barrier b")
BARRIER = """@l = addrspace(3) global i32 undef
declare void @llvm.amdgcn.s.barrier()
"""
MEETING = 'fence syncscope("workgroup") release; call void @llvm.amdgcn.s.barrier(); ret void'
STORE = "store i32 1, ptr addrspace(3) @l, align 4"


def test_what_is_moved_over_a_barrier_is_seen_by_who_meets_the_function_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another wave reads what is stored before; the barrier is none of the two operations."""
    moved = MEETING.replace("ret void", f"{STORE}; ret void")
    text = BARRIER + pair(f"{STORE}; {MEETING}", moved, parameters="", result="void")
    assert asked(tmp_path, text, "--model", "llvm", "--context", "2", "--timeout", "600") == UNSOUND
    assert "barrier\n" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_a_barrier_at_which_nobody_meets_the_function_is_not_called_sound(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who meets it there would wait for ever, or not at all."""
    twice = MEETING.replace("ret void", "call void @llvm.amdgcn.s.barrier(); ret void")
    text = BARRIER + pair(MEETING, twice, parameters="", result="void")
    assert asked(tmp_path, text, "--model", model) == UNKNOWN
    assert "contexts do not meet the function at its barriers: " in capsys.readouterr().out


def test_a_function_with_a_barrier_is_unsound_where_nobody_need_meet_it(tmp_path: Path) -> None:
    other = STORE.replace("i32 1", "i32 2")
    text = BARRIER + pair(f"{STORE}; {MEETING}", f"{other}; {MEETING}", parameters="", result="void")
    assert asked(tmp_path, text, "--model", "llvm") == UNSOUND


def test_a_function_with_a_barrier_whose_operations_stay_is_sound(tmp_path: Path) -> None:
    text = BARRIER + pair(f"{STORE}; {MEETING}", f"{STORE}; %a = add i32 1, 2; {MEETING}", parameters="", result="void")
    assert asked(tmp_path, text, "--model", "llvm") == SOUND


def test_barriers_that_contexts_lack_stand_before_the_word_sound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "litmus b\nlds l = 0\nthread P {{\n  {}\n}}\nexists (true)\n"
    fence = 'fence syncscope("workgroup") release'
    for name, between in (("before", ("store 1, l", fence, *BOTH)), ("after", (fence, *BOTH, "store 1, l"))):
        (tmp_path / f"{name}.litmus").write_text(body.format("\n  ".join(between)), encoding="utf-8")
    tests = [str(tmp_path / f"{name}.litmus") for name in ("before", "after")]
    assert main(["refine", *tests, "--model", "llvm", "--context", "1", "--bounded", "0"]) == SOUND
    assert "if contexts have none of barriers: no counterexample" in capsys.readouterr().out


LOOP = (
    "br label %entry\nentry:; %f = load atomic i32, ptr %p monotonic, align 4; br label %loop\nloop:; "
    "%e = phi i32 [ %f, %entry ], [ %a, %loop ]; %n = add i32 %e, 1; "
    "%v = cmpxchg ptr %p, i32 %e, i32 %n acq_rel acquire, align 4; %a = extractvalue { i32, i1 } %v, 0; "
    "%s = extractvalue { i32, i1 } %v, 1; br i1 %s, label %end, label %loop\nend:; ret i32 %a"
)
"""A read-modify-write as a loop that tries again (`axmem.events.retries`)."""


LOOPS = [
    ("", "", SOUND),
    ("add i32 %e", "add i32 %f", UNSOUND),
    ("cmpxchg", "cmpxchg weak", SOUND),
    ("acq_rel acquire", "release monotonic", UNSOUND),
    ("acq_rel acquire", "acquire acquire", UNSOUND),
    ("ret i32 %a", "ret i32 %f", UNSOUND),
    ("ret i32 %a", "ret i32 %n", UNSOUND),
    ("[ %a, %loop ]", "[ %f, %loop ]", UNKNOWN),
]


@pytest.mark.parametrize(("old", "new", "code"), some(LOOPS, of=8))
def test_an_addition_may_become_a_loop_that_does_the_same(tmp_path: Path, old: str, new: str, code: int) -> None:
    """The last one does not try again with what it has read: how often it goes on is not bounded."""
    before = "fence release; %a = atomicrmw add ptr %p, i32 1 acq_rel, align 4; ret i32 %a"
    text = pair(before, f"fence release; {LOOP.replace(old, new)}", parameters="ptr %p")
    larger = "2" if WHOLE or code != SOUND else "1"
    assert asked(tmp_path, text, "--model", "llvm", "--context", larger) == code


def test_what_calls_a_function_that_cannot_be_read_is_refused_where_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its body was cut there: to put it in the place of the call was an internal error. Others are judged."""
    thrown = (
        "define linkonce_odr void @g() personality ptr @h {\n  invoke void @h() to label %a unwind label %b\n"
        "a:\n  ret void\nb:\n  %l = landingpad { ptr, i32 } cleanup\n  ret void\n}\n"
    )
    calling = pair("call void @g(); ret i32 1", "call void @g(); ret i32 2", name=".calls")
    other = pair("fence seq_cst; ret i32 1", "fence seq_cst; ret i32 2", name=".other")
    assert asked(tmp_path, thrown + "declare void @h()\n" + calling + other) == WRONG
    shown = capsys.readouterr()
    assert "pairs.ll:2:3: error: 'invoke' has no meaning in a test" in shown.err
    assert "src.other -> tgt.other  llvm  unsound" in shown.out


@pytest.mark.parametrize(
    ("shift", "answer"), [("shl i32 %n, %m", UNKNOWN), ("lshr i32 %n, 32", UNKNOWN), ("ashr i32 %n, 31", SOUND)]
)
def test_a_frozen_shift_may_be_of_poison(tmp_path: Path, shift: str, answer: int) -> None:
    stored = "store atomic i32 %r, ptr %p monotonic, align 4; ret i32 %r"
    before, after = f"%s = {shift}; %r = freeze i32 %s; {stored}", f"%r = {shift}; {stored}"
    text = pair(before, after, parameters="i32 noundef %n, i32 noundef %m, ptr %p")
    assert asked(tmp_path, text) == answer


def test_choices_of_parameters_that_a_limit_leaves_out_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each had a tenth of a second at least, however many there were: 3 s became 71."""
    clock = itertools.count(step=2)
    monkeypatch.setattr("axmem.refinement.functions.time", SimpleNamespace(process_time=lambda: next(clock)))
    store, load = "store i32 1, ptr %p", "%a = load i32, ptr %q"
    (one,) = function_pairs(Source("a.ll", pair(f"{store}; {load}; ret i32 %a", f"{load}; {store}; ret i32 %a")))
    assert judged_pair(one, ModelChoice("llvm"), Question(seconds=100.0)).judgement.verdict == "unsound"
    found = judged_pair(one, ModelChoice("llvm"), Question(seconds=3.0)).judgement
    assert (found.verdict, found.parameters, found.reasons) == ("unknown", (), (LATE.format(1, 2),))
