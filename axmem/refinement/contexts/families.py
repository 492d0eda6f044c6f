"""Two models on all programs of a shape: the game of two models, whose program is nothing but its context.

What goes in: a bound, the lengths of the threads, two models. What comes out: programs with an outcome that the first
model permits and the second does not match, even where its outcome has undef in more places; none is missing, up to
symmetry. Locations are global and initialised, unless a `Location` says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from axmem.encoder.circuit import TRUE
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Session
from axmem.events.conventions import conventions
from axmem.events.unroll import event_graph
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.words import location_name
from axmem.model.model import Model
from axmem.model.primitives import LDS_MEMORY, PRIMITIVES
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.constructs import TAG_WORDS, spoken
from axmem.refinement.bounded.decoding import chosen_program, literals_of_program, litmus_text
from axmem.refinement.bounded.operations import BoundedProgram
from axmem.refinement.bounded.placements import forms
from axmem.refinement.bounded.query import Unanswered
from axmem.refinement.bounded.skeleton import ThreadSizes
from axmem.refinement.bounded.vocabulary import SymbolicProgram
from axmem.refinement.contexts.context import around
from axmem.refinement.contexts.game import Found, Game, Open
from axmem.refinement.contexts.placeholders import Memory, Shape, placeholders
from axmem.refinement.contexts.places import Place


class Kind(NamedTuple):
    """What a location is: of which memory, and whether anybody has written to it before."""

    space: ast.AddressSpace = ast.AddressSpace.GLOBAL
    initialised: bool = True


def nothing(kinds: Sequence[Kind]) -> ast.LitmusTest:
    """Return the test that has locations and nobody who accesses them."""
    locations = (
        ast.Location(location_name(k), kind.space, ast.I32, ast.Number(0, ast.I32) if kind.initialised else None)
        for k, kind in enumerate(kinds)
    )
    return ast.LitmusTest("program", "", tuple(locations), ())


def game_of_models(
    bound: Bound,
    threads: ThreadSizes,
    models: tuple[Model, Model],
    session: Session | None = None,
    kinds: Sequence[Kind] | None = None,
) -> Game:
    """Return the game of two models, `models[0]` the one that is to match the other, on programs of some threads.

    `kinds` are those of the locations, all of which programs need not use.
    """
    chosen = kinds or [Kind()] * min(bound.locations, sum(threads))
    places = tuple(Place(location_name(k), 0, ast.I32.size, kind.space) for k, kind in enumerate(chosen))
    unwritten = frozenset(p.location for p, kind in zip(places, chosen, strict=True) if not kind.initialised)
    memory = Memory(places, 1, decides=False, alike=len(set(chosen)) == 1, unwritten=unwritten)
    shape = Shape({}, {}, threads, full=True)
    finals = tuple(ast.FinalValue(place.location) for place in places if bound.finals)
    test = around(replace(nothing(chosen), observe=finals), placeholders(shape, memory))
    before, after = (event_graph(test, conventions(model)) for model in models)
    return Game((before, after), shape, memory, bound, models, session)


Memories = Iterable[Sequence[Kind]]


def memories(bound: Bound, operations: int, models: Sequence[Model]) -> Memories:
    """Return the kinds that the locations of programs of so many operations may have, the plainest first.

    LDS is left out if none of the models speaks of address spaces.
    """
    local = bound.lds and not _OF_SPACES.isdisjoint(spoken(models))
    spaces = (ast.AddressSpace.GLOBAL, *[ast.AddressSpace.LDS] * local)
    kinds = [Kind(space, written) for written in (True, *[False] * bound.uninitialised) for space in spaces]
    return combinations_with_replacement(kinds, min(bound.locations, operations))


_OF_SPACES = TAG_WORDS | {name for name, row in PRIMITIVES.items() if row.needs == LDS_MEMORY} | {"as-compat", "GLOBAL"}
"""The primitives that rest on the memory of a location."""


def separating(
    bound: Bound, found: Memories, threads: ThreadSizes, models: tuple[Model, Model], seconds: float | None
) -> tuple[str, str] | Open | None:
    """Return a program on which the second model has an outcome that the first does not match, once for each of them;
    None if there is none, whatever the memory. `seconds` limit each game."""
    for kinds in found:
        local = any(kind.space is ast.AddressSpace.LDS for kind in kinds)
        game = game_of_models(replace(bound, lds=local, uninitialised=False), threads, models, kinds=kinds)
        answer = game.play(seconds)
        if isinstance(answer, Found):
            here = game.setting
            program = SymbolicProgram(here.skeleton, here.slots, here.compatibility)
            return litmus_text(program, answer.truth, "before"), litmus_text(program, answer.truth, "after")
        if answer is not None:
            return answer
    return None


@dataclass(slots=True)
class Effort:
    """What a search has cost: variables and clauses of the proposing solver, rounds of counterexamples."""

    variables: int = 0
    clauses: int = 0
    rounds: int = 0


class ShapeSearch:
    """The search over one shape."""

    def __init__(
        self, bound: Bound, shape: ThreadSizes, permitting: Model, refusing: Model, session: Session, deadline: Deadline
    ) -> None:
        self.deadline = deadline
        self.game = game_of_models(bound, shape, (refusing, permitting), session)
        here = self.game.setting
        self.proposed = SymbolicProgram(here.skeleton, here.slots, here.compatibility)
        self.effort = Effort()

    def forget(self, programs: Iterable[BoundedProgram]) -> None:
        """Leave out programs, in all their forms."""
        for program in programs:
            for form in self.forms_of(program):
                self.proposed.circuit.add(*[-x for x in form])

    def programs(self) -> Iterator[BoundedProgram]:
        """Yield the programs that tell the models apart, each form of this shape once; raise Unanswered at a limit."""
        while (program := self.solution([])) is not None:
            self.forget([program])
            yield program

    def forms_of(self, program: BoundedProgram) -> Iterator[list[int]]:
        """Yield for each form of a program that has this shape the literals that say that it is this one."""
        skeleton = self.proposed.skeleton
        for form in dict.fromkeys(forms(program, skeleton.bound.tags)):
            if tuple(map(len, form.threads)) == skeleton.threads:
                yield [x for x in literals_of_program(self.proposed, form) if x != TRUE]

    def solution(self, assumptions: Sequence[int]) -> BoundedProgram | None:
        """Return a program that tells the models apart and meets the assumptions; raise Unanswered at a limit."""
        game, effort = self.game, self.effort
        if self.deadline.passed():
            raise Unanswered(TIME_LIMIT)
        truth = game.some(self.deadline.left(), assumptions)
        effort.variables, effort.clauses = self.proposed.circuit.variables, game.asking.clauses
        effort.rounds += game.rounds
        return None if truth is None else chosen_program(self.proposed, truth.__getitem__)
