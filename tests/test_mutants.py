"""Mutations of the models: what they are, that they read back, and that the corpus kills those it is said to kill."""

from __future__ import annotations

import csv
import random
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest

from axmem import mutants
from axmem.cattext import expression_text, file_text
from axmem.encoder.solve import solve
from axmem.litmus.parser import parse as parse_test
from axmem.model.elaborate import elaborate
from axmem.model.library import load, names, text
from axmem.model.parser import parse
from axmem.model.syntax import Let
from axmem.model.terms import Doc
from axmem.mutations import mutations
from axmem.results import outcomes
from axmem.source import Source, Span
from axmem.trials import Corpus, Laboratory, Mutant, Trial, all_mutations, flags_of, read_corpus

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "litmus" / "corpus"
TABLE = ROOT / "results" / "mutants.csv"

SMALL = Source(
    "small.cat",
    r'''"Small"
(** @variant way = *a | b : which *)
let S = R & W
let r = (po | rf ; [S]) \ loc
let f(x) = x^-1
let rec t = po+ | f(t)
acyclic (if "way=a" then r? else W * R) as axiom
undef range(t) as rule
''',
)


def plain(node: object) -> object:
    """Return a syntax tree without places and comments."""
    if isinstance(node, Span | Doc):
        return None
    if isinstance(node, tuple):
        return tuple(plain(n) for n in node)
    if is_dataclass(node) and not isinstance(node, type):
        return (type(node).__name__, *(plain(getattr(node, f.name)) for f in fields(node)))
    return node


@cache
def laboratory() -> Laboratory:
    return Laboratory(read_corpus(CORPUS))


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", names())
def test_printed_models_read_back(name: str) -> None:
    tree = parse(text(name))
    assert plain(parse(Source(f"{name}.cat", file_text(tree)))) == plain(tree)


@pytest.mark.parametrize(
    "expression",
    [
        "a | b ; c \\ d & e * f",
        "((a | b) ; c) \\ (d & (e | f))",
        "a \\ (b \\ c)",
        "(a \\ b) \\ c",
        "(a+)^-1 | (a^-1)+ | ~(a ; b) | [a & b]^-1",
        'let x = a and y = b in x | (if "v=a" && not "w" then 0 else f(x, y))',
        "(a * b)^-1 ; (~a) * b",
    ],
)
def test_printed_expressions_read_back(expression: str) -> None:
    def body(written: str) -> object:
        (statement,) = parse(Source("e.cat", f'"e"\nlet e = {written}\n')).statements
        assert isinstance(statement, Let)
        return statement.bindings[0].body

    tree = body(expression)
    assert plain(body(expression_text(tree))) == plain(tree)  # type: ignore[arg-type]


def test_mutations_of_a_small_model() -> None:
    found = [(m.line, m.definition, m.action) for m in mutations("small.cat", parse(SMALL), {"S": True, "r": False})]
    assert found == [
        (3, "S", "replaced by nothing"),
        (3, "S", "replaced by everything"),
        (3, "S", "without & R"),
        (3, "S", "without & W"),
        (4, "r", "replaced by nothing"),
        (4, "r", "replaced by everything"),
        (4, "r", "without \\ loc"),
        (4, "r", "without | po"),
        (4, "r", "without | rf ; [S]"),
        (4, "r", "without ; [S]"),
        (5, "f", "replaced by nothing"),
        (5, "f", "x^-1 without ^-1"),
        (6, "t", "replaced by nothing"),
        (6, "t", "without | po+"),
        (6, "t", "without | f(t)"),
        (6, "t", "po+ without +"),
        (7, "axiom", "test removed"),
        (7, "axiom", '"way=a" always'),
        (7, "axiom", '"way=a" never'),
        (7, "axiom", "r? without ?"),
        (7, "axiom", "W * R, left end free"),
        (7, "axiom", "W * R, right end free"),
        (8, "rule", "undef rule removed"),
    ]


def test_every_mutation_has_its_own_name_and_changes_the_text() -> None:
    every = all_mutations()
    assert len({m.key for m in every}) == len(every)
    whole = {name: file_text(parse(text(name))) for name in ("happens-before", "llvm", "amdgpu")}
    assert all(file_text(m.tree) != whole[m.file.removesuffix(".cat")] for m in every)


def test_mutations_change_one_statement() -> None:
    tree = parse(SMALL)
    for mutation in mutations("small.cat", tree, {"S": True, "r": False}):
        kept = [s for s in mutation.tree.statements if s in tree.statements]
        assert len(kept) == len(tree.statements) - 1
        elaborate(Source("small.cat", file_text(mutation.tree)), {}, lambda name, source: None)


def test_models_of_one_essence_have_the_same_outcomes() -> None:
    lab, choose = laboratory(), random.Random(7)
    compared = 0
    for mutation in choose.sample(lab.mutations, 60):
        mutant = Mutant(mutation, lab.originals)
        subject = choose.choice(lab.subjects[:150])
        met = {choice for choice, _ in mutant.models(subject)}
        for choice in subject.choices:
            if choice not in met and choice in mutant.loaded:
                name, variants = choice
                changed = outcomes(subject.test, mutant.loaded[choice])
                assert changed.outcomes == outcomes(subject.test, name, dict(variants)).outcomes
                compared += 1
    assert compared > 20


