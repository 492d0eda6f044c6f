"""What searches print goes through `axmem check` without a warning: tables, rules, transformations, differences.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import axmem
from axmem.cli import main
from axmem.commands.pages.transforms import counterexample
from axmem.formats.reading import parse
from axmem.front.records import replace
from axmem.front.source import Source
from axmem.litmus.lint import warnings
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.walk import results
from axmem.refinement.bounded.printed import Misprinted, printed, program_text
from axmem.refinement.bounded_check import REFUTED, Claim, check, rule_claim
from axmem.refinement.difference import DiffSearch, Programs
from axmem.refinement.fragments import parse_rule
from axmem.refinement.rules import BY_NAME, RULES
from axmem.refinement.transforms import cell, questions
from tests.drawn import examples, some
from tests.paths import RESULTS
from tests.refinement.suspects import drawn

AMDGPU = ModelChoice("amdgpu")
LATER = """
rule read-later
before {
  $r = load $x
  fence acquire
  $s = load $x
}
after {
  $r = $s
  fence acquire
  $s = load $x
}
"""


@pytest.mark.parametrize("folder", ["theorems", "optimizations", "transforms"])
def test_no_program_of_the_tables_is_warned_of(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--werror", str(RESULTS / folder)]) == 0, capsys.readouterr().err


MERGED = [name for name in BY_NAME if name.startswith("merge-loads-") and "prefix" not in name]


@pytest.mark.parametrize("name", some(MERGED, of=2))
def test_a_register_is_copied_after_it_was_read(name: str) -> None:
    """The first load goes, and what the second reads stands for it: the copy came first, and copied a 0."""
    found = check(rule_claim(BY_NAME[name], AMDGPU), 2)
    assert found.status == REFUTED and found.counterexample is not None
    lines = [line.split("#")[0].strip() for line in found.counterexample.after.splitlines()]
    assert lines.index("r0 = r1") == 1 + next(k for k, line in enumerate(lines) if line.startswith("r1 = load"))
    # What stands for a load is what was read, so both registers hold one value.
    held = dict(part.split("=") for part in found.counterexample.outcome.split("  "))
    assert held["P0:r0"] == held["P0:r1"]


@pytest.mark.parametrize("name", ["drop-repeated-load", "forward-store", "merge-loads-union"])
def test_what_is_gone_has_a_value_in_the_program_after(name: str) -> None:
    """That of the load which stands for it, or of the store whose value it took: its register is there in both."""
    for suspect in drawn(rule_claim(BY_NAME[name], AMDGPU), random.Random(name), 6):
        before, after = (
            {register for thread in parse(text).threads for each in thread.body for register in results(each)}
            for text in (suspect.before, suspect.after)
        )
        assert before == after != set()
        assert len(suspect.after.splitlines()) == len(suspect.before.splitlines()), "a copy stands for what is gone"


def claims() -> Iterator[Claim]:
    """Yield a claim of each rule, and of a user's whose copy stands before what it copies."""
    for rule in (*RULES, parse_rule(Source("later.rule", LATER))):
        yield rule_claim(rule, AMDGPU)


@pytest.mark.parametrize("claim", some([*claims()], of=4), ids=lambda claim: str(claim.rule))
def test_random_programs_of_rules_are_not_warned_of(claim: Claim) -> None:
    for suspect in drawn(claim, random.Random(claim.rule), examples(30)):
        for text in (suspect.before, suspect.after):
            assert printed(text) == text


@pytest.mark.parametrize(("first", "second", "events"), some([("llvm", "sc", 2), ("amdgpu-vulkan", "amdgpu", 3)], of=2))
def test_differences_of_models_are_not_warned_of(first: str, second: str, events: int) -> None:
    found = axmem.diff(first, second, Programs(events, tags="f:a,f:b"), DiffSearch(most=3, explained=False))
    assert found.distinctions
    for distinction in found.distinctions:
        assert not warnings(parse(distinction.text))


def test_transformations_are_not_warned_of() -> None:
    """One cell of the table that has a counterexample, made again."""
    asked = next(q for q in questions() if (q.deed, q.body, q.model) == ("distribute", "flag, then data", "llvm"))
    shown = counterexample(cell(replace(asked, wide=2, small=2)))
    assert shown is not None
    for text in (shown.before, shown.after):
        assert not warnings(parse(text)) and "exists" not in text


def test_what_would_be_warned_of_is_not_printed() -> None:
    text = "litmus t\nglobal x = 0\nthread P {\n  r0 = r1\n  r1 = load x\n}\n"
    with pytest.raises(Misprinted, match="'r1' may be read before it is assigned"):
        printed(text)
    tagged = "litmus t\nglobal x = 0\nthread P {\n  r1 = load x # amdgcn-av:agent\n}\n"
    with pytest.raises(Misprinted, match="no target knows the suffix"):
        printed(tagged)
    fine = program_text(parse("litmus t\nglobal x = 0\nthread P {\n  r1 = load x # f:a\n}\n"))
    assert printed(fine) == fine and "exists" not in fine
    kept = "litmus t\nglobal x = 0\nthread P {\n  r1 = load x\n}\nexists (P:r1=0)\n"
    assert program_text(parse(kept)).endswith("exists (P:r1=0)\n")
