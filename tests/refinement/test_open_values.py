"""Values are open: what memory holds, what a function is called with, what contexts write are all numbers.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.encoder.branching import candidates
from axmem.encoder.oracle import Enumeration, enumerate_outcomes
from axmem.events.graph import EventGraph
from axmem.model.model import Model
from axmem.refinement.everywhere import BRUTE
from tests.drawn import in_full, some
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

X = "store atomic i32 {}, ptr %p monotonic, align 4; "
LOAD = "%a = load atomic i32, ptr %q monotonic, align 4; "
BRANCH = "br i1 %c, label %t, label %e; t:; {}br label %e; e:; ret i32 0"


def branching(first: str, second: str, parameters: str = "ptr %p, ptr %q, i32 noundef %n") -> str:
    text = pair(first, second, parameters=parameters)
    return text.replace("  t:", "t:").replace("  e:", "e:")


@pytest.mark.parametrize(
    "test",
    some([
        f"{LOAD}%s = lshr i32 %a, 28; %c = icmp eq i32 %s, 9; ",
        f"{LOAD}%c = icmp slt i32 %a, 0; ",
        "%s = and i32 %n, 4096; %c = icmp ne i32 %s, 0; ",
        f"{LOAD}%m = mul i32 %a, %n; %c = icmp eq i32 %m, 123456789; ",
        "%w = load atomic i64, ptr %q monotonic, align 8; %h = lshr i64 %w, 32; %c = icmp eq i64 %h, 77; ",
    ], of=2),
)
def test_what_few_numbers_decide_is_found(test: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = branching(test + BRANCH.format(X.format(1)), test + BRANCH.format(X.format(3)))
    assert asked(tmp_path, changed, "--context", "0") == UNSOUND
    assert ("%n = " in capsys.readouterr().out) is ("%n" in test)
    same = branching(test + BRANCH.format(X.format(1)), "%d = add i32 %n, 0; " + test + BRANCH.format(X.format(1)))
    assert asked(tmp_path, same) == SOUND


@pytest.mark.parametrize(
    ("before", "after", "code"),
    some([
        ("atomicrmw umax ptr %p, i32 1", "atomicrmw max ptr %p, i32 1", UNSOUND),
        ("atomicrmw sub ptr %p, i32 1", "atomicrmw add ptr %p, i32 -1", SOUND),
        ("atomicrmw umax ptr %p, i32 0", "atomicrmw or ptr %p, i32 0", SOUND),
        ("atomicrmw uinc_wrap ptr %p, i32 -1", "atomicrmw add ptr %p, i32 1", SOUND),
        ("atomicrmw udec_wrap ptr %p, i32 -1", "atomicrmw sub ptr %p, i32 1", SOUND),
        ("atomicrmw nand ptr %p, i32 -1", "atomicrmw xor ptr %p, i32 -1", SOUND),
        ("atomicrmw usub_cond ptr %p, i32 7", "atomicrmw usub_sat ptr %p, i32 7", UNSOUND),
    ], of=2),
)  # fmt: skip
def test_what_an_update_writes_is_compared_of_all_numbers(before: str, after: str, code: int, tmp_path: Path) -> None:
    sides = (f"%a = {each} monotonic, align 4; ret i32 %a" for each in (before, after))
    assert asked(tmp_path, pair(*sides)) == code


@pytest.mark.parametrize("kept", [True, False])
def test_updates_of_another_kind_are_proved_to_write_the_same(
    kept: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    update = f"%a = atomicrmw {{}} ptr %p, i32 {{}} monotonic, align 4; ret i32 {'%a' if kept else '0'}"
    wraps = pair(update.format("udec_wrap", -1), update.format("sub", 1))
    assert asked(tmp_path, wraps) == SOUND
    assert "sound in every context of any size" in capsys.readouterr().out
    below = pair(update.format("udec_wrap", -2), update.format("sub", 1))
    assert asked(tmp_path, below) == UNSOUND


def test_compare_exchanges_of_more_numbers_than_a_context_has_operations(tmp_path: Path) -> None:
    line = "%{0} = cmpxchg ptr %p, i32 {1}0, i32 {1}1 monotonic monotonic, align 4; "
    lines = [line.format(name, k + 1) for k, name in enumerate("abcd")]
    assert asked(tmp_path, pair("".join(lines) + "ret i32 0", "".join(lines[:3]) + "ret i32 0")) == UNSOUND


def test_a_context_publishes_a_pointer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The read side of RCU: the pointee is written before its address is released."""
    load = "%n = load atomic ptr, ptr %p {}, align 8; %v = load i32, ptr %n, align 4; ret i32 %v"
    text = pair(load.format("acquire"), load.format("monotonic"), parameters="ptr %p")
    assert asked(tmp_path, text, "--context", "2") == UNSOUND
    assert "release" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "code"),
    some([
        # A SAT solver alone does not know these.
        ("%m = mul i32 %a, %n; %r = mul i32 %m, %n", "%m = mul i32 %n, %n; %r = mul i32 %a, %m", SOUND),
        ("%m = mul i32 %a, %n; %r = add i32 %m, %a", "%m = add i32 %n, 1; %r = mul i32 %a, %m", SOUND),
        ("%m = mul i32 %a, %n; %r = add i32 %m, %a", "%m = add i32 %n, 2; %r = mul i32 %a, %m", UNSOUND),
        ("%r = mul i32 %a, 9", "%m = shl i32 %a, 3; %r = add i32 %m, %a", SOUND),
        ("%r = add nsw i32 %a, 1", "%r = add i32 %a, 1", SOUND),
        ("%r = lshr exact i32 %a, 1", "%r = lshr i32 %a, 1", SOUND),
    ], of=2),
)  # fmt: skip
def test_arithmetic_is_compared_of_all_numbers(before: str, after: str, code: int, tmp_path: Path) -> None:
    first, second = (f"{LOAD}{each}; ret i32 %r" for each in (before, after))
    assert asked(tmp_path, pair(first, second, parameters="ptr %p, ptr %q, i32 noundef %n")) == code


