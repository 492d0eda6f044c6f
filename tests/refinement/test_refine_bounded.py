"""Refinement over all programs up to a bound: rules, rules of the user, models.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import OperationKind, Ordering, Scope
from axmem.model.library import text
from axmem.refinement import bounded_check
from axmem.refinement.bounded import inclusion
from axmem.refinement.bounded_check import HOLDS, REFUTED, UNKNOWN, Claim, Counterexample, check, judge, rule_claim
from axmem.refinement.fragments import parse_rule
from axmem.refinement.rules import BY_NAME, CORE, RULES
from tests.drawn import in_full, some

AMDGPU, LLVM = ModelChoice("amdgpu"), ModelChoice("llvm")
RULE = """rule moved
"A plain load moves up over a fence."
before {
  fence syncscope($s) $o  # $t
  $r = load $x            # $u
}
after {
  $r = load $x            # $u
  fence syncscope($s) $o  # $t
}
"""

UNSOUND = {
    "drop-tag": 2,
    "weaken-ordering": 1,
    "narrow-scope": 1,
    "demote-workgroup": 1,
}
"""Rules with the number of operations of the context that shows that they are unsound, where that is small."""


@pytest.mark.parametrize("rule", some(RULES, of=8), ids=lambda rule: rule.name)
def test_every_rule_on_small_programs(rule: object) -> None:
    """Up to two operations in all, and where a rule is unsound with three."""
    name = getattr(rule, "name")  # noqa: B009
    claim = rule_claim(BY_NAME[name], AMDGPU)
    found = check(claim, UNSOUND.get(name, max(0, 2 - claim.size)))
    assert found.status == (REFUTED if name in UNSOUND else HOLDS)
    if found.counterexample:
        assert found.events == UNSOUND[name]
        assert found.counterexample.before != found.counterexample.after


def of_text(text: str, context: int) -> str:
    rule = parse_rule(Source("some.rule", text))
    return check(rule_claim(rule, LLVM, replace(CORE, tags=rule.space.tags)), context).status


def test_a_rule_of_the_user_and_its_condition() -> None:
    """A load moves up over a release fence, or over one of incompatible tags, and not over any fence."""
    assert of_text(RULE, 2) == REFUTED
    assert of_text(RULE + "where $t incompatible $u\n", 0) == HOLDS
    assert of_text(RULE + "where $o = release\n", 0) == HOLDS


def test_a_hole_of_an_ordering_is_one_of_atomics() -> None:
    """A plain access is written without an ordering, and is none that a hole stands for."""
    text = "rule r\nbefore {\n  store atomic $v, $x $o\n}\nafter {\n  store atomic $v, $x $o\n}\n"
    rule = parse_rule(Source("some.rule", f"{text}where $o = not_atomic\n"))
    assert check(rule_claim(rule, LLVM, CORE), 0).families == 0
    assert check(rule_claim(parse_rule(Source("some.rule", text)), LLVM, CORE), 0).families == 1


def test_a_rule_that_names_what_the_space_has_not_is_unknown() -> None:
    text = "rule r\nbefore {\n  fence release  # f:a\n}\nafter {\n  fence release\n}\n"
    found = check(rule_claim(parse_rule(Source("some.rule", text)), LLVM, CORE), 1)
    assert found.status == UNKNOWN and "the space has no f:a" in found.reasons[0]


def test_a_rule_of_the_user_is_that_of_the_name() -> None:
    """What a built-in rule says can be said in a file."""
    overwritten = "rule r\nbefore {\n  store $v, $x # $t\n  store $w, $x # $t\n}\nafter {\n  store $w, $x # $t\n}\n"
    assert of_text(overwritten, 0) == check(rule_claim(BY_NAME["drop-overwritten-store"], LLVM), 0).status == HOLDS
    demoted = "rule r\nbefore {\n  store atomic $v, $x release\n}\nafter {\n  store $v, $x\n}\n"
    assert of_text(demoted, 1) == REFUTED
    promoted = 'rule r\nbefore {\n  fence syncscope("workgroup") $o\n}\nafter {\n  fence syncscope("agent") $o\n}\n'
    assert of_text(promoted, 1) == HOLDS


def test_operations_that_are_left_open() -> None:
    swapped = "rule r\nbefore {\n  $a\n  $b\n}\nafter {\n  $b\n  $a\n}\n"
    assert of_text(swapped, 0) != HOLDS
    assert of_text("rule r\nbefore {\n  $a\n}\nafter {\n  $a\n}\n", 1) == HOLDS


def test_a_load_that_goes_is_read_from_its_store() -> None:
    forwarded = "rule r\nbefore {\n  store $v, $x\n  $r = load $x\n}\nafter {\n  store $v, $x\n  $r = $v\n}\n"
    assert of_text(forwarded, 1) == HOLDS


GAP = """rule far
before {
  store $v, $x
  ...
  store $w, $x
}
after {
  ...
  store $w, $x
}
"""


def test_operations_of_the_context_between_those_of_the_rule() -> None:
    """A plain store goes that is overwritten at once; not if a load, or a release, stands between."""
    assert of_text(GAP, 0) == HOLDS
    assert of_text(GAP, 1) == REFUTED
    moved = GAP.replace("after {\n  ...", "after {\n  store $v, $x\n  ...").replace("$x\n  ...", "$x\n  ...", 1)
    assert of_text(moved, 1) == HOLDS


OVERWRITTEN = """rule overwritten
before {
  store $v, $x
  store atomic $a, $y release
  $r = load atomic $z acquire
  store $w, $x
}
after {
  store atomic $a, $y release
  $r = load atomic $z acquire
  store $w, $x
}
where $x != $y, $x != $z, $y != $z
"""


@in_full
def test_a_context_that_answers_between_a_release_and_an_acquire() -> None:
    """By hand: the message says that the first store is there, and the answer that the second is not yet; so the load
    between reads the first. Without it the load reads what was there before. The rule's four operations are no part of
    the bound, or three more would not be tried."""
    rule = parse_rule(Source("some.rule", OVERWRITTEN))
    kinds = (OperationKind.LOAD, OperationKind.STORE)
    orderings = (Ordering.NOT_ATOMIC, Ordering.ACQUIRE, Ordering.RELEASE)
    one = replace(CORE, any_tags=False, locations=3, scopes=(Scope.SYSTEM,), levels=())
    space = replace(one, kinds=kinds, orderings=orderings)
    found = check(rule_claim(rule, LLVM, space, threads=2), 3)
    assert (found.status, found.events) == (REFUTED, 3)


def test_suspects_that_are_none_do_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left undecided in small contexts is said, and a larger one that refutes the rule is found."""

    def of_three(claim: Claim, before: str, after: str) -> Counterexample | None:
        return judge(claim, before, after) if before.count("\n  ") > 2 else None

    monkeypatch.setattr(bounded_check, "judge", of_three)
    monkeypatch.setattr(inclusion, "TRIED", 2)
    claim = rule_claim(BY_NAME["weaken-ordering"], LLVM)
    found = check(claim, 1)
    assert (found.status, found.events) == (UNKNOWN, 1)
    found = check(claim, 2)
    assert (found.status, found.events) == (REFUTED, 2) and "2 suspects were no counterexamples" in found.reasons[0]


