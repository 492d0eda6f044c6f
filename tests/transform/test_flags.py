"""Flags such as `nsw`: kept beside the arithmetic, they hide no counter, trip count or place, and are written again.

LLVM's reference says of `nuw` and `nsw`: where the operation overflows, the result is poison. So a loop that counts
`add nuw nsw i64 %i, 1` counts what it counts without the flags.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import product

import pytest

from axmem.codegen.ir_module import module
from axmem.formats.reading import parse
from axmem.litmus.parser import parse as parse_test
from axmem.litmus.poison import POISONING, flags_of, guarded, unflagged, unguarded
from axmem.litmus.printer import print_test
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import I32, I64, Assign, Expr, IntegerOperation, LitmusTest, Number, Register, Type, UndefValue
from axmem.litmus.walk import statements
from axmem.transform.applying import apply_all
from axmem.transform.loops import induction, loops
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from axmem.transform.trips import trips
from tests.drawn import some
from tests.transform.agreement import differences

MODULE = """\
; axmem: kernel @f(@a, in {{3, 17}}) workgroups 1, wavefronts 1, lanes 1
@a = global [32 x i32] zeroinitializer, align 4
define void @f(ptr %p, i64 %n) {{
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %next, %h ]
  %at = getelementptr inbounds{gep} i32, ptr %p, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add{value} i32 %v, 1
  store i32 %w, ptr %at, align 4
  %next = add{count} i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %x, label %h, !llvm.loop !0
x:
  ret void
}}
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.unroll.count", i32 4}}
"""


def loop(count: str = "", value: str = "", gep: str = "") -> LitmusTest:
    """Return the test of a loop with flags at its counter, at what it adds to, and at its getelementptr."""
    return parse(MODULE.format(count=count, value=value, gep=gep), "m.ll", "llvm-ir")


FLAGS = ["", " nuw", " nsw", " nuw nsw"]


@pytest.mark.parametrize("count", FLAGS)
def test_a_counter_with_flags_is_a_counter(count: str) -> None:
    flow = single_assignment(loop(count).kernels[0])
    (found,) = loops(flow)
    (counter,) = induction(flow, found)
    assert (counter.register, counter.step, counter.after) == ("i", 1, "next")
    how_often = trips(flow, found)
    assert how_often is not None and how_often.taken is not None


@pytest.mark.parametrize("count", FLAGS)
@pytest.mark.parametrize("pipeline", ["O2", "unroll", "vectorize,unroll,transform-warning"])
def test_loop_metadata_is_followed_as_without_flags(count: str, pipeline: str) -> None:
    plain, flagged = (
        loop_metadata(test.kernels[0], MetadataQuestion(pipeline=pipeline))
        for test in (loop(), loop(count, " nsw", " nuw"))
    )
    assert [nest.cases for nest in flagged.nests] == [nest.cases for nest in plain.nests]


def test_what_is_printed_is_still_a_counter() -> None:
    """The guard is printed as `… ? undef : i + 1`, and read again."""
    printed = parse_test(print_test(loop(" nuw nsw")))
    flow = single_assignment(printed.kernels[0])
    assert [each.step for each in induction(flow, loops(flow)[0])] == [1]


def test_a_counter_with_flags_is_unrolled_in_rounds() -> None:
    """By the formula for its trip count, in rounds with a remainder, and not with a test in each copy."""
    plain, flagged = (apply_all(test.kernels[0], "unroll(h, 4)") for test in (loop(), loop(" nuw nsw")))
    assert {made.kind for made in flagged.loops.values()} == {made.kind for made in plain.loops.values()}
    assert {made.kind for made in flagged.loops.values()} == {"unrolled", "remainder"}


@pytest.mark.parametrize(("step", "predicate"), some([*product((1, 2, 3, 4), ("slt", "sle", "ult", "ule"))], of=5))
def test_rounds_are_counted_as_the_loop_counts(step: int, predicate: str) -> None:
    """Whatever the step, and also where the limit itself is met; each kernel is executed before and after."""
    text = MODULE.format(count=" nuw nsw", value=" nsw", gep="").replace("i64 %i, 1", f"i64 %i, {step}")
    text = text.replace("%done = icmp eq", f"%more = icmp {predicate}").replace(
        "br i1 %done, label %x, label %h", "br i1 %more, label %h, label %x"
    )
    for limit in (0, 5, 8):
        test = parse(text.replace("in {3, 17}", str(limit)), "m.ll", "llvm-ir")
        assert differences(test, "unroll(h, 3)") == []
        if step != 3:
            assert differences(test, "interleave(h, 2)") == []


def test_flags_are_written_again() -> None:
    text = module(loop(" nuw nsw", " nsw"), "llvm-22").text
    assert "%next = add nuw nsw i64 %i, 1" in text and "%w = add nsw i32 %v, 1" in text
    assert "select" not in text


# ---------------------------------------------------------------- the rules


def operation(name: str, type_: Type | None) -> IntegerOperation:
    """Return an operation on two registers, typed or not; a conversion of one."""
    a, b = Register("a", type_), Register("b", type_)
    if name == "zext":
        return IntegerOperation(name, (a,), I64)
    if name == "trunc":
        return IntegerOperation(name, (a,), Type(8))
    return IntegerOperation(name, (a, b), type_)


RULES = [("add", ("nuw", "nsw")), ("sub", ("nuw", "nsw")), ("mul", ("nuw", "nsw")), ("shl", ("nuw", "nsw")),
         ("lshr", ("exact",)), ("ashr", ("exact",)), ("or", ("disjoint",)), ("trunc", ("nuw", "nsw")),
         ("zext", ("nneg",)), ("ult", ("samesign",))]  # fmt: skip


def test_all_flags_are_tried() -> None:
    assert {flag for _, flags in RULES for flag in flags} == POISONING


@pytest.mark.parametrize(("name", "flags"), RULES)
@pytest.mark.parametrize("typed", [False, True])
def test_flags_are_found_again(name: str, flags: tuple[str, ...], typed: bool) -> None:
    for chosen in (flags, flags[:1], flags[1:]):
        value = operation(name, I32 if typed else None)
        made = guarded(name, chosen, value, value.operands, I32)
        assert flags_of(made) == chosen
        assert unguarded(made) == value
        assert (unflagged(made) == (value, chosen)) is bool(chosen)


def test_flags_are_found_in_what_the_reader_has_made() -> None:
    """After the types have come to all parts of the expression."""
    text = MODULE.format(count=" nuw nsw", value=" nsw", gep="").replace("add nsw i32 %v, 1", "mul nuw nsw i32 %v, 3")
    (kernel,) = parse(text, "m.ll", "llvm-ir").kernels
    values = {s.register: s.value for s in statements(kernel.body) if isinstance(s, Assign)}
    assert flags_of(values["next"]) == ("nuw", "nsw") and flags_of(values["w"]) == ("nuw", "nsw")


def test_another_guard_is_no_flag() -> None:
    a: Expr = Register("a", I32)
    value = IntegerOperation("add", (a, Number(1, I32)), I32)
    other = IntegerOperation("select", (IntegerOperation("eq", (a, Number(7, I32))), UndefValue(I32), value), I32)
    assert flags_of(other) == () and unflagged(other) is None
    assert unguarded(other) == value
