"""Pipelines run on loops: the consequences that CONVERGENCE f4 lists, and what users say of costs.

The loop of the consequences is `A[i] += 1` with n unknown; what is expected of it is the document's rule, or what was
measured with LLVM 22.1.8, as each test says.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.front.source import InputError
from axmem.transform.answers import PassSettings
from axmem.transform.cost_answers import told
from axmem.transform.followups import written
from axmem.transform.forest import Content, Dependence, Facts, Tree
from axmem.transform.passes import PassTarget, Profile
from axmem.transform.pipeline_cases import CostCase, Run, cases
from axmem.transform.pipelines import passes_of, pipeline
from tests.transform.metadata import loop_id
from tests.transform.metadata import written as short

MAP = Facts(dependence=Dependence.NONE, checks=False, size=5)
APART = Facts(dependence=Dependence.PARTLY, checks=False, partitions=("sequential", "coincident"), size=12)
DOC, LLVM = Profile.DOC, Profile.LLVM_22


def loop(*attributes: str, facts: Facts = MAP, name: str = "h", inner: tuple[Tree, ...] = ()) -> Tree:
    return Tree(name, written(loop_id(*attributes)) if attributes else None, facts, inner)


def run(
    tree: Tree,
    passes: str = "O2",
    *do: str,
    profile: Profile = LLVM,
    target: PassTarget = PassTarget.X86_64,
    dont: str = "",
) -> tuple[CostCase, ...]:
    chosen = pipeline(passes, profile)
    running = passes_of(chosen, profile)
    settings = PassSettings(profile, target, chosen.forced_only)
    return cases(tree, Run(running, settings, told(do, dont.split(), running), chosen.warns))


def left(case: CostCase) -> dict[str, str]:
    return {t.name: " ".join(map(short, t.attributes)) for root in case.loops for t in root.walk()}


def warned(case: CostCase) -> list[str]:
    return [each.text.partition(":")[0] for each in case.warnings]


def test_unroll_enable_that_o1_honours_and_o2_warns_of_twice() -> None:
    (plain,) = run(loop("unroll.enable"), "O1")
    assert left(plain) == {"h.unrolled": "unroll.disable", "h.remainder": "unroll.disable"}
    assert warned(plain) == []
    (wide,) = run(loop("unroll.enable"), "O2", "vectorize(vectorized)@h", dont="")[:1]
    assert warned(wide) == ["loop not unrolled", "loop not unrolled"]
    assert wide.warnings[0].why == "its trip count is not constant, and unroll.runtime.disable is set"


@pytest.mark.parametrize("mended", [("unroll.count=4",), ("unroll.enable", "vectorize.enable=0")])
def test_with_a_count_or_without_vectorizing_it_is_unrolled(mended: tuple[str, ...]) -> None:
    for case in run(loop(*mended)):
        assert warned(case) == []


@pytest.mark.parametrize("target", PassTarget)
def test_vectorize_only_then_unroll(target: PassTarget) -> None:
    """The document's own example: LLVM vectorizes and does not unroll; by the document it does."""
    example = loop("vectorize.enable=1", "disable_nonforced", "vectorize.followup_vectorized={unroll.enable}")
    (case,) = run(example, target=target)
    assert warned(case) == ["loop not unrolled"]
    (case,) = run(example, target=target, profile=DOC)
    assert warned(case) == []
    counted = loop("vectorize.enable=1", "disable_nonforced", "vectorize.followup_vectorized={unroll.count=4}")
    (case,) = run(counted, target=target)
    assert warned(case) == []


@pytest.mark.parametrize("profile", Profile)
def test_a_successful_distribution_warns_of_each_loop(profile: Profile) -> None:
    (case, *_) = run(loop("distribute.enable=1", facts=APART), "distribute,transform-warning", profile=profile)
    assert warned(case) == ["loop not distributed"] * 2
    assert case.warnings[0].why == "distribute@h was done, and left distribute.enable to this loop"
    both = ("distribute.enable=1", "distribute.followup_coincident={}", "distribute.followup_sequential={}")
    (case,) = run(loop(*both, facts=APART), "distribute,transform-warning", profile=profile)
    assert warned(case) == []


def test_a_failed_distribution_warns_twice() -> None:
    (case,) = run(loop("distribute.enable=1"), "distribute,transform-warning")
    assert [each.pass_ for each in case.warnings] == ["distribute", "transform-warning"]
    (case,) = run(loop("distribute.enable=1"), "distribute,transform-warning", profile=DOC)
    assert [each.pass_ for each in case.warnings] == ["transform-warning"]


