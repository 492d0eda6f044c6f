"""Refinement over all programs up to a bound: rules, rules of the user, models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import ModelChoice
from axmem.model.library import text
from axmem.refinement.contexts import HOLDS, REFUTED, check, rule_claim
from axmem.refinement.fragments import parse_rule
from axmem.refinement.rules import BY_NAME, CORE, RULES

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
    "drop-tag": 3,
    "weaken-ordering": 2,
    "narrow-scope": 2,
    "demote-workgroup": 2,
}
"""Rules with the number of operations that shows that they are unsound, where that is small."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_on_small_programs(rule: object) -> None:
    """Up to two operations, and where a rule is unsound with three."""
    name = getattr(rule, "name")  # noqa: B009
    found = check(rule_claim(BY_NAME[name], AMDGPU), UNSOUND.get(name, 2))
    assert found.status == (REFUTED if name in UNSOUND else HOLDS)
    if found.counterexample:
        assert found.events == UNSOUND[name]
        assert found.counterexample.before != found.counterexample.after


def of_text(text: str, operations: int) -> str:
    rule = parse_rule(Source("some.rule", text))
    return check(rule_claim(rule, LLVM, replace(CORE, tags=rule.space.tags)), operations).status


def test_a_rule_of_the_user_and_its_condition() -> None:
    """A load moves up over a release fence, or over one of incompatible tags, and not over any fence."""
    assert of_text(RULE, 4) == REFUTED
    assert of_text(RULE + "where $t incompatible $u\n", 2) == HOLDS
    assert of_text(RULE + "where $o = release\n", 2) == HOLDS


def test_a_rule_of_the_user_is_that_of_the_name() -> None:
    """What a built-in rule says can be said in a file."""
    overwritten = "rule r\nbefore {\n  store $v, $x # $t\n  store $w, $x # $t\n}\nafter {\n  store $w, $x # $t\n}\n"
    assert of_text(overwritten, 2) == check(rule_claim(BY_NAME["drop-overwritten-store"], LLVM), 2).status == HOLDS
    demoted = "rule r\nbefore {\n  store atomic $v, $x release\n}\nafter {\n  store $v, $x\n}\n"
    assert of_text(demoted, 2) == REFUTED
    promoted = 'rule r\nbefore {\n  fence syncscope("workgroup") $o\n}\nafter {\n  fence syncscope("agent") $o\n}\n'
    assert of_text(promoted, 2) == HOLDS


def test_operations_that_are_left_open() -> None:
    swapped = "rule r\nbefore {\n  $a\n  $b\n}\nafter {\n  $b\n  $a\n}\n"
    assert of_text(swapped, 2) != HOLDS
    assert of_text("rule r\nbefore {\n  $a\n}\nafter {\n  $a\n}\n", 2) == HOLDS


def test_a_load_that_goes_is_read_from_its_store() -> None:
    forwarded = "rule r\nbefore {\n  store $v, $x\n  $r = load $x\n}\nafter {\n  store $v, $x\n  $r = $v\n}\n"
    assert of_text(forwarded, 3) == HOLDS


def test_a_store_that_comes_is_unsound() -> None:
    invented = "rule r\nbefore {\n  $r = load $x\n}\nafter {\n  store $v, $x\n  $r = load $x\n}\n"
    assert of_text(invented, 1) == HOLDS
    assert of_text(invented, 2) == REFUTED


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
    assert (record["verdict"], record["operations"]) == ("unsound", 3)
    assert [e["answer"] for e in record["counterexample"]["explanations"]] == ["allowed", "forbidden"]
    path = tmp_path / "moved.rule"
    path.write_text(RULE, encoding="utf-8")
    assert main(["refine", "--rule", str(path), "--events", "2", "--model", "llvm", "--model", "amdgpu"]) == 0
    out = capsys.readouterr().out
    assert "moved  llvm  sound up to 2 operations\n" in out and "moved  amdgpu  sound" in out
    assert main(["refine", "--rule", str(path), "--events", "1"]) == 3
    assert "the rule applies to no program of up to 1 operations" in capsys.readouterr().out


def test_two_models_on_all_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "--models", "llvm", "amdgpu", "--events", "2"]) == 0
    assert capsys.readouterr().out.startswith("llvm within amdgpu  sound up to 2 operations\n    space: load/store")
    assert main(["refine", "--models", "amdgpu", "sc", "--events", "2"]) == 1
    out = capsys.readouterr().out
    assert "amdgpu within sc  unsound with 2 operations" in out and "litmus both" in out and "sc  forbidden" in out


def test_a_model_that_speaks_of_other_tags_is_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "tagged.cat"
    path.write_text('"tagged"\nempty tagged("vulkan:private") & W as nothing\nundef R as all\n', encoding="utf-8")
    assert main(["refine", "--models", str(path), "amdgpu", "--events", "1"]) == 3
    assert 'the model asks for the tag "vulkan:private"' in capsys.readouterr().out


def test_what_a_read_may_see_is_found_by_its_remark(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, file in (("llvm", "own"), ("values", "sights")):
        words = text(name).text.replace("may-see", "sights").replace('"values.cat"', '"sights.cat"')
        (tmp_path / f"{file}.cat").write_text(words)
    question = ["refine", "--rule", "drop-idle-load", "--events", "2", "--model"]
    assert main([*question, str(tmp_path / "own.cat")]) == 0
    assert "sound up to 2 operations" in capsys.readouterr().out
    assert main([*question, "sc"]) == 3
    assert "no definition has `@sees`" in capsys.readouterr().out


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "--rules"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [rule.name for rule in RULES]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rule", "drop-tga"], "did you mean 'drop-tag'?"),
        (["--rule", "nowhere.rule"], "nowhere.rule: error: no such file"),
        (["--rule", "drop-tag", "A.litmus"], "--rule is about all programs up to a bound"),
        (["--rule", "drop-tag", "--models", "llvm", "amdgpu"], "--models is not for --rule"),
        (["--rule", "drop-tag", "--model", "amdgup"], "did you mean 'amdgpu'?"),
        (["--events", "3"], "all programs up to a bound: of a rule, or of two models?"),
        (["--models", "llvm", "amdgpu", "--events", "2", "--map", "x=y"], "and --map about given ones"),
    ],
)
def test_bad_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", *arguments]) == 2
    assert message in capsys.readouterr().err