TAGS = """rule retagged
before {
  $s = load atomic $y acquire  # $guard
  $r = load $x                 # $data
}
after {
  $r = load $x                 # $data
  $s = load atomic $y acquire  # $data
}
where $x != $y, $guard incompatible $data
"""


def test_tags_of_a_rule_keep_their_names() -> None:
    """Who has the tags of a hole has its name, on both sides; what is the same before and after has the same tags."""
    space = replace(CORE, scopes=(Scope.SYSTEM,), levels=())
    found = check(rule_claim(parse_rule(Source("some.rule", TAGS)), LLVM, space, threads=2), 2).counterexample
    assert found is not None
    before, after = ([line for line in text.splitlines() if "=" in line] for text in (found.before, found.after))
    assert "  r0 = load atomic x acquire  # f:guard" in before and "  r1 = load y  # f:data" in before
    assert "  r0 = load atomic x acquire  # f:data" in after and "  r1 = load y  # f:data" in after


def test_a_store_that_comes_is_unsound() -> None:
    invented = "rule r\nbefore {\n  $r = load $x\n}\nafter {\n  store $v, $x\n  $r = load $x\n}\n"
    assert of_text(invented, 0) == REFUTED


def test_a_counterexample_names_as_many_locations_as_the_rule() -> None:
    places = "abcde"
    loads = [f"  $r{k} = load ${x}\n" for k, x in enumerate(places)]
    after = "".join([*loads[:-1], "  store $v, $e\n", loads[-1]])
    different = ", ".join(f"${a} != ${b}" for a, b in combinations(places, 2))
    text = f"rule r\nbefore {{\n{''.join(loads)}}}\nafter {{\n{after}}}\nwhere {different}\n"
    rule = parse_rule(Source("some.rule", text))
    space = replace(CORE, any_tags=False, locations=rule.space.locations, scopes=(Scope.SYSTEM,), levels=())
    found = check(rule_claim(rule, LLVM, space), 0).counterexample
    assert found is not None and [f"load {x}" in found.before for x in "xyzwv"] == [True] * 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'rule', found the end of the file"),
        ("rule r\nbefore {\n}\nafter {\n}\n", "the row before has no operation"),
        ("rule r\nbefore {\n  load x\n}\nafter {\n}\n", "some.rule:3:3: error: expected an operation, found 'load'"),
        ("rule r\nbefore {\n  $r = load x\n}\nafter {\n}\n", "expected a hole for the location, found 'x'"),
        ("rule r\nbefore {\n  fence monotonic\n}\nafter {\n}\n", "no fence is 'monotonic'"),
        ("rule r\nbefore {\n  fence aquire\n}\nafter {\n}\n", "did you mean 'acquire'?"),
        ("rule r\nbefore {\n  fence release\n}\nafter {\n  fence $o\n}\n", "'$o' is not in the row before"),
        ("rule r\nbefore {\n  $r = load atomic $x acquire\n}\nafter {\n}\n", "what is '$r' after?"),
        ("rule r\nbefore {\n  $r = load $x\n}\nafter {\n  $r = $s\n}\n", "'$s' is no register and no stored value"),
        ("rule r\nbefore {\n  $r = load $r\n}\nafter {\n}\n", "'$r' is the hole of a register"),
        ("rule r\nbefore {\n  fence release # a:b\n}\nafter {\n}\n", "rules do not know the tag 'a:b'"),
        ("rule r\nbefore {\n  $a\n}\nafter {\n}\n", "an open operation or a read-modify-write cannot go or come"),
        (RULE + "where $q = release\n", "no hole '$q'"),
        (RULE + "where $o = agent\n", "expected a hole or an ordering, found 'agent'"),
        (RULE + "where $t <= $u\n", "expected 'compatible' or 'incompatible', found '<='"),
        (RULE + "where $x <= $x\n", "locations have no order"),
        (RULE + "and so on\n", "expected 'where' or the end of the file"),
        (GAP.replace("after {\n  ...", "after {"), "the rows have not as many '...'"),
        (RULE.replace("$s", '"agent-one-as"'), "rules know no scopes of one address space"),
    ],
)
def test_bad_rules(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rule(Source("some.rule", text))
    assert message in str(caught.value)


# ---------------------------------------------------------------- the command


def test_a_rule_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["refine", "--rule", "drop-tag", "--format", "json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)["refinements"]
    assert (record["verdict"], record["context"]) == ("unsound", 2)
    assert [e["answer"] for e in record["counterexample"]["explanations"]] == ["allowed", "forbidden"]
    path = tmp_path / "moved.rule"
    path.write_text(RULE, encoding="utf-8")
    assert main(["refine", "--rule", str(path), "--context", "0", "--model", "llvm", "--model", "amdgpu"]) == 0
    out = capsys.readouterr().out
    assert "moved  llvm  sound in an empty context\n" in out and "moved  amdgpu  sound" in out
    path.write_text(RULE + "where $o = release, $o = acquire\n", encoding="utf-8")
    assert main(["refine", "--rule", str(path), "--context", "0"]) == 3
    assert "the rule applies to no program of the space" in capsys.readouterr().out


def test_operations_may_be_counted_with_those_of_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "--rule", "drop-repeated-fence", "--events", "3"]) == 0
    out, err = capsys.readouterr()
    assert "drop-repeated-fence  amdgpu  no counterexample in contexts of up to 1 operation\n" in out
    assert "note: 2 of 3 operations are the rule's own; --context 1 says the same" in err


