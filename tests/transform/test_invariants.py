"""LICM: hoisting, sinking, promotion, and the version with a check; each side condition of CONVERGENCE's f6."""

from __future__ import annotations

import pytest

from axmem.litmus.blocks import control_flow
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, Load, Store
from axmem.transform.applying import Refused, Transformed, apply_all
from axmem.transform.constants import constant
from axmem.transform.loops import around, loops
from tests.transform.agreement import differences


def loop(body: str, *, last: str = "ret", times: int | str = 4, before: str = "", same: bool = False) -> LitmusTest:
    """Return a kernel with a loop of one block, which is executed so often; %p and %q may be the same place."""
    q = "x" if same else "y"
    return parse(
        f"""\
litmus k
global x = 5, y = 7
global <8 x i32> a = {{0, 0, 0, 0, 0, 0, 0, 0}}
kernel K(i32 %m = 3, ptr addrspace(1) %p = &x, ptr addrspace(1) %q = &{q}) {{
entry:
  acc = 0
  br h
h:
  %i = phi i32 [ 0, entry ], [ %j, h ]
  {body}
  %j = add i32 %i, 1
  br %j < {times}, h, z
z:
  {last}
}}
exists (true)
""",
        "k",
    )


def accesses(made: Transformed) -> tuple[int, int]:
    """Return how many accesses there are outside of all loops, and in one."""
    flow = control_flow(made.kernel)
    blocks = [b.name for b in flow.blocks for s in b.statements if isinstance(s, Load | Store)]
    inside = sum(bool(around(loops(flow), name)) for name in blocks)
    return len(blocks) - inside, inside


def after(test: LitmusTest, text: str, *, force: bool = False) -> Transformed:
    return apply_all(test.kernels[0], text, force=force)


def refused(test: LitmusTest, text: str) -> str:
    """Return why something is refused; regardless of the reason it can be done."""
    with pytest.raises(Refused) as caught:
        after(test, text)
    if not any(refusal.final for refusal in caught.value.refusals):
        assert after(test, text, force=True).refusals == caught.value.refusals
    return str(caught.value)


# A body, what is asked for, and how many accesses stand outside of the loop and in it afterwards; one is always behind.
MOVED = [
    ("r = load x\nstore i32 r, a[%i]", "licm(h)", (2, 1)),
    ("r = load x\nstore i32 r, a[%i]", "licm(h, hoist)", (2, 1)),
    ("r = load x\nr2 = load x\nacc = r + r2\nstore i32 acc, a[%i]", "licm(h)", (3, 1)),
    ("acc = load x\nstore acc + %i, x", "licm(h)", (3, 0)),
    ("store %i, x\nacc = load x\nstore i32 acc, a[%i]", "licm(h)", (2, 1)),
    ("r = load atomic x monotonic\nstore i32 r, a[%i]", "licm(h)", (2, 1)),
    ("r = load y\nstore r + %i, x", "licm(h)", (3, 0)),
]


@pytest.mark.parametrize(("body", "text", "count"), MOVED)
def test_what_stays_the_same_leaves_the_loop(body: str, text: str, count: tuple[int, int]) -> None:
    test = loop(body, last="store acc, y")
    assert accesses(after(test, text)) == count
    assert differences(test, text, ("acc",)) == []


def test_a_load_whose_result_is_only_read_behind_the_loop_sinks() -> None:
    test = loop("r = load x\nstore i32 %i, a[%i]", last="store r, y")
    assert accesses(after(test, "licm(h, sink)")) == (2, 1)
    assert differences(test, "licm(h, sink)", ()) == []


# f6: no acquire or fence between, no clobber by the same thread; no release crossed by stores that are dropped.
SPEAKING = [
    ("f = load atomic y acquire\nr = load x\nstore i32 r, a[%i]", "licm(h)", "nothing moves up over an acquire"),
    ("fence acquire\nr = load x\nstore i32 r, a[%i]", "licm(h)", "nothing moves up over an acquire"),
    ("r = load x\nstore i32 r, %p", "licm(h, hoist)", "they may access the same location"),
    ("r = load i32, a[2]\nstore i32 r, a[%i]", "licm(h, hoist)", "they may access the same location"),
    ("r = load i32, %p\nstore i32 r, a[%i]", "licm(h, hoist)", "they may access the same location"),
    ("store %i, x\nstore atomic 1, y release", "licm(h, promote)", "nothing moves down over a release"),
    ("store %i, x\nf = load atomic i32, a[%i] acquire\nr = load x", "licm(h)", "nothing moves up over an acquire"),
    ("store %i, x\nfence release", "licm(h)", "nothing moves down over a release"),
    ("r = load x\ns = atomicrmw add x, 1 monotonic", "licm(h)", "they may access the same location"),
    ("r = load x\nfence release", "licm(h, sink)", "nothing moves down over a release"),
]


