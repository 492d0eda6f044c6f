"""The theorems: statements, what is committed of them, small bounds searched again, broken models.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from axmem.check.results import outcomes
from axmem.cli import main
from axmem.commands.pages.optimizations import document
from axmem.commands.pages.theorems import file_name, models_of, write_results
from axmem.formats.reading import parse, parse_file
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import (
    HOLDS,
    REFUTED,
    Claim,
    Finding,
    check,
    judge,
    model_of,
    rule_claim,
    space_text,
)
from axmem.refinement.claims import Theorem
from axmem.refinement.kept_findings import kept, store_of
from axmem.refinement.optimizations import DONE_BY, LARGER, OPTIMIZATIONS, UNSOUND
from axmem.refinement.properties import BOUNDED, INSIDE, NECESSARY
from axmem.refinement.rules import BY_NAME, CORE, RULES
from axmem.refinement.theorems import THEOREMS
from axmem.report.printers import printed
from tests.drawn import in_full, some
from tests.origins import unmarked
from tests.paths import CORPUS, RESULTS

COMMITTED = json.loads((RESULTS / "theorems.json").read_text(encoding="utf-8"))["theorems"]
ROWS = [(theorem, claim, bound) for theorem in THEOREMS for claim, bound in theorem.claims()]
QUICK = 2


def named(theorem: Theorem) -> str:
    return theorem.key


# ---------------------------------------------------------------- what is committed


def test_the_committed_table_is_of_these_theorems() -> None:
    """If this fails because a theorem changed, run `make theorems`."""
    said = [(r["theorem"], r["statement"], r["source"], r["models"], r["space"], r["expected"]) for r in COMMITTED]
    assert said == [(t.key, t.statement, t.source, models_of(c), space_text(c), t.expected) for t, c, _ in ROWS]


def test_every_theorem_came_out_as_expected() -> None:
    for record, (theorem, _, bound) in zip(COMMITTED, ROWS, strict=True):
        assert record["status"] == theorem.expected, theorem.key
        assert record["bound"] == bound if theorem.expected == HOLDS else record["bound"] <= bound
        assert (record["counterexample"] is not None) == (theorem.expected == REFUTED)


def test_what_holds_holds_to_five_operations() -> None:
    """In the whole space, or in a smaller one that the table names; those of a rule are counted; or to any number."""
    fewer = {"T-VULKAN": 4, "M-REORD drop-idle-load forbidden": 3}
    for theorem in THEOREMS:
        if theorem.expected == HOLDS and not theorem.claim.lost:
            wanted = next((number for key, number in fewer.items() if theorem.key.startswith(key)), 5)
            assert max(claim.size + bound for claim, bound in theorem.claims()) >= wanted, theorem.key


@pytest.mark.parametrize("theorem", [t for t in THEOREMS if t.expected == REFUTED], ids=named)
def test_every_counterexample_is_one(theorem: Theorem) -> None:
    """The programs beside the table, read again and judged by the engine of single tests."""
    whole, before, after = (
        RESULTS / "theorems" / f"{file_name(theorem)}{side}.litmus" for side in ("", ".before", ".after")
    )
    texts = [
        p.read_text(encoding="utf-8").split("\nexists")[0] for p in ([whole] if whole.exists() else [before, after])
    ]
    assert judge(theorem.claim, texts[0], texts[-1]) is not None


@pytest.mark.parametrize("theorem", [t for t in THEOREMS if t.corpus], ids=named)
def test_the_test_of_the_corpus_refutes_it_too(theorem: Theorem) -> None:
    """Of a property of executions, and of two models; a rule needs two programs, and the corpus has tests alone."""
    path = CORPUS / f"{theorem.corpus}.litmus"
    assert path.is_file()
    claim = theorem.claim
    if claim.deny:
        assert outcomes(parse_file(path), model_of(claim, "after")).outcomes
    elif not claim.rule:
        old, new = (outcomes(parse_file(path), model_of(claim, side)) for side in ("before", "after"))
        assert not set(new.outcomes) <= set(old.outcomes)


def test_rows_are_made_again_beside_others(tmp_path: Path) -> None:
    """The tables of the other theorems stay, but there must be some."""
    for ending in ("json", "md"):
        whole = (RESULTS / f"theorems.{ending}").read_text(encoding="utf-8")
        (tmp_path / f"theorems.{ending}").write_text(whole, encoding="utf-8")
    asked = ["theorems", "CONV sc", "--results"]
    assert main([*asked, str(tmp_path)]) == 0
    for path in ("theorems.json", "theorems.csv", "theorems.md", "theorems/P2-reason.litmus"):
        assert (tmp_path / path).read_text(encoding="utf-8") == unmarked((RESULTS / path).read_text(encoding="utf-8"))
    page = tmp_path / "theorems.json"
    page.write_text(page.read_text(encoding="utf-8").replace('"P1"', '"P0"'), encoding="utf-8")
    assert main([*asked, str(tmp_path)]) == 2
    assert main([*asked, str(tmp_path / "nowhere")]) == 2


# ---------------------------------------------------------------- small bounds, searched again


@pytest.mark.parametrize("theorem", some([t for t in THEOREMS if not t.claim.lost], of=16), ids=named)
def test_small_programs(theorem: Theorem) -> None:
    """Nothing refutes what holds; what is refuted is refuted where the table says, if that is this small."""
    quick = max(0, QUICK - theorem.claim.size)
    found = check(theorem.claim, quick)
    record = next(r for r in COMMITTED if r["theorem"] == theorem.key)
    expected = REFUTED if theorem.expected == REFUTED and record["bound"] <= quick else HOLDS
    assert found.status == expected
    if found.counterexample:
        assert found.counterexample.outcome == record["counterexample"]["outcome"]


# ---------------------------------------------------------------- what LLVM does


def test_every_rule_is_an_optimization_and_is_said_to_be_of_somebody() -> None:
    assert {rule.name for rule in RULES} == set(DONE_BY) >= UNSOUND >= LARGER
    assert [t.key for t in OPTIMIZATIONS[:2]] == ["drop-tag llvm", "drop-tag amdgpu"]


@pytest.mark.parametrize("path", sorted((RESULTS / "optimizations").glob("*.after.litmus")), ids=lambda path: path.name)
def test_every_unsound_optimization_is_shown_to_be(path: Path) -> None:
    """The programs beside the page, read again and judged by the engine of single tests."""
    (theorem,) = (t for t in OPTIMIZATIONS if f"{file_name(t)}.after.litmus" == path.name)
    sides = [path.with_name(path.name.replace(".after.", f".{side}.")) for side in ("before", "after")]
    before, after = (side.read_text(encoding="utf-8").split("\nexists")[0] for side in sides)
    assert judge(theorem.claim, before, after) is not None


@in_full
def test_the_page_of_optimizations(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["theorems", "--optimizations", "narrow-scope", "drop-repeated-fence", "widen-scope", "drop-idle-load"]
    keep = ["--run", str(tmp_path / "kept")]
    assert main([*asked, "--events", "1", "--format", "markdown", *keep]) == 0
    page = capsys.readouterr().out
    (narrow,) = (line for line in page.splitlines() if line.startswith("| `narrow-scope`"))
    assert narrow.count("**refuted** with 1") == 2 and "`optimizations/narrow-scope-amdgpu`" in narrow
    (fence,) = (line for line in page.splitlines() if line.startswith("| `drop-repeated-fence`"))
    assert fence.count("bounded: 1") == 2 and "InstCombine" in fence
    (wider,) = (line for line in page.splitlines() if line.startswith("| `widen-scope`"))
    assert wider.count("| proved ") == 2
    idle = [line for line in page.splitlines() if line.startswith("| `drop-idle-load`")]
    assert len(idle) == 2 and "programs without tags" in idle[1]
    store = store_of(keep[1])
    narrowed = [t for t in OPTIMIZATIONS if t.key.startswith("narrow-scope")]
    rows = [(t, t.claim, kept(store, t.claim, 1, lambda: pytest.fail("it was kept"))) for t in narrowed]
    write_results(str(tmp_path), rows, {"md": printed(document(rows), "markdown")}, "optimizations")
    assert len(list((tmp_path / "optimizations").iterdir())) == 4


# ---------------------------------------------------------------- broken models


def broken(overrides: str, claim: Claim) -> Claim:
    """Return a claim about a model with overrides, on both sides."""
    assert claim.deny
    return replace(claim, overrides=overrides, side="after")


INSIDE_CLAIM = Claim(CORE, ModelChoice("amdgpu"), ModelChoice("amdgpu"), deny=INSIDE)
BOUNDED_CLAIM = replace(INSIDE_CLAIM, deny=BOUNDED)
NECESSARY_CLAIM = replace(INSIDE_CLAIM, deny=NECESSARY.format(order="hbv"))
BREAKS = {
    "P2 if the instance need not include the write": (
        "override let includes-write = concerns",
        INSIDE_CLAIM,
        4,
    ),
    "P3 if nothing need be available": (
        "override let seen(at, wide, same, vis) = (([writes] | vis) ; (ahb & same)) & visible(at, wide)",
        BOUNDED_CLAIM,
        3,
    ),
    "P1 if location order does not need happens-before": (
        "override let lo-po = [writes] ; po",
        NECESSARY_CLAIM,
        2,
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_model_fails_the_right_theorem(name: str) -> None:
    overrides, claim, operations = BREAKS[name]
    assert check(claim, min(operations, 3)).status == HOLDS
    assert check(broken(overrides, claim), operations).status == REFUTED


@pytest.mark.parametrize("readings", some([(("sc", "none"),), ()], of=2))
def test_an_unsound_rule_is_unsound_under_every_reading(readings: tuple[tuple[str, str], ...]) -> None:
    assert check(rule_claim(BY_NAME["weaken-ordering"], ModelChoice("amdgpu", readings), CORE), 1).status == REFUTED


# ---------------------------------------------------------------- the command


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    keep = ["--run", str(tmp_path / "kept")]
    assert main(["theorems", "P1-literal", "--events", "3", *keep]) == 0
    out = capsys.readouterr().out
    assert out.startswith("P1-literal  refuted with 2 operations") and "P1-literal-threads  refuted with 3" in out
    assert main(["theorems", "P1-literal", "--events", "3", *keep]) == 0
    assert capsys.readouterr().out == out
    assert main(["theorems", "M-PO", "--events", "2", "--format", "markdown"]) == 0
    assert "| M-PO adjacent" in capsys.readouterr().out
    assert main(["theorems", "--list", "T-ORD"]) == 0
    assert "strengthening an ordering only strengthens" in capsys.readouterr().out


def test_a_time_limit_makes_it_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theorems", "T-WEAK", "--events", "3", "--timeout", "0.001"]) == 3
    assert "T-WEAK  unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["T-WEEK"], "no theorem 'T-WEEK'"),
        (["--events", "0"], "'0' is not a positive number"),
        (["P1", "--results", "somewhere"], "cannot read 'somewhere/theorems.json'"),
        (["P1", "--events", "1", "--results", "somewhere"], "these tables are of all theorems"),
    ],
)
def test_bad_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(["theorems", *arguments])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert message in capsys.readouterr().err


def test_a_damaged_finding_counts_as_absent(tmp_path: Path) -> None:
    claim = THEOREMS[0].claim
    store = store_of(str(tmp_path))
    holds, unknown = Finding(HOLDS, 3, families=7), Finding("unknown", 3)
    assert kept(store, claim, 3, lambda: unknown) == unknown
    assert kept(store, claim, 3, lambda: holds) == holds
    assert kept(store, claim, 3, lambda: unknown) == holds
    (file,) = tmp_path.rglob("*.json")
    file.write_text("{", encoding="utf-8")
    assert kept(store, claim, 3, lambda: unknown) == unknown


def test_counterexamples_are_canonical_tests() -> None:
    for path in (RESULTS / "theorems").glob("*.litmus"):
        assert parse(path.read_text(encoding="utf-8"), str(path)).condition is not None