NAN, OTHER, SIGNALING = "0x7FF8000000000000", "0x7FF8000000000001", "0x7FF0000000000001"
INF, LEAST = "0x7FF0000000000000", "0xFFF0000000000000"


@pytest.mark.parametrize(
    ("before", "after", "sound"),
    some([
        ("fsub 1.5", "fadd -1.5", True),
        ("fsub -0.0", "fadd 0.0", True),
        (f"fadd {NAN}", f"xchg {NAN}", True),
        (f"fadd {SIGNALING}", f"xchg {SIGNALING}", True),
        (f"fmax {INF}", f"xchg {INF}", True),
        (f"fmin {LEAST}", f"xchg {LEAST}", True),
        ("fsub 1.5", "fadd 1.5", False),
        ("fadd 0.0", "fadd -0.0", False),
        (f"fadd {NAN}", "xchg 1.0", False),
        (f"fadd {NAN}", f"xchg {OTHER}", False),
        ("fadd 1.0", f"xchg {NAN}", False),
        (f"fmaximum {INF}", f"xchg {INF}", False),
        (f"fmax {NAN}", f"xchg {NAN}", False),
    ], of=2),
)  # fmt: skip
def test_an_update_of_floating_point(before: str, after: str, sound: bool, tmp_path: Path) -> None:
    """None of the others may be called sound, though what is computed with a NaN is undef to single tests."""
    first, second = (
        f"%a = atomicrmw {word} ptr %p, double {number} monotonic, align 8; ret double %a"
        for word, number in (before.split(), after.split())
    )
    code = asked(tmp_path, pair(first, second, result="double"))
    assert (code == SOUND) is sound


def test_undef_that_is_used_twice_is_two_numbers(tmp_path: Path) -> None:
    """A plain load that races is undef: twice it is even, and the sum of two uses need not be."""
    sides = (
        f"%a = load i32, ptr %p, align 4; {each}; ret i32 %r" for each in ("%r = mul i32 %a, 2", "%r = add i32 %a, %a")
    )
    assert asked(tmp_path, pair(*sides)) != SOUND


@pytest.mark.usefixtures("longer_than_users_have")
def test_undef_of_some_bits_is_not_undef_of_all(tmp_path: Path) -> None:
    """Shifted by a byte it has a byte that is 0."""
    lines = ("%f = load atomic i32, ptr %p acquire, align 4; ", "%b = load i32, ptr %q, align 4; ")
    rest = "%h = shl i32 %b, 8; %r = or i32 %f, %h; ret i32 %r"
    text = pair(lines[0] + lines[1] + rest, lines[1] + lines[0] + rest)
    assert asked(tmp_path, text, "--context", "2") in (UNKNOWN, UNSOUND)


