"""The page of mutations names every definition of the models, and tests that do turn red.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from axmem.front.exits import TERMINATED, Terminated
from axmem.front.source import Source
from axmem.model.parser import parse
from axmem.model.syntax import Check, Conditional, Let, Name, Nothing, Override
from tests.drawn import in_full, some
from tests.mutants import __main__ as mutants
from tests.mutants.__main__ import REASONS, complaints, page, survivors
from tests.mutants.equal import EQUAL, reason, stale
from tests.mutants.laboratory import (
    FILES,
    TABLES,
    Trial,
    definitions,
    killed_by,
    mutations_of,
    numbers,
    page_trials,
    rows,
    trials,
    unchanged_on,
)
from tests.mutants.mutations import mutations
from tests.mutants.replacements import replacements
from tests.origins import mutants_origins
from tests.spread import ended

TODAY = {(file, m.name, m.action) for file in FILES for m in mutations_of("deletions", file)}
# A page that is older than the models has rows of definitions that are no more.
ROWS = [("deletions", *row) for row in [row for row in rows("deletions") if row[:3] in TODAY][::23]]
REPLACED = [
    ("readings/sc.tags", "sc.tags=po: sc-po", "po is cpo", "mmra/SC+idle-load-between"),
    ("happens-before", "sc-po", "cpo is po", "mmra/SC+tags-in-the-middle"),
    ("happens-before", "strongly-hb", "po is cpo", "mmra/SC+tags-in-the-middle"),
    ("happens-before", "sync", "ACQ is Acq", "mmra/MP+fence.local+rmw-acquire"),
    ("happens-before", "inst", "singlethread is wavefront", "mmra/Coherence+store-store+tags+singlethread"),
    ("happens-before", "nonprivate", "Atomic is Mono", "mmra/Vulkan+unordered-atomic"),
    ("happens-before", "link", "src is rf", "values/Tear+sc"),
    ("happens-before", "link", "inclusive is all pairs", "scopes/RelSeq+narrow-rmw"),
    ("happens-before", "barrier-scopes", "inclusive is inst", "barriers/Barrier+scopes"),
    ("happens-before", "barrier-sw", "as-compat is all pairs", "barriers/Barrier+fences-of-two-spaces"),
    ("happens-before", "barrier-sw", "ext is all pairs", "barriers/Barrier+own-fences+tags"),
    ("happens-before", "sw-atomic", "ext is all pairs", "mmra/MP+own-message+tags"),
    ("happens-before", "dma-sw", "Acq is ACQ", "dma/Arrive+acq_rel.cl"),
    ("readings/mmra", "mmra=endtoend: hb-threads", "cpo 2 is po", "mmra/Chain+untagged-ends"),
    ("happens-before", "atomicity", "smo 2 is mo", "orders/RMW+scopes+chain"),
    ("happens-before", "eco", "smo is mo", "orders/SB+fence.sc+scopes+tags"),
    ("happens-before", "hbv", "loc is perf", "mmra/Coherence+store-half-load+tags"),
    ("values", "suspect", "may-see is asked", "dependencies/WW+race+ctrl+tags"),
    ("values", "undef-by", "& 1 is ;", "dependencies/LB+plain+ctrl+last"),
    ("values", "conflict", "ext is all pairs", "mmra/Coherence+store-store+tags"),
    ("values", "race", "inclusive is inst", "scopes/WW+mono.wg+mono.cl"),
    (
        "amdgpu",
        "store-available-singlethread",
        "store-available-wavefront is store-available-workgroup",
        "amdgpu/Back+load-visible.st",
    ),
    ("amdgpu", "av-start", "ahb is hbv", "mmra/LocationOrder+tags"),
    ("amdgpu", "vis-agent", "vis-agent is vis-system", "mmra/Pass+tags.ag"),
    ("amdgpu", "vis-po", "loc is perf", "mmra/Visibility+tags+half-address"),
    ("amdgpu", "location-order", "lo is hb-loc", "mmra/Poloc+cycle+av.none"),
    ("amdgpu", "read-precedes", "ahb is hb", "dma/Load+read-before"),
]
"""Replacements that a deletion does not stand for, and the test that each turns red."""
ROWS += [("replacements", *row) for row in REPLACED]


def test_every_definition_decides_a_test() -> None:
    """What the page does not name yet, being older than the models, is tried here."""
    numbered = {definition: number for number, definition in enumerate(definitions("deletions"))}
    decided = {(file, name) for file, name, *_ in rows("deletions")} & numbered.keys()
    unnamed = numbered.keys() - decided - REASONS.keys()
    decided |= {row for row in unnamed if any(trial.killer for trial in trials(("deletions", numbered[row])))}
    assert numbered.keys() - decided == REASONS.keys()
    assert {file for file, _ in definitions("deletions")} == {file for file in FILES if mutations_of("deletions", file)}


@pytest.mark.parametrize("row", some(ROWS), ids=lambda row: f"{row[2]} {row[3]}")
def test_a_test_that_the_page_names_is_red(row: tuple[str, str, str, str, str]) -> None:
    assert killed_by(*row)


def _made() -> list[tuple[str, str, str]]:
    return [(file, m.name, m.action) for file in FILES for m in mutations_of("replacements", file)]


def test_every_reason_is_of_a_replacement() -> None:
    assert not list(stale(_made())) and len(_made()) > 500
    assert not any(reason(*row[:3]) for row in (*REPLACED, *rows("replacements")))


def test_a_reason_that_is_not_needed_is_found() -> None:
    file, name, action = entry = next(iter(EQUAL))
    assert list(stale([entry])) == [other for other in EQUAL if other != entry]
    assert reason(file, name, action) and not reason(file, "no such definition", action)
    killed, other = Trial(file, name, action, "base/MP"), Trial(file, "no such definition", action, "")
    assert f"tests/mutants/equal.py: nothing that survives is {entry}" in list(complaints([killed], "replacements"))
    (one,) = REASONS
    assert not list(complaints([Trial(*one, "empty", "")], "deletions"))
    assert list(complaints([Trial(*one, "empty", "base/MP")], "deletions")) == [
        f"REASONS: a test turns red without {one[1]} of {one[0]}.cat"
    ]
    found = [Trial(file, name, action, ""), killed, other]
    assert "1 turn a test red and 1 are explained; 1 are neither" in page(found, "replacements")


def test_a_reason_of_a_change_that_turns_a_test_red_is_found() -> None:
    """A pattern fits several changes: that one of them survives does not vouch for the others."""
    entry = next(entry for entry in EQUAL if entry[2] == "may-see is *")
    survives, killed = Trial(*entry[:2], "may-see is asked", ""), Trial(*entry[:2], "may-see is loc", "base/MP")
    assert entry not in set(stale([(survives.file, survives.name, survives.action)]))
    lines = [line for line in complaints([survives, killed], "replacements") if "nothing that survives" not in line]
    assert lines == [f"tests/mutants/equal.py: base/MP turns red where may-see is loc in {entry[1]} of {entry[0]}.cat"]


@pytest.mark.parametrize(("table", "survivor"), [
    ("replacements", Trial("llvm", "no such definition", "po is cpo", "")),
    ("deletions", Trial("llvm", "no such definition", "empty", "")),
])  # fmt: skip
def test_what_survives_for_no_reason_is_a_failure(
    table: str, survivor: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All else is as it should be: each change with a reason survives, and no other."""
    deleted, replaced = [(*key, "empty") for key in REASONS], [row for row in _made() if reason(*row)]
    fine = [Trial(*row, "") for row in (deleted if table == "deletions" else replaced)]
    monkeypatch.setitem(TABLES, table, replace(TABLES[table], page=tmp_path / "page.md"))
    monkeypatch.setattr(mutants, "KEPT", tmp_path / "kept")
    for found, code in ((fine, 0), ([*fine, survivor], 1)):
        monkeypatch.setattr(mutants, "spread", lambda *_, found=found: [found])
        assert mutants.main(["--table", table]) == code
        assert capsys.readouterr().out.count("no such definition") == code


