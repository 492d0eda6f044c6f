"""The concurrent skeleton of modules: what is kept, why the rest is left out, and that it says what that can do.

What is kept and why is derived by hand from the module in each test. That leaving out changes no outcome, where it says
so, is asked of the engines: the test has the outcomes of the whole module, on the columns that both have.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.check.results import Result
from axmem.commands.pages.extraction import effect, text
from axmem.formats.ir.extraction import Extraction, extract
from axmem.formats.ir.slicing import Guess, SliceEffect, SliceReason
from axmem.front.source import InputError, Source
from axmem.litmus.printer import print_test
from tests.paths import ROOT

MODULES = sorted((ROOT / "tests" / "ir").glob("*.ll"))
DECLARED = """@data = global i32 0
@flag = global i32 0
@mine = global i32 0
@size = global i32 8
"""
READER = """define void @reader() {
  %f = load atomic i32, ptr @flag acquire, align 4
  %d = load i32, ptr @data, align 4
  ret void
}
"""


def extracted(module: str, *functions: str, around: str = "") -> Extraction:
    return extract(Source("m.ll", module), functions, around)


def thread(found: Extraction, name: str) -> list[str]:
    """Return the lines of a thread or kernel, as the test language writes it."""
    printed = print_test(found.test)
    assert axmem.parse(text(found, "m.ll"), "m.litmus") == found.test
    start = next(part for part in printed.split("\n\n") if part.startswith((f"thread {name} ", f"kernel {name}(")))
    return start.splitlines()[1:-1]


def reasons(found: Extraction, function: str) -> list[tuple[str, SliceReason]]:
    return [(each.word, each.reason) for each in found.left_out if each.function == function]


def states(result: Result, columns: set[str]) -> set[tuple[str, ...]]:
    rows = [[part for part in state.split("  ") if part.split("=")[0] in columns] for state in result.states()]
    return {tuple(sorted(row)) for row in rows}


def same_outcomes(module: str, found: Extraction, *models: str) -> None:
    """Compare a test with the whole module on the columns of the test."""
    whole = axmem.parse(module, "m.ll")
    for model in models or ("llvm", "amdgpu", "sc"):
        made, wanted = axmem.outcomes(found.test, model), axmem.outcomes(whole, model)
        columns = {column.name for column in made.columns}
        assert columns and columns <= {column.name for column in wanted.columns}
        assert states(made, columns) == states(wanted, columns), model
        assert (made.flags, made.verdict) == (wanted.flags, wanted.verdict)


WRITER = (
    DECLARED
    + READER
    + """
define void @writer(i32 %unused) {
entry:
  %p = alloca i32
  store i32 5, ptr %p
  %m = load i32, ptr @mine
  %m1 = add i32 %m, 1
  store i32 %m1, ptr @mine
  %s = load i32, ptr @size
  %big = icmp ugt i32 %s, 4
  br i1 %big, label %more, label %less

more:
  store i32 2, ptr @mine
  br label %on

less:
  store i32 3, ptr @mine
  br label %on

on:
  store i32 1, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret void
}
"""
)


def test_memory_that_is_not_shared_is_left_out() -> None:
    found = extracted(WRITER)
    assert thread(found, "writer") == ["  store 1, data", "  store atomic 1, flag release"]
    assert reasons(found, "writer") == [
        ("alloca", SliceReason.PRIVATE), ("store", SliceReason.PRIVATE), ("load", SliceReason.ALONE),
        ("add", SliceReason.UNUSED), ("store", SliceReason.ALONE), ("load", SliceReason.UNWRITTEN),
        ("icmp", SliceReason.UNUSED), ("br", SliceReason.BRANCH), ("store", SliceReason.ALONE),
        ("store", SliceReason.ALONE),
    ]  # fmt: skip
    assert effect(found) is SliceEffect.NONE and found.guessed == ()
    same_outcomes(WRITER.replace("i32 %unused", ""), found)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_has_the_outcomes_of_its_skeleton(path: Path) -> None:
    """Modules that are tests already: what nothing changes by what it says has the same outcomes under each model."""
    module = path.read_text(encoding="utf-8")
    found = extract(Source(str(path), module))
    if effect(found) is SliceEffect.NONE and found.left_out:
        same_outcomes(module, found, "llvm")


def test_memory_whose_address_is_published_is_shared() -> None:
    """No thread but the writer names @node: the reader has its address from @head."""
    module = """@node = global i32 0
@head = global ptr null
define void @writer() {
  store i32 7, ptr @node
  store atomic ptr @node, ptr @head release, align 8
  ret void
}
define void @reader() {
entry:
  %p = load atomic ptr, ptr @head acquire, align 8
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %some

some:
  %v = load i32, ptr %p
  br label %end

end:
  ret void
}
"""
    found = extracted(module)
    assert found.left_out == ()
    same_outcomes(module, found)


def test_a_branch_by_what_was_read_may_be_undefined() -> None:
    """Both arms lead to the end, but a race makes the condition undef, and then LLVM says nothing of the program."""
    module = (
        DECLARED
        + READER
        + """