def nest(*outer: str, jams: bool | None = True) -> Tree:
    inner = loop("inner", facts=Facts(size=3))
    return loop(*outer, facts=Facts(jams=jams, size=6), name="o", inner=(inner,))


def test_a_successful_unroll_and_jam_warns_unless_a_followup_is_given() -> None:
    passes = "unroll-and-jam,transform-warning"
    (case,) = run(nest("unroll_and_jam.count=4"), passes)
    assert left(case) == {
        "o.outer": "unroll_and_jam.count=4 unroll.disable", "h.inner": "inner",
        "o.remainder-outer": "unroll.disable", "h.remainder-inner": "inner",
    }  # fmt: skip
    assert warned(case) == ["loop not unroll-and-jammed"]
    (case,) = run(nest("unroll_and_jam.count=4", "unroll_and_jam.followup_outer={}"), passes)
    assert warned(case) == []


def test_remainder_followups_are_ignored_by_llvm() -> None:
    given = nest("unroll_and_jam.count=4", "unroll_and_jam.followup_remainder_outer={user}")
    for profile, expected in ((LLVM, "unroll.disable"), (DOC, "user")):
        (case,) = run(given, "unroll-and-jam", profile=profile)
        assert left(case)["o.remainder-outer"] == expected


def test_a_jam_that_costs_forbid_has_given_its_followup_by_then() -> None:
    """LLVM 22.1.8, measured: the inner loop has the attributes of a remainder that does not come to be."""
    given = nest("unroll_and_jam.enable", "unroll_and_jam.followup_remainder_inner={user}")
    (case,) = run(given, "unroll-and-jam", dont="")[:1]
    assert left(case)["h"] == "user"
    (case,) = run(given, "unroll-and-jam", profile=DOC)[:1]
    assert left(case)["h"] == "inner"


def test_nothing_but_interchange_disregards_disable_nonforced() -> None:
    outer = loop("disable_nonforced", name="o", inner=(loop("disable_nonforced"),))
    (same, swapped) = run(outer, "interchange")
    assert [[t.name for t in case.loops[0].walk()] for case in (same, swapped)] == [["o", "h"], ["h", "o"]]
    assert len(run(loop("disable_nonforced"), "O3")) == 1


@pytest.mark.parametrize(("profile", "words"), [(DOC, {"loop not interchanged"}), (Profile.LLVM_22, set())])
def test_a_followup_for_interchange_is_left(profile: Profile, words: set[str]) -> None:
    """Section "Leftover Transformations" has a warning where a nest was to be distributed and then interchanged.

    LLVM knows no such attribute, and does not warn.
    """
    asked = loop("distribute.enable=1", "distribute.followup_all={interchange.enable}", facts=APART)
    (case, *_) = run(asked, "distribute,interchange,transform-warning", profile=profile)
    assert set(left(case).values()) == {"interchange.enable"}
    assert set(warned(case)) == words


def test_an_interchange_that_is_done_is_not_warned_of() -> None:
    """Interchange uses no metadata, so that its loops keep what asked for it."""
    outer = loop("interchange.enable", name="o", inner=(loop("user"),))
    same, swapped = run(outer, "interchange,transform-warning", profile=DOC)
    assert warned(same) == ["loop not interchanged"] and warned(swapped) == []


def test_old_style_followups_do_nothing() -> None:
    tree = loop("vectorize.enable=1", "vectorize.followup_vectorized={}")
    assert tree.identity is not None
    first, second = tree.identity.carried
    old = replace(second.attribute, loop_ids=(loop_id("unroll.count=4", name="9"),))
    identity = replace(tree.identity, carried=(first, replace(second, attribute=old)))
    (case,) = run(replace(tree, identity=identity))
    assert left(case)["h.vectorized"] == "ID unroll.runtime.disable"


NINETEEN = ("vectorize.width=19", "interleave.count=1")
FOUR = ("vectorize.enable=1", "vectorize.width=4", "interleave.count=2")


def short_loop(trips: int, checks: bool) -> Tree:
    return loop(*FOUR, facts=replace(MAP, trips=trips, constant=True, checks=checks))