@pytest.mark.parametrize(("body", "text", "reason"), SPEAKING)
def test_each_side_condition(body: str, text: str, reason: str) -> None:
    assert reason in refused(loop(body), text)


def counted(body: str) -> LitmusTest:
    """Return a kernel with a loop that is not entered, its test in front."""
    head = "litmus k\nglobal x = 5, y = 0\nkernel K(i32 %m = 0, ptr addrspace(1) %p = &x)"
    return parse(f"{head} {{\nfor i in 0..m {{\n{body}\n}}\n}}\nexists (true)\n", "k")


def test_no_store_is_executed_that_was_not() -> None:
    """f6: an idle load may be speculated, a store may not be."""
    assert "might not be executed, and the store behind the loop is" in refused(counted("store i, x"), "licm(for1)")
    assert accesses(after(counted("r = load x\ns = r"), "licm(for1)")) == (1, 0)
    assert differences(counted("r = load x\ns = r"), "licm(for1)", ()) == []
    pointer = counted("r = load i32, %p\ns = r")
    assert "might not be executed, and its address be none" in refused(pointer, "licm(for1)")


@pytest.mark.parametrize(
    "body",
    ["store i32 1, a[%i]", "r = load atomic x acquire", "r = load volatile x", "store atomic %i, x monotonic"],
)
def test_there_is_nothing_to_move(body: str) -> None:
    """What orders others and what is volatile is not moved, and of atomic stores others may see each."""
    assert "no place that stays the same" in refused(loop(body), "licm(h)")


POINTERS = "r = load i32, %p\nstore i32 r + %i, %q"


@pytest.mark.parametrize("same", [False, True])
def test_a_check_finds_out_whether_places_are_apart(same: bool) -> None:
    test = loop(POINTERS, same=same)
    assert "they may access the same location" in refused(test, "licm(h)")
    made = after(test, "version(h)")
    # A load before and a store behind the loop of the version, both in the loop as it was.
    assert accesses(made) == (2, 2)
    assert {header: (of.source, of.kind) for header, of in made.loops.items()} == {
        "h": ("h", "versioned"), "h.1": ("h", "unversioned"),
    }  # fmt: skip
    assert differences(test, "version(h)", ()) == []


def test_a_check_mends_no_ordering() -> None:
    body = "f = load atomic i32, a[%i] acquire\n" + POINTERS
    assert "nothing moves up over an acquire" in refused(loop(body), "version(h)")


def test_a_version_without_anything_to_check() -> None:
    assert "there is nothing to check" in refused(loop("r = load x\nstore i32 r, a[%i]"), "version(h)")
    # How often the loop goes round is not known before it, so neither is where its accesses end.
    body = "r = load i32, %p\nstore i32 r + %i, %q"
    test = loop(body, times="r")
    assert "no check before the loop" in refused(test, "version(h)")


def test_what_leaves_a_nest_is_that_of_the_first_iteration_of_each_loop() -> None:
    """The load before the nest holds what the first iteration of the inner loop held, in the first of the outer one."""
    test = parse(
        """\
litmus k
global x = 5
kernel K(ptr addrspace(1) %p = &x) {
entry:
  br o
o:
  %i = phi i32 [ 0, entry ], [ %i1, l ]
  br h
h:
  %j = phi i32 [ 0, o ], [ %j1, h ]
  %v = load i32, %p
  %j1 = add i32 %j, 1
  br %j1 < 2, h, l
l:
  %i1 = add i32 %i, 1
  br %i1 < 2, o, z
z:
  ret void
}
exists (true)
""",
        "k",
    )
    (instance,) = [each for name, each in after(test, "licm(o)").instances.items() if name.startswith("v.")]
    assert (instance.register, instance.iterations) == ("v", (constant(0), constant(0)))
    assert differences(test, "licm(o)", ()) == []
