"""Cases on which the two forms of the machine must have the same outcomes, and the comparison.

What goes in: a kind of case and its number. What comes out: the program in a placement under switches, always the same
for the same number, and whether the explorer and the constraints agree about it. What is beyond the limits of either
is said to be so; a comparison is of full outcome sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from random import Random

from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.explore import STATES, explore
from axmem.codegen.machine.families import SWITCHES
from axmem.codegen.machine.layout import MachineLayout, layout, settings
from axmem.codegen.machine.mutants import elements, idle, without
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.machine.smt.constraints import Unsupported, solve
from axmem.codegen.program import lower
from axmem.codegen.targets import Target, all_targets
from axmem.encoder.solver import Session
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.suite import suite
from tests.corpus import corpus_tests
from tests.machine.programs import random_message, random_program, with_lanes

WITHOUT = {"xnack_replay": "off"}
"""The constraints do not have replays."""
ABSENT = (("inv_inflight", "lands"), ("xnack_replay", "on"))


class Kind(Enum):
    """What a case is made from: a lowered test, one without an element, a random program or message.

    Of messages through scalar caches some streams invalidate these; of programs with lanes two access one place.
    """

    PAIR = "pairs"
    MUTANT = "mutants"
    RANDOM = "random programs"
    MESSAGE = "random messages"
    SCALAR = "messages through scalar caches"
    LANES = "random programs with lanes"


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a case: nothing in `difference` if the forms agree; `skipped` says why there is no answer."""

    name: str
    difference: str = ""
    skipped: str = ""


@cache
def _session() -> Session:
    """Return the solver session that a process keeps: to make one takes as long as half a case."""
    return Session()


@cache
def every_test() -> tuple[LitmusTest, ...]:
    """Return the tests that cases are made from: the corpus and the suite of `axmem verify`."""
    return (*corpus_tests(), *suite())


def case(kind: Kind, number: int) -> tuple[str, MachineLayout]:
    """Return a case and its name; every family in every mode comes in turn."""
    rng = Random(f"{kind.value} {number}")
    targets = tuple(all_targets())
    target = targets[number % len(targets)]
    if kind in (Kind.MESSAGE, Kind.SCALAR):
        program = random_message(rng, target, scalar=kind is Kind.SCALAR)
    else:
        program = random_program(rng, target)
        program = with_lanes(rng, program) if kind is Kind.LANES else program
    name = f"{kind.value} {number}: {target.label}"
    if kind in (Kind.PAIR, Kind.MUTANT):
        name, program = _lowered(rng, target, kind)
        name = f"{kind.value} {number}: {name}"
    switches = settings(program.family, WITHOUT)
    if rng.random() < 0.4:
        every = [(s.name, value) for s in SWITCHES for value in s.values if (s.name, value) not in ABSENT]
        switch = ("memory", "fine") if kind is Kind.MESSAGE and rng.random() < 0.4 else rng.choice(every)
        switches = settings(program.family, {**WITHOUT, switch[0]: switch[1]})
        name += f", {switch[0]}={switch[1]}"
    placement = rng.choice(list(placements(program)))
    return f"{name}, {placement.text}", layout(program, placement, switches)


def _lowered(rng: Random, target: Target, kind: Kind) -> tuple[str, MachineProgram]:
    """Return the program of some test; of a mutant with an element that may matter left out."""
    while True:
        test = rng.choice(every_test())
        try:
            program = machine_program(lower(test, target))
        except InputError:
            continue
        name = f"{test.name} on {target.label}"
        if kind is Kind.PAIR:
            return name, program
        if found := [e for e in elements(program) if not idle(program, e)]:
            left_out = rng.choice(found)
            text = program.instruction(left_out).text
            return f"{name} without {text} {left_out.part}".rstrip(), without(program, (left_out,))


def compared(kind: Kind, number: int, limit: int, effort: int) -> Compared:
    """Compare the forms on a case; `limit` is the explorer's, of states, `effort` the solver's for each question."""
    name, laid = case(kind, number)
    walked = explore(laid, limit=limit)
    if STATES.format(limit=limit) in walked.incomplete:
        return Compared(name, skipped="too many states")
    try:
        solved = solve(laid, _session(), effort=effort)
    except Unsupported as error:
        return Compared(name, skipped=str(error))
    if any("gave up" in reason for reason in solved.incomplete):
        return Compared(name, skipped="the solver gave up")
    said = []
    for who, rows in (
        ("only the explorer", walked.outcomes - solved.outcomes),
        ("only the constraints", solved.outcomes - walked.outcomes),
    ):
        said += [f"{who} has {row}" for row in sorted(rows, key=repr)]
    if walked.incomplete != solved.incomplete:
        said.append(f"incomplete: {walked.incomplete} and {solved.incomplete}")
    return Compared(name, "; ".join(said))