def test_the_table_is_of_these_models() -> None:
    named = [(r["File"], r["Definition"], r["Change"]) for r in rows()]
    assert named == [(m.file, m.definition, m.action) for m in all_mutations()]


def test_every_survivor_has_a_reason_and_every_reason_a_survivor() -> None:
    reasons = mutants.read_reasons((ROOT / "docs" / "mutants.md").read_text(encoding="utf-8"))
    patterns = {p: 0 for r in reasons for p in r.patterns}
    for row in rows():
        key = f"{row['File']}: {row['Definition']}: {row['Change']}"
        assert bool(row["Killed by"]) != bool(row["Why none"]), key
        if row["Why none"]:
            met = [p for p in patterns if mutants.matches(p, key)]
            assert met, key
            for p in met:
                patterns[p] += 1
    assert all(patterns.values()), [p for p, n in patterns.items() if not n]


def test_named_killers_kill() -> None:
    lab, numbers = laboratory(), {m.key: n for n, m in enumerate(all_mutations())}
    killed = [r for r in rows() if r["Killed by"]]
    for row in random.Random(11).sample(killed, 40):
        number = numbers[f"{row['File']}: {row['Definition']}: {row['Change']}"]
        assert lab.outcome(Trial(number, (row["Killed by"],))).killer == row["Killed by"]


def test_every_axiom_and_undef_rule_is_killed() -> None:
    removed = [r for r in rows() if r["Change"] in ("test removed", "undef rule removed")]
    assert len(removed) > 15
    reasons = {r["Definition"]: r["Why none"] for r in removed if not r["Killed by"]}
    assert set(reasons) <= {"unordered-write"}, reasons


def test_a_corpus_without_bite_lets_mutations_survive() -> None:
    body = "litmus T\nglobal x = 0\nthread P0 {\n store 1, x\n}\nexists (x=1)\nexpect llvm always\n"
    lab = Laboratory(Corpus((("T.litmus", body),)))
    survivors = [lab.outcome(Trial(n)).killer == "" for n, m in enumerate(lab.mutations) if m.definition == "eco"]
    assert survivors and all(survivors)


def test_flags_are_those_of_the_file() -> None:
    tests = {t.name: t for t in (parse_test(p.read_text(encoding="utf-8"), p.name) for p in CORPUS.rglob("*.litmus"))}
    stated = flags_of((CORPUS / "flags.txt").read_text(encoding="utf-8"))
    assert len(stated) > 20
    for (name, (model, variants)), raised in stated.items():
        assert set(outcomes(tests[name], load(model, dict(variants))).flags) == raised, (name, model)


@pytest.mark.parametrize(
    ("pattern", "key", "answer"),
    [
        ("a: b: c", "a: b: c", True),
        ("a: b: c", "a: b: cd", False),
        ("a: …", "a: b: c", True),
        ("…: c", "a: b: c", True),
        ("a…c", "a: b: c", True),
        ("a…x…c", "a: b: c", False),
        ("a…b…c", "a: b: c", True),
        ("ab…ba", "aba", False),
    ],
)
def test_patterns(pattern: str, key: str, answer: bool) -> None:
    assert mutants.matches(pattern, key) is answer


def test_reasons_are_the_paragraphs_before_the_blocks() -> None:
    page = "# T\n\nNot this.\n\nThis one,\non two lines.\n\n```mutants\na: b: c\na: …\n```\n\nNext.\n\n```mutants\nd\n```\n"
    first, second = mutants.read_reasons(page)
    assert first == mutants.Reason("This one, on two lines.", ("a: b: c", "a: …"))
    assert second == mutants.Reason("Next.", ("d",))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    test = next(CORPUS.rglob("SB+sc+sc.litmus"))
    (corpus / test.name).write_text(test.read_text(encoding="utf-8"), encoding="utf-8")
    reasons = tmp_path / "reasons.md"
    options = ["--corpus", str(corpus), "--results", str(tmp_path), "--reasons", str(reasons), "-j", "1", "--only"]

    reasons.write_text("Nothing.\n", encoding="utf-8")
    assert mutants.main([*options, "happens-before.cat: sequential-consistency: test removed"]) == 0
    assert "1 mutations: 1 killed, 0 survive for a reason, 0 without" in capsys.readouterr().out
    assert mutants.main([*options, "happens-before.cat: atomicity: test removed"]) == 1
    assert "survives without a reason: happens-before.cat: atomicity: test removed" in capsys.readouterr().out
    reasons.write_text("No rmw.\n\n```mutants\nhappens-before.cat: atomicity: …\n```\n", encoding="utf-8")
    assert mutants.main([*options, "happens-before.cat: atomicity: test removed"]) == 0
    assert not (tmp_path / "mutants.csv").exists()


def test_solver_session_is_shared_between_trials() -> None:
    lab = laboratory()
    subject = lab.by_name["MP+rel+acq"]
    first = solve(subject.graph, load("llvm"), session=lab.session)
    assert first.outcomes == solve(subject.graph, load("llvm")).outcomes
