"""Comparison of models: the relation, undef above every value, the differences and their rules, the command.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.check.compare import EXPLAINED, compare, relation_of, unmatched
from axmem.check.results import Result, outcomes
from axmem.cli import main
from axmem.encoder.limits import TIME_LIMIT, Reason
from axmem.encoder.solve import Row
from axmem.events.values import UNDEF, Value
from axmem.formats.reading import parse, parse_file
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.report.differences import document, section
from axmem.report.printers import printed
from axmem.report.printers.text import lines
from tests.drawn import in_full
from tests.paths import CORPUS

SC, LLVM, AMDGPU = ModelChoice("sc"), ModelChoice("llvm"), ModelChoice("amdgpu")
LITERAL = ModelChoice("amdgpu", (("vis.instance", "literal"),))
LAUNDER = CORPUS / "amdgpu" / "Launder+fence.singlethread.litmus"
NONAV = CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus"
BRANCH = CORPUS / "base" / "Undef+branch.litmus"
BUFFERED = CORPUS / "base" / "SB+rel-acq+rel-acq.litmus"
PLAIN = CORPUS / "base" / "MP+rel+acq.litmus"

values = st.sampled_from([0, 1, UNDEF])
rows = st.frozensets(st.tuples(st.tuples(values), st.tuples(values, values)), max_size=6)


def matches(outcome: Row, other: Row) -> bool:
    """Say by the definition whether an outcome agrees with the other wherever that is not undef."""
    pairs = [(a, b) for x, y in zip(outcome, other, strict=True) for a, b in zip(x, y, strict=True)]
    return all(b is UNDEF or a == b for a, b in pairs)


@given(rows, rows)
def test_what_is_unmatched_is_what_the_definition_says(first: frozenset[Row], second: frozenset[Row]) -> None:
    ordered = sorted(first, key=repr)
    assert unmatched(ordered, second) == [a for a in ordered if not any(matches(a, b) for b in second)]


def _result(test: LitmusTest, model: str) -> Result:
    return outcomes(test, model)


def _with(result: Result, *outcomes_: Row, undefined: tuple[str, ...] = (), cut: Reason | None = None) -> Result:
    from dataclasses import replace

    return replace(result, outcomes=outcomes_, undefined=undefined, incomplete=(cut,) if cut else ())


def one(*found: Value) -> Row:
    return tuple((v,) for v in found)


@pytest.fixture(scope="module")
def blank() -> Result:
    return _result(parse_file(PLAIN), "llvm")


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ([one(0, 0)], [one(0, 0)], "same"),
        ([one(0, 0)], [one(0, 0), one(1, 0)], "weaker"),
        ([one(0, 0), one(1, 0)], [one(0, 0)], "stronger"),
        ([one(0, 0), one(1, 0)], [one(0, 0), one(0, 1)], "incomparable"),
        ([one(1, 1)], [one(1, UNDEF)], "weaker"),
        ([one(1, UNDEF)], [one(1, 1)], "stronger"),
        ([one(1, 0), one(1, UNDEF)], [one(1, UNDEF)], "same"),
        ([one(UNDEF, 1)], [one(1, UNDEF)], "incomparable"),
        ([], [], "same"),
        ([], [one(0, 0)], "weaker"),
    ],
)
def test_the_relation(blank: Result, first: list[Row], second: list[Row], relation: str) -> None:
    assert relation_of(_with(blank, *first), _with(blank, *second)) == relation


def test_undefined_behaviour_permits_everything(blank: Result) -> None:
    defined, undefined = _with(blank, one(0, 0)), _with(blank, undefined=("branch on undef",))
    assert relation_of(defined, undefined) == "weaker"
    assert relation_of(undefined, defined) == "stronger"
    assert relation_of(undefined, undefined) == "same"


def test_what_a_limit_cut_is_unknown(blank: Result) -> None:
    cut, whole = _with(blank, one(0, 0), cut=TIME_LIMIT), _with(blank, one(0, 0))
    assert relation_of(cut, whole) == relation_of(whole, cut) == "unknown"


def test_a_new_outcome_and_the_rule_against_it() -> None:
    found = compare(parse_file(NONAV), LLVM, AMDGPU)
    assert found.relation == "weaker" and not found.exact
    (new,), (lost,) = found.new, found.lost
    assert new.state == "P1:r0=1  P1:r1=undef" and not new.matched
    assert lost.state == "P1:r0=1  P1:r1=1" and lost.matched
    assert new.rules and [r.name for r in new.rules] == ["defined"]
    assert lost.rules and [(r.name, r.doc.key) for r in lost.rules] == [("unordered-write", "AMDGPU-MM")]


def test_the_comparison_turned_round() -> None:
    there, back = compare(parse_file(LAUNDER), AMDGPU, LITERAL), compare(parse_file(LAUNDER), LITERAL, AMDGPU)
    assert (there.relation, back.relation) == ("stronger", "weaker")
    assert there.labels == ("amdgpu", "amdgpu[vis.instance=literal]")
    assert (there.new, there.lost) == (back.lost, back.new)


def test_one_new_outcome_makes_a_difference() -> None:
    there, back = (compare(parse_file(BUFFERED), *models) for models in ((SC, LLVM), (LLVM, SC)))
    assert [d.state for d in there.new] == [d.state for d in back.lost] == ["P0:r0=0  P1:r1=0"]
    assert not there.lost and not back.new
    assert not there.exact and not back.exact


def test_equal_models_are_exactly_the_same() -> None:
    found = compare(parse_file(PLAIN), LLVM, AMDGPU)
    assert found.relation == "same" and found.exact
    assert list(lines([section(found)])) == ["MP+rel+acq  llvm -> amdgpu  same"]


def test_undefined_behaviour_is_named() -> None:
    fork = ModelChoice("llvm", (("undef.branch", "fork"),))
    found = compare(parse_file(BRANCH), fork, LLVM)
    assert found.relation == "weaker"
    assert all(d.matched and d.rules is None for d in found.lost)
    assert any("undefined behaviour: branch on undef" in line for line in lines([section(found)]))


def test_differences_beyond_the_limit_are_listed_without_rules() -> None:
    stores = "\n".join(f"  store atomic {v}, x monotonic" for v in range(1, EXPLAINED + 4))
    text = (
        f"litmus Many\nglobal x = 0\nthread P0 {{\n{stores}\n}}\nthread P1 {{\n  r0 = load atomic x monotonic\n"
        "  r1 = load atomic x monotonic\n}\nfilter (P1:r1=0)\nexists (P1:r0=1)\n"
    )
    found = compare(parse(text), LLVM, ModelChoice("llvm", (("init.mo", "unordered"),)))
    assert found.relation == "weaker"
    explained = [d for d in found.new if d.rules is not None]
    assert len(explained) == EXPLAINED < len(found.new)
    assert all(d.rules for d in explained)


def test_a_page_lists_only_what_differs() -> None:
    both = [compare(parse_file(p), LLVM, AMDGPU) for p in (PLAIN, NONAV)]
    page = printed(document(both, "Title"), "markdown")
    assert page.startswith("# Title\n\n2 tests: 1 same, 1 weaker.\n")
    assert "## MP+st-rel.none+acq-ld: weaker" in page and "## MP+rel+acq" not in page
    assert '\\[AMDGPU-MM\\] "Location Order"' in page


# ---------------------------------------------------------------- the command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["compare", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_prints_tests_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(PLAIN), str(NONAV), "--models", "llvm,amdgpu")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "MP+rel+acq  llvm -> amdgpu  same"
    assert "  + P1:r0=1  P1:r1=undef" in out and out.endswith("2 tests: 1 same, 1 weaker\n")


def test_brackets_protect_commas(capsys: pytest.CaptureFixture[str]) -> None:
    models = "amdgpu[av.tags=po, lo.hb=no],amdgpu"
    code, out, _ = run(capsys, str(CORPUS / "mmra" / "MP+private-data+ag.litmus"), "--models", models)
    assert code == 0 and "amdgpu[av.tags=po,lo.hb=no] -> amdgpu  weaker" in out


def test_expect(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, str(PLAIN), "--models", "llvm,amdgpu", "--expect", "same")[0] == 0
    assert run(capsys, str(NONAV), "--models", "llvm,amdgpu", "--expect", "same")[0] == 1
    assert run(capsys, str(NONAV), "--models", "llvm,amdgpu", "--expect", "weaker")[0] == 0


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(PLAIN), str(NONAV), "--models", "llvm,amdgpu", "--format", "json")
    document = json.loads(out)
    assert code == 0 and document["summary"]["weaker"] == 1
    assert [c["relation"] for c in document["comparisons"]] == ["same", "weaker"]
    assert [c["exact"] for c in document["comparisons"]] == [True, False]
    assert document["comparisons"][1]["lost"][0]["rules"][0]["section"] == "Location Order"


def test_markdown_to_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    code, out, _ = run(capsys, str(NONAV), "--models", "llvm,amdgpu", "--format", "markdown", "-o", str(target))
    assert (code, out) == (0, "")
    assert target.read_text(encoding="utf-8").startswith("# amdgpu against llvm\n")
    assert [p.name for p in tmp_path.iterdir()] == ["page.md"]


@in_full
def test_workers_give_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(CORPUS / "barriers")
    alone = run(capsys, folder, "--models", "llvm,amdgpu")
    assert run(capsys, folder, "--models", "llvm,amdgpu", "-j", "2") == alone


def test_a_time_limit_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(PLAIN), "--models", "llvm,amdgpu", "--timeout", "0.000001")
    assert code == 3 and "unknown" in out + err


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ("llvm", "two models are compared, and here is one"),
        ("llvm,amdgpu,sc", "two models are compared, and here are 3"),
        ("llvm,amdgup", "unknown model 'amdgup'"),
        ("llvm,amdgpu[vis.v2=literal]", "has no variant 'vis.v2'"),
        ("llvm,amdgpu[vis.instance]", "NAME=VALUE"),
        ("llvm,", "model"),
    ],
)
def test_a_bad_list_of_models(capsys: pytest.CaptureFixture[str], models: str, message: str) -> None:
    code, out, err = run(capsys, str(PLAIN), "--models", models)
    assert (code, out) == (2, "") and message in err and "Traceback" not in err


def test_an_unreadable_test_does_not_stop_the_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.litmus"
    broken.write_text("litmus Broken\nthread P0 {\n  sotre 1, x\n}\n", encoding="utf-8")
    code, out, err = run(capsys, str(broken), str(tmp_path / "none.litmus"), str(PLAIN), "--models", "llvm,amdgpu")
    assert code == 2 and out.endswith("1 test: 1 same\n")
    assert "broken.litmus:3:3: error:" in err and "none.litmus: error: no such file" in err
