"""Changes of functions with branches, taken apart: what is a piece, and that pieces say what wholes say.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from axmem.formats.ir.pairs import sides
from axmem.formats.ir.printer import lines
from axmem.front.source import Source
from axmem.passes.asking import Inquiry, judged
from axmem.passes.batches import TAIL, Batch, OptTarget, ran
from axmem.passes.changes import ARITHMETIC, FunctionChange, Made, made
from axmem.passes.enumeration import random
from axmem.passes.fragments import FragmentShape, function
from axmem.passes.modules import module_of
from axmem.passes.scalars import scalars
from axmem.refinement.inclusion import HELD
from tests.drawn import WHOLE, in_full, some
from tests.passes import seeded
from tests.passes.test_passes import change, core, module

PARAMETERS = "ptr %x, ptr %y, i1 %c"
LOAD, STORE = "%{} = load i32, ptr %{}, align 4", "store i32 {}, ptr %{}, align 4"


def guarded(before: str, then: str, test: str = "%c", end: str = "ret void") -> str:
    """Return a function whose last operations stand behind a branch."""
    return f"entry:;{before}br i1 {test}, label %then, label %end;then:;{then}br label %end;end:;{end}"


def arms(before: str, then: str, other: str, end: str = "ret void") -> str:
    """Return a function with operations in both arms of a branch."""
    head = f"entry:;{before}br i1 %c, label %then, label %else;then:;{then}br label %end"
    return f"{head};else:;{other}br label %end;end:;{end}"


def rows(found: Made) -> list[tuple[str, str]]:
    """Return the lines of the pieces, before and after, without heads and results."""

    def lines(text: str) -> str:
        return "; ".join(
            line.strip() for line in text.split("\n") if line.startswith("  ") and not line.startswith("  ret")
        )

    return [(lines(piece.before), lines(piece.after)) for piece, _ in found.pieces]


# ---------------------------------------------------------------- what a piece is


def test_what_is_behind_a_branch_is_a_row() -> None:
    """Whatever the branch asks about, and whatever stands before it."""
    dead = LOAD.format("d", "x") + ";"
    row = change(f"{dead}ret void", "ret void", PARAMETERS)
    plain = change(guarded("", dead), guarded("", ""), PARAMETERS)
    first = "%a = load atomic i32, ptr %y acquire, align 4;%t = icmp eq i32 %a, 0;"
    tested = change(guarded(first, dead, "%t"), guarded(first, "", "%t"), PARAMETERS)
    assert core(row) == core(plain) == core(tested)


def test_what_a_branch_asks_about_is_given() -> None:
    """What was read is a parameter of what stands behind it, computed on as before."""
    first = LOAD.format("a", "x") + ";%t = icmp eq i32 %a, 0;"
    written = change(
        guarded(first, STORE.format("%a", "y") + ";", "%t"), guarded(first, STORE.format("0", "y") + ";", "%t"),
        PARAMETERS,
    )  # fmt: skip
    found = core(written)
    assert "i32 %v" in found.before and "icmp eq i32 %v, 0" in found.before and "load" not in found.before
    pair = "%p = cmpxchg ptr %x, i32 0, i32 1 release monotonic, align 4;%a = extractvalue { i32, i1 } %p, 0;"
    exchanged = change(
        guarded(f"{pair}%t = icmp eq i32 %a, 0;", STORE.format("%a", "y") + ";", "%t"),
        guarded(f"{pair}%t = icmp eq i32 %a, 0;", STORE.format("0", "y") + ";", "%t"),
        PARAMETERS,
    )
    assert core(exchanged) == found
    assert judged(Inquiry(found, "", "llvm", 1, None)).verdict in HELD


def test_arms_are_pieces_of_their_own() -> None:
    """Also if one of them is empty then, or control skips it."""
    dead, kept = LOAD.format("d", "x") + ";", "store atomic i32 1, ptr %y release, align 4;"
    weaker = kept.replace("release", "monotonic")
    both = change(arms("", dead, kept), arms("", "", weaker), PARAMETERS)
    skipped = change(arms("", dead, kept), guarded("", weaker).replace("%then, label %end", "%end, label %then"),
                     PARAMETERS)  # fmt: skip
    assert rows(both) == rows(skipped) and len(rows(both)) == 2
    assert rows(both)[0] == ("%v0 = load i32, ptr %p0, align 4", "")


def test_a_value_of_an_arm_is_a_result() -> None:
    read = "%a = load atomic i32, ptr %x {}, align 4;"
    end = "%m = phi i32 [ %a, %then ], [ 0, %entry ];ret i32 %m"
    weaker = change(
        guarded("", read.format("acquire"), end=end), guarded("", read.format("monotonic"), end=end), PARAMETERS, "i32"
    )
    assert core(weaker).before.count("ret i32 %v0") == 1 and "br " not in core(weaker).before


@pytest.mark.parametrize(("before", "after", "result"), [
    # What was stored before the branch is why the load vanishes.
    (
        guarded(STORE.format("1", "x") + ";", LOAD.format("a", "x") + ";", end="%m = phi i32 [ %a, %then ], "
                "[ 0, %entry ];ret i32 %m"),
        guarded(STORE.format("1", "x") + ";", "", end="%m = phi i32 [ 1, %then ], [ 0, %entry ];ret i32 %m"),
        "i32",
    ),
    # Arms that change places, a branch on something else, one that is no longer there.
    (
        arms("", STORE.format("1", "x") + ";", STORE.format("2", "x") + ";"),
        arms("", STORE.format("2", "x") + ";", STORE.format("1", "x") + ";"),
        "void",
    ),
    pytest.param(
        arms("", STORE.format("1", "x") + ";", STORE.format("1", "y") + ";"),
        f"%p = select i1 %c, ptr %x, ptr %y;{STORE.format('1', 'p')};ret void",
        "void",
        marks=in_full,
    ),
    # Which value a phi has.
    (
        arms(LOAD.format("a", "x") + ";", LOAD.format("b", "y") + ";", "", "%m = phi i32 [ %a, %then ], "
             "[ %a, %else ];ret i32 %m"),
        arms(LOAD.format("a", "x") + ";", LOAD.format("b", "y") + ";", "", "%m = phi i32 [ %b, %then ], "
             "[ %a, %else ];ret i32 %m"),
        "i32",
    ),
])  # fmt: skip
def test_what_is_no_change_of_one_block_stays_whole(before: str, after: str, result: str) -> None:
    """What the pieces say of it is what the whole says."""
    found = change(before, after, PARAMETERS, result)
    pieces = {judged(Inquiry(piece, "", "llvm", 1, None)).verdict for piece, _ in found.pieces}
    whole = judged(Inquiry(found.whole, "", "llvm", 1, None)).verdict
    assert found.pieces and (whole in HELD if pieces <= HELD else whole in pieces)


def test_no_piece_is_a_branch_of_its_own() -> None:
    """A branch asks about a value, which may be poison: it may only stand where one stood."""
    dead = LOAD.format("d", "x") + ";"
    release = "store atomic i32 1, ptr %y release, align 4;"
    for before in ("", release):
        found = change(guarded(before, dead), guarded(before, ""), PARAMETERS)
        assert [("br " in piece.before, "br " in piece.after) for piece, _ in found.pieces] == [(False, False)]


def test_pairs_do_not_go_through_phis() -> None:
    """InstCombine moves what takes a compare-exchange's result apart behind a phi; memory is as it was."""
    exchange = "%{0} = cmpxchg ptr %{1}, i32 0, i32 1 seq_cst acquire, align 4;"
    taken = "%{0} = extractvalue {{ i32, i1 }} %{1}, 0;"
    first = [exchange.format(p, x) + taken.format(f"{p}.0", p) for p, x in (("p", "x"), ("q", "y"))]
    before = arms("", first[0], first[1], "%m = phi i32 [ %p.0, %then ], [ %q.0, %else ];ret i32 %m")
    moved = f"%m = phi {{ i32, i1 }} [ %p, %then ], [ %q, %else ];{taken.format('r', 'm')}ret i32 %r"
    after = arms("", exchange.format("p", "x"), exchange.format("q", "y"), moved)
    one, other = (module_of(module(body, PARAMETERS, "i32")) for body in (before, after))
    assert made("f", one, other) == ARITHMETIC
    weakened = after.replace("seq_cst acquire", "seq_cst monotonic")
    weaker = made("f", one, module_of(module(weakened, PARAMETERS, "i32")))
    assert isinstance(weaker, Made) and len({*weaker.pieces}) == 1
    returned = module_of(module(after.replace("i32 %r", "i32 0"), PARAMETERS, "i32")).function("f")
    assert not any("phi {" in line for line in lines(scalars(returned)))
    whole = module_of(module(after.replace("ret i32 %r", "%s = freeze { i32, i1 } %m;ret i32 %r"), PARAMETERS, "i32"))
    assert scalars(whole.function("f")) == whole.function("f")
    constant = module_of(module(after.replace("[ %q, %else ]", "[ poison, %else ]"), PARAMETERS, "i32"))
    assert scalars(constant.function("f")) == constant.function("f")


