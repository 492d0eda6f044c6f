"""The LoopIDs that passes make: CONVERGENCE's table of follow-ups row by row, from the document and as measured.

They are of the section "Pass-Specific Transformation Metadata" and those in it: which attributes a pass leaves. Each
expectation is the row's rule carried out by hand on the attributes that stand before the arrow.
"""

from __future__ import annotations

import pytest

from axmem.transform.followups import Identity, followup_loop, written
from axmem.transform.passes import Profile, When, passes
from tests.transform.metadata import loop_id
from tests.transform.metadata import written as short

X86 = frozenset({When.X86_64})
FORCED = frozenset({When.FORCED})
UNCHECKED = frozenset({When.UNCHECKED})
BOTH = X86 | UNCHECKED
NONE: frozenset[When] = frozenset()
DOC, LLVM = Profile.DOC, Profile.LLVM_22

ROWS = [
    # unroll: original minus llvm.loop.unroll.* plus unroll.disable; LLVM, which its heuristics led, changes nothing
    (DOC, "unroll", "unrolled", FORCED, "unroll.count=4 user vectorize.width=2",
     "user vectorize.width=2 unroll.disable"),
    (LLVM, "unroll", "unrolled", FORCED, "unroll.count=4 user unroll_and_jam.enable",
     "user unroll_and_jam.enable unroll.disable"),
    (LLVM, "unroll", "unrolled", NONE, "user unroll.runtime.disable=0", "user unroll.runtime.disable=0"),
    (LLVM, "unroll", "unrolled", FORCED, "unroll.count=4 unroll.followup_unrolled={u} unroll.followup_all={a}", "a u"),
    (LLVM, "unroll", "unrolled", FORCED, "unroll.count=4 unroll.followup_all={}", None),
    (DOC, "unroll", "remainder", FORCED, "unroll.count=4 user", None),
    (LLVM, "unroll", "remainder", FORCED, "unroll.count=4 user", "unroll.disable"),
    (LLVM, "unroll", "remainder", FORCED, "unroll.count=4 user unroll.followup_remainder={r}", "r"),
    # vectorize: vector body
    (DOC, "vectorize", "vectorized", BOTH, "vectorize.enable=1 interleave.count=2 user",
     "interleave.count=2 user isvectorized"),
    (LLVM, "vectorize", "vectorized", BOTH, "vectorize.enable=1 interleave.count=2 user",
     "user isvectorized=1 unroll.runtime.disable"),
    (LLVM, "vectorize", "vectorized", UNCHECKED, "vectorize.enable=1 user", "user isvectorized=1"),
    (DOC, "vectorize", "vectorized", BOTH, "vectorize.followup_vectorized={v}", "v"),
    (LLVM, "vectorize", "vectorized", BOTH, "vectorize.followup_vectorized={v}", "v unroll.runtime.disable"),
    (LLVM, "vectorize", "vectorized", UNCHECKED, "vectorize.followup_vectorized={v} user", "v"),
    (DOC, "vectorize", "vectorized", BOTH, "vectorize.followup_vectorized={} user", None),
    (LLVM, "vectorize", "vectorized", BOTH, "vectorize.followup_vectorized={} user", "unroll.runtime.disable"),
    (LLVM, "vectorize", "vectorized", BOTH, "vectorize.followup_vectorized={unroll.disable}", "unroll.disable"),
    # vectorize: epilogue
    (DOC, "vectorize", "epilogue", NONE, "vectorize.enable=1 user",
     "vectorize.enable=1 user isvectorized unroll.runtime.disable"),
    (DOC, "vectorize", "epilogue", UNCHECKED, "unroll.count=4", "unroll.count=4 isvectorized"),
    (LLVM, "vectorize", "epilogue", UNCHECKED, "vectorize.enable=1 user",
     "user unroll.runtime.disable isvectorized=1"),
    (LLVM, "vectorize", "epilogue", NONE, "vectorize.enable=1 user", "user isvectorized=1"),
    (LLVM, "vectorize", "epilogue", UNCHECKED, "unroll.disable user",
     "unroll.disable user unroll.runtime.disable isvectorized=1"),
    (LLVM, "vectorize", "epilogue", UNCHECKED, "user unroll.disable", "user unroll.disable isvectorized=1"),
    (LLVM, "vectorize", "epilogue", UNCHECKED, "vectorize.followup_epilogue={e} vectorize.followup_all={a}", "a e"),
    # unroll-and-jam: the prefix llvm.loop.unroll. does not match unroll_and_jam
    (DOC, "unroll-and-jam", "outer", NONE, "unroll_and_jam.count=4 unroll.enable user",
     "unroll_and_jam.count=4 user unroll.disable"),
    (LLVM, "unroll-and-jam", "outer", NONE, "unroll_and_jam.count=4 user",
     "unroll_and_jam.count=4 user unroll.disable"),
    (LLVM, "unroll-and-jam", "outer", NONE, "unroll_and_jam.followup_outer={o} unroll_and_jam.followup_all={a}", "a o"),
    (DOC, "unroll-and-jam", "remainder outer", NONE, "unroll_and_jam.count=4", None),
    (DOC, "unroll-and-jam", "remainder outer", NONE, "unroll_and_jam.followup_remainder_outer={r}", "r"),
    (LLVM, "unroll-and-jam", "remainder outer", NONE,
     "unroll_and_jam.followup_remainder_outer={r} unroll_and_jam.followup_all={a}", "unroll.disable"),
    # distribute
    (DOC, "distribute", "coincident", NONE, "distribute.enable=1 user", "distribute.enable=1 user"),
    (LLVM, "distribute", "sequential", NONE, "distribute.enable=1 user", "distribute.enable=1 user"),
    (LLVM, "distribute", "coincident", NONE, "distribute.enable=1 distribute.followup_coincident={c}", "c"),
    (DOC, "distribute", "fallback", NONE, "distribute.enable=1 user", "distribute.enable=1 user"),
    (LLVM, "distribute", "fallback", NONE, "distribute.enable=1 user", "user isdistributed=1"),
    (DOC, "distribute", "fallback", NONE, "distribute.enable=1 user distribute.followup_fallback={f}", "f"),
    (LLVM, "distribute", "fallback", NONE,
     "distribute.enable=1 user distribute.followup_fallback={f} distribute.followup_all={a}",
     "user a f isdistributed=1"),
    # versioning LICM has no followups
    (DOC, "versioning-licm", "versioned", NONE, "user", "user"),
    (LLVM, "versioning-licm", "versioned", NONE, "user",
     "user licm_versioning.disable=0 mem.parallel_loop_access=0"),
    (LLVM, "versioning-licm", "unversioned", NONE, "user", "user licm_versioning.disable=0"),
]  # fmt: skip


