"""Refinement of one program by another and of one model by another: verdicts, what is compared, the command.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.check.results import Result, outcomes
from axmem.cli import main
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Limits, Row
from axmem.events.values import UNDEF
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.refinement.inclusion import inclusion
from axmem.refinement.matching import matching
from axmem.refinement.pairs import refine
from tests.drawn import some
from tests.paths import CORPUS

PASSING = """litmus {name}
global x = 0, f = 0
thread P0 @ agent 0, workgroup 0 {{
  store 1, x
  store atomic 1, f syncscope("agent") {release}
}}
thread P1 @ agent 0, workgroup 1 {{
  {flag} = load atomic f syncscope("agent") {acquire}
  r1 = load x
}}
{rest}
"""


def passing(name: str, release: str = "release", acquire: str = "acquire", flag: str = "r0", rest: str = "") -> str:
    return PASSING.format(name=name, release=release, acquire=acquire, flag=flag, rest=rest)


BRANCH = """litmus {name}
global x = 0
thread P0 {{
  store 1, x
}}
thread P1 {{
  r = load {mode} x
  if r == 1 {{
    s = load x
  }}
}}
"""


def verdict(before: str, after: str, model: str = "amdgpu", entries: tuple[str, ...] = ()) -> str:
    first, second = parse(before, "before"), parse(after, "after")
    found = refine(first, second, model, renamed=entries, explained=False)
    return found.verdict


@pytest.mark.parametrize("model", ["llvm", "amdgpu", "amdgpu-next"])
def test_a_stronger_program_refines_a_weaker_one_and_not_the_other_way_round(model: str) -> None:
    strong, weak = passing("strong"), passing("weak", release="monotonic")
    assert verdict(weak, strong, model) == "sound"
    assert verdict(strong, weak, model) == "unsound"
    assert verdict(strong, strong, model) == "sound"


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
@pytest.mark.parametrize("fence", ["", ' syncscope("workgroup")'])
def test_a_repeated_seq_cst_fence_may_go_and_come(model: str, fence: str) -> None:
    """[Cpp20] "atomics.order": fences X and Y are not said to be two, so that one fence forbids what two do."""
    text = (CORPUS / "mmra" / "SC+fence-between-tags.litmus").read_text(encoding="utf-8")
    once = text.replace(' syncscope("workgroup")', fence)
    (line,) = (line for line in once.splitlines() if "F: fence" in line)
    twice = once.replace(line, f"{line}\n{line.replace('F:', 'G:')}")
    assert verdict(twice, once, model) == verdict(once, twice, model) == "sound"


def test_final_values_are_compared() -> None:
    before = "litmus A\nglobal x = 0\nthread P0 {\n  store 1, x\n}\n"
    assert verdict(before, before.replace("store 1", "store 2")) == "unsound"


def test_undefined_behaviour_is_above_every_outcome() -> None:
    plain, atomic = BRANCH.format(name="plain", mode=""), BRANCH.format(name="atomic", mode="volatile")
    never = BRANCH.format(name="never", mode="").replace("if r == 1 {\n    s = load x\n  }", "s = load x")
    assert verdict(plain, atomic) == "sound"
    first, second = parse(never), parse(plain)
    found = refine(first, second, "amdgpu")
    assert found.verdict == "unsound"
    assert found.undefined and not found.new
    assert [e.answer.value for e in found.explanations] == ["undefined"]


def test_a_counterexample_is_explained_on_both_sides() -> None:
    first, second = parse(passing("A")), parse(passing("B", acquire="monotonic", flag="q"))
    found = refine(first, second, "amdgpu", renamed=["P1:r0=P1:q"])
    assert found.new == ("P1:q=1  P1:r1=undef  x=1  f=1",)
    assert found.former == ("P1:r0=1  P1:r1=undef  x=1  f=1",)
    assert [(e.test, e.answer.value) for e in found.explanations] == [("B", "allowed"), ("A", "forbidden")]


def test_what_only_one_test_has_is_named_unless_the_first_speaks_of_it() -> None:
    first, second = parse(passing("A")), parse(passing("B", flag="q"))
    assert matching(first, second).left_out == ("P1:r0 (only before)", "P1:q (only after)")
    with pytest.raises(InputError, match="nothing in 'B' stands for P1:r0, which this test observes"):
        matching(parse(passing("A", rest="exists (P1:r0=1)")), second)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("P1:r0", "a map is written BEFORE=AFTER"),
        ("P1:r9=P1:q", "the test before the change has no register, location or thread 'P1:r9'"),
        ("P1:r0=P1:r9", "the test after the change has no register, location or thread 'P1:r9'"),
        ("P1:r0=x", "'P1:r0' is a register, 'x' a location"),
    ],
)
def test_a_bad_map_is_an_error_at_its_place(entry: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        matching(parse(passing("A")), parse(passing("B", flag="q")), [entry])
    assert str(caught.value).startswith("--map:1:") and message in str(caught.value)


def test_memory_must_begin_alike() -> None:
    first = parse(passing("A"))
    second = parse(passing("B").replace("x = 0", "x = 7"))
    with pytest.raises(InputError, match="'x' has another initial value than 'x' in 'A'"):
        matching(first, second)


def test_threads_and_locations_can_be_renamed() -> None:
    renamed = passing("B").replace("P1", "Q").replace("x", "data").replace("@ agent", "@ agent")
    assert verdict(passing("A"), renamed, entries=("P1=Q", "x=data")) == "sound"


rows = st.frozensets(st.tuples(st.tuples(st.sampled_from([0, 1, UNDEF]))), max_size=3)


@given(rows, rows, st.booleans(), st.booleans())
def test_a_limit_never_makes_a_verdict_wrong(
    first: frozenset[Row], second: frozenset[Row], cut: bool, cut2: bool
) -> None:
    """Whatever is still to be found, a verdict that is not unknown stays as it is."""
    before = replace(BLANK, outcomes=tuple(sorted(first, key=repr)), incomplete=(TIME_LIMIT,) if cut else ())
    after = replace(BLANK, outcomes=tuple(sorted(second, key=repr)), incomplete=(TIME_LIMIT,) if cut2 else ())
    found = inclusion(before, after).verdict
    everything: Row = ((UNDEF,),)
    more = inclusion(
        replace(before, outcomes=(*before.outcomes, everything) if cut else before.outcomes, incomplete=()),
        replace(after, outcomes=(*after.outcomes, ((7,),)) if cut2 else after.outcomes, incomplete=()),
    ).verdict
    assert found in ("unknown", more)


BLANK: Result = outcomes(parse("litmus A\nglobal x = 0\nthread P0 {\n  r = load x\n}\n"), "llvm")


def test_the_time_limit_gives_unknown() -> None:
    first, second = parse(passing("A")), parse(passing("B"))
    found = refine(first, second, "amdgpu", limits=Limits(seconds=1e-9))
    assert found.verdict == "unknown" and found.reasons


# ---------------------------------------------------------------- the command


def written(folder: Path, *texts: str) -> list[str]:
    paths = []
    for text in texts:
        path = folder / f"{text.split()[1]}.litmus"
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    return paths


def test_the_pair_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = written(tmp_path, passing("A"), passing("B", release="monotonic"))
    assert main(["refine", *paths, "--closed", "--verbose"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("A -> B  amdgpu  unsound if no other thread runs\n    compared: P1:r0, P1:r1, and memory\n")
    assert "  + P1:r0=1  P1:r1=undef  x=1" in out
    assert "B  amdgpu  allowed" in out and "A  amdgpu  forbidden" in out
    assert main(["refine", *paths[::-1], "--closed", "--model", "llvm", "--model", "amdgpu", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(r["model"], r["verdict"]) for r in document["refinements"]] == [("llvm", "sound"), ("amdgpu", "sound")]


LETTERS = """litmus {}
global A = 0, y = 0
thread P0 {{
  {}
}}
"""


def test_operations_have_the_letters_of_no_name_and_keep_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = (
        LETTERS.format("before", "B = load A\n  store 1, y"),
        LETTERS.format("after", "store 1, y\n  B = load y"),
    )
    assert main(["refine", *written(tmp_path, before, after), "--closed"]) == 1
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "D: store 1, y" in lines and "- C: B = load A" in lines and "+ E: B = load y" in lines


def test_a_sentence_has_no_undef_that_the_outcome_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = LETTERS.format("before", "a = load y"), LETTERS.format("after", "a = 5")
    assert main(["refine", *written(tmp_path, before, after), "--closed"]) == 1
    out = capsys.readouterr().out
    assert "P0:a=5 is not among {0}" in out
    assert "returns undef, and" not in out


def test_the_models_form(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus")
    assert main(["refine", "--models", "llvm", "amdgpu", path]) == 0
    assert capsys.readouterr().out.endswith("1 test: 1 sound\n")
    assert main(["refine", path, "--models", "amdgpu", "llvm"]) == 1
    out = capsys.readouterr().out
    assert "  + P1:r0=1  P1:r1=undef\n" in out and "forbidden" in out and out.endswith("1 test: 1 unsound\n")


def test_llvm_lies_within_amdgpu_on_the_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    paths = map(str, some(sorted((CORPUS / "mmra").glob("*.litmus"))))
    assert main(["refine", "--models", "llvm", "amdgpu", *paths, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {r["verdict"] for r in document["refinements"]} == {"sound"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "two tests are compared, and no path is given"),
        ([str(CORPUS / "base" / "MP+rel+acq.litmus")], "two tests are compared, and one path is given"),
        (["nowhere", "nowhere2"], "nowhere: error: no such file"),
        (["--models", "llvm", "amdgpu"], "on which tests?"),
        (["--models", "llvm", "amdgup", "A"], "amdgup"),
        (["--models", "llvm", "amdgpu", "A", "--map", "x=y"], "--map is not for --models"),
    ],
)
def test_bad_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", *arguments]) == 2
    assert message in capsys.readouterr().err


CALLING = """litmus calling
global x = 0
declare void @f(i32) convergent
declare void @g(i32) convergent
kernel K() lanes 2 {{
{}
}}
"""
CALLS = ("call void @f(i32 1)", "call void @g(i32 2)")


@pytest.mark.parametrize(
    ("after", "code"),
    [(CALLS, 0), (CALLS[::-1], 3), (CALLS[:1], 3), (("call void @f(i32 2)", CALLS[1]), 3)],
)
def test_calls_of_declared_functions_stay_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after: tuple[str, ...], code: int
) -> None:
    for name, calls in (("before", CALLS), ("after", after)):
        (tmp_path / f"{name}.litmus").write_text(CALLING.format("\n".join(calls)), encoding="utf-8")
    tests = [str(tmp_path / f"{name}.litmus") for name in ("before", "after")]
    assert main(["refine", *tests, "--model", "llvm", "--context", "0"]) == code
    assert ("the calls of declared functions are others" in capsys.readouterr().out) == (code == 3)
