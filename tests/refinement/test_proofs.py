"""Proofs without a bound: what is proved, what must not be, what the changes say, and the command.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.encoder import provers
from axmem.encoder.circuit import Circuit
from axmem.encoder.solver import Session
from axmem.encoder.statics import statics
from axmem.events.unroll import event_graph
from axmem.front.source import InputError, Source
from axmem.litmus.parser import parse as parse_test
from axmem.litmus.syntax import ModelChoice
from axmem.model.builder import Builder
from axmem.model.elaborate import Elaborator
from axmem.model.evaluation import evaluate, holds
from axmem.model.facts import PREMISES, Fact, as_cat, without
from axmem.model.parser import parse as parse_cat
from axmem.model.primitives import CONSTRUCTS, PRIMITIVES
from axmem.model.quantities import Quantity, QuantityKind
from axmem.model.relation import Relation, relation
from axmem.model.terms import Op, Term
from axmem.refinement.bounded.changes import ProgramPair, unchanged
from axmem.refinement.bounded.decoding import literals_of, litmus_text
from axmem.refinement.bounded.query import CircuitQuery
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded_check import Claim
from axmem.refinement.claims import UNTAGGED
from axmem.refinement.proofs import check
from axmem.refinement.proofs.changes import CHANGES, Primed
from axmem.refinement.proofs.check import PROVED, UNKNOWN, Proof
from axmem.refinement.proofs.script import parse
from axmem.refinement.proofs.tasks import Task, all_tasks, prove, rule_tasks, scripts, tasks
from axmem.refinement.rules import BY_NAME, FULL
from axmem.refinement.theorems import THEOREMS
from tests.drawn import WHOLE, some

QUICK = (
    "P1", "P1-any", "P1-any-tags", "P2", "P3", "HB", "M-PO adjacent", "M-PO endtoend", "M-DROP llvm mmra=adjacent",
    "M-DROP llvm mmra=endtoend", "M-DROP amdgpu mmra=adjacent", "T-WEAK", "T-SAFE none", "T-SAFE av", "T-WIDEN",
    "M-SWAP llvm", "M-SWAP amdgpu",
)  # fmt: skip
"""Every script, with the theorems for which it does different things."""


def theorem(key: str) -> Task:
    (task,) = tasks(key)
    return task


def own(text: str, model: str = "llvm") -> Proof:
    """Return what becomes of a script about a model."""
    choice = ModelChoice(model)
    script = parse(Source("own.proof", text))
    return prove(Task("own", "", Claim(FULL, choice, choice), script, own=True))


# ---------------------------------------------------------------- what is proved


@pytest.mark.parametrize("key", some(QUICK, of=16))
def test_it_is_proved(key: str) -> None:
    proof = prove(theorem(key))
    assert proof.status == PROVED, [s for s in proof.steps if not s.proved]
    assert all(s.proved for s in proof.steps), "a lemma that fails is of no use"


def test_every_script_is_of_a_theorem_or_a_part() -> None:
    used = {task.script.source.name for task in all_tasks()}
    parts = {w.text for s in scripts().values() for w in s.about("include")}
    assert used | parts == set(scripts())
    # Those of rules are proved in test_strengthened.py.
    proved = {*(t for key in QUICK for t in tasks(key)), *rule_tasks()}
    assert {task.script.source.name for task in proved} == used


def test_what_is_proved_is_expected_to_hold() -> None:
    expected = {t.key: t.expected for t in THEOREMS}
    of_rules = {task.key for task in rule_tasks()}
    assert all(expected[task.key] == "holds" for task in all_tasks() if task.key not in of_rules)


# ---------------------------------------------------------------- what must not be


@pytest.mark.parametrize(
    "key",
    some(["P2", "M-DROP llvm mmra=adjacent", "T-WEAK", "T-WIDEN", "T-SAFE av", "M-PO adjacent", "M-SWAP llvm"]),
)
def test_what_is_known_is_no_contradiction(key: str) -> None:
    """Else anything would be proved."""
    task = theorem(key)
    about = task.script.source.text
    # Whatever is known speaks of some primitives, and is supposed where these are mentioned.
    every = " | ".join(f"({n} & 0)" for n, p in PRIMITIVES.items() if not p.is_set)
    absurd = f"lemma absurd: id | {every} <= {every}\n"
    proof = prove(replace(task, script=parse(Source(task.script.source.name, f"{about}\n{absurd}"))))
    assert "absurd" in [s.name for s in proof.steps if not s.proved]


def test_a_false_lemma_is_not_proved_nor_used() -> None:
    proof = own("lemma wrong: po <= rf\nshow much: po <= loc\n    using wrong, rf-in-loc\n")
    assert [s.name for s in proof.steps if not s.proved] == ["wrong", "much"]
    assert proof.status == UNKNOWN


def test_lemmas_that_do_not_suffice_prove_nothing() -> None:
    task = theorem("P2")
    text = task.script.source.text.split("lemma av-inside")[0]
    proof = prove(replace(task, script=parse(Source("P2.proof", text))))
    assert proof.status == UNKNOWN
    assert [s.name for s in proof.steps if not s.proved] == ["denied"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("show a: (po | si)+ <= int | si\n    by induction\n    using si-in-thread, kinds, int-of-threads\n", PROVED),
        ("show a: po+ <= po\n    by induction\n", PROVED),
        ("show a: hb+ <= hb\n    by induction\n", UNKNOWN),
        ("show a: rf+ ; rf+ <= rf+\n    by induction\n", PROVED),
        ("show a: rf+ ; rf+ <= rf\n    by induction\n", UNKNOWN),
        ("show a: po ; rf+ <= po\n    by induction\n", UNKNOWN),
        ("let rec r = po | (r ; r)\nshow a: r <= po\n    by induction\n", PROVED),
        ("let rec r = po | (s ; r) and s = rf | r\nshow a: r <= po, s <= rf | po\n    by induction\n", UNKNOWN),
        ("let rec r = po | (r ; s) and s = po & int\nshow a: s <= po, r <= po\n    by induction\n", PROVED),
        ("let rec r = po | (r+ ; r)\nshow a: r <= po\n    by induction\n", UNKNOWN),
        ("show a: through(cpo, sw, sync, compat) <= (po | sw)+\n    unfolding cpo\n", UNKNOWN),
    ],
)
def test_induction(text: str, status: str) -> None:
    """Least fixpoints lie in what their bodies stay within, and in nothing else."""
    assert own(text).status == status


def test_false_statements_are_not_proved() -> None:
    closure = ModelChoice("llvm", (("mmra", "closure"),))
    assert prove(tasks("M-PO adjacent", closure)[0]).status == UNKNOWN


@pytest.mark.parametrize(
    ("key", "model", "failed"),
    some([
        ("M-SWAP llvm", ModelChoice("llvm", (("sc.tags", "po"),)), "sc-po'"),
        ("M-SWAP llvm", ModelChoice("llvm", (("mmra.cycles", "forbidden"),)), "tagged-cycles'"),
        ("M-SWAP amdgpu", ModelChoice("amdgpu", (("vis.tags", "po"),)), "vis-po'"),
        ("M-SWAP amdgpu", ModelChoice("amdgpu", (("av.tags", "po"),)), "av-follows'"),
    ], of=4),
)
def test_swapping_is_not_proved_where_all_program_order_counts(key: str, model: ModelChoice, failed: str) -> None:
    proof = prove(tasks(key, model)[0])
    assert proof.status == UNKNOWN
    assert failed in [s.name for s in proof.steps if not s.proved]


def test_dropping_one_tag_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says of the primitives is less than what dropping a prefix says."""
    monkeypatch.setitem(CHANGES, "drop-tag", Primed(CHANGES["drop-prefix"].varied, tags_lost=True))
    task = theorem("M-DROP llvm mmra=adjacent")
    proof = prove(replace(task, claim=replace(task.claim, rule="drop-tag")))
    assert proof.status == UNKNOWN
    assert "cpo'" in [s.name for s in proof.steps if not s.proved]


