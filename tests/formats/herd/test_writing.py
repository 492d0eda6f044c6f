"""Tests as herd's C: what is written is read as a test with the same outcomes, and what cannot be said is listed.

`make test` takes some of the cases, `make test-long` all.
"""

from pathlib import Path

import pytest

from axmem.check.results import Result, outcomes
from axmem.formats.herd.writing import written
from axmem.formats.reading import parse, parse_file
from axmem.model.library import load
from tests.drawn import WHOLE, some
from tests.formats.herd.test_tests import TESTS, shown
from tests.paths import CORPUS, ROOT

FORMATS = ROOT / "tests" / "formats"
OF_THE_CORPUS = [path for folder in ("base", "classic") for path in sorted((CORPUS / folder).glob("*.litmus"))][::4]
SAID = [path for path in some((*TESTS[::2], *OF_THE_CORPUS), of=3) if not written(parse_file(path))[1]]


def states(result: Result, other: Result) -> set[str]:
    """Return the outcomes of a test in the columns that both have; registers without a name are called otherwise."""
    both = {column.name for column in result.columns} & {column.name for column in other.columns}
    kept = [n for n, column in enumerate(result.columns) if column.name in both and ":_" not in column.name]
    return {str([(result.columns[n].name, row[n]) for n in kept]) for row in result.outcomes}


def test_enough_can_be_said() -> None:
    assert len(SAID) >= (50 if WHOLE else 20)


@pytest.mark.parametrize("path", SAID, ids=shown)
def test_what_is_written_has_the_same_outcomes(path: Path) -> None:
    test = parse_file(path)
    text, _ = written(test)
    back = parse(text, path.name)
    one, other = (outcomes(each, load("llvm")) for each in (test, back))
    assert one.verdict == other.verdict
    assert states(one, other) == states(other, one)
    assert {e.models for e in back.expectations} == {e.models for e in test.expectations}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("store 1, x # a:b", "warning: the tag a:b is left out"),
        ("store atomic 1, x unordered", "error: C has no unordered atomics"),
        ("r = atomicrmw nand x, 1 monotonic", "error: C has no atomic nand"),
        ("store <2 x i32> {1, 2}, x", "error: C has no vectors in memory"),
        ("make.available", "error: a statement of this kind (make) has no words in C"),
        ('r = load atomic x syncscope("cluster") monotonic', "error: OpenCL has no scope cluster"),
        ("r = load nontemporal x", "warning: nontemporal is left out"),
        ('r = load atomic x syncscope("agent-one-as") monotonic', "warning: that only one address space is"),
        ("store-available 1, x", "error: C has no av intrinsics"),
        ("barrier", "error: only a barrier between a release and an acquire fence"),
    ],
)
def test_what_cannot_be_said_is_listed(body: str, message: str) -> None:
    test = parse(f"litmus t\nglobal x = 0\nthread P0 {{\n  {body}\n}}\n", "t")
    _, lost = written(test)
    assert any(message in str(each) for each in lost), list(map(str, lost))


@pytest.mark.parametrize("name", ["Barrier+both", "Barrier+groups", "Local+barrier"])
def test_barriers_of_opencl_and_their_memory_are_said(name: str) -> None:
    test = parse_file(FORMATS / "herd" / "opencl" / f"{name}.litmus")
    text, lost = written(test)
    assert not lost and "barrier(CLK_" in text
    assert [t.body for t in parse(text, name).threads] == [t.body for t in test.threads]


def test_the_memory_of_a_fence_is_said() -> None:
    tags = "amdgpu-synchronize-as:global amdgpu-synchronize-as:local"
    body = f'fence syncscope("agent") acquire # {tags}\n  fence release # amdgpu-synchronize-as:local'
    text, lost = written(parse(f"litmus t\nglobal x = 0\nthread P0 {{\n  {body}\n}}\n", "t"))
    assert not lost
    both = "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"
    assert f"atomic_work_item_fence({both}, memory_order_acquire, memory_scope_device);" in text
    assert "(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_all_svm_devices);" in text


def test_a_condition_on_undef_and_another_name_of_a_thread() -> None:
    test = parse("litmus t\nglobal x\nthread T { r = load x }\nexists (T:r=undef)\n", "t")
    messages = [str(each) for each in written(test)[1]]
    assert any("undef has no word there" in each for each in messages)
    assert any("thread T is called P0 there" in each for each in messages)
    assert any("x begins without a value" in each for each in messages)