def test_an_interrupted_run_keeps_what_came_of_definitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with a line and the code of who ended it; the next goes on, and begins anew if a source has changed."""
    tried: list[int] = []
    sources = {"of": "one"}

    def trials(question: tuple[str, int]) -> list[Trial]:
        tried.append(question[1])
        if question[1] == 1 and tried.count(1) == 1:
            raise Terminated
        return [Trial("llvm", f"d{question[1]}", "empty", "base/MP")]

    monkeypatch.setattr(mutants, "definitions", lambda _: tuple(("llvm", f"d{k}") for k in range(3)))
    monkeypatch.setattr(mutants, "trials", trials)
    monkeypatch.setattr(mutants, "mutants_origins", lambda: [("page.md", sources)])
    monkeypatch.setattr(mutants, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(mutants, "complaints", lambda *_: ())
    page_of = tmp_path / "page.md"
    monkeypatch.setitem(TABLES, "deletions", replace(TABLES["deletions"], page=page_of))
    asked = ["--table", "deletions", "--jobs", "1"]
    mutants._origins.cache_clear()
    assert ended(lambda: mutants.main(asked), "; it is kept") == TERMINATED
    assert capsys.readouterr().err == "\ninterrupted; it is kept\n" and not page_of.exists()
    assert mutants.main(asked) == 0 and tried == [0, 1, 1, 2]
    assert page_of.read_text(encoding="utf-8").count("`base/MP`") == 3
    sources["of"] = "another"
    mutants._origins.cache_clear()
    assert mutants.main(asked) == 0 and tried == [0, 1, 1, 2, 0, 1, 2]
    mutants._origins.cache_clear()


@pytest.mark.parametrize(("asked", "said"), [
    (["--only", "no-such"], "no definition is called 'no-such'"),
    (["--added", "base/MP+fence.acq+fence.acq", "--added", "no/such"], "no test of the corpus: no/such\n"),
])  # fmt: skip
def test_names_of_nothing_are_refused(asked: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        mutants.main(asked)
    assert ended.value.code == 2 and said in capsys.readouterr().err


def test_what_survives_is_tried_on_tests_that_are_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A change that is red is not tried again; pages that were made of something else are made whole."""
    change, test = ("happens-before", "eco", "smo is mo"), "orders/SB+fence.sc+scopes+tags"
    red = Trial("happens-before", "hbv", "loc is perf", "no/such-test")
    before = [red, Trial(*change, ""), Trial("happens-before", "apart", "Mono 3 is Atomic", "")]
    monkeypatch.setitem(TABLES, "replacements", replace(TABLES["replacements"], page=tmp_path / "replacements.md"))
    (tmp_path / "replacements.md").write_text(page(before, "replacements"), encoding="utf-8")
    page_trials.cache_clear()
    asked = ["--table", "replacements", "--jobs", "1", "--added", test]
    with pytest.raises(SystemExit):
        mutants.main(asked)
    assert re.search(r"the pages were made of other .*\bcorpus\b.*: make them whole", capsys.readouterr().err)
    monkeypatch.setattr(mutants, "committed", lambda: dict(mutants_origins(frozenset([test]))))
    assert mutants.main(asked) == 1
    page_trials.cache_clear()
    assert page_trials("replacements") == (red, Trial(*change, test), before[2])
    page_trials.cache_clear()