def test_the_space_is_narrowed(capsys: pytest.CaptureFixture[str]) -> None:
    """Without scopes no scope is too narrow; the second line says which programs were searched."""
    narrow = ["refine", "--rule", "narrow-scope", "--context", "1"]
    assert main(narrow) == 1
    assert main([*narrow, "--scopes", "system"]) == 0
    assert "up to 2 locations (global, all initialised), not_atomic/monotonic" in capsys.readouterr().out
    assert main([*narrow, "--constructs", "fences", "--locations", "1", "--threads", "2"]) == 0
    out = capsys.readouterr().out
    assert "load/store/fence, up to 1 location (global or LDS, initialised or not)" in out and "; 2 threads" in out
    assert main(["refine", "--rule", "drop-tag", "--tags", "none", "--context", "0"]) == 3
    assert "the space has no f:a" in capsys.readouterr().out
    assert main(["refine", "--rule", "drop-av-none", "--constructs", "none", "--context", "0"]) == 3
    assert "the rule applies to no program of the space" in capsys.readouterr().out
    assert main(["refine", "--models", "amdgpu", "llvm", "--events", "2", "--constructs", "none"]) == 0
    assert "space: load/store, up to 2 locations" in capsys.readouterr().out


@in_full
def test_two_models_on_all_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "--models", "llvm", "amdgpu", "--events", "2"]) == 0
    assert capsys.readouterr().out.startswith("llvm within amdgpu  sound up to 2 operations\n    space: load/store")
    assert main(["refine", "--models", "amdgpu", "sc", "--events", "2"]) == 1
    out = capsys.readouterr().out
    assert "amdgpu within sc  unsound with 2 operations" in out and "litmus both" in out and "sc  forbidden" in out