LO_PO = "override let lo-po = [writes] ; po"
BREAKS = {
    "P2": "override let includes-write = concerns",
    "P3": "override let seen(at, wide, same, vis) = (([writes] | vis) ; (ahb & same)) & visible(at, wide)",
    "P1": LO_PO,
    "P1-any-tags": "(** @after lo.hb *) override let lo-write = (available-to & loc) ; [writes]",
}


@pytest.mark.parametrize("key", BREAKS)
def test_a_broken_model_loses_its_proof(key: str) -> None:
    task = theorem(key)
    choice = replace(task.claim.after, model="amdgpu")
    whole = replace(task.claim, before=choice, after=choice)
    assert prove(replace(task, claim=whole)).status == PROVED
    assert prove(replace(task, claim=replace(whole, overrides=BREAKS[key], side="after"))).status == UNKNOWN


FOLLOWERS = (
    ("T-WEAK", LO_PO),
    ("T-WEAK", "override undef 0 as no-prior-write"),
    ("M-DROP amdgpu mmra=adjacent", LO_PO),
    ("T-WIDEN", LO_PO),
    ("T-SAFE av", "override let ma-inst = [make-available | NA] ; inst"),
    ("M-SWAP amdgpu", LO_PO),
)


@pytest.mark.parametrize(("key", "overrides"), some(FOLLOWERS, of=6))
def test_a_broken_follower_loses_its_proof(key: str, overrides: str) -> None:
    """The model before a change, or the weaker of two, is the one that has to follow."""
    task = theorem(key)
    claim = replace(task.claim, overrides=overrides, side="before")
    assert prove(replace(task, claim=claim)).status == UNKNOWN


