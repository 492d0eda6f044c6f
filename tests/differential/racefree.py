"""What the models promise of programs without races, tried; `python -m tests.differential.racefree` goes on.

What goes in: programs, drawn by seeds or all up to a bound. What comes out: whether each bears the two claims out.

*Race-free implies defined.* In an execution of `llvm` or `amdgpu` without the flag `race` no read is undef but by the
rule for memory that no write comes before. This is asked of single executions: a model that forbids races and demands
that another undef rule names a read has no execution. It is a fact of any program, with tags, scopes, sizes, branches.

*DRF-SC.* A program without tags, scopes and uninitialised memory, whose atomics and fences are all seq_cst and access
the same bytes, and none of whose sequentially consistent executions has two conflicting accesses, not both atomic, that
happens-before leaves unordered, has in `llvm` and in `amdgpu` just its sequentially consistent outcomes, none with
undef, and no race. With weaker atomics that is not so: store buffering of monotonic accesses has no race.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, count, product
from random import Random

from axmem.encoder.solve import Limits, solve
from axmem.encoder.solver import Session
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.model.library import load
from axmem.model.model import Model
from axmem.model.terms import Axiom, AxiomKind
from tests.differential.programs import drawn
from tests.paths import MODELS
from tests.spread import ended, spread

NAMES = ("llvm", "amdgpu")
UNWRITTEN = "no-prior-write"
BLOCK = 50


@dataclass(frozen=True, slots=True)
class Tally:
    """How many programs there were, how many of them had no race, and the texts of those that refute a claim."""

    programs: int
    race_free: int
    refuted: tuple[str, ...]


@cache
def undef_without_race(model: Model) -> tuple[Model, ...]:
    """Return models of the executions that have no race and in which an undef rule names a read, one for each rule."""
    kept = tuple(replace(a, flag=False, negated=False) if a.name == "race" else a for a in model.axioms)
    return tuple(
        replace(model, axioms=(*kept, Axiom(AxiomKind.EMPTY, u.term, u.name, True, False, u.doc, u.source, u.span)))
        for u in model.undefs
        if u.name != UNWRITTEN
    )


def is_defined(graph: EventGraph, model: Model, session: Session) -> bool:
    """Tell whether no execution without a race has a read that is undef but for uninitialised memory."""
    return not any(solve(graph, denied, Limits(), session).outcomes for denied in undef_without_race(model))


def defined(seeds: range) -> Tally:
    """Check random programs of all kinds: whether those without races, and all executions without one, are defined."""
    session = Session()
    race_free, refuted = 0, []
    for seed in seeds:
        made = drawn(seed)
        for name in NAMES:
            race_free += "race" not in solve(made.graph, load(name), Limits(), session).flags
            if not is_defined(made.graph, load(name), session):
                refuted.append(f"; {name}\n{made.text}")
    return Tally(len(seeds) * len(NAMES), race_free, tuple(refuted))


# ---------------------------------------------------------------- DRF-SC


@cache
def sequential() -> Model:
    """Return sequential consistency with a flag for races."""
    return load(str(MODELS / "sc-races.cat"))


def drf_sc(graph: EventGraph, session: Session) -> bool | None:
    """Tell whether a program of seq_cst atomics bears DRF-SC out; None if it has a race."""
    expected = solve(graph, sequential(), Limits(), session)
    if "race" in expected.flags:
        return None
    found = [solve(graph, load(name), Limits(), session) for name in NAMES]
    return all(
        f.outcomes == expected.outcomes and f.undefined == expected.undefined and "race" not in f.flags for f in found
    )


def judged(texts: Iterable[str]) -> Tally:
    """Check DRF-SC on tests."""
    session = Session()
    answers = [(text, drf_sc(event_graph(parse(text)), session)) for text in texts]
    free = [a for a in answers if a[1] is not None]
    return Tally(len(answers), len(free), tuple(text for text, holds in free if not holds))


KINDS = ("load", "store", "load atomic", "store atomic", "rmw")
PLACES = ("x", "y")


@dataclass(frozen=True, slots=True)
class Step:
    """An access of a thread; `guarded` if it is made only where the last value that was read is 1."""

    kind: str
    place: str
    guarded: bool

    @property
    def reads(self) -> bool:
        return "store" not in self.kind


Steps = tuple[Step, ...]


def threads(length: int) -> list[Steps]:
    """Return all threads of at most so many accesses, the shortest first; a guard needs a read before it."""
    steps = [Step(k, p, g) for k in KINDS for p in PLACES for g in (False, True)]
    found = []
    for n in range(1, length + 1):
        for row in product(steps, repeat=n):
            if all(not s.guarded or any(r.reads for r in row[:i]) for i, s in enumerate(row)):
                found.append(row)
    return found


def programs(length: int) -> Iterator[str]:
    """Yield all programs of two threads of at most so many accesses of x and y; of a pair but for names, one."""
    for k, pair in enumerate(combinations_with_replacement(threads(length), 2)):
        if next(iter(pair[0])).place == PLACES[0]:
            yield written(f"P{k}", pair)


def random_program(seed: int) -> str:
    """Return a random program of two or three threads of up to three accesses of three locations, with data and guards.

    Most have a chance to be free of races: what is plain is guarded by a flag, or has one owner.
    """
    rng = Random(seed)
    bodies = []
    for _ in range(rng.choice((2, 2, 2, 2, 3))):
        steps: list[Step] = []
        for _ in range(rng.randrange(1, 4)):
            place = rng.choice("xyz")
            atomic = place == "z" or rng.random() < 0.4
            kind = rng.choice(("load atomic", "store atomic", "rmw", "cas") if atomic else ("load", "store"))
            steps.append(Step(kind, place, rng.random() < 0.5 and any(s.reads for s in steps)))
        bodies.append(tuple(steps))
    return written(f"D{seed}", bodies, rng)


def written(name: str, bodies: Iterable[Steps], rng: Random | None = None) -> str:
    """Return a program as a test; with a generator of random numbers a store writes a value that was read, at times."""
    lines = [f"litmus {name}", "global x = 0, y = 0, z = 0"]
    for t, steps in enumerate(bodies):
        lines.append(f"thread P{t} {{")
        last, depth = "", 0
        for i, step in enumerate(steps):
            if step.guarded:
                lines.append(f"if {last} == 1 {{")
                depth += 1
            value = last if rng is not None and last and rng.random() < 0.2 else "1"
            lines.append(_statement(step, f"r{t}{i}", value))
            last = f"r{t}{i}" if step.reads else last
        lines += ["}"] * (depth + 1)
    return "\n".join([*lines, "exists (x=1 /\\ y=1 /\\ z=1)"]) + "\n"


def _statement(step: Step, register: str, value: str) -> str:
    match step.kind:
        case "rmw":
            return f"{register} = atomicrmw xchg {step.place}, {value} seq_cst"
        case "cas":
            return f"{register}, s{register} = cmpxchg {step.place}, 0, {value} seq_cst"
    order = " seq_cst" if "atomic" in step.kind else ""
    if step.reads:
        return f"{register} = {step.kind} {step.place}{order}"
    return f"{step.kind} {value}, {step.place}{order}"


def random_block(seeds: range) -> Tally:
    """Check DRF-SC on random programs."""
    return judged(random_program(seed) for seed in seeds)


def every_nth(block: tuple[int, int]) -> Tally:
    """Check DRF-SC on every so many-th program of two accesses a thread: (which, of how many)."""
    which, step = block
    return judged(text for k, text in enumerate(programs(2)) if k % step == which)


# ---------------------------------------------------------------- long runs


def main(arguments: list[str] | None = None) -> int:
    """Check until so many programs without races have been seen; return 1 if one refutes a claim."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.racefree", description=__doc__.split("\n")[0])
    parser.add_argument("claim", choices=("defined", "drf-sc", "drf-sc-all"))
    parser.add_argument("--count", type=int, default=20_000, help="how many programs without races")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    blocks = (range(s, s + BLOCK) for s in count(options.seed, BLOCK))
    work: dict[str, Iterator[Tally]] = {
        "defined": spread(defined, blocks, options.jobs),
        "drf-sc": spread(random_block, blocks, options.jobs),
        "drf-sc-all": spread(every_nth, ((k, 100) for k in range(100)), options.jobs),
    }
    seen = free = 0
    refuted: list[str] = []
    for tally in work[options.claim]:
        seen, free = seen + tally.programs, free + tally.race_free
        refuted += tally.refuted
        print(f"\r{seen} programs, {free} without races, {len(refuted)} refute it", end="", file=sys.stderr)
        if options.claim != "drf-sc-all" and free >= options.count:
            break
    print(f"\n{seen} programs, {free} without races, {len(refuted)} refute it", *refuted, sep="\n")
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(ended(main))