define void @writer() {
entry:
  %d = load i32, ptr @flag
  %c = icmp eq i32 %d, 1
  br i1 %c, label %yes, label %no

yes:
  br label %no

no:
  store i32 1, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret void
}
"""
    )
    assert reasons(extracted(module), "writer") == [("icmp", SliceReason.UNUSED), ("br", SliceReason.UNSURE)]
    assert effect(extracted(module)) is SliceEffect.LOSES


def test_what_decides_and_what_is_stored_is_kept_with_what_computes_it() -> None:
    """The branch decides whether the flag is set; the value of the phi comes from the arm, so that the arm is kept."""
    module = (
        DECLARED
        + READER
        + """
define void @writer() {
entry:
  %s = load i32, ptr @size
  %t = add i32 %s, 1
  %big = icmp ugt i32 %t, 4
  br i1 %big, label %more, label %less

more:
  br label %on

less:
  br label %on

on:
  %v = phi i32 [ 7, %more ], [ %s, %less ]
  store i32 %v, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret void
}
"""
    )
    found = extracted(module)
    assert thread(found, "writer") == [
        "  s = load size", "  t = s + 1", "  big = t > 4", "  if big {", "    v = 7", "  } else {", "    v = s", "  }",
        "  store v, data", "  store atomic 1, flag release",
    ]  # fmt: skip
    assert reasons(found, "writer") == []
    same_outcomes(module, found)


def test_a_release_of_memory_of_one_s_own_is_kept() -> None:
    """Nobody reads @mine, but its release makes earlier stores available to whoever synchronizes in another way."""
    module = (
        DECLARED
        + READER
        + """
define void @writer() {
  store i32 1, ptr @data
  store atomic i32 1, ptr @mine release, align 4
  store atomic i32 1, ptr @flag monotonic, align 4
  ret void
}
"""
    )
    found = extracted(module)
    assert "  store atomic 1, mine release" in thread(found, "writer")
    same_outcomes(module, found)


def test_what_a_kept_read_of_memory_of_one_s_own_may_return_is_kept() -> None:
    """The acquire is kept, since it may synchronize, and with it the store whose value it returns."""
    module = (
        DECLARED
        + READER
        + """
define void @writer() {
  store i32 1, ptr @data
  store i32 2, ptr @mine
  %m = load atomic i32, ptr @mine acquire, align 4
  store atomic i32 1, ptr @flag monotonic, align 4
  ret void
}
"""
    )
    found = extracted(module)
    assert found.left_out == ()
    same_outcomes(module, found)


def test_memory_of_the_thread_alone_is_kept_if_what_is_stored_goes_through_it() -> None:
    """As clang writes it without optimization: the pointer is stored in an alloca and loaded again."""
    module = (
        DECLARED
        + READER
        + """
define void @writer() {
  %v = alloca i32
  %p = alloca ptr
  store i32 3, ptr %v
  store ptr @data, ptr %p
  %1 = load i32, ptr %v
  %2 = load ptr, ptr %p
  store i32 %1, ptr %2
  store atomic i32 1, ptr @flag release, align 4
  ret void
}
"""
    )
    found = extracted(module)
    assert reasons(found, "writer") == []
    same_outcomes(module, found)


LOOP = (
    DECLARED
    + READER
    + """
declare i1 @test(i32)
declare void @log(i32)

define void @writer(ptr %out, i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done

done:
  call void @log(i32 %n)
  %ok = call i1 @test(i32 %i)
  br i1 %ok, label %yes, label %no

yes:
  store i32 %n, ptr @data
  %x = load float, ptr @mine
  %y = frem float %x, 2.0
  %z = fptosi float %y to i32
  store i32 %z, ptr @flag
  br label %no

no:
  ret void
}
"""
)


def test_what_is_not_known_is_guessed_and_said() -> None:
    """The loop computes nothing that is kept; the call decides; the number comes from floating point."""
    found = extracted(LOOP)
    assert thread(found, "writer") == [
        "entry:", "  br ok, yes, exit", "yes:", "  store n, data", "  store 1, flag", "  ret void",
        "exit:", "  ret void",
    ]  # fmt: skip
    assert "kernel writer(i1 ok in {false, true}, i32 n in {0, 1, 2}) {" in print_test(found.test)
    said = dict(reasons(found, "writer"))
    assert (
        said["br"] is SliceReason.ENDS
        and said["call of @log"] is SliceReason.CALL
        and said["call of @test"] is SliceReason.CALL
    )
    assert {(each.value, each.guess) for each in found.guessed} == {
        ("n", Guess.ARGUMENT), ("ok", Guess.EITHER), ("z", Guess.NUMBER),
    }  # fmt: skip
    assert effect(found) is SliceEffect.BOTH


def test_pointers_of_which_nothing_is_known_are_locations() -> None:
    module = """
