"""The two forms of the machine agree: a sample of what `python -m tests.machine` compares, and what was found by it."""

from __future__ import annotations

import pytest

from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.layout import layout, settings
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.smt.constraints import Unsupported, solve
from axmem.codegen.program import lower
from axmem.codegen.targets import all_targets, target
from axmem.encoder.solver import Session
from axmem.mapping.elements import Mutants
from axmem.mapping.verification import Exploration, verify
from axmem.model.library import load
from tests.drawn import WHOLE, some
from tests.machine.forms import Kind, case, compared, every_test

LIMIT, EFFORT = 4000, 20_000_000
SAMPLES = [(Kind.PAIR, 0), (Kind.PAIR, 400), (Kind.MUTANT, 0), (Kind.MUTANT, 400), (Kind.RANDOM, 0), (Kind.RANDOM, 400),
           (Kind.MESSAGE, 0), (Kind.MESSAGE, 400), (Kind.SCALAR, 0), (Kind.LANES, 0), (Kind.LANES, 400)]  # fmt: skip


@pytest.mark.parametrize(("kind", "first"), SAMPLES if WHOLE else SAMPLES[::2], ids=lambda x: getattr(x, "name", x))
def test_the_forms_agree(kind: Kind, first: int) -> None:
    """On each family in each mode, with some skipped where a form reaches its limit, but never many."""
    found = [compared(kind, first + k, LIMIT, EFFORT) for k in range(len(tuple(all_targets())))]
    assert not [one for one in found if one.difference]
    assert sum(bool(one.skipped) for one in found) <= 3


@pytest.mark.parametrize("number", [3, 235, 750])
def test_messages_on_which_a_form_was_wrong(number: int) -> None:
    """A scalar load behind a writeback of its own stream; an invalidate that waits for nothing at the root; a line that
    is refilled, with one channel for all groups, after the last store to it."""
    found = compared(Kind.MESSAGE, number, LIMIT, EFFORT)
    assert not found.skipped
    assert not found.difference


def test_cases_are_the_same_for_the_same_number() -> None:
    for kind in Kind:
        (name, laid), (again, same) = case(kind, 17), case(kind, 17)
        assert (name, laid) == (again, same)
        assert case(kind, 18)[0] != name


def test_markers_of_one_operation_share_a_channel() -> None:
    """With one channel for all groups an invalidate's markers start at once, and go one behind the other."""
    test = next(t for t in every_test() if t.name == "SB+fence.sc.ag+two-workgroups")
    program = machine_program(lower(test, target("gfx12")))
    for placement in placements(program):
        laid = layout(program, placement, settings(program.family, {"single_channel": "on"}))
        assert solve(laid, Session()).outcomes == explore(laid).outcomes
        assert len(explore(laid).outcomes) == 3


KEPT_OUT = [("MP.ag", "gfx942"), ("MP.lds-flag.ag", "gfx1100"), ("MP.sy", "gfx1200"), ("SB.sy", "gfx1250")]


@pytest.mark.parametrize(("name", "gpu"), some(KEPT_OUT, of=2))
def test_what_appears_without_elements_is_the_same(name: str, gpu: str) -> None:
    """The constraints with elements assumed to be there, and leaving out elements and walking the states: of each
    outcome, without each element and without all but one of them."""
    test = next(t for t in every_test() if t.name == name)
    off = Exploration(switches={"xnack_replay": "off"}, robust=False)
    machine = Mutants(verify(test, target(gpu), load("amdgpu"), exploration=off))
    every = machine.every
    whole, bare = (set(machine.explored(gone).outcomes) for gone in ((), every))
    assert whole and bare and bare - whole
    sets = [(), every, *((e,) for e in every), *(tuple(e for e in every if e != stays) for stays in every)]
    for row in sorted(bare | whole, key=repr):
        for gone in sets:
            found = machine.explored(gone)
            assert found.complete and machine.solved(row, gone) is (row in found.outcomes)


@pytest.mark.parametrize(("switch", "value"), [("xnack_replay", "on"), ("inv_inflight", "lands")])
def test_what_the_constraints_do_not_have_is_refused(switch: str, value: str) -> None:
    program = machine_program(lower(every_test()[0], target("gfx1250")))
    laid = layout(program, next(iter(placements(program))), settings("gfx1250", {"xnack_replay": "off", switch: value}))
    with pytest.raises(Unsupported, match=f"{switch}={value}"):
        solve(laid, Session())
