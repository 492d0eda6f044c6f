"""Memory in which no context has a part, bytes of truth values, and what a body shows of its attributes.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from axmem.formats.ir.folding import keeps
from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.litmus.arithmetic import signed
from axmem.refinement.promises import promised
from tests.drawn import some
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, WRONG, asked, pair

ATOMIC = "%i = alloca i8; store i8 5, ptr %i; %r = atomicrmw add ptr %i, i8 3 seq_cst; ret i8 %r"
LOWERED = (
    "%i = alloca i8; store i8 5, ptr %i; %r = load i8, ptr %i; %n = add i8 %r, 3; store i8 %n, ptr %i; ret i8 %r"
)
GIVEN = "%i = alloca i8; store ptr %i, ptr @g; store i8 5, ptr %i; {} ret i8 %r"
LOCAL = "@g = internal global i32 1\n@p = global ptr null\n"
READ, FOLDED = "%r = load atomic i32, ptr @g acquire, align 4; ret i32 %r", "ret i32 1"
WRITTEN = "store atomic i32 7, ptr @g release, align 4; ret i32 0"


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (ATOMIC, LOWERED, SOUND),
        (ATOMIC, "ret i8 5", SOUND),
        (ATOMIC, "ret i8 8", UNSOUND),
        (GIVEN.format("%r = load i8, ptr %i;"), GIVEN.format("%r = bitcast i8 5 to i8;"), SOUND),
        (GIVEN.format("fence seq_cst; %r = load atomic i8, ptr %i acquire, align 1;"), "ret i8 5", UNKNOWN),
    ],
)
def test_an_alloca_whose_address_goes_nowhere_is_nobody_elses(
    before: str, after: str, code: int, tmp_path: Path
) -> None:
    text = "@g = global ptr null\n" + pair(before, after, parameters="", result="i8")
    assert asked(tmp_path, text, "--model", "llvm") == code


@pytest.mark.parametrize(
    ("head", "before", "after", "code"),
    [
        (LOCAL, READ, FOLDED, SOUND),
        (LOCAL, READ, "ret i32 2", UNSOUND),
        ("@g = constant i32 1\n", READ, FOLDED, SOUND),
        (LOCAL.replace("internal ", ""), READ, FOLDED, UNSOUND),
        # Somebody writes it, by its name, by its address, or by another name of it.
        (LOCAL + "define void @other() {\n  store i32 2, ptr @g\n  ret void\n}\n", READ, FOLDED, UNKNOWN),
        (LOCAL + "define void @other() {\n  store ptr @g, ptr @p\n  ret void\n}\n", READ, FOLDED, UNKNOWN),
        (LOCAL + "@q = global ptr @g\n", READ, FOLDED, UNKNOWN),
        (LOCAL + "@q = global i64 ptrtoint (ptr @g to i64)\n", READ, FOLDED, UNKNOWN),
        (LOCAL + "define void @other() {\n  store i64 ptrtoint (ptr @g to i64), ptr @p\n  ret void\n}\n", READ, FOLDED,
         UNKNOWN),
        (LOCAL + "!llvm.named = !{!0}\n!0 = !{ptr @g}\n", READ, FOLDED, UNKNOWN),
        # Nobody reads it.
        (LOCAL, WRITTEN, "ret i32 0", SOUND),
        (LOCAL + "define i32 @other() {\n  %r = load i32, ptr @g\n  ret i32 %r\n}\n", WRITTEN, "ret i32 0", UNKNOWN),
    ],
)
def test_a_variable_that_nobody_changes_or_sees_is_no_memory_of_others(
    head: str, before: str, after: str, code: int, tmp_path: Path
) -> None:
    assert asked(tmp_path, head + pair(before, after, parameters=""), "--model", "llvm") == code


def test_large_memory_is_as_large_as_a_function_reaches(tmp_path: Path) -> None:
    body = "%i = alloca [5000 x i8]; %q = getelementptr i8, ptr %i, i64 {}; {}%r = load i8, ptr %q; ret i8 %r"
    stored = body.format(9, "store i8 4, ptr %q; ")
    for before, after, code in (
        (stored, "ret i8 4", SOUND),
        (stored, "ret i8 0", UNSOUND),
        # What nobody has stored is undef; that there is 0 is not known.
        (body.format(9, ""), "ret i8 7", SOUND),
        ("ret i8 0", body.format(9, ""), UNSOUND),
        (stored, body.format(5000, "store i8 4, ptr %q; "), UNKNOWN),
        (stored, body.format(-1, "store i8 4, ptr %q; "), UNKNOWN),
    ):
        assert asked(tmp_path, pair(before, after, parameters="", result="i8"), "--model", "llvm") == code


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("%b = load i1, ptr %p; store i1 %b, ptr %q; ret i1 %b", "%b = load i1, ptr %p; store i1 %b, ptr %q; ret i1 %b",
         SOUND),
        ("%b = load i1, ptr %p; ret i1 %b", "%w = load i8, ptr %p; %b = trunc i8 %w to i1; ret i1 %b", SOUND),
        # A byte that is 2 is no truth value.
        ("%w = load i8, ptr %p; %b = trunc i8 %w to i1; ret i1 %b", "%b = load i1, ptr %p; ret i1 %b", UNSOUND),
        ("store i8 1, ptr %p; ret i1 true", "store i1 true, ptr %p; ret i1 true", UNKNOWN),
        ("store i1 true, ptr %p; ret i1 true", "store i1 false, ptr %p; ret i1 true", UNSOUND),
    ],
)  # fmt: skip
def test_a_truth_value_is_a_byte_in_memory(before: str, after: str, code: int, tmp_path: Path) -> None:
    text = pair(before, after, result="i1")
    assert asked(tmp_path, text, "--model", "llvm") == code


MERGED = """define i32 @{name}(i1 %c, ptr %p) {{
entry:
  %w = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %old = extractvalue {{ i32, i1 }} %w, 0
  br i1 %c, label %yes, label %end
yes:
  br label %end
end:
  %q = phi ptr [ getelementptr (i8, ptr @g, i64 4), %yes ], [ @g, %entry ]
  %n = phi i32 [ {value}, %yes ], [ %old, %entry ]
  store i32 %n, ptr %q
  ret i32 %n
}}
"""


def test_phis_take_constants_that_are_computed_and_parts_of_pairs(tmp_path: Path) -> None:
    for value, code in ((7, SOUND), (8, UNSOUND)):
        text = "@g = global [2 x i32] zeroinitializer\n" + MERGED.format(name="src", value=7)
        text += MERGED.format(name="tgt", value=value).replace("%n = phi", "%n = phi")
        assert asked(tmp_path, text, "--model", "llvm") == code


@pytest.mark.parametrize(
    "body",
    [
        "%b = call i32 @llvm.umin.i32(i32 %a, i32 100); ret i32 %b",
        "%b = call i32 @llvm.smax.i32(i32 %a, i32 -100); ret i32 %b",
        "%f = bitcast i32 %a to float; %g = call float @llvm.fabs.f32(float %f); %b = bitcast float %g to i32;"
        " ret i32 %b",
    ],
)  # fmt: skip
def test_intrinsics_that_compute_are_arithmetic(body: str, tmp_path: Path) -> None:
    before, after = f"%a = load i32, ptr %p; {body}", "%a = load i32, ptr %p; ret i32 %a"
    assert asked(tmp_path, pair(before, after), "--model", "llvm") in (UNKNOWN, UNSOUND)
    assert asked(tmp_path, pair(before, before.replace("%b", "%c")), "--model", "llvm") == SOUND


@pytest.mark.parametrize(
    ("word", "predicate", "arms", "code"),
    some([
        ("umin", "ult", "i32 %a, i32 100", SOUND),
        ("umin", "ugt", "i32 100, i32 %a", SOUND),
        ("umin", "ult", "i32 100, i32 %a", UNSOUND),
        ("umin", "slt", "i32 %a, i32 100", UNSOUND),
        ("umin", "ult", "i32 %a, i32 %a", UNSOUND),
        ("smax", "sge", "i32 %a, i32 100", SOUND),
    ], of=2),
)  # fmt: skip
def test_a_select_of_what_was_compared_is_a_least_or_greatest_number(
    word: str, predicate: str, arms: str, code: int, tmp_path: Path
) -> None:
    """But of undef a comparison and a choice may be any number, and the intrinsic is one of its operands."""
    load = "%a = load atomic i32, ptr %p monotonic, align 4; "
    chosen = f"{load}%c = icmp {predicate} i32 %a, 100; %b = select i1 %c, {arms}; ret i32 %b"
    called = f"{load}%b = call i32 @llvm.{word}.i32(i32 %a, i32 100); ret i32 %b"
    assert asked(tmp_path, pair(chosen, called), "--model", "llvm") == code
    limit = ("--timeout", "1") if code == SOUND else ()
    assert asked(tmp_path, pair(called, chosen), "--model", "llvm", *limit) == (UNKNOWN if code == SOUND else code)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("%a = load i32, ptr null; ret i32 %a", "store i32 5, ptr %p; ret i32 2", SOUND),
        ("%a = load volatile i32, ptr null; ret i32 %a", "store i32 5, ptr %p; ret i32 2", UNKNOWN),
        ("%a = load i32, ptr %p; ret i32 %a", "store i32 5, ptr null; ret i32 2", UNSOUND),
        ("call void @f(); %a = load i32, ptr null; ret i32 %a", "store i32 5, ptr %p; ret i32 2", UNKNOWN),
    ],
)
def test_an_access_of_nothing_is_undefined(before: str, after: str, code: int, tmp_path: Path) -> None:
    assert asked(tmp_path, "declare void @f()\n" + pair(before, after), "--model", "llvm") == code


def test_a_copy_of_a_part_of_an_element_is_undefined_and_a_negative_length_is_large(tmp_path: Path) -> None:
    copy = "call void @llvm.memcpy.element.unordered.atomic.p0.p0.i32(ptr align 4 %p, ptr align 4 %q, i32 {}, i32 4)"
    declared = "declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i32(ptr, ptr, i32, i32)\n"
    for length, code in ((7, SOUND), (8, UNSOUND), (-8, WRONG)):
        before, after = f"{copy.format(length)}; ret i32 0", "store i32 9, ptr %p; ret i32 1"
        assert asked(tmp_path, declared + pair(before, after), "--model", "llvm") == code


def test_flags_of_constants() -> None:
    wide = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}
    for word, (a, b) in product(wide, product((0, 1, 7, 8, 9, 15), repeat=2)):
        found = wide[word](a, b) % 16
        assert keeps(word, "nuw", 4, (a, b), (4, found)) == (0 <= wide[word](a, b) < 16)
        exact = wide[word](signed(a, 4), signed(b, 4))
        assert keeps(word, "nsw", 4, (a, b), (4, found)) == (-8 <= exact < 8)
    assert keeps("shl", "nuw", 4, (3, 2), (4, 12))
    assert not keeps("shl", "nsw", 4, (3, 2), (4, 12))
    assert keeps("lshr", "exact", 4, (8, 3), (4, 1))
    assert not keeps("lshr", "exact", 4, (9, 3), (4, 1))
    assert not keeps("or", "disjoint", 4, (9, 3), (4, 11))
    assert not keeps("zext", "nneg", 4, (9,), (8, 9))
    assert not keeps("add", "unheard", 4, (1, 1), (4, 2))


@pytest.mark.parametrize(
    ("attribute", "keeping", "breaking"),
    [
        ("nosync", "%a = load atomic i32, ptr %p monotonic, align 4", "%a = load atomic i32, ptr %p acquire, align 4"),
        ("nosync", "%a = load i32, ptr %p", "%a = load volatile i32, ptr %p"),
        ("nosync", "%a = load i32, ptr %p", "fence release"),
        ("nofree", "store i32 1, ptr %p", "call void @f()"),
        ("nounwind", "store i32 1, ptr %p", "call void @f()"),
        ("willreturn", "%a = load volatile i32, ptr %p", "store volatile i32 1, ptr %p"),
        ("mustprogress", "store i32 1, ptr %p", "call void @f()"),
        ("memory(none)", "%a = alloca i32; store i32 1, ptr %a", "%a = load i32, ptr %p"),
        ("memory(read)", "%a = load i32, ptr %p", "store i32 1, ptr %p"),
        ("memory(argmem: readwrite)", "store i32 1, ptr %p", "store i32 1, ptr @g"),
        ("memory(argmem: read)", "%a = load i32, ptr %p", "%a = load atomic i32, ptr %p acquire, align 4"),
        ("memory(argmem: read)", "%a = load i32, ptr %p", "%a = load volatile i32, ptr %p"),
        ("memory(write , argmem: none)", "store i32 1, ptr @g", "store i32 1, ptr %p"),
    ],
)
def test_an_attribute_that_the_body_keeps_is_no_new_promise(attribute: str, keeping: str, breaking: str) -> None:
    for body, said in ((keeping, ()), (breaking, (attribute,))):
        assert _promised(body, attribute, "") == said


@pytest.mark.parametrize(
    ("attribute", "keeping", "breaking"),
    [
        ("readonly", "%a = load atomic i32, ptr %p acquire, align 4", "store i32 1, ptr %p"),
        ("readonly", "%a = load i32, ptr %p", "store ptr %p, ptr @g"),
        ("writeonly", "store i32 1, ptr %p", "%a = load i32, ptr %p"),
        ("captures(none)", "store i32 1, ptr %p", "store ptr %p, ptr @g"),
        ("captures(none)", "store i32 1, ptr %p", "store volatile i32 1, ptr %p"),
        ("captures(none)", "store i32 1, ptr %p", "%a = icmp eq ptr %p, @g"),
        ("captures(none)", "store i32 1, ptr %p", "call void @k(ptr %p)"),
        ("initializes(( 0 , 4))", "store i32 1, ptr %p", "%a = load i32, ptr %p; store i32 1, ptr %p"),
        ("initializes(( 0 , 4))", "store i32 1, ptr %p", "store i16 1, ptr %p"),
        ("initializes(( 0 , 4))", "store i64 1, ptr %p", "call void @f(); store i32 1, ptr %p"),
        ("initializes(( 0 , 4))", "store i32 1, ptr %p", "store i32 1, ptr @g; store i32 1, ptr %p"),
    ],
)
def test_an_attribute_of_a_parameter_that_the_body_keeps_is_none(attribute: str, keeping: str, breaking: str) -> None:
    for body, said in ((keeping, ()), (breaking, (f"{attribute} of %p",))):
        assert _promised(body, "", attribute) == said


def _promised(body: str, attribute: str, parameter: str) -> tuple[str, ...]:
    text = "@g = global ptr null\ndeclare void @f()\ndeclare void @k(ptr)\n"
    for name, words, of in (("src", "", ""), ("tgt", attribute, parameter)):
        lines = body.replace("; ", "\n  ")
        text += f"define void @{name}(ptr {of} %p) {words} {{\n  {lines}\n  ret void\n}}\n"
    (found,) = function_pairs(Source("t.ll", text))
    return promised(found)


CALLING = """define internal {convention}i32 @h(ptr %p) {attributes}{{
  %a = load i32, ptr %p
  {more}
  ret i32 %a
}}
define i32 @{name}(ptr %p) {{
  %a = call {called}i32 @h(ptr {argument}%p)
  ret i32 %a
}}
"""


@pytest.mark.parametrize(
    ("more", "after", "said"),
    [
        ("", {"attributes": "nosync nofree "}, ()),
        ("fence acquire", {"attributes": "nosync "}, ("nosync",)),
        ("", {"argument": "readonly captures(none) "}, ()),
        ("store i32 1, ptr %p", {"argument": "readonly "}, ("readonly",)),
        ("store i32 1, ptr %p", {"argument": "nonnull "}, ("nonnull",)),
        ("", {"convention": "fastcc ", "called": "fastcc "}, ()),
        ("", {"convention": "fastcc "}, ("fastcc",)),
        ("", {"called": "fastcc "}, ("fastcc",)),
    ],
)
def test_what_is_called_keeps_what_a_call_promises(more: str, after: dict[str, str], said: tuple[str, ...]) -> None:
    plain = dict.fromkeys(("convention", "attributes", "called", "argument"), "")
    first, second = (
        Source(f"{name}.ll", CALLING.format(name="f", more=more, **{**plain, **words}))
        for name, words in (("before", {}), ("after", after))
    )
    found = {each.before.function.name: each for each in function_pairs(first, second)}
    assert promised(found["f"]) == said


@pytest.mark.parametrize(
    ("head", "align", "said"),
    [
        ("@x = global i64 0", 8, ()),
        ("@x = global i64 0, align 4", 8, ("align 8 of a load",)),
        ("@x = weak global i64 0", 8, ("align 8 of a load",)),
        ("@x = external global i64", 8, ("align 8 of a load",)),
        ('target datalayout = "e-i64:16-n8"\n@x = global i64 0', 8, ("align 8 of a load",)),
    ],
)
def test_a_variable_is_aligned_as_its_line_or_the_target_says(head: str, align: int, said: tuple[str, ...]) -> None:
    body = "%r = load i32, ptr @x, align {}; ret i32 %r"
    (found,) = function_pairs(Source("t.ll", f"{head}\n" + pair(body.format(4), body.format(align))))
    assert promised(found) == said


@pytest.mark.parametrize(("before", "after", "said"), [(1, 4, ()), (4, 8, ("align 8 of a load",))])
def test_an_alignment_that_the_memory_has_is_no_promise(before: int, after: int, said: tuple[str, ...]) -> None:
    body = "%a = alloca i32, align 4; %r = load i32, ptr %a, align {}; ret i32 %r"
    (found,) = function_pairs(Source("t.ll", pair(body.format(before), body.format(after))))
    assert promised(found) == said


STRUCTURE = """define {{ i32, i32 }} @{name}(ptr %p) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr %p, align 4
  %j = add i32 %i, 1
  %m = icmp eq i32 %j, {times}
  br i1 %m, label %end, label %loop
