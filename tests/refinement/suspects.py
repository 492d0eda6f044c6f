"""Programs before and after a rule, drawn at random from the space of a claim."""

from __future__ import annotations

import random
from collections.abc import Iterator

from axmem.encoder.circuit import Circuit
from axmem.encoder.solver import Session
from axmem.front.records import replace
from axmem.refinement.bounded.inclusion import Suspect, Suspects
from axmem.refinement.bounded.query import CircuitQuery
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded_check import Claim
from axmem.refinement.patterns import change_of
from axmem.refinement.rules import BY_NAME


def drawn(claim: Claim, rng: random.Random, count: int, context: tuple[int, ...] = (1, 1)) -> Iterator[Suspect]:
    """Yield programs before and after a change at the start of the first thread.

    `context` are the operations besides those of the rule in each thread. Memory that nobody initialised and nobody
    writes is warned of, and the search gives it up where it can; here all is initialised.
    """
    rule = BY_NAME.get(claim.rule)
    change = rule.change if rule else change_of(claim.pattern) if claim.pattern else None
    assert change is not None
    space = replace(claim.space, uninitialised=False)
    pair = change(Skeleton(space, (claim.size + context[0], *context[1:]), Circuit()), 0)
    assert pair is not None
    decoder = Suspects(pair, CircuitQuery(pair.after.circuit, Session()))
    for _ in range(count):
        wanted: list[int] = []
        for literal in rng.sample(decoder.wanted, min(24, len(decoder.wanted))):
            chosen = rng.choice((literal, -literal))
            wanted += [chosen] * decoder.question.check([*wanted, chosen], 60_000)
        assert decoder.question.check(wanted, 60_000)
        yield decoder.solution()[1]