def ids(found: Identity | None) -> str | None:
    return None if found is None else " ".join(short(each) for each in found.attributes).replace("llvm.", "")


@pytest.mark.parametrize(("profile", "name", "kind", "when", "before", "after"), ROWS)
def test_rows(profile: Profile, name: str, kind: str, when: frozenset[When], before: str, after: str | None) -> None:
    pass_ = passes(profile)[name]
    assert ids(followup_loop(pass_, pass_.makeup(kind), written(loop_id(*before.split())), when)) == after


@pytest.mark.parametrize("profile", Profile)
def test_the_inner_loop_has_followups_of_the_outer(profile: Profile) -> None:
    """Those in the inner loop's own LoopID are carried and do nothing."""
    jam = passes(profile)["unroll-and-jam"]
    outer = written(loop_id("unroll_and_jam.count=4", "unroll_and_jam.followup_inner={i}"))
    inner = written(loop_id("mine", "unroll_and_jam.followup_inner={no}", name="1"))
    plain = written(loop_id("unroll_and_jam.count=4"))
    for kind, expected in (("inner", "i"), ("remainder inner", "mine unroll_and_jam.followup_inner={no}")):
        assert ids(followup_loop(jam, jam.makeup(kind), outer, NONE, inner)) == expected
        assert followup_loop(jam, jam.makeup(kind), plain, NONE, inner) is inner


def test_origins() -> None:
    unroll = passes(LLVM)["unroll"]
    before = written(loop_id("unroll.count=4", "user"))
    found = followup_loop(unroll, unroll.makeup("unrolled"), before, FORCED)
    assert found is not None
    assert [(short(c.attribute), c.origin) for c in found.carried] == [
        ("user", "!0"),
        ("unroll.disable", "added by unroll"),
    ]
    after = written(loop_id("unroll.count=4", "unroll.followup_all={a}", "unroll.followup_remainder={r}"))
    found = followup_loop(unroll, unroll.makeup("remainder"), after, FORCED)
    assert found is not None
    assert [c.origin for c in found.carried] == ["unroll.followup_all of unroll", "unroll.followup_remainder of unroll"]


def test_a_loop_without_an_id_has_one_once_a_pass_adds_something() -> None:
    vectorize = passes(LLVM)["vectorize"]
    assert ids(followup_loop(vectorize, vectorize.makeup("vectorized"), None, NONE)) == "isvectorized=1"
    distribute = passes(LLVM)["distribute"]
    assert followup_loop(distribute, distribute.makeup("coincident"), None, NONE) is None