end:
  %s = insertvalue {{ i32, i32 }} poison, i32 %a, 0
  %t = insertvalue {{ i32, i32 }} %s, i32 {value}, 1
  ret {{ i32, i32 }} %t
}}
"""


@pytest.mark.parametrize(("value", "code"), [(7, SOUND), (8, UNSOUND)])
def test_a_structure_is_returned_by_a_function_that_is_given_null(value: int, code: int, tmp_path: Path) -> None:
    text = STRUCTURE.format(name="src", times=2, value=7) + STRUCTURE.format(name="tgt", times=1, value=value)
    assert asked(tmp_path, text, "--model", "llvm") == code


def test_a_parameter_that_is_kept_in_memory_is_the_parameter(tmp_path: Path) -> None:
    slots = "%s = alloca ptr; store ptr %q, ptr %s; %t = load ptr, ptr %s; %r = load volatile i32, ptr %t; ret i32 %r"
    for before, after, code in (
        (slots, "%r = load volatile i32, ptr %q; ret i32 %r", SOUND),
        (slots, "%r = load volatile i32, ptr %p; ret i32 %r", UNSOUND),
        ("%s = alloca i32; %r = load i32, ptr %s; store i32 3, ptr %s; ret i32 %r", "ret i32 9", SOUND),
        ("ret i32 3", "%s = alloca i32; %r = load i32, ptr %s; store i32 3, ptr %s; ret i32 %r", UNSOUND),
    ):  # fmt: skip
        assert asked(tmp_path, pair(before, after), "--model", "llvm") == code


COPIED = """{}; br i1 %c, label %t, label %e
t:; br label %e
e:; %q = phi ptr [{}, %t], [%p, %0]; %v = load i32, ptr %q; ret i32 %v"""


def test_a_parameter_is_not_the_address_of_what_the_function_allocates(tmp_path: Path) -> None:
    """InstCombine reads the constant that was copied there in the place of the copy."""
    own = "%a = alloca i32, align 4; store i32 5, ptr %a"
    before, after = COPIED.format(own, "%a"), COPIED.format("%z = or i1 %c, false", "@k")
    text = pair(before, after, parameters="i1 noundef %c, ptr %p")
    assert asked(tmp_path, "@k = constant i32 5\n" + text, "--model", "llvm") == UNKNOWN