@in_full
@pytest.mark.parametrize("orderings", some(["monotonic monotonic", "acq_rel acquire", "seq_cst seq_cst"]))
def test_what_an_exchange_has_read_says_whether_it_succeeded(orderings: str) -> None:
    """InstCombine asks the one for the other. This is beside memory, and sound; of a weak one neither is."""
    exchange = f"%p = cmpxchg ptr %x, i32 0, i32 1 {orderings}, align 4;"
    read = exchange + "%a = extractvalue { i32, i1 } %p, 0;%t = icmp eq i32 %a, 0;"
    flag = exchange + "%t = extractvalue { i32, i1 } %p, 1;"
    store = STORE.format("1", "y") + ";"
    texts = [module(guarded(each, store, "%t"), PARAMETERS) for each in (read, flag)]
    assert made("f", *(module_of(each) for each in texts)) == ARITHMETIC
    for model in some(("llvm", "amdgpu"), of=2):
        assert judged(Inquiry(FunctionChange(texts[0], texts[1]), "", model, 1, None)).verdict in HELD
    weak = [each.replace("cmpxchg", "cmpxchg weak") for each in texts]
    found = made("f", *(module_of(each) for each in weak))
    assert isinstance(found, Made) and judged(Inquiry(core(found), "", "llvm", 1, None)).verdict == "unsound"
    weaker = texts[1].replace(orderings, "monotonic monotonic")
    less = made("f", *(module_of(each) for each in (texts[0], weaker)))
    assert less == ARITHMETIC or (isinstance(less, Made) and "br " not in core(less).after)