@pytest.mark.parametrize("checks", [False, True])
def test_a_loop_too_short_for_one_round_keeps_its_loop_id(checks: bool) -> None:
    """LLVM 22.1.8, measured: it says that it vectorizes; the vector loop has no iteration, and is gone."""
    found = [case for case in run(short_loop(7, checks), "vectorize,transform-warning") if "h.scalar" in left(case)]
    assert [left(case)["h.scalar"] for case in found] == [" ".join(FOUR)]
    assert warned(found[0]) == ["loop not vectorized"]
    for profile, expected in ((LLVM, {"h.scalar"}), (DOC, {"h.epilogue"})):
        wide = replace(short_loop(17, checks), identity=written(loop_id("vectorize.enable=1", *NINETEEN)))
        (case,) = run(wide, "vectorize", profile=profile)
        assert set(left(case)) == expected


def test_after_a_check_there_is_an_epilogue_even_where_the_factor_divides_the_trip_count() -> None:
    """LLVM 22.1.8, measured, and the document's `rtc`: it has all iterations where the check fails."""
    for checks, expected in ((False, {"h.vectorized"}), (True, {"h.vectorized", "h.epilogue"})):
        for profile in Profile:
            (case,) = run(short_loop(32, checks), "vectorize", profile=profile)
            assert set(left(case)) == expected


def test_masks_that_predicate_enable_asks_for_leave_no_epilogue() -> None:
    """LLVM 22.1.8, measured. Behind a check the epilogue has all iterations, so that its trip count is not costly."""
    masked = loop("vectorize.enable=1", "vectorize.predicate.enable", "vectorize.followup_all={unroll.enable}")
    (alone, both) = run(masked, "vectorize")
    assert (set(left(alone)), set(left(both))) == ({"h.vectorized"}, {"h.vectorized", "h.epilogue"})
    checked = replace(masked, facts=replace(MAP, checks=True))
    (case,) = run(checked, "vectorize,unroll", "vectorize(masked)@h", target=PassTarget.X86_64)
    assert left(case)["h.epilogue.unrolled"] == "unroll.disable"
    (case,) = run(checked, "vectorize,unroll", "vectorize(vectorized,epilogue)@h")[1:]
    assert left(case)["h.epilogue"] == "unroll.enable"


def test_what_is_left_in_o0_is_not_warned_of() -> None:
    (case,) = run(loop("unroll.count=4"), "O0")
    assert (case.stages, warned(case)) == ((), [])


@pytest.mark.parametrize("content", [Content.ATOMIC, Content.FENCE, Content.BARRIER, Content.CROSS_LANE, Content.RMW])
def test_what_stands_in_a_loop_keeps_passes_from_it(content: Content) -> None:
    facts = Facts(dependence=Dependence.NONE, checks=False, contents=frozenset({content}), size=5)
    (case,) = run(loop("vectorize.enable=1", facts=facts), "vectorize,transform-warning")
    assert case.warnings[0].why == f"{content.value} stands in it"
    (case,) = run(loop("unroll.count=4", facts=facts), "unroll")
    convergent = content in (Content.BARRIER, Content.CROSS_LANE)
    assert [*left(case)] == (["h"] if convergent else ["h.unrolled", "h.remainder"])


@pytest.mark.parametrize(
    ("texts", "message", "hint"),
    [
        ("vectorize", "this is not PASS@LOOP", "for example"),
        ("vectorise@h", "the pipeline has no pass 'vectorise'", "did you mean 'vectorize'?"),
        ("distribute@h", "distribute cannot transform 'h': loops are distributed where", ""),
        ("unroll(sideways)@h", "unroll does not leave sideways of 'h'", "possible: "),
        ("peel@h", "peeling is not followed: no metadata asks for it", "docs/transform.md"),
        ("unroll(peeled)@h", "peeling is not followed: no metadata asks for it", "docs/transform.md"),
        ("vectorize(vectorized epilogue)@h", "vectorized epilogues are not followed: no metadata", "docs/"),
    ],
)
def test_what_cannot_be_told(texts: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        run(loop("user"), "O2", texts)
    (found,) = refused.value.diagnostics
    assert found.message.startswith(message)
    assert found.hint.startswith(hint)


def test_what_is_told_is_done() -> None:
    (case,) = run(loop("user"), "O2", "unroll(3)@h", dont="vectorize@h")
    assert left(case) == {"h.unrolled": "user", "h.remainder": "unroll.disable"}
    assert [each.reason for each in case.decisions][-2:] == ["--dont vectorize@h", "--do unroll(3)@h"]
