"""Expectations against results: which are checked, and when each passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from axmem.check.expectations import ExpectationCheck, checks, status
from axmem.check.judging import Question, report_of
from axmem.check.results import Result, outcomes
from axmem.check.selection import about_choices, concerns, label, mentioned, parse_choice, runs
from axmem.encoder.limits import TIME_LIMIT
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.model.library import load
from tests.paths import ROOT

SB = """\
litmus SB

global x = 0
global y = 0

thread P0 {
  store atomic 1, x monotonic
  r0 = load atomic y monotonic
}

thread P1 {
  store atomic 1, y monotonic
  r0 = load atomic x monotonic
}

exists (P0:r0=0 /\\ P1:r0=0)
"""
ALL = "P0:r0=0 P1:r0=0", "P0:r0=0 P1:r0=1", "P0:r0=1 P1:r0=0", "P0:r0=1 P1:r0=1"


def rows(model: str, *lines: str) -> str:
    return f"outcomes {model} {{\n" + "\n".join(lines) + "\n}\n"


def checked(text: str, model: str = "sc", limit: Result | None = None) -> tuple[ExpectationCheck, ...]:
    test = parse(text)
    return checks(test, load(model), limit or outcomes(test, model))


def states(text: str, model: str = "sc") -> list[str]:
    return [c.status for c in checked(text, model)]


@pytest.mark.parametrize(
    ("model", "verdict", "expected"),
    [("sc", "never", "ok"), ("sc", "sometimes", "mismatch"), ("sc", "always", "mismatch"),
     ("sc", "unknown", "mismatch"), ("sc", "undefined", "mismatch"), ("llvm", "sometimes", "ok"),
     ("llvm", "never", "mismatch")],
)  # fmt: skip
def test_verdicts(model: str, verdict: str, expected: str) -> None:
    assert states(f'{SB}\nexpect {model} {verdict} "why"\n', model) == [expected]


def test_only_the_expectations_of_the_model_are_checked() -> None:
    text = f"{SB}\nexpect llvm sometimes\nexpect sc never\n" + rows("llvm", *ALL)
    assert [(c.kind, c.line) for c in checked(text, "sc")] == [("verdict", 19)]
    assert [(c.kind, c.line) for c in checked(text, "llvm")] == [("verdict", 18), ("outcomes", 20)]


def test_an_outcome_set_must_be_exact() -> None:
    assert states(SB + rows("sc", *ALL[1:])) == ["ok"]
    more = checked(SB + rows("sc", *ALL))[0]
    assert (more.status, more.missing, more.unexpected) == ("mismatch", ("P0:r0=0  P1:r0=0",), ())
    fewer = checked(SB + rows("sc", *ALL[1:3]))[0]
    assert (fewer.status, fewer.missing, fewer.unexpected) == ("mismatch", (), ("P0:r0=1  P1:r0=1",))
    assert (fewer.expected, fewer.found) == ("2 outcomes", "3 outcomes")


def test_an_outcome_set_is_compared_on_its_own_columns() -> None:
    assert states(SB + rows("sc", "P1:r0=0", "P1:r0=1")) == ["ok"]
    assert states(SB + rows("sc", "P1:r0=0")) == ["mismatch"]


def test_an_empty_outcome_set() -> None:
    assert states(SB + "filter (P0:r0=2)\noutcomes sc {\n}\n") == ["ok"]
    found = checked(SB + "outcomes sc {\n}\n")[0]
    assert (found.status, len(found.unexpected)) == ("mismatch", 3)


VALUES = """\
litmus Values

global i8 b = 0
global <2 x i32> v = {0, 0}
global x = 0
global p = &x
global u

thread P0 {
  store i8 255, b
  n = load i8, b
  w = load <2 x i32>, v
  q = load ptr, p
  c = cmpxchg x, 0, 5 monotonic monotonic
  d = load u
}