def test_a_result_that_is_partly_known_is_cut_as_well() -> None:
    kind, load = "{ i32, i32 }", LOAD.format("a", "x") + ";" + LOAD.format("b", "y")
    first = f"%s = insertvalue {kind} poison, i32 %a, 0;%t = insertvalue {kind} %s, i32 %b, 1;ret {kind} %t"
    known = f"%t = insertvalue {kind} {{ i32 1, i32 poison }}, i32 %b, 1;ret {kind} %t"
    store = STORE.format("1", "x") + ";"
    after, parameters = f"{store}{LOAD.format('b', 'y')};{known}", "ptr noalias %x, ptr noalias %y"
    found = change(f"{store}{load};{first}", after, parameters, kind)
    assert "%p1" not in core(found).before and "ret i32 1" in core(found).after
    assert "i32 poison }" not in found.whole.after and "insertvalue { i32, i32 } poison, i32 1, 0" in found.whole.after


def test_an_operation_that_becomes_another_is_a_piece() -> None:
    """Whatever stands beside it; what vanishes is none, if the memory is that of another one."""
    update, read = (f"%a = {each} ptr %x{{}} monotonic, align 4" for each in ("atomicrmw or", "load atomic i32,"))
    before, after = update.format(", i32 0"), read.format("")
    alone = change(f"{before};ret i32 %a", f"{after};ret i32 %a", result="i32")
    store = STORE.format("1", "x")
    beside = change(f"{store};{before};ret i32 %a", f"{store};{after};ret i32 %a", result="i32")
    behind = change(guarded(f"{store};", f"{before};"), guarded(f"{store};", f"{after};"), PARAMETERS)
    assert core(alone) == core(beside) and "store" not in core(behind).before
    gone = change(f"{store};{store};ret void", f"{store};ret void")
    assert core(gone).before.count("store") == 2


def test_a_fence_goes_beside_one_that_does_as_much() -> None:
    """Also if another piece would leave as many operations as they were: the one that is left is no release."""
    acquire, release = "fence acquire;", "fence release;"
    for before, after in (
        (acquire + acquire + release, acquire + release),
        (release + acquire + acquire, release + acquire),
    ):
        found = change(f"{before}ret void", f"{after}ret void")
        assert rows(found) == [("fence acquire; fence acquire", "fence acquire")]
        ((piece, framed),) = found.pieces
        assert {judged(Inquiry(one, "", "llvm", 1, None)).verdict for one in (piece, *framed)} <= HELD
    wrong = change(f"{acquire}{release}ret void", f"{release}ret void")
    assert rows(wrong) == [("fence acquire; fence release", "fence release")]


