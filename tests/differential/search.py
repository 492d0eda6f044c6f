"""Search for a test on which the engines differ.

What goes in: seeds and the names of models. What comes out: a `Finding` for each difference, with the test shrunk. Work
is handed out in blocks of seeds, so that a block's findings are the same whoever computes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from axmem.encoder.solver import Session
from axmem.events.conventions import conventions
from axmem.events.graph import EventGraph, EventKind
from axmem.litmus.printer import print_test
from axmem.litmus.shrinking import shrunk
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.model.model import Model
from tests.differential.compare import Subject, compare, random_variants
from tests.differential.kinds import THREADS, drawn_of
from tests.differential.programs import Size, candidates, orders

SHARED = 10
"""How many seeds in a row share their random variants, since loading a model takes longer than comparing on it."""

TORN = 1000
"""How many reads-from maps a test may have where the bytes of its atomics are read one by one; others are left out."""
TORN_ORDERS = 10_000
"""How many coherence orders it may have there, where each byte has its own."""
TORN_UPDATES = 4
"""How many bytes its read-modify-writes may read there: of two of 32 bits each byte may depend on all others."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A test, shrunk, on which the engines differ under a model and its variants."""

    seed: int
    model: str
    variants: tuple[tuple[str, str], ...]
    text: str
    lines: tuple[str, ...]

    def report(self) -> str:
        """Return the test's text with the difference as comments above it."""
        chosen = ", ".join(f"{name}={value}" for name, value in self.variants)
        model = f"{self.model}[{chosen}]" if chosen else self.model
        return "\n".join([f"; seed {self.seed}, {model}", *(f"; {line}" for line in self.lines), self.text])


def search(
    seeds: range, models: tuple[str, ...], size: Size, *, vary: bool, kinds: tuple[str, ...] = (THREADS,)
) -> tuple[list[Finding], int]:
    """Return the findings of a block of seeds, and how many answers were incomplete; with `vary` on random variants.

    A seed is of the kind that comes next in turn.
    """
    session = Session()
    found = []
    incomplete = 0
    for seed in seeds:
        made = drawn_of(kinds[seed % len(kinds)], seed, size)
        test, subject = made.test, Subject(made.test, made.graph)
        rng = Random(seed // SHARED)
        for name in models:
            variants = random_variants(rng, name) if vary else {}
            model = load(name, variants)
            if not _speaks_of(model, made.graph) or (
                conventions(model).tearing and _is_too_torn(subject.graph(model))
            ):
                continue
            comparison = compare(subject, model, session)
            incomplete += not comparison.complete
            if not comparison.agree:
                found.append(_finding(seed, name, variants, test, session))
    return found, incomplete


def _speaks_of(model: Model, graph: EventGraph) -> bool:
    """Tell whether a model says what the operations of a test do: of DMA operations not every one does."""
    return "initiates" in model.base_names or all(e.kind is not EventKind.INITIATE for e in graph.events)


def _is_too_torn(graph: EventGraph) -> bool:
    """Tell whether brute force has no end on a test whose atomics are read byte by byte."""
    updates = sum(e.kind is EventKind.READ and e.rmw for e in graph.events)
    return candidates(graph) > TORN or orders(graph, torn=True) > TORN_ORDERS or updates > TORN_UPDATES


def _finding(seed: int, name: str, variants: dict[str, str], test: LitmusTest, session: Session) -> Finding:
    """Shrink the variants, then the test."""
    for switch in sorted(variants):
        fewer = {k: v for k, v in variants.items() if k != switch}
        if not compare(test, load(name, fewer), session).agree:
            variants = fewer
    model = load(name, variants)
    small = shrunk(test, lambda t: not compare(t, model, session).agree)
    lines = compare(small, model, session).lines
    return Finding(seed, name, tuple(sorted(variants.items())), print_test(small), lines)