def test_replacements_of_a_small_model() -> None:
    model = ("\"m\"\nlet cpo = po & loc\nlet a = (po ; rf) & loc\n"
             "let rec vis-system = po | vis-agent and vis-agent = vis-system\nacyclic [R] ; cpo as one\n")  # fmt: skip
    found = [(m.name, m.action, m.change and m.change.index) for m in replacements(parse(Source("m.cat", model)))]
    near = ("cpo", "perf", "vis-system", "vis-agent", "po", "&", ";")
    assert [row for row in found if row[1].split()[-1] in near] == [
        ("cpo", "& is ;", 0), ("cpo", "loc is perf", 0),
        ("a", "& is ;", 1), ("a", "; is &", 1), ("a", "po is cpo", 1), ("a", "loc is perf", 1),
        ("vis-system", "po is cpo", None), ("vis-system", "vis-agent is vis-system", None),
        ("vis-agent", "vis-system is vis-agent", None), ("one", "cpo is po", 3),
    ]  # fmt: skip


READING = """"What a is"

(** @variant a = *one | two | three : what it is *)

if "a=two" || "a=three"
  let b = po & loc
  override let a = b | rf
end
if "a=three"
  override acyclic a as one
  override empty 0 as two
end
"""


def test_mutations_of_a_reading() -> None:
    tree = parse(Source("readings/a.cat", READING))
    found = {(m.name, m.action): m for m in (*mutations(tree), *replacements(tree))}
    either, three = "a=two or a=three", "a=three"
    assert {key for key in found if "empty" in key or "deleted" in key} == {
        (f"{either}: b", "empty"), (f"{either}: a", "empty"), (f"{either}: a", "deleted"), (f"{three}: one", "empty"),
        (f"{three}: one", "deleted"), (f"{three}: two", "deleted"),
    }  # fmt: skip
    assert (f"{either}: b", "loc is perf") in found
    assert not any(m.change for m in found.values()), "what is said in a reading replaces what is compared"
    assert READING.count("override") == 3
    gone = found[f"{three}: one", "deleted"].tree.statements[-1]
    assert isinstance(gone, Conditional)
    assert [o.statement.name for o in gone.yes if isinstance(o, Override) and isinstance(o.statement, Check)] == ["two"]
    kept = found[f"{three}: one", "empty"].tree.statements
    assert kept[:-1] == tree.statements[:-1] and isinstance(kept[-1], Conditional)
    rule = kept[-1].yes[0]
    assert isinstance(rule, Override) and isinstance(rule.statement, Check)
    assert isinstance(rule.statement.expression, Nothing)
    left = found[f"{either}: a", "deleted"].tree.statements[1]
    assert isinstance(left, Conditional) and [type(each) for each in left.yes] == [Let]
    changed = found[f"{either}: a", "without operand 2 of |"].tree.statements[1]
    assert isinstance(changed, Conditional) and isinstance(changed.yes[1], Override)
    assert isinstance(let := changed.yes[1].statement, Let) and let.bindings[0].body == Name(
        "b", let.bindings[0].body.span
    )