def test_one_access_of_two_elements_stands_for_both() -> None:
    """So a load that is now of more memory keeps the other one, though nobody uses it; what stands beside it is cut."""
    behind = "%z = getelementptr inbounds nuw i8, ptr %x, i64 4;"
    wide = "%w = load <2 x i32>, ptr %x, align 4;%a = extractelement <2 x i32> %w, i32 0;"
    store = "store atomic i32 1, ptr %y release, align 4;"
    loads = LOAD.format("a", "x") + ";" + LOAD.format("b", "z") + ";"
    found = change(f"{behind}{loads}{store}ret i32 %a", f"{wide}{store}ret i32 %a", "ptr %x, ptr %y", "i32")
    assert core(found).before.count("load i32") == 2 and "store" not in core(found).before
    assert judged(Inquiry(core(found), "", "llvm", 1, None)).verdict in HELD


def test_a_result_that_is_not_whole_is_not_cut() -> None:
    """What stands in one place is not compared with what stands in another one."""
    kind, load = "{ i32, i32 }", LOAD.format("a", "x")
    one, other = (f"{load};%r = insertvalue {kind} poison, i32 %a, {place};ret {kind} %r" for place in (0, 1))
    found = change(one, other, "ptr %x", kind)
    assert core(found) == found.whole
    assert judged(Inquiry(core(found), "", "llvm", 0, None)).verdict not in HELD
    known = change(f"{load};{STORE.format('1', 'x')};ret {kind} {{ i32 1, i32 2 }}",
                   f"{STORE.format('1', 'x')};ret {kind} {{ i32 1, i32 2 }}", "ptr %x", kind)  # fmt: skip
    assert rows(known) == [("%v0 = load i32, ptr %p0, align 4", "")]


# ---------------------------------------------------------------- that pieces say what wholes say

BRANCHES = (FragmentShape.GUARDED, FragmentShape.TESTED, FragmentShape.ARMS)
FRAGMENTS = [each for each in islice(random(5, 3), 1200) if each.shape in BRANCHES and not each.cast]


@pytest.mark.parametrize("name", some([*seeded.SEEDS], of=16))
def test_pieces_say_what_wholes_say(name: str, tmp_path: Path) -> None:
    """Sound pieces are a sound whole, for what a pass of which we know makes of random functions with branches.

    What stands beside a piece in the whole is one of the operations of a larger context.
    """
    texts = tuple((f"f{k}", function(f"f{k}", each, 0)) for k, each in enumerate(FRAGMENTS))
    (found,) = ran(Batch(1, texts, (name,), OptTarget(seeded.install(tmp_path))))
    smaller = [each for _, each in found.changed if each.whole not in {piece for piece, _ in each.pieces}]
    for each in sorted(smaller, key=lambda each: len(each.whole.before + each.whole.after))[: None if WHOLE else 1]:
        assert not any("%entry" in text for piece, _ in each.pieces for text in (piece.before, piece.after))
        asked = [one for piece, frames in each.pieces for one in (piece, *frames)]
        verdicts = {judged(Inquiry(one, "", "llvm", 1, None)).verdict for one in asked}
        if verdicts <= HELD and judged(Inquiry(each.whole, "", "llvm", 1, None)).verdict not in HELD:
            larger = (judged(Inquiry(one, "", "llvm", size, None)).verdict for size in (2, 3) for one in asked)
            assert "unsound" in larger, each.whole


def test_all_pieces_are_read() -> None:
    """A piece defines every name that it uses."""
    for each in FRAGMENTS[:200]:
        text = function("f", each, 0) + TAIL
        dropped = "\n".join(line for line in text.split("\n") if not line.strip().startswith(("store", "fence")))
        found = made("f", module_of(text), module_of(dropped))
        for piece, _ in found.pieces if isinstance(found, Made) else ():
            for side in (piece.before, piece.after):
                assert not sides(Source("f.ll", side))["f"].diagnostics, side


@in_full
def test_a_select_of_numbers_chooses_pointers_too() -> None:
    """A pointer that is null is accessed on neither side, or on both."""
    head = "define void @f(ptr %x, i1 %c, ptr %y) {\n"
    after = head + "  %p = select i1 %c, ptr %x, ptr %y\n  store i32 1, ptr %p, align 4\n  ret void\n}\n"
    before = module(arms("", STORE.format("1", "x") + ";", STORE.format("1", "y") + ";"), "ptr %x, i1 %c, ptr %y")
    wrong = after.replace("ptr %x, ptr %y\n", "ptr %y, ptr %x\n")
    for text, right in ((after, True), (wrong, False)):
        assert judged(Inquiry(FunctionChange(before, text), "", "llvm", 1, None)).verdict in (
            HELD if right else ("unsound",)
        )
