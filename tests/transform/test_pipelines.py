"""The orders of passes: the three lists of section "Ambiguous Transformation Order", and LLVM 22.1.8's pipelines."""

from __future__ import annotations

import pytest

from axmem.front.source import InputError
from axmem.transform.passes import Profile
from axmem.transform.pipelines import PIPELINES, passes_of, pipeline

DOC, LLVM = Profile.DOC, Profile.LLVM_22
ENABLED = "+interchange+versioning-licm+unroll-and-jam"

ORDERS = [
    # the document's lists, what is "(if enabled)" enabled
    (DOC, f"legacy{ENABLED}", "interchange unroll-full versioning-licm distribute vectorize unroll-and-jam unroll"),
    (DOC, "legacy-lto+interchange", "interchange unroll-full vectorize unroll"),
    (DOC, "O2+unroll-and-jam", "unroll-full distribute vectorize unroll-and-jam unroll"),
    (DOC, "O3", "unroll-full distribute vectorize unroll"),
    # what -print-pipeline-passes prints
    (LLVM, "O1", "unroll-full distribute vectorize unroll"),
    (LLVM, "lto", "unroll-full distribute vectorize unroll"),
    (LLVM, f"O3{ENABLED}", "unroll-full versioning-licm interchange distribute vectorize unroll-and-jam unroll"),
    (LLVM, "O0", ""),
]


@pytest.mark.parametrize(("profile", "name", "order"), ORDERS)
def test_orders(profile: Profile, name: str, order: str) -> None:
    found = pipeline(name, profile)
    assert [each.name for each in passes_of(found, profile)] == order.split()
    assert found.warns is (name != "O0")


def test_only_llvm_vectorizes_at_o1_what_is_forced_alone() -> None:
    assert [name for name, each in PIPELINES[LLVM].items() if each.forced_only] == ["O1"]
    assert not any(each.forced_only for each in PIPELINES[DOC].values())


def test_a_list_of_passes() -> None:
    found = pipeline("loop-distribute, vectorize,loop-unroll<O3>,transform-warning", LLVM)
    assert (found.passes, found.warns) == (("distribute", "vectorize", "unroll"), True)
    assert not pipeline("unroll", LLVM).warns


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("tinlto", "no pipeline or pass is named 'tinlto'", "did you mean 'thinlto'?"),
        ("vectorise", "no pipeline or pass is named 'vectorise'", "did you mean 'vectorize'?"),
        ("zzz", "no pipeline or pass is named 'zzz'", "pipelines: O0, O1"),
        ("unroll,loop-peel", "peeling is not followed: no metadata asks for it", "docs/transform.md"),
        ("transform-warning,unroll", "'transform-warning' stands before other passes", "it is the last"),
        ("O2+unroll", "'unroll' is no pass that can be added to O2", "did you mean 'unroll-and-jam'?"),
        ("legacy-lto+unroll-and-jam", "'unroll-and-jam' is no pass that can be added", "possible: interchange"),
    ],
)
def test_what_is_no_pipeline(text: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        pipeline(text, LLVM)
    (found,) = refused.value.diagnostics
    assert found.message.startswith(message)
    assert found.hint.startswith(hint)