# ---------------------------------------------------------------- what changes and premises say


def programs(pair: ProgramPair, dice: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield programs before and after a change, at random."""
    question = CircuitQuery(pair.after.circuit, Session())
    wanted = [*dict.fromkeys([*literals_of(pair.before), *literals_of(pair.after)])]
    question.mention(wanted)
    for _ in range(count):
        fixed: list[int] = []
        for x in dice.sample(wanted, len(wanted) // 4):
            literal = x if dice.random() < 0.5 else -x
            if question.possible(question.circuit.conjunction((*fixed, literal))):
                fixed.append(literal)
        assert question.possible(question.circuit.conjunction(fixed))
        truth = question.truth(wanted)
        yield litmus_text(pair.before, truth, "before"), litmus_text(pair.after, truth, "after")


def value(text: str, term: Term, places: Sequence[int] | None = None) -> int | Relation:
    """Return a primitive of a program; `places` are other numbers of its events."""
    found = statics(event_graph(parse_test(text))).value(term)
    if places is None:
        return found
    if isinstance(found, int):
        return renumbered(found, places)
    rows = [0] * len(places)
    for i, row in enumerate(found or [0] * len(places)):
        rows[places[i]] = renumbered(row, places)
    return relation(rows)


def renumbered(members: int, places: Sequence[int]) -> int:
    return sum(1 << place for i, place in enumerate(places) if members >> i & 1)


def places_before(before: str, after: str) -> list[int]:
    """Return for each event of a program whose first thread had its first two operations swapped which it was."""
    first, second = (event_graph(parse_test(text)).events for text in (before, after))
    one, other = sorted({e.position for e in second if e.thread == 0})[:2]
    turned = {(0, one): other, (0, other): one}
    there = sorted(first, key=lambda e: (e.thread, e.position, e.index))
    here = sorted(second, key=lambda e: (e.thread, turned.get((e.thread, e.position), e.position), e.index))
    found = [0] * len(second)
    for old, new in zip(there, here, strict=True):
        assert (old.kind, old.ordering, old.scope) == (new.kind, new.ordering, new.scope)
        found[new.index] = old.index
    return found


@pytest.mark.parametrize("name", some([*CHANGES], of=2))
def test_changes_say_what_is_true(name: str) -> None:
    rule, primed, dice = BY_NAME[name], CHANGES[name], random.Random(name)
    changed = 0
    for threads, slot in (((2,), 0), ((rule.size, 1), 0)):
        pair = rule.change(Skeleton(rule.space, threads, Circuit()), slot)
        assert pair is not None
        for before, after in programs(pair, dice, 5 if WHOLE else 2):
            changed += before.split("\n", 1)[1] != after.split("\n", 1)[1]
            assert primitives_agree(before, after, primed, moved="po" in primed.varied) == []
    assert changed


def primitives_agree(before: str, after: str, primed: Primed, *, moved: bool = False) -> list[str]:
    """Return what a change says wrongly of a program before and after it; it may have `moved` two operations."""
    builder = Builder()
    wrong = []
    places = places_before(before, after) if moved else None
    for name, primitive in PRIMITIVES.items():
        if name not in ("rf", "co", *primed.varied):
            term = builder.terms[builder.base(name, primitive.is_set)]
            wrong += [name] * (value(before, term) != value(after, term, places))
    for tag in ("amdgcn-av:none", "f:a", "f:b", "amdgpu-synchronize-as:global"):
        had, has = (
            value(text, Term(Op.TAGGED, name=tag, is_set=True), where)
            for text, where in ((before, None), (after, places))
        )
        assert isinstance(had, int) and isinstance(has, int)
        wrong += [tag] * (has & ~had != 0 if primed.tags_lost else has != had)
    return [*wrong, *broken_facts(primed.facts, after, before, primed.varied, places)]


def broken_facts(
    facts: tuple[Fact, ...],
    text: str,
    before: str = "",
    varied: frozenset[str] = frozenset(),
    places: Sequence[int] | None = None,
) -> list[str]:
    """Return the facts that do not hold of the primitives of a program, with a prime of those of another."""
    reader = Elaborator({}, lambda name, including: None)
    for name in varied:
        kind = QuantityKind.SET if PRIMITIVES[name].is_set else QuantityKind.RELATION
        reader.names[f"{name}'"] = Quantity(kind, reader.builder.base(f"{name}'", PRIMITIVES[name].is_set))
    cat = as_cat("facts", facts)
    reader.whole(cat, parse_cat(cat))
    model = reader.model("facts", "facts")

    def base(term: Term) -> int | Relation:
        plain = replace(term, name=term.name.removesuffix("'"))
        return value(before, plain) if plain != term else value(text, plain, places)

    values = evaluate(model, base, len(event_graph(parse_test(text)).events))
    return [a.name for a in model.axioms if not holds(a.kind, values[a.term])]


def test_a_change_that_says_too_much_is_found() -> None:
    pair = BY_NAME["drop-prefix"].change(Skeleton(BY_NAME["drop-prefix"].space, (2,), Circuit()), 0)
    assert pair is not None
    wrong = Primed(CHANGES["drop-prefix"].varied, (Fact("wrong", "tag-compat", "tag-compat'"),), tags_lost=True)
    assert any(primitives_agree(b, a, wrong) for b, a in programs(pair, random.Random(0), 12))


def test_a_swap_whatever_the_tags_are_says_less() -> None:
    """Program order between compatible operations is what only incompatible neighbours leave as it was."""
    rule = BY_NAME["swap-any"]
    pair = rule.change(Skeleton(rule.space, (2,), Circuit()), 0)
    assert pair is not None
    found = [
        primitives_agree(b, a, CHANGES["swap-incompatible"], moved=True)
        for b, a in programs(pair, random.Random(0), 12)
    ]
    assert ["as-before-where-compatible"] in found


SPACES = {
    "one-thread": (FULL, ((3,),)),
    "untagged": (UNTAGGED, ((2, 1), (1, 1, 1))),
    "whole-accesses": (FULL, ((2, 1), (1, 1, 1))),
    **{without(construct): (replace(FULL, lds=False), ((2,),)) for construct in CONSTRUCTS},
    "no-volatile": (replace(FULL, volatile=False), ((2, 1), (1, 1, 1))),
}
"""For each premise a space whose programs meet it, with the shapes of programs to try."""


@pytest.mark.parametrize("name", PREMISES)
def test_premises_hold_of_programs_without_the_construct(name: str) -> None:
    space, shapes = SPACES[name]
    assert name not in map(without, CONSTRUCTS) or name in map(without, space.without)
    for threads in shapes:
        pair = unchanged(Skeleton(space, threads, Circuit()), 0)
        for text, _ in programs(pair, random.Random(name), 4):
            assert broken_facts(PREMISES[name].facts, text) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one-thread", "store i32 1, ptr @x\n}\nthread P1 {\nstore i32 1, ptr @x"),
        ("untagged", 'fence release, !mmra !{!"f", !"a"}\nfence acquire, !mmra !{!"f", !"b"}'),
        ("whole-accesses", "store i32 1, ptr @x\nstore i16 1, ptr @x"),
        ("no-dependencies", "%r = load i32, ptr @x\nstore i32 %r, ptr @x"),
        ("no-tags-of-Vulkan", 'store i32 1, ptr @x, !mmra !{!"vulkan", !"private"}'),
        ("no-volatile", "store volatile i32 1, ptr @x"),
    ],
)
def test_premises_do_not_hold_of_others(name: str, text: str) -> None:
    test = f"litmus T\n@x = global i32 0\nthread P0 {{\n{text}\n}}\n"
    assert broken_facts(PREMISES[name].facts, test) != []


# ---------------------------------------------------------------- the language and the command


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lemma a po <= po", "own.proof:1:9: error: expected `:` after the name `a`, found `po`"),
        ("lemma a: po", "own.proof:1:12: error: expected `<=` between what is smaller and what is larger"),
        ("lemma a: po <= R", "own.proof:1:16: error: `<=` needs two sets or two relations"),
        ("lemma a: po <= pp", "own.proof:1:16: error: unknown name `pp`"),
        ("lemma a: po <= po\n  by magic", "own.proof:2:6: error: a step is proved `by induction`, not by `magic`"),
        ("lemma a: po <= int\n  by induction", "own.proof:1:1: error: there is no induction over this"),
        ("lemma a: po <= po\n  using b", "own.proof:2:9: error: nothing known is called `b`"),
        ("lemma a: po <= po\n  unfolding b", "own.proof:2:13: error: no definition `b`"),
        ("lemma a: po <= po\nlemma a: po <= po", "own.proof:2:1: error: something is known by the name `a`"),
        ("premise nobody", "own.proof:1:9: error: unknown premise `nobody`"),
        ("axiom nothing", "own.proof:1:7: error: the claim asks for no axiom `nothing`"),
        ("within hb", "own.proof:1:1: error: `within` is about two executions"),
        ('include "no.proof"', 'own.proof:1:9: error: cannot find the included file "no.proof"'),
        ("lemma a: po <= po", "own.proof: error: this says nothing that is to be proved"),
        ("so", "own.proof:1:1: error: expected a statement, found `so`"),
        ("let a = po by", "own.proof:1:12: error: expected a statement, found the keyword `by`"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        own(text)
    assert message in str(error.value)


def test_a_premise_must_be_of_the_claim() -> None:
    task = theorem("P2")
    script = parse(Source("P2.proof", "premise one-thread\n" + task.script.source.text))
    with pytest.raises(InputError, match="the claim is not about programs with one thread alone"):
        prove(replace(task, script=script))


def codes(arguments: list[str]) -> int:
    """Return the exit code of a command line."""
    try:
        return main(arguments)
    except InputError:
        return 2


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["prove", "P2"]) == 0
    proved = "P2  proved, for programs with no DMA operations\n"
    assert capsys.readouterr().out == f"{proved}    by inst-of-thread, follows-inside, av-inside\n"
    assert main(["prove", "P2", "--steps"]) == 0
    assert "    av-inside: av <= ma-inst^-1: " in capsys.readouterr().out
    assert main(["prove", "--list"]) == 0
    assert "P3: where a write is visible" in capsys.readouterr().out
    assert main(["prove", "P2", "--format", "json", "-o", str(tmp_path / "out.json")]) == 0
    (found,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["proofs"]
    assert found["status"] == "proved" and "z3" in found["steps"][0]["provers"]
    mine = tmp_path / "mine.proof"
    mine.write_text('model "llvm"\nshow wrong: po <= rf\n', encoding="utf-8")
    assert main(["prove", str(mine)]) == 3
    assert "wrong: po <= rf: does not follow (" in capsys.readouterr().out
    mine.write_text('model "llvm"\ninclude "mine.proof"\n', encoding="utf-8")
    assert codes(["prove", str(mine)]) == 2
    mine.write_text('theorem "P2"\ninclude "P2.proof"\n', encoding="utf-8")
    assert main(["prove", str(mine), "--model", "amdgpu-doc"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which theorem or rule?"),
        (["P22"], "no theorem or rule 'P22'"),
        (["T-ORD"], "there is no proof of 'T-ORD'"),
        (["none.proof"], "cannot read 'none.proof'"),
        (["P2", "--model", "llvm"], "unknown name `av`"),
    ],
)
def test_bad_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["prove", *arguments])
    except InputError as error:
        code, message_ = 2, str(error)
        assert message in message_
        return
    assert code == 2
    assert message in capsys.readouterr().err


def test_provers_that_contradict_each_other_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = provers.provers()["z3"]
    monkeypatch.setattr(check, "provers", lambda: {"z3": asked, "other": lambda text: provers.SATISFIABLE})
    (step,) = own("show a: po+ <= po\n    by induction\n").steps
    assert step.reason == "z3 and other contradict each other"


def test_a_limit_makes_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "STEPS", 1)
    monkeypatch.setattr(check, "provers", lambda: {"z3": provers.provers()["z3"]})
    (step,) = own("show a: po+ <= po\n    by induction\n").steps
    assert step.reason == "no prover knows within its limit"