define void @set(ptr %p, ptr %q) {
  store i32 1, ptr %p
  %r = getelementptr i32, ptr %q, i64 1
  store atomic i32 1, ptr %r release, align 4
  ret void
}
define i32 @get(ptr %p, ptr %q) {
  %r = getelementptr i32, ptr %q, i64 1
  %f = load atomic i32, ptr %r acquire, align 4
  %d = load i32, ptr %p
  ret i32 %d
}
"""
    found = extracted(module)
    assert thread(found, "set") == ["  store 1, p", "  store atomic 1, q[1] release"]
    assert [location.name for location in found.test.locations] == ["p", "q"]
    assert {each.guess for each in found.guessed} == {Guess.LOCATION} and effect(found) is SliceEffect.LOSES


def test_arguments_that_a_comment_gives_are_no_guesses() -> None:
    module = """; axmem: thread @add(@x) @ workgroup 0
; axmem: thread @add(@x) @ workgroup 1
@x = global i32 0
define void @add(ptr %p) {
  %1 = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret void
}
"""
    found = extracted(module)
    assert found.guessed == () and effect(found) is SliceEffect.NONE
    assert len(found.test.threads) == 2 and found.threads == ("add", "add")
    assert len({each.placement for each in found.test.threads}) == 2


def test_a_function_named_twice_is_two_threads() -> None:
    module = (
        DECLARED
        + """
define i32 @both(ptr %p) {
  %v = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret i32 %v
}
"""
    )
    found = extracted(module, "both", "both")
    assert [each.name for each in found.test.threads] == ["both", "both_2"]
    assert states(axmem.outcomes(found.test, "llvm"), {"both:v", "both_2:v"}) == {
        ("both:v=0", "both_2:v=1"), ("both:v=1", "both_2:v=0"),
    }  # fmt: skip


def stores(*numbers: int) -> str:
    place = "getelementptr ([16 x i32], ptr @others, i64 0, i64 {n})"
    return "".join(f"  store i32 {n}, ptr {place.format(n=n)}\n" for n in numbers)


FAR = (
    DECLARED
    + READER
    + """
@others = global [16 x i32] zeroinitializer
define void @writer() {
"""
    + stores(*range(1, 7))
    + """
  store i32 1, ptr @data
  %old = atomicrmw add ptr @flag, i32 1 release, align 4
"""
    + stores(*range(8, 14))
    + """
  ret void
}
define i32 @other() {
  %v = load i32, ptr @others
  ret i32 %v
}
"""
)


def test_around_a_value_is_what_is_near_it() -> None:
    """Four accesses before and four behind: three of @others and @data before, four of @others behind."""
    found = extracted(FAR, around="old")
    assert [line.strip() for line in thread(found, "writer")] == [
        "store 4, others + 16", "store 5, others + 20", "store 6, others + 24", "store 1, data",
        "old = atomicrmw add flag, 1 release",
        "store 8, others + 32", "store 9, others + 36", "store 10, others + 40", "store 11, others + 44",
    ]  # fmt: skip
    assert [reason for _, reason in reasons(found, "writer")] == [SliceReason.FAR] * 5
    assert effect(found) is SliceEffect.BOTH
    assert thread(found, "other") == ["  v = load i32, others"]


@pytest.mark.parametrize(
    ("module", "functions", "around", "message"),
    [
        (WRITER, ("wirter",), "", "--function:1:1: error: m.ll defines no such function\n  wirter\n  ^~~~~~\n"
                                  "  hint: did you mean 'writer'?"),
        (WRITER, (), "nothing", "--around:1:1: error: no value of @reader, @writer has this name\n  %nothing\n"),
        (READER.replace("acquire", "monotonic") + DECLARED, ("reader", "reader"), "",
         "m.ll: error: no thread of this accesses memory that others do"),
        ("define void @f() {\n  call void @f()\n  ret void\n}\n", ("f",), "",
         "m.ll:2:3: error: '@f' calls itself\n"),
        ("define void @f() {\n  invoke void @g() to label %a unwind label %a\na:\n  ret void\n}\n", (), "",
         "m.ll:2:3: error: 'invoke' has no meaning in a test\n"),
        (READER.replace("%d = load i32, ptr @data", "%d = load i32, ptr %p") + DECLARED, (), "",
         "m.ll:3:3: error: nothing assigns '%p' here\n"),
        ("define void @f() {\n  br label %a\n}\n", (), "", "m.ll:2:3: error: no block is named '%a'\n"),
        ("define void @f() {\n  store i32 1, ptr @y\n  ret void\n}\n", (), "", "m.ll:2:20: error: "),
    ],
)  # fmt: skip
def test_what_is_no_skeleton_is_said(module: str, functions: tuple[str, ...], around: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        extracted(module, *functions, around=around)
    assert str(error.value).startswith(message)


def test_what_cannot_be_read_is_left_out_and_said() -> None:
    """Inline assembly may do anything, so that what the test says of the rest may be wrong."""
    before = "  store i32 1, ptr @data\n"
    module = WRITER.replace(before, f'  call void asm sideeffect "nop", ""()\n{before}')
    found = extracted(module)
    (unread,) = [each for each in found.left_out if each.reason is SliceReason.UNREAD]
    assert unread.word == "inline assembly has no meaning in a test" and effect(found) is SliceEffect.BOTH
    assert thread(found, "writer") == ["  store 1, data", "  store atomic 1, flag release"]