exists (true)
"""


@pytest.mark.parametrize(
    "row",
    ["P0:n=255", "P0:n=-1", "P0:w={0,0}", "P0:w[0]=0 P0:w[1]=0", "P0:q=&x", "P0:c[0]=0 P0:c[1]=1",
     "P0:d=undef", "v[1]=0 x=5", "P0:c[1]=true"],
)  # fmt: skip
def test_values_of_rows(row: str) -> None:
    assert states(VALUES + rows("llvm", row), "llvm") == ["ok"]


@pytest.mark.parametrize("row", ["P0:n=1", "P0:w={0,1}", "P0:w[1]=undef", "P0:q=&b", "P0:c[0]=5", "P0:d=0", "x=0"])
def test_wrong_values_of_rows(row: str) -> None:
    found = checked(VALUES + rows("llvm", row), "llvm")[0]
    assert found.status == "mismatch"
    assert len(found.missing) == len(found.unexpected) == 1


def limited(text: str) -> Result:
    """Return the result of SB under llvm with all outcomes but one cut away."""
    full = outcomes(parse(text), "llvm")
    return replace(full, outcomes=full.outcomes[1:2], verdict="unknown", incomplete=(TIME_LIMIT,))


def test_unknown_is_never_a_pass() -> None:
    for verdict in ("never", "sometimes", "always", "undefined"):
        text = f"{SB}\nexpect llvm {verdict}\n" + rows("llvm", *ALL)
        result = limited(text)
        found = checked(text, "llvm", result)
        assert [c.status for c in found] == ["unknown", "unknown"]
        assert status(result, found) == "unknown"


def test_unknown_passes_where_it_is_expected() -> None:
    text = f"{SB}\nexpect llvm unknown\n" + rows("llvm", *ALL)
    result = limited(text)
    found = checked(text, "llvm", result)
    assert status(result, found) == "ok"


def test_what_was_found_beyond_an_outcome_set_is_a_mismatch_even_if_more_was_cut() -> None:
    text = SB + rows("llvm", ALL[0])
    result = limited(text)
    found = checked(text, "llvm", result)
    assert [c.status for c in found] == ["mismatch"]
    assert status(result, found) == "mismatch"


def test_an_unknown_answer_that_nobody_asked_about_is_unknown() -> None:
    assert status(limited(SB), ()) == "unknown"
    assert status(outcomes(parse(SB), "llvm"), ()) == "unchecked"


def test_a_result_without_values_leaves_an_outcome_set_unknown() -> None:
    text = SB + rows("llvm", *ALL)
    nothing = replace(limited(text), columns=(), outcomes=())
    assert [c.status for c in checked(text, "llvm", nothing)] == ["unknown"]


# ---------------------------------------------------------------- which models are run

CHOOSY = (
    f"{SB}\nexpect llvm sometimes\nexpect llvm[coh=langref] amdgpu[coh=cxx] sometimes\n"
    + rows("sc", *ALL[1:])
)  # fmt: skip


def chosen(*given: str, text: str = CHOOSY, **variants: str) -> list[tuple[str, dict[str, str]]]:
    found = runs(parse(text), tuple(parse_choice(g) for g in given), variants)
    return [
        (reference, {v.name: m.choice[v.name] for v in m.variants if m.choice[v.name] != v.default})
        for reference, m in found
    ]


def test_the_models_of_a_test() -> None:
    assert chosen() == [("llvm", {}), ("llvm", {"coh": "langref"}), ("amdgpu", {}), ("sc", {})]
    assert chosen(text=SB) == [("amdgpu", {})]


def test_the_models_given() -> None:
    assert chosen("sc") == [("sc", {})]
    assert chosen("llvm", "llvm") == [("llvm", {}), ("llvm", {"coh": "langref"})]
    assert chosen("llvm[coh=langref]") == [("llvm", {"coh": "langref"})]
    assert chosen("llvm", "sc", coh="langref") == [("llvm", {"coh": "langref"}), ("sc", {})]


def test_a_choice_with_a_default_value_is_the_model_itself() -> None:
    choice = mentioned(parse(CHOOSY))[2]
    assert choice.variants == (("coh", "cxx"),)
    assert concerns(choice, load("amdgpu"))
    assert not concerns(choice, load("amdgpu", {"coh": "langref"}))
    assert not concerns(choice, load("llvm"))


def test_a_mistake_in_a_choice_is_shown_in_the_test() -> None:
    for choice, message, hint in (
        ("amdgup", "unknown model 'amdgup'", "did you mean 'amdgpu'?"),
        ("llvm[co=cxx]", "the model has no variant 'co'", "did you mean 'coh'?"),
        ("llvm[coh=cx]", "variant 'coh' has no value 'cx'", "known: cxx, langref"),
    ):
        with pytest.raises(InputError) as error:
            chosen(text=f"{SB}\nexpect {choice} never\n")
        found = error.value.diagnostics[0]
        assert (found.message, found.hint, found.source.name) == (message, hint, "<string>")
        assert (found.span.line, found.span.column, found.span.length) == (18, 8, len(choice))


def test_check_names_models_that_nobody_knows() -> None:
    test = parse(f"{SB}\nexpect mine amdgup llvm[coh=cx] never\n")
    found = list(about_choices(test, {"mine": "sc"}))
    assert [(d.severity, d.span.column) for d in found] == [("warning", 13), ("error", 20)]
    assert [d.severity for d in about_choices(test, {})] == ["warning", "warning", "error"]


@pytest.mark.parametrize("text", ["", "[coh=cxx]", "llvm[coh]", "llvm[coh=cxx", "llvm]", "llvm[=]"])
def test_a_choice_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError):
        parse_choice(text)


def test_possible_is_sometimes_or_always() -> None:
    assert [states(f"{SB}\nexpect {model} possible\n", model) for model in ("sc", "llvm")] == [["mismatch"], ["ok"]]
    always = SB.replace("exists (P0:r0=0 /\\ P1:r0=0)", "exists (P0:r0 < 2)")
    assert states(f"{always}\nexpect sc possible\n") == ["ok"]


def test_a_test_names_the_models_it_is_run_under() -> None:
    text = f"{SB}\nmodel sc, llvm[coh=langref]\n"
    test = parse(text)
    assert [label(model) for _, model in runs(test, (), {})] == ["sc", "llvm[coh=langref]"]
    assert [model.name for _, model in runs(parse(f"{text}expect llvm sometimes\n"), (), {})] == ["llvm"]
    assert parse(print_test(test)) == test


def test_a_file_of_the_same_name_need_not_have_our_variants(tmp_path: Path) -> None:
    """What a test expects of a variant of ours is not of a model of others that has its name, and is not checked."""
    file = tmp_path / "vulkan.cat"
    file.write_text('VULKAN "theirs"\nacyclic po | rf\n', encoding="utf-8")
    text = (ROOT / "litmus" / "examples" / "one-class-on-the-way.test").read_text(encoding="utf-8")
    report = report_of(Question("t.test", text, (f"dartagnan:{file}",)))
    assert report.diagnostics == ()
    assert [(a.result.model, a.result.variants, a.status) for a in report.answers] == [("vulkan", (), "unchecked")]
    own = report_of(Question("t.test", text, ("vulkan",)))
    assert [a.status for a in own.answers] == ["unchecked", "ok", "ok"]
