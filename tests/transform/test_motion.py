"""Operations moved over branches: what is refused, what is done, and that what is not refused is sound.

Tokens are those of [ConvergentOperations] "Hoisting and sinking", whose examples are tried.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from axmem.front.source import InputError
from axmem.litmus.kernels import ConvergenceToken
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Load, ModelChoice
from axmem.refinement.bounded_check import HOLDS, REFUTED
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.participants import participants
from axmem.refinement.soundness import change_of, outcomes_sound
from axmem.transform.applying import Refused, Transformed, apply_all
from tests.drawn import parts
from tests.transform.motion import kernel
from tests.transform.orders import ran, refused

LLVM = ModelChoice("llvm")


@pytest.mark.parametrize(("limit", "order"), [(9, "a1 c0="), (2, "a1")])
def test_a_load_is_hoisted_before_the_branch(limit: int, order: str) -> None:
    body = f"if n < {limit} {{\nr = load i32, a[1]\nstore i32 r, c[0]\n}}"
    assert ran(body, "hoist(r, entry)").order == order


@pytest.mark.parametrize("n", [1, 9])
def test_what_all_ways_begin_with_is_hoisted_once(n: int) -> None:
    body = "if n < 5 {\nr = load i32, a[1]\nstore i32 r, b[0]\n} else {\ns = load i32, a[1]\nstore i32 s, c[0]\n}"
    found = ran(body, "hoist-common(entry)", n=n)
    assert found.order == ran(body, "drop-tags()", n=n).order
    assert sum(isinstance(s, Load) for s in found.after.kernel.body) == 1


@pytest.mark.parametrize("n", [1, 9])
def test_a_jump_goes_past_a_block_whose_way_is_known(n: int) -> None:
    body = (
        "br n < 5, x, y\nx:\nstore i32 1, a[0]\nbr j\ny:\nu = load i32, b[7]\nbr j\n"
        "j:\nw = phi i32 [ 0, x ], [ u, y ]\nv = load i32, c[1]\nbr w == 0, lo, hi\n"
        "lo:\nstore i32 v, b[1]\nbr e\nhi:\nstore i32 v, b[2]\nbr e\ne:\nstore i32 w, b[3]\nret void"
    )
    found = ran(body, "thread(j, x)", n=n)
    assert found.order == ran(body, "drop-tags()", n=n).order
    assert refused(body, "thread(j, y)") == "constants do not decide where 'j' goes when one comes from 'y'"


LANES = "id = workitem.id\n"
SPLIT = "if id < 1 {\nr = readfirstlane n\nstore i32 r, b[1]\n} else {\ns = readfirstlane n\nstore i32 s, b[2]\n}"
SECTION = '([ConvergentOperations] "Hoisting and sinking")'


@pytest.mark.parametrize(
    ("body", "text", "why"),
    [
        (LANES + SPLIT, "hoist(r, entry)", f"over a divergent branch other lanes would communicate {SECTION}"),
        (LANES + SPLIT, "hoist(r, entry)", "'r = readfirstlane n' of line 8 would move before the branch of 'entry'"),
        (LANES + SPLIT, "hoist-common(entry)", "would be one for all ways: over a divergent branch"),
        ("if n < 9 {\nq: store 1, a[0]\n}", "hoist(q, entry)", "it would be executed on the other way, too"),
        ("if n < 9 {\nq: s.barrier\n}", "hoist(q, entry)", "it would be executed on the other way, too"),
        ("if n < 9 {\nr = load i32, a[m]\n}", "hoist(r, entry)", "on the other way its address may be none"),
        ("if n < 9 {\nr = load i32, p\n}", "hoist(r, entry)", "on the other way its address may be none"),
        ("if n < 9 {\nr = load atomic i32, a[0] monotonic\n}", "hoist(r, entry)", "it is not plain"),
        ("if n < 9 {\nfence acquire\nr = load i32, a[1]\n}", "hoist(r, entry)", "nothing moves up over an acquire"),
        ("if n < 9 {\nk = n + 1\nr = load i32, a[k]\n}", "hoist(r, entry)", "needs 'k', which is assigned"),
        ("for i in 0..n {\nr = load i32, a[1]\n}", "hoist(r, entry)", "'entry' is in other loops than 'for1.body'"),
        ("if n < 9 {\nr = load i32, a[1]\n} else {\ns = load i32, a[2]\n}", "hoist-common(entry)", "more than tags"),
        ("if n < 9 {\nr = load i32, a[1]\n}", "hoist-common(entry)", "'if1.end' does not follow 'entry' alone"),
        ("r = load i32, a[1]", "hoist-common(entry)", "'entry' goes one way only"),
        ("if n < 9 {\nr = load i32, a[1]\n}", "thread(if1.then, if1.end)", "'if1.end' does not go to 'if1.then'"),
    ],
)  # fmt: skip
def test_refusals(body: str, text: str, why: str) -> None:
    assert why in refused(body, text)


def test_a_convergent_operation_is_hoisted_over_a_uniform_branch() -> None:
    body = SPLIT.replace("id < 1", "n < 9")
    assert refused(body, "hoist(r, entry)") == refused(body, "hoist-common(entry)") == ""


def test_a_branch_on_what_is_loaded_is_not_uniform() -> None:
    """Each lane loads for itself: where another thread writes, lanes part."""
    body = "k = load atomic i32, a[0] monotonic\nh = readfirstlane n\nif k < 1 {\nstore i32 h, b[1]\n}"
    assert "is convergent, and the branch of 'entry' is divergent" in refused(body, "sink(h, if1.then)")


def test_no_jump_is_threaded_past_a_convergent_operation() -> None:
    ways = "br n < 5, x, y\nx:\nbr j\ny:\nbr j\n"
    text = f"{ways}j:\nw = phi i32 [ 0, x ], [ 1, y ]\nr = readfirstlane n\nbr w == 0, lo, hi\n"
    why = refused(text + "lo:\nret void\nhi:\nret void", "thread(j, x)")
    assert "is convergent: lanes that come from 'x' would communicate by themselves" in why


# ---------------------------------------------------------------- anchors

BOTH = """litmus both
global i64 y = 0, z = 0
kernel K() lanes 3 {
entry:
  c = lane.id < 2
  br c, then, else
then:
  %t1 = call token @llvm.experimental.convergence.anchor()
  r = ballot true [ "convergencectrl"(token %t1) ]
  store i64 r, y
  br end
else:
  %t2 = call token @llvm.experimental.convergence.anchor()
  s = ballot true [ "convergencectrl"(token %t2) ]
  store i64 s, z
  br end
end:
  ret void
}
"""
TOGETHER = """litmus together
global i64 y = 0, z = 0
kernel K() lanes 2 {
entry:
  c = lane.id < 1
  %t = call token @llvm.experimental.convergence.anchor()
  a = ballot c [ "convergencectrl"(token %t) ]
  b = ballot true [ "convergencectrl"(token %t) ]
  br c, then, end
then:
  store i64 a, y
  store i64 b, z
  br end
end:
  ret void
}
"""


def judged(text: str, steps: str, *, force: bool = False) -> tuple[str, str, Transformed]:
    """Return the verdicts on the outcomes as it is and on the participants, and the kernel after."""
    test = parse(text, "t")
    made = apply_all(test.kernels[0], steps, force=force)
    change = change_of(test, test.kernels[0], made)
    return outcomes_sound(change, LLVM, 0).finding.status, participants(change).verdict, made


@pytest.mark.parametrize("steps", ["hoist-common(entry)", "hoist(t1, entry)", "hoist(t1, entry); hoist(t2, entry)"])
def test_anchors_are_hoisted_in_acyclic_control_flow(steps: str) -> None:
    status, verdict, made = judged(BOTH, steps)
    assert (status, verdict) == (HOLDS, SOUND)
    assert sum(isinstance(s, ConvergenceToken) for s in made.kernel.body) == (1 if "common" in steps else 2)


def test_an_operation_is_not_hoisted_with_its_anchor() -> None:
    with pytest.raises(Refused, match="over a divergent branch other lanes would communicate"):
        judged(BOTH, "hoist(t1, entry); hoist(r, entry)")
    status, verdict, _ = judged(BOTH, "hoist(t1, entry); hoist(r, entry)", force=True)
    assert REFUTED in (status, verdict) or verdict == UNSOUND


def test_operations_sink_with_their_anchor_and_not_alone() -> None:
    status, verdict, _ = judged(TOGETHER, "sink-anchor(t, then)")
    assert (status, verdict) == (HOLDS, SOUND)
    with pytest.raises(Refused, match="is convergent, and the branch of 'entry' is divergent"):
        judged(TOGETHER, "sink(b, then)")
    assert judged(TOGETHER, "sink(b, then)", force=True)[0] == REFUTED


def test_operations_of_an_entry_do_not_sink() -> None:
    text = TOGETHER.replace("anchor()", "entry()").replace("  c = lane.id < 1\n", "").replace(
        "  br c", "  c = lane.id < 1\n  br c").replace("ballot c", "ballot true")  # fmt: skip
    with pytest.raises(Refused, match="is no anchor, whose lanes are the implementation's choice"):
        judged(text, "sink-anchor(t, then)")
    assert UNSOUND in judged(text, "sink(b, then)", force=True)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("br end\nend:", "br end\nend:\n  store i64 b, y", "'b' is used outside of 'then', by 'store i64 b, y'"),
        ("  b = ballot true", "  wave.barrier", "would not be executed on the other way"),
        ("  br c, then", "  q = readfirstlane c\n  br c, then", "a convergent operation stays behind another"),
    ],
)
def test_what_does_not_sink_with_its_anchor(old: str, new: str, why: str) -> None:
    text = TOGETHER.replace(old, new)
    if "readfirstlane" in new:
        text = text.replace("readfirstlane c", 'ballot c [ "convergencectrl"(token %u) ]').replace(
            "  %t = call", "  %u = call token @llvm.experimental.convergence.anchor()\n  %t = call"
        )
    if "barrier" in new:
        text = text.replace("  store i64 b, z\n", "")
    with pytest.raises(Refused, match=why):
        judged(text, "sink-anchor(t, then)")


LOOP = """litmus loop
global i64 y = 0
kernel K() lanes 2 {
entry:
  br h
h:
  i = phi i32 [ 0, entry ], [ j, h ]
  %t = call token @llvm.experimental.convergence.anchor()
  a = ballot true [ "convergencectrl"(token %t) ]
  store i64 a, y
  j = i + 1
  br j < 2, h, exit
exit:
  ret void
}
"""


def test_anchors_do_not_move_out_of_loops() -> None:
    with pytest.raises(Refused, match="anchors do not move out of loops or into them"):
        judged(LOOP, "hoist(t, entry)")


# ---------------------------------------------------------------- at random


@pytest.mark.parametrize("part", parts(30, of=30))
def test_what_is_not_refused_is_sound(part: int) -> None:
    """Of random kernels with a branch, over lanes or not: outcomes as they are, and who takes part."""
    counts: Counter[str] = Counter()
    for seed in range(100 * part, 100 * part + 16):
        random = Random(seed)
        text, steps = kernel(random)
        for step in random.sample(steps, min(4, len(steps))):
            try:
                status, verdict, _ = judged(text, step)
            except Refused:
                counts["refused"] += 1
                continue
            except InputError as error:
                raise AssertionError(f"{text}\n{step}: {error.diagnostics[0].message}") from error
            counts[status] += 1
            assert (status, verdict) != (REFUTED, verdict) and verdict != UNSOUND, f"{text}\n{step}"
    assert counts[HOLDS] > 3 and counts["refused"] > 3
