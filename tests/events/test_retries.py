"""Loops that try again: two iterations have the outcomes of three and four, and what is no such loop is none.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from axmem.check.compare import unmatched
from axmem.check.races import race
from axmem.check.results import outcomes
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.graph import flow_graph
from axmem.encoder.solve import solve
from axmem.events.retries import retries
from axmem.litmus.blocks import control_flow
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.refinement.bounded.lemmas import AROUND, WITHIN, directions
from tests.drawn import some
from tests.events.kernels import MODELS, graph_of

ADDITION = """
litmus an-addition-as-a-loop
global x = 0, y = 0
kernel K() workgroups 1, lanes 1 {
entry:
  %f = load atomic x monotonic
  br label %loop
loop:
  %e = phi i32 [ %f, %entry ], [ %a, %loop ]
  %n = add i32 %e, 1
  %v = cmpxchg x, %e, %n monotonic monotonic
  %a = extractvalue { i32, i1 } %v, 0
  %s = extractvalue { i32, i1 } %v, 1
  br i1 %s, label %end, label %loop
end:
  ret void
}
"""

BESIDE = {
    "stores": "thread Q {\n  A = 5\n  A = 6\n  A = 5\n}\n",
    "message": "thread Q {\n  store 1, y\n  store atomic 5, x release\n}\nthread R {\n  A = 6\n}\n",
    "seq_cst": "thread Q {\n  store atomic 5, x seq_cst\n  s = load atomic y seq_cst\n  store atomic 0, x seq_cst\n}\n",
    "race": "thread Q {\n  store 5, x\n  A = 6\n}\n",
}
"""What others do to the location of the loop."""

ORDERED = {
    "monotonic": ("", ""),
    "acquire": ("acq_rel acquire", "  %w = load y\n"),
    "seq_cst": ("seq_cst seq_cst", "  store atomic 1, y seq_cst\n"),
    "fence": ("", "  fence acquire\n  %w = load y\n"),
}
"""How the loop is ordered, and what is done after it."""


def _text(ordered: str, beside: str, *, weak: bool = False) -> str:
    orderings, after = ORDERED[ordered]
    text = ADDITION.replace("  ret void", f"{after}  ret void").replace("cmpxchg x", f"cmpxchg {'weak ' * weak}x")
    beside_it = re.sub(r"A = (\d)", r"store atomic \1, x monotonic", BESIDE[beside])
    return text.replace("monotonic monotonic", orderings or "monotonic monotonic") + beside_it


def _again(test: LitmusTest) -> bool:
    """Say whether some kernel of a test has a loop that tries again."""
    flows = map(control_flow, test.kernels)
    return any(retries(flow, llvm_hierarchy(flow_graph(flow.successors)), lambda _: True) for flow in flows)


CASES = [(o, b, w) for o in ORDERED for b in BESIDE for w in (False, True)]


@pytest.mark.parametrize(("ordered", "beside", "weak"), some(CASES, of=17))
@pytest.mark.parametrize("name", ["llvm", "amdgpu"])
def test_two_iterations_have_the_outcomes_of_more(ordered: str, beside: str, weak: bool, name: str) -> None:
    """Further iterations may order what is undef without them; then an outcome has undef where theirs does not."""
    test, model = parse(_text(ordered, beside, weak=weak)), MODELS[name]
    exact = solve(graph_of(test, model), model)
    assert not exact.incomplete
    cut = solve(graph_of(replace(test, bound=3), model, awaits=False), model)
    assert exact.undefined == cut.undefined
    assert exact.outcomes <= cut.outcomes
    assert not unmatched(cut.outcomes, exact.outcomes)


@pytest.mark.parametrize("name", MODELS)
def test_every_addition_counts(name: str) -> None:
    """Two lanes add 1 each, in loops of their own: the last one to succeed has read what the other wrote."""
    text = ADDITION.replace("workgroups 1", "workgroups 2").replace(", y = 0", "")
    assert outcomes(parse(f"{text}exists (x=2)\n"), MODELS[name]).verdict == "always"


ORDER = frozenset(("po", "rf", "data", "addr", "guard", "xlane"))
"""What an event loses that is left out."""


@pytest.mark.parametrize("name", MODELS)
def test_what_is_left_out_breaks_no_axiom(name: str) -> None:
    """Where relations lose facts, axioms hold and reads are undef as before, or more often.

    One axiom says it of each read by itself: that an atomic one takes all bytes that it can from one write, which is no
    question where accesses are whole (as a step of each proof that less order is sound supposes it: T-WIDEN). What is
    undef only by itself is supposed to stay as it is: what does not write is no reason for undef, and less depends on a
    read. Two rules of undef leave out what another one names.
    """
    model = MODELS[name]
    grows = directions(model, ORDER, frozenset(d.term for d in model.definitions if d.name == "groundless"))
    axioms = [axiom for axiom in model.axioms if not axiom.flag]
    assert {a.name for a in axioms if a.negated or not grows[a.term] & WITHIN} <= {"no-tearing"}
    assert {u.name for u in model.undefs if not grows[u.term] & AROUND} <= {"unordered-write", "several-writes"}


def test_a_loop_does_not_try_again_where_an_atomic_could_tear() -> None:
    """A store of half of what the loop reads as a whole."""
    text = ADDITION.replace("global x = 0", "global i64 x = 0").replace("i32", "i64")
    half = "thread Q {\n  store atomic i32 1, ptr addrspace(1) @x monotonic, align 4\n}\n"
    for beside, exact in (("", True), (half, False)):
        graph = graph_of(parse(text + beside), MODELS["llvm"])
        assert (not graph.beyond) == exact


CHANGED = {
    "what it hands on is no longer what was read": ("[ %a, %loop ]", "[ %n, %loop ]"),
    "it expects something else": ("cmpxchg x, %e", "cmpxchg x, 0"),
    "it expects what it computes": ("cmpxchg x, %e", "cmpxchg x, %n"),
    "it counts": ("  %n = add", "  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n  %j = add i32 %i, 1\n  %n = add"),
    "it ends for another reason": ("  br i1 %s", "  %t = icmp ne i32 %a, 5\n  br i1 %t"),
    "it ends for another reason, too": ("  br i1 %s", "  %t = icmp eq i32 %a, 5\n  %u = or i1 %s, %t\n  br i1 %u"),
    "it goes on where it succeeds": ("label %end, label %loop", "label %loop, label %end"),
    "it reads": ("  %n = add", "  %z = load atomic y monotonic\n  %n = add"),
    "it writes": ("  %n = add", "  store atomic %e, y monotonic\n  %n = add"),
    "it is volatile": ("cmpxchg x", "cmpxchg volatile x"),
}


def test_an_addition_tries_again() -> None:
    assert _again(parse(ADDITION))


ODD = "  %odd = trunc i32 %a to i1\n"
WIDE = "  %wide = zext i1 %s to i8\n  %narrow = trunc i8 %wide to i1\n  %failed = xor i1 %narrow, true\n"


def test_success_decides_also_as_clang_writes_it_without_optimization() -> None:
    """The control: where what was read decides, too, the same is no such loop."""
    text = ADDITION.replace("  br i1 %s, label %end, label %loop", f"{WIDE}  br i1 %failed, label %loop, label %end")
    assert text != ADDITION and _again(parse(text))
    assert not _again(parse(text.replace("%narrow, true", "%narrow, %odd").replace("  %failed", f"{ODD}  %failed")))


@pytest.mark.parametrize("what", CHANGED)
def test_other_loops_do_not(what: str) -> None:
    old, new = CHANGED[what]
    assert old in ADDITION
    assert not _again(parse(ADDITION.replace(old, new, 1)))


PUSH = """litmus push
global top = 0
global <4 x i32> link = {0, 0, 0, 0}
kernel push workgroups 2 {
entry:
  %n = add workgroup.id, 1
  %1 = load atomic top syncscope("agent") monotonic
  br label %try
try:
  %was = phi i32 [ %1, %entry ], [ %seen, %try ]
  store %was, link[%n]
  %2 = cmpxchg weak top, %was, %n syncscope("agent") ORDER acquire
  %seen = extractvalue %2, 0
  %done = extractvalue %2, 1
  br i1 %done, label %out, label %try
out:
  ret void
}
thread pop @ workgroup 2 {
  r0 = load atomic top syncscope("agent") acquire
  if r0 {
    r1 = load link[r0]
  }
}
exists (true)
"""


@pytest.mark.parametrize(("order", "races"), [("release", False), ("monotonic", True)])
def test_a_node_is_linked_anew(order: str, races: bool) -> None:
    """What each failed push stores again is read by who takes the node, behind the last one or racing with it."""
    found = race(replace(parse(PUSH.replace("ORDER", order)), bound=2), load("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


def test_what_the_first_iteration_races_with_is_found() -> None:
    """Who is read from by a push that fails is ordered before its next store, but not before its first."""
    text = PUSH.replace("ORDER", "release").replace("workgroups 2 ", "")
    head, _, _ = text.partition("thread pop")
    beside = """thread P @ workgroup 2 {
  r1 = load link[1]
  store atomic 7, top syncscope("agent") release
}
exists (true)
"""
    assert race(replace(parse(head + beside), bound=2), load("amdgpu")).pair is not None


def test_stores_to_what_is_atomic_count() -> None:
    """A failed push stores to a place that is accessed by an atomic elsewhere: every iteration is looked at."""
    text = PUSH.replace("ORDER", "release").replace("r1 = load link[r0]", "r1 = load atomic link[r0] monotonic")
    assert race(replace(parse(text), bound=2), load("amdgpu")).limits
