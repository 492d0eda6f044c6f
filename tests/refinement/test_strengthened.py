"""Changes that only strengthen annotations: what is proved of them without a bound, and what is not.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import os
from importlib import resources
from itertools import product
from pathlib import Path
from random import Random

import pytest

from axmem.check.run.fingerprint import model_digest
from axmem.check.selection import loaded, parse_choice
from axmem.front.output import counted
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement import proofs, strengthened
from axmem.refinement.inclusion import BOUNDED
from axmem.refinement.judging import Judgement, Question, judged
from axmem.refinement.proofs.check import PROVED
from axmem.refinement.proofs.tasks import prove, tasks
from axmem.refinement.strengthened import DROP, NONE, ORDER, RULES, TABLE, WIDEN, in_words
from axmem.report.judgement import verdict_words
from tests.controls.trial import body
from tests.drawn import WHOLE, some

MODELS = ("llvm", "amdgpu")
HEAD = "global x = 0, y = 0\nthread P @ agent 0, workgroup 0 {\n"


def said(before: str, after: str, model: str) -> Judgement:
    """Return what is known of two threads whose statements are separated by semicolons."""
    first, second = (
        parse(f"litmus {name}\n{HEAD}{text.replace('; ', chr(10))}\n}}\n", name)
        for name, text in (("before", before), ("after", after))
    )
    return judged(first, second, ModelChoice(model), Question(context=1))


def test_what_is_proved_is_what_the_table_says() -> None:
    """Of what the table is about all is asked; a part of it is proved again by `make test`."""
    kept = json.loads(resources.files(proofs).joinpath(TABLE).read_text(encoding="utf-8"))
    every, updated = [*product(MODELS, RULES)], os.environ.get("AXMEM_UPDATE_GOLDENS")
    again = every if updated else some(every, of=9)
    found = []
    for number, (model, rule) in enumerate(every):
        (task,) = tasks(f"{rule} {model}")
        proof = prove(task) if (model, rule) in again else None
        assert proof is None or proof.status == PROVED, task.key
        digest = model_digest(loaded(parse_choice(model)))
        premises = kept[number]["premises"] if proof is None else list(dict.fromkeys(proof.premises))
        found.append({"rule": rule, "model": model, "digest": digest, "premises": premises})
    if updated:
        (Path(strengthened.__file__).parent / "proofs" / TABLE).write_text(json.dumps(found, indent=1) + "\n")
    assert kept == found
    assert {p for each in found for p in each["premises"]} == {
        "no vectors, nor accesses of unlike sizes", "no dependencies", "no tags of Vulkan", "no DMA operations",
    }  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        ('store atomic 1, x syncscope("workgroup") release', "store atomic 1, x release", [WIDEN]),
        ("r = load atomic x monotonic", "r = load atomic x acquire", [ORDER]),
        ("r = load atomic x unordered", "r = load atomic x monotonic", [ORDER]),
        ("fence release; store 1, x", "fence seq_cst; store 1, x", [ORDER]),
        ("r = atomicrmw xchg x, 3 release", "r = atomicrmw xchg x, 3 acq_rel", [ORDER]),
        ("store 1, x  # f:a f:b; store 1, y", "store 1, x; store 1, y", [DROP]),
        ("store atomic 1, x release  # amdgcn-av:none", "store atomic 1, x release", [NONE]),
        (
            'fence syncscope("workgroup") acquire  # f:a; store 1, x', "fence seq_cst; store 1, x",
            [ORDER, DROP, WIDEN],
        ),
    ],
)  # fmt: skip
def test_what_only_strengthens_is_sound_in_contexts_of_any_size(
    before: str, after: str, rules: list[str], model: str
) -> None:
    found = said(before, after, model)
    assert (found.verdict, found.context, found.how) == ("sound", None, in_words(tuple(rules)))
    words = "if contexts have none of dependencies, accesses of other sizes, DMA operations, tags of Vulkan: sound in "
    assert verdict_words(found).startswith(f"{words}every context of any size: proved for executions of any size: ")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The reverse of what strengthens.
        ("store atomic 1, x release", 'store atomic 1, x syncscope("workgroup") release'),
        ("r = load atomic x acquire", "r = load atomic x monotonic"),
        ("fence release; store 1, x", "fence acquire; store 1, x"),
        ("fence seq_cst; store 1, x", "fence acq_rel; store 1, x"),
        ("store 1, x; store 1, y", "store 1, x  # f:a; store 1, y"),
        # Some tags of a prefix go, or become others.
        ("store 1, x  # f:a f:b", "store 1, x  # f:a"),
        ("store 1, x  # f:a", "store 1, x  # f:b"),
        # What is plain becomes atomic, or the other way round; accesses of one address space alone.
        ("store 1, x", "store atomic 1, x monotonic"),
        ("store atomic 1, x monotonic", "store 1, x"),
        ('fence syncscope("agent-one-as") release; store 1, x', "fence release; store 1, x"),
        ('fence syncscope("agent") release; store 1, x', 'fence syncscope("one-as") release; store 1, x'),
        # Other words, values and places.
        ("store volatile 1, x", "store 1, x"),
        ("store atomic 1, x monotonic", "store atomic 2, x release"),
        ("store atomic 1, x monotonic", "store atomic 1, y release"),
        ("r = load atomic x monotonic; store 1, y", "store 1, y; r = load atomic x acquire"),
        ("store atomic 1, x monotonic", "fence release; store atomic 1, x monotonic"),
        # Programs of which the proofs do not speak.
        ("r = load atomic x monotonic; store r, y", "r = load atomic x acquire; store r, y"),
        ("r = atomicrmw add x, 1 monotonic", "r = atomicrmw add x, 1 acquire"),
        ("r, k = cmpxchg x, 0, 1 monotonic monotonic", "r, k = cmpxchg x, 0, 1 acquire monotonic"),
        ("store atomic 1, x monotonic  # vulkan:private", "store atomic 1, x release"),
        ("store atomic i32 1, x monotonic; store i8 1, x", "store atomic i32 1, x release; store i8 1, x"),
        ("store atomic i64 1, x monotonic; r = load i32 x", "store atomic i64 1, x release; r = load i32 x"),
        ("store atomic 1, x monotonic", "store atomic 1, x monotonic"),
    ],
)  # fmt: skip
def test_what_does_more_or_other_than_that_is_not_called_proved(before: str, after: str, model: str) -> None:
    first, second = (
        parse(f"litmus t\n{HEAD}{text.replace('; ', chr(10))}\n}}\n", "t") for text in (before, after)
    )
    assert strengthened.strengthened(first, second, ModelChoice(model)) is None


def test_a_model_of_which_nothing_is_proved_has_no_short_cut() -> None:
    for model in ("sc", "vulkan", "ptx"):
        first, second = (
            parse(f"litmus t\n{HEAD}store atomic 1, x {o}\n}}\n", "t") for o in ("monotonic", "release")
        )
        assert strengthened.strengthened(first, second, ModelChoice(model)) is None
    variant = parse_choice("llvm[mmra=closure]")
    first, second = (parse(f"litmus t\n{HEAD}store atomic 1, x {o}\n}}\n", "t") for o in ("monotonic", "release"))
    assert strengthened.strengthened(first, second, variant) is None


@pytest.mark.parametrize("model", some([*MODELS], of=2))
def test_random_threads_that_are_strengthened_hold_by_search_too(model: str) -> None:
    dice, tried = Random(model), 0
    while tried < (4 if WHOLE else 1):
        lines = [line for line in body(dice) if "or x" not in line]
        stronger = [line.replace(" monotonic", " seq_cst").replace(' syncscope("wavefront")', "") for line in lines]
        first, second = (parse(f"litmus t\n{_text(each)}", "t") for each in (lines, stronger))
        if strengthened.strengthened(first, second, ModelChoice(model)) is None:
            continue
        tried += 1
        # An entry of a map that says nothing has the search decide.
        found = judged(first, second, ModelChoice(model), Question(context=1, renamed=("x=x",)))
        assert found.context is not None
        assert found.verdict == BOUNDED, f"{counted(tried, 'thread')}: {lines} {stronger}"


def _text(lines: list[str]) -> str:
    return "global x = 0, y = 0, f = 0\nthread P @ agent 0, workgroup 0 {\n" + "\n".join(lines) + "\n}\n"