@in_full
def test_the_second_engine_is_asked_of_as_many_executions_as_it_has_time_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is behind a pointer from memory is compared piece by piece: each piece is one more thing that is read."""
    asked_of: list[int] = []

    def counting(graph: EventGraph, model: Model) -> Enumeration:
        asked_of.append(candidates(graph, BRUTE))
        assert asked_of[-1] <= BRUTE
        return enumerate_outcomes(graph, model)

    monkeypatch.setattr("axmem.encoder.oracle.enumerate_outcomes", counting)
    load = "%a = load atomic ptr, ptr @h monotonic, align 8; %v = load atomic i16, ptr %a acquire, align 2; "
    store = "store atomic i16 %v, ptr @x release, align 2; "
    bodies = (f"{load}{store}ret i16 %v", f"{load}ret i16 %v")
    text = "@x = global i16 0\n@h = global ptr null\n" + pair(*bodies, parameters="", result="i16")
    assert asked(tmp_path, text) == UNSOUND
    assert asked_of


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        # Each use of undef may be another number, and what is computed of poison is poison.
        ("ret i32 0", "%r = xor i32 %n, %n; ret i32 %r", UNSOUND),
        ("%r = xor i32 %n, %n; ret i32 %r", "ret i32 0", SOUND),
        ("ret i32 1", "%c = icmp eq i32 %n, %n; %r = zext i1 %c to i32; ret i32 %r", UNSOUND),
        ("ret i32 7", "%z = and i32 %n, 0; %r = or i32 %z, 7; ret i32 %r", UNSOUND),
        ("%m = add i32 %n, %n; ret i32 %m", "%m = shl i32 %n, 1; ret i32 %m", SOUND),
        ("%m = shl i32 %n, 1; ret i32 %m", "%m = add i32 %n, %n; ret i32 %m", UNSOUND),
        ("%c = icmp slt i32 %n, 0; %r = zext i1 %c to i32; ret i32 %r", "%r = lshr i32 %n, 31; ret i32 %r", SOUND),
        ("%r = mul i32 %n, 9; ret i32 %r", "%r = mul i32 %n, 7; ret i32 %r", UNSOUND),
        # One number where it is frozen, whichever that is.
        ("%f = freeze i32 %n; %r = xor i32 %f, %f; ret i32 %r", "ret i32 0", SOUND),
        ("ret i32 0", "%f = freeze i32 %n; %r = xor i32 %f, %f; ret i32 %r", SOUND),
        ("%r = and i32 %n, 1; ret i32 %r", "%f = freeze i32 %n; %r = and i32 %f, 1; ret i32 %r", SOUND),
        ("%f = freeze i32 %n; ret i32 %f", "ret i32 %n", UNSOUND),
    ],
)
def test_parameters_may_be_undef_or_poison(before: str, after: str, code: int, tmp_path: Path) -> None:
    store = "store atomic i32 1, ptr %p release, align 4; "
    sides = (store + before, store + after)
    assert asked(tmp_path, pair(*sides, parameters="ptr %p, i32 %n")) == code
    if "9" in before:
        return
    assert asked(tmp_path, pair(*sides, parameters="ptr %p, i32 noundef %n")) == SOUND


def test_a_parameter_that_is_undef_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = pair("ret i32 0", "%r = xor i32 %n, %n; ret i32 %r", parameters="i32 %n")
    assert asked(tmp_path, text) == UNSOUND
    assert "parameters: %n = undef" in capsys.readouterr().out


POINTED = "%a = load atomic ptr, ptr @h monotonic, align 8; "


@pytest.mark.parametrize(
    ("load", "code", "said"),
    [
        ("%v = load atomic i32, ptr %a monotonic, align 4; ret i32 %v", UNSOUND, "h=&x"),
        ("%v = load atomic i16, ptr %a monotonic, align 2; %w = zext i16 %v to i32; ret i32 %w", UNKNOWN, "otherwise"),
    ],
)
def test_a_pointer_from_memory_may_lead_to_a_variable(
    load: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read, rest = load.split("; ", 1)
    sides = f"{X.format(1)}{read}; {rest}", f"{read}; {X.format(1)}{rest}"
    before, after = (POINTED + side.replace("%p", "@x") for side in sides)
    text = pair(before, after, parameters="")
    assert asked(tmp_path, f"@x = global i32 0\n@h = global ptr null\n{text}", "--context", "0") == code
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("attribute", ["noundef ", ""])
def test_a_minimum_of_numbers_that_are_no_undef_is_decided(attribute: str, tmp_path: Path) -> None:
    """Undef is one number to the intrinsic, and may be two to the comparison and the choice that stand for it."""
    least = "%m = call i32 @llvm.umin.i32(i32 %n, i32 7); "
    chosen = "%c = icmp ult i32 %n, 7; %m = select i1 %c, i32 %n, i32 7; "
    declared = "declare i32 @llvm.umin.i32(i32, i32)\n"
    text = declared + pair(f"{least}ret i32 %m", f"{chosen}ret i32 %m", parameters=f"i32 {attribute}%n")
    assert asked(tmp_path, text) == (SOUND if attribute else UNKNOWN)
    wrong = declared + pair(f"{least}ret i32 %m", f"{chosen}ret i32 %n", parameters=f"i32 {attribute}%n")
    assert asked(tmp_path, wrong) == UNSOUND


def test_a_pointer_from_memory_may_lead_where_a_parameter_does(tmp_path: Path) -> None:
    """Also where that is null, or a variable: then the variable is what both lead to."""
    load = POINTED + "%v = load atomic i32, ptr %a monotonic, align 4; "
    branch = "%c = icmp eq i32 {}, 0; br i1 %c, label %t, label %e; t:; {}br label %e; e:; ret i32 {}"
    update = "%w = atomicrmw add ptr %p, i32 1 monotonic, align 4; "
    first, parameters = f"{load}{branch.format('%n', update, '%v')}", "ptr %p, i32 noundef %n"
    memory = "@x = global i32 0\n@h = global ptr null\n"
    late = branch.format("%n", update, 0).replace("ret i32 0", f"{load}ret i32 %v")
    assert asked(tmp_path, f"{memory}{branching(first, late, parameters)}", "--context", "0") == UNSOUND
    same = branching(first, first.replace("icmp eq i32 %n, 0", "icmp ule i32 %n, 0"), parameters)
    assert asked(tmp_path, f"{memory}{same}", "--context", "0") == SOUND


@pytest.mark.parametrize("weak", ["", "weak "])
def test_a_compare_exchange_ends_as_it_did(weak: str, tmp_path: Path) -> None:
    """That both succeed, or both fail, is not taken for granted: a proof that it is contradictory is none."""
    line = f"%p = cmpxchg {weak}ptr %q, i32 {{}}, i32 5 monotonic monotonic, align 4; "
    rest = "%v = extractvalue { i32, i1 } %p, 0; ret i32 %v"
    sum_ = "%e = add i32 %n, {}; "
    for first, second, code in (
        (line.format(129), line.format(128), UNSOUND),
        (line.format("%n"), sum_.format(1) + line.format("%e"), UNSOUND),
        (line.format("%n"), sum_.format(0) + line.format("%e"), SOUND),
    ):
        text = pair(first + rest, second + rest, parameters="ptr %q, i32 noundef %n")
        assert asked(tmp_path, text) == code, (first, second)


def test_a_packed_result_has_the_verdict_of_separate_ones(tmp_path: Path) -> None:
    """A plain load moves before an acquire: what is read then may be undef, and the bits below it tell what was."""
    first, second = "%a = load atomic i32, ptr @f acquire, align 4; ", "%b = load i32, ptr @y, align 4; "
    memory, shifted = "@f = global i32 0\n@y = global i32 0\n", "%h = shl i32 %b, 8; "
    for end, code in (("%r = or i32 %a, %h; ret i32 %r", UNSOUND), ("%r = and i32 %h, 255; ret i32 %r", SOUND)):
        sides = (first + second + shifted + end, second + first + shifted + end)
        text = memory + pair(*sides, parameters="")
        assert asked(tmp_path, text, *(("--bounded", "1") if code == SOUND else ())) == code


COUNTED = """l: %i = phi i32 [ 0, %0 ], [ %n, %b ]; %a = load atomic i32, ptr %p monotonic, align 4;
%c = icmp ne i32 %a, 0;
br i1 %c, label %d, label %b; b: {}; %t = icmp eq i32 %n, {}; br i1 %t, label %g, label %l;
g: store atomic i32 {}, ptr %q monotonic, align 4; ret void; d: ret void"""


def counted(change: str, times: int, stored: int) -> str:
    """Return a function whose loop ends after so many iterations, if nobody ends it before."""
    lines = COUNTED.replace("\n", " ").format(change, times, stored).split("; ")
    return "br label %l; " + "; ".join(line.strip() for line in lines)


@pytest.mark.parametrize(
    ("times", "change", "stored", "code"),
    [
        (6, "%n = add i32 %i, 1", 2, UNSOUND),
        (6, "%n = sub i32 %i, -1", 1, SOUND),
        (40, "%n = add i32 %i, 1", 2, UNKNOWN),
    ],
)
def test_loops_that_are_counted_are_unrolled_further(
    times: int, change: str, stored: int, code: int, tmp_path: Path
) -> None:
    """Beyond 4 iterations nothing was known, of loops that have 6 too; of very long ones nothing is."""
    sides = counted("%n = add i32 %i, 1", times, 1), counted(change, times, stored)
    text = pair(*sides, parameters="ptr %p, ptr %q", result="void").replace("; ", "\n  ")
    for label in "lbgd":
        text = text.replace(f"  {label}:", f"{label}:")
    assert asked(tmp_path, text, "--context", "0", "--bounded", "0") == code


@pytest.mark.parametrize("number", [0, 1, 255])
def test_a_store_of_what_memory_may_hold_at_first_is_no_idle_one(number: int, tmp_path: Path) -> None:
    """Also where nothing is read: no context need write something else before."""
    text = pair(f"store i8 {number}, ptr %p; ret void", "ret void", parameters="ptr %p", result="void")
    assert asked(tmp_path, text, "--context", "0") == UNSOUND


SHUFFLED = (
    "%v = insertelement <2 x i32> zeroinitializer, i32 %n, i64 0; "
    "%w = shufflevector <2 x i32> %v, <2 x i32> poison, <2 x i32> <i32 0, i32 poison>; "
    "%r = extractelement <2 x i32> %w, i64 1; "
)


@pytest.mark.parametrize(
    ("computed", "answer"),
    [
        ("%r = shl i32 %n, 33; ", UNKNOWN),
        ("%r = add nsw i32 %n, 1; ", UNKNOWN),
        ("%r = or i32 %m, 0; ", UNKNOWN),
        (SHUFFLED, UNKNOWN),
        ("%r = add i32 %n, 1; ", SOUND),
    ],
)
@pytest.mark.parametrize("end", ["ret i32 {}", "store i32 {}, ptr @x; ret i32 0"])
def test_undef_is_not_what_may_be_poison(tmp_path: Path, computed: str, answer: int, end: str) -> None:
    """Literal undef was taken to be whatever comes in its place."""
    sides = end.format("undef"), computed + end.format("%r")
    text = "@x = global i32 0\n" + pair(*sides, parameters="i32 noundef %n, i32 %m")
    assert asked(tmp_path, text) == answer


@pytest.mark.parametrize("number", range(1, 6))
def test_a_number_may_be_what_an_address_of_own_memory_is(number: int, tmp_path: Path) -> None:
    """Nobody guesses such an address; a parameter that is no pointer may have its bits."""
    body = "%p = load atomic ptr, ptr @x acquire, align 8; %d = load i32, ptr @k; %u = load i32, ptr %p"
    chosen = f"%h = lshr i64 %n, 16; %z = icmp eq i64 %h, {number}; %r = select i1 %z, i32 6, i32 %d; ret i32 %r"
    text = pair(f"{body}; ret i32 %d", f"{body}; {chosen}", parameters="i64 noundef %n")
    head = "@x = global ptr null\n@k = internal constant i32 5\n"
    assert asked(tmp_path, head + text, "--model", "llvm", "--context", "0") == UNSOUND