@in_full
def test_a_change_that_changes_nothing_on_a_test_is_known() -> None:
    """Of one address, `loc` is `perf`; without another scope, all are inclusive."""
    table, file, name = "replacements", "happens-before", "apart"
    actions = {numbers()[table, file, i]: m.action for i, m in enumerate(mutations_of(table, file)) if m.name == name}
    same, wide = (
        {actions[k] for k in unchanged_on(test, ("llvm", ())) if k in actions}
        for test in ("base/MP+rel+acq", "values/PlainFirst+wide")
    )
    assert {"loc is perf", "inclusive is all pairs"} <= same and "loc is perf" not in wide


def test_mutations_of_a_small_model() -> None:
    model = ("\"m\"\nlet a = (po | rf) & loc\nlet rec b = po | (b ; b)\nlet f(x) = x \\ id\n"
             "let g = f(rf)+\nacyclic a as one\n")  # fmt: skip
    found = [(m.name, m.action) for m in mutations(parse(Source("m.cat", model)))]
    assert found == [
        ("a", "empty"), ("a", "without operand 1 of &"), ("a", "without operand 2 of &"),
        ("b", "empty"), ("b", "without operand 1 of |"), ("b", "without operand 2 of |"),
        ("f", "empty"), ("f", "without operand 2 of \\"),
        ("g", "empty"), ("g", "without +"),
        ("one", "deleted"),
    ]  # fmt: skip


def test_what_survives_is_said() -> None:
    found = [
        Trial("llvm", "a", "empty", ""), Trial("llvm", "a", "without +", "base/MP"),
        Trial("llvm", "b", "empty", ""), Trial("llvm", "b", "without +", None),
    ]  # fmt: skip
    assert list(survivors(found)) == [("llvm", "b")]
    shown = page(found)
    assert "of 3 changes, 1 turn one red" in shown
    assert re.search(r"\| `a` +\| without \+ +\| `base/MP` +\|\n\| `b` +\| empty +\| none +\|\n$", shown)
