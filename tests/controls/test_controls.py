"""Some negative controls of each command, some pairs of the trial; `make controls` and `make trials` have all.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import PLACED, Scope
from axmem.refinement.bounded_check import HOLDS, Finding
from axmem.refinement.changed import Change
from axmem.refinement.contexts.places import pieces
from axmem.refinement.rules import FULL
from axmem.refinement.soundness import OPEN, Outcomes
from tests.controls import FOUND
from tests.controls.library import asked, every, sampled
from tests.controls.trial import context, refuted, tried, tried_alike
from tests.drawn import parts, some

SAMPLE = sampled(1, seed=0)


def test_there_are_many_of_each_command() -> None:
    """At every scope and class of tags: what a control is drawn at is said of it."""
    counts = Counter(control.command.split(" ")[0] for control in every())
    assert sum(counts.values()) >= 200 and counts["refine"] >= 200 and counts["transform"] >= 60
    assert min(counts["theorems"], counts["prove"]) >= 9
    drawn = {(c.scope, c.tags) for c in every()}
    assert {scope for scope, _ in drawn} >= {"wavefront", "workgroup", "cluster", "agent", "system"}
    assert {tags for _, tags in drawn} >= {"f:a", "f:a f:b", "amdgpu-synchronize-as:global"}
    assert len({control.title for control in every()}) == len(every())


@pytest.mark.parametrize("number", SAMPLE, ids=lambda n: every()[n].title)
def test_a_wrong_change_is_found(number: int) -> None:
    assert asked(number) == FOUND, every()[number].why


@pytest.mark.parametrize("seed", some((1, 0, 3, 2), of=4))
def test_no_closed_program_refutes_what_is_sound(seed: int) -> None:
    assert not tried(seed, 10).refuted


@pytest.mark.parametrize("seed", parts(2))
def test_no_closed_program_refutes_what_is_sound_of_pairs_that_share_circuits(seed: int) -> None:
    found = [tried_alike(6 * seed + k, 5, 6) for k in range(2)]
    assert not [text for each in found for text in each.refuted]


def test_the_trial_refutes_what_is_called_sound_and_is_not() -> None:
    """A load that moves up over an acquire: among a few hundred contexts there is one that shows it."""
    loads = ["a = load atomic f acquire", "b = load atomic x monotonic"]
    texts = ["\n".join(loads), "\n".join(reversed(loads))]
    head = "litmus t\nglobal x = 0, f = 0\nthread P0 @ workgroup 0 {{\n{}\n}}\n"
    before, after = (parse(head.format(text), "t") for text in texts)
    change = Change(before, after)
    called = Outcomes("llvm", Finding(HOLDS, 2), OPEN, FULL)
    assert next(refuted(change, called, ModelChoice("llvm"), Random(0), 5000), "")


def test_contexts_are_beside_the_threads_at_every_level() -> None:
    test = parse("litmus t\nglobal x = 0\nthread P0 @ agent 3, workgroup 1 {\nr = load x\n}\n", "t")
    (fixed,) = (thread.placement for thread in test.threads)
    memory = pieces(event_graph(test))
    random = Random(0)
    contexts = [context(random, FULL, 1, memory, test, None) for _ in range(300)]
    drawn = [thread.placement.meeting(fixed) for each in contexts for thread in each.threads]
    assert set(drawn) == {*PLACED, Scope.SYSTEM}
    assert any(each.first for each in contexts) and any(each.last for each in contexts)