TAGGED = '"tagged"\nempty tagged("foo:bar") & W as nothing\nundef R as all\n'


def test_tags_that_a_model_names_are_in_the_space(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "tagged.cat"
    path.write_text(TAGGED, encoding="utf-8")
    assert main(["refine", "--models", "amdgpu", str(path), "--events", "1"]) == 1
    assert "store 1, x  # foo:bar" in capsys.readouterr().out
    assert main(["refine", "--models", str(path), "amdgpu", "--events", "1", "--constructs", "fences"]) == 1
    assert main(["refine", "--models", "sc", str(path), "--events", "1", "--tags", "f:a"]) == 3
    assert 'the model asks for the tag "foo:bar"' in capsys.readouterr().out


@in_full
@pytest.mark.parametrize("model", some(["tso", "rc11"], of=2))
def test_store_buffering_tells_models_from_sc(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "--models", model, "sc", "--events", "4"]) == 1
    assert "P0:r1=0" in capsys.readouterr().out
    assert main(["refine", "--models", "sc", model, "--events", "3"]) == 0


def test_what_memory_holds_at_last_is_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A model that speaks of final reads, and lets them take any write."""
    path = tmp_path / "any.cat"
    path.write_text('"any"\nacyclic po | rf | co as order\nempty [Fin] & [W] as none\n', encoding="utf-8")
    assert main(["refine", "--models", str(path), "sc", "--events", "1"]) == 1
    assert "x=0" in capsys.readouterr().out


def test_what_a_read_may_see_is_found_by_its_remark(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, file in (("llvm", "own"), ("values", "sights")):
        words = text(name).text.replace("may-see", "sights").replace('"values.cat"', '"sights.cat"')
        (tmp_path / f"{file}.cat").write_text(words)
    question = ["refine", "--rule", "drop-idle-load", "--context", "1", "--model"]
    assert main([*question, str(tmp_path / "own.cat")]) == 0
    assert "no counterexample in contexts of up to 1 operation\n" in capsys.readouterr().out
    assert main([*question, "sc"]) == 3
    assert "no definition has `@sees`" in capsys.readouterr().out


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "--rules"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(BY_NAME)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rule", "drop-tga"], "did you mean 'drop-tag'?"),
        (["--rule", "nowhere.rule"], "nowhere.rule: error: no such file"),
        (["--rule", "drop-tag", "A.litmus"], "--rule is about all programs up to a bound"),
        (["--rule", "drop-tag", "--models", "llvm", "amdgpu"], "--models is not for --rule"),
        (["--rule", "reorder-plain", "--events", "1"], "the rule itself has 2 operations"),
        (["--rule", "drop-tag", "--events", "3", "--context", "2"], "leave one of them out"),
        (["--rule", "drop-tag", "--scopes", "agnet"], "did you mean 'agent'?"),
        (["--models", "llvm", "amdgpu", "--events", "2", "--context", "1"], "without a rule"),
        (["A.litmus", "B.litmus", "--threads", "2"], "--threads says which programs are searched"),
        (["--rule", "drop-tag", "--model", "amdgup"], "did you mean 'amdgpu'?"),
        (["--events", "3"], "all programs up to a bound: of a rule, or of two models?"),
        (["--models", "llvm", "amdgpu", "--events", "2", "--map", "x=y"], "and --map about given ones"),
    ],
)
def test_bad_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", *arguments]) == 2
    assert message in capsys.readouterr().err
