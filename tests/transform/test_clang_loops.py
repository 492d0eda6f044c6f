"""Loops as clang 22 writes them (`tests/loopmd/c`), whose IR and what opt-22 made of it are kept, against our cases.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pytest

from axmem.formats.reading import parse
from axmem.litmus.parser import parse as parse_test
from axmem.litmus.printer import print_test
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import LitmusTest
from axmem.transform.loops import loops
from axmem.transform.metadata import LoopReport, MetadataQuestion, loop_metadata
from axmem.transform.passes import PassTarget, Profile
from axmem.transform.trips import trips
from tests.drawn import some
from tests.loopmd import clang, generated
from tests.loopmd.clang import from_record, recorded
from tests.transform.metadata import written

RECORD, MORE = recorded(), recorded(generated.RECORD)
EVERY = 6
"""Of so many functions one is compared here; `make oracle` compares all, with LLVM."""


@pytest.mark.parametrize("number", some([*range(len(RECORD))], of=2))
def test_recorded_functions(number: int) -> None:
    each = RECORD[number]
    assert from_record(each, list(each["said"])[number % EVERY :: EVERY]) == []


@pytest.mark.parametrize("number", some([*range(len(MORE))], of=2))
def test_recorded_functions_of_random_loops_and_of_our_own(number: int) -> None:
    each = MORE[number]
    names = list(each["said"])
    assert from_record(each, names if each["source"].endswith(".ll") else names[number % 3 :: 3]) == []


def test_the_second_record_is_of_these_modules() -> None:
    kept = [(each["way"]["name"], each["way"]["target"], each["module"]) for each in MORE]
    own = [(way.name, way.target, module) for way, module in generated.texts()]
    assert kept[: len(own)] == own
    assert len(kept) == len(own) + len(clang.WAYS) * len(generated.SEEDS)


def test_the_record_is_of_these_commands_and_sources() -> None:
    kept = [(each["way"]["name"], each["way"]["target"], each["way"]["command"], each["source"]) for each in RECORD]
    assert kept == [(way.name, way.target, way.command, source) for way, source in clang.everything()]
    assert sum(len(each["said"]) for each in RECORD) >= 600
    for each in RECORD:
        text = (clang.FOLDER / each["source"]).read_text()
        assert all(f" {name}(" in text for name in each["said"])


def test_the_record_is_no_trifle() -> None:
    said = [one for each in RECORD for one in each["said"].values()]
    assert {word for one in said for words in one["done"] for word in words} >= {
        "unroll: full", "unroll: partial", "unroll: runtime", "vectorize: vectorized", "vectorize: interleaved",
        "distribute", "jam",
    }  # fmt: skip
    assert sum(len(one["warnings"]) for one in said) > 100
    assert sum("add nuw nsw" in each["module"] for each in RECORD) > 10


def test_what_is_different_is_said() -> None:
    each = dict(next(each for each in RECORD if each["way"]["name"] == "O2"))
    name = next(iter(each["said"]))
    each["said"] = {name: {**each["said"][name], "warnings": ["another warning"]}}
    (found,) = from_record(each, [name])
    assert "another warning" in found


# ---------------------------------------------------------------- what was wrong

COPY = """\
; axmem: kernel @f(@a, @b, in {{3, 17}}) workgroups 1, wavefronts 1, lanes 1
define void @f(ptr %p, ptr %q, i64 %n) {attributes} {{
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %next, %h ]
  %from = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %from, align 4{first}
  %to = getelementptr inbounds i32, ptr %q, i64 %i
  store i32 %v, ptr %to, align 4{second}
  %next = add nuw nsw i64 %i, {step}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %h, label %x, !llvm.loop !0
x:
  ret void
}}
attributes #0 = {{ noinline nounwind optnone uwtable "target-cpu"="x86-64" }}
!0 = distinct !{{!0, !1, !2}}
!1 = !{{!"llvm.loop.parallel_accesses", !3}}
!2 = !{{!"llvm.loop.vectorize.enable", i1 true}}
!3 = distinct !{{}}
@a = global [64 x i32] zeroinitializer, align 4
@b = global [64 x i32] zeroinitializer, align 4
"""
GROUP = ", !llvm.access.group !3"


def copying(*, first: str = "", second: str = "", attributes: str = "", step: int = 1) -> LitmusTest:
    text = COPY.format(first=first, second=second, attributes=attributes, step=step)
    return parse(text, "m.ll", "llvm-ir")


def reported(test: LitmusTest, pipeline: str = "vectorize", target: PassTarget = PassTarget.X86_64) -> LoopReport:
    return loop_metadata(test.kernels[0], MetadataQuestion(Profile.LLVM_22, target, pipeline))


def left(report: LoopReport) -> set[tuple[tuple[str, ...], ...]]:
    """Return the attributes of all loops after each case."""
    return {
        tuple(tuple(map(written, tree.attributes)) for root in case.loops for tree in root.walk())
        for case in report.nests[0].cases
    }


PARALLEL = "parallel_accesses={group}"


def test_accesses_that_are_parallel_need_no_check() -> None:
    """LLVM 22 leaves the check out; so the epilogue must not be unrolled at run time, which comes before the rest."""
    report = reported(copying(first=GROUP, second=GROUP))
    assert left(report) == {
        ((PARALLEL, "isvectorized=1", "unroll.runtime.disable"), (PARALLEL, "unroll.runtime.disable", "isvectorized=1"))
    }
    (nest,) = reported(copying(first=GROUP, second=GROUP), target=PassTarget.AMDGCN).nests
    assert [d.outcomes[0].kinds for case in nest.cases for d in case.decisions] == [("vectorized", "epilogue")]


@pytest.mark.parametrize(("first", "second"), [("", ""), (GROUP, ""), ("", GROUP)])
def test_one_access_that_is_not_parallel_needs_it(first: str, second: str) -> None:
    """LLVM asks for the promise of every access, and else heeds none."""
    report = reported(copying(first=first, second=second))
    assert left(report) == {((PARALLEL, "isvectorized=1", "unroll.runtime.disable"), (PARALLEL, "isvectorized=1"))}
    (nest,) = reported(copying(first=first, second=second), target=PassTarget.AMDGCN).nests
    assert [d.outcomes for case in nest.cases for d in case.decisions] == [()]


@pytest.mark.parametrize("profile", Profile)
def test_passes_leave_an_optnone_function_alone(profile: Profile) -> None:
    """[LangRef], optnone: most optimization passes skip the function; it does not even get warnings."""
    test = copying(attributes="#0")
    assert test.kernels[0].optnone and not copying().kernels[0].optnone
    for kernel in (test.kernels[0], parse_test(print_test(test)).kernels[0]):
        report = loop_metadata(kernel, MetadataQuestion(profile, pipeline="O2"))
        assert report.pipeline.passes == () and report.pipeline.idle
        assert [case.warnings for nest in report.nests for case in nest.cases] == [()]
        assert [case.loops for nest in report.nests for case in nest.cases] == [(report.nests[0].before,)]


@pytest.mark.parametrize(("step", "formula"), [(1, True), (2, True), (4, True), (3, False)])
def test_a_counter_with_larger_steps_that_does_not_wrap_is_known_on_entry(step: int, formula: bool) -> None:
    flow = single_assignment(copying(step=step).kernels[0])
    (loop,) = loops(flow)
    found = trips(flow, loop)
    assert found is not None and found.known and (found.taken is not None) is formula


def test_without_flags_it_might_wrap() -> None:
    text = COPY.format(first="", second="", attributes="", step=2).replace("add nuw nsw", "add")
    flow = single_assignment(parse(text, "m.ll", "llvm-ir").kernels[0])
    found = trips(flow, loops(flow)[0])
    assert found is not None and not found.known


WAIT = """\
; axmem: kernel @f(@a) workgroups 1, wavefronts 1, lanes 1
define void @f(ptr %p) {
entry:
  br label %h
h:
  %v = load volatile i32, ptr %p, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %again, label %x, !llvm.loop !0
again:
  %w = load volatile i32, ptr %p, align 4
  %d = icmp eq i32 %w, 0
  br i1 %d, label %h, label %x, !llvm.loop !1
x:
  ret void
}
!0 = distinct !{!0, !{!"llvm.loop.unroll.count", i32 2}}
!1 = distinct !{!1, !{!"llvm.loop.unroll.disable"}}
@a = global i32 0, align 4
"""


def test_what_llvm_leaves_on_copies_of_a_latch_is_no_error() -> None:
    """After an unroll with tests every copy of the latch has the old LoopID, which LLVM ignores; a test may not."""
    kernel = parse(WAIT, "m.ll", "llvm-ir").kernels[0]
    (loop,) = loops(single_assignment(kernel))
    assert loop.identity is not None and loop.identity.name == "1"
    assert "!llvm.loop !0" not in print_test(parse(WAIT, "m.ll", "llvm-ir"))
