"""What each read returns for the oracle, given from which write it reads.

What goes in: the events of a test, a reads-from map, which arms the choices take. What comes out: every assignment of
values to reads that the program computes. Where a value depends on itself it is guessed, from the read's domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from axmem.encoder.branching import Arms, goes, taken
from axmem.encoder.domains import Domains, domains
from axmem.events.graph import EventGraph
from axmem.events.values import UNDEF, Expr, Pick, ReadOf, Value, evaluate, operands


class ReadValues:
    """The values of reads in the executions of one test; `undef` says whether a read may return undef unread."""

    def __init__(self, graph: EventGraph, sources: dict[int, list[int]], *, undef: bool) -> None:
        self.graph = graph
        self.sources = sources
        self.undef = undef
        self.found: Domains | None = None

    def domains(self) -> Domains:
        """Return the values that a read may be guessed to return where its value depends on itself."""
        if self.found is None:
            self.found = domains(self.graph, self.sources, self.sources if self.undef else (), thin_air=True)
        return self.found

    def assignments(
        self, rf: dict[int, int | None], arms: Arms, guessed: dict[int, Value], allowed: Callable[[], bool]
    ) -> Iterator[dict[int, Value]]:
        """Yield what each read returns; where a value depends on itself, guess it from the read's domain.

        There are many guesses, and mostly no execution of the model in which values depend on themselves: `allowed`
        is asked for one before the first guess.
        """
        found: dict[int, Value] = dict(guessed)
        active: set[int] = set()
        loop: list[int] = []

        def read(r: int) -> Value:
            if r in found:
                return found[r]
            if r in active:
                loop.append(r)
                return UNDEF
            active.add(r)
            found[r] = source_value(r)
            return found[r]

        def source_value(r: int) -> Value:
            w = rf[r]
            if w is None:
                return UNDEF
            expr = self.graph.events[w].value
            assert expr is not None
            return evaluate(expr, read, arms.__getitem__)

        for r in rf:
            read(r)
            if loop:
                if guessed or allowed():
                    yield from self._guesses(rf, arms, guessed, loop[0], allowed)
                return
        if any(source_value(r) != value for r, value in guessed.items()):
            return
        if self._undef_begins(rf, arms, found, guessed):
            yield found

    def _guesses(
        self,
        rf: dict[int, int | None],
        arms: Arms,
        guessed: dict[int, Value],
        read: int,
        allowed: Callable[[], bool],
    ) -> Iterator[dict[int, Value]]:
        for value in self.domains().reads[read]:
            yield from self.assignments(rf, arms, {**guessed, read: value}, allowed)

    def _undef_begins(
        self, rf: dict[int, int | None], arms: Arms, found: dict[int, Value], guessed: dict[int, Value]
    ) -> bool:
        """Tell whether each undef that was guessed comes from one that begins somewhere.

        It begins where a read is undef unread, and where what is written is undef although no read that it is computed
        from is, or whatever these return.
        """
        if all(isinstance(value, int) for value in guessed.values()):
            return True
        needs = self._needs(rf, arms)

        def begins(r: int) -> bool:
            w = rf[r]
            expr = None if w is None else self.graph.events[w].value
            if expr is None or not isinstance(evaluate(expr, lambda _: 0, arms.__getitem__), int):
                return True
            return not isinstance(found[r], int) and all(isinstance(found[other], int) for other in needs[r])

        return all(
            any(begins(r) for r in {read, *_reached(needs, read)})
            for read, value in guessed.items()
            if not isinstance(value, int)
        )

    def _needs(self, rf: dict[int, int | None], arms: Arms) -> dict[int, frozenset[int]]:
        """Return for each read those from which what it reads was computed."""
        needs: dict[int, frozenset[int]] = {}
        for r, w in rf.items():
            expr = None if w is None else self.graph.events[w].value
            needs[r] = frozenset() if expr is None else _reads(expr, arms)
        return needs

    def value(self, expr: Expr, arms: Arms, assignment: dict[int, Value]) -> Value:
        """Return the value of an expression, given what each read returns."""
        return evaluate(expr, assignment.__getitem__, arms.__getitem__)

    def feasible(self, arms: Arms, assignment: dict[int, Value]) -> bool:
        """Tell whether every choice goes the way its value says and every requirement is met."""
        for index, arm in arms.items():
            choice = self.graph.choices[index]
            if choice.expr is None:
                continue
            if not goes(choice, arm, self.value(choice.expr, arms, assignment)):
                return False
        return all(self.value(r.expr, arms, assignment) != 0 for r in self.graph.requires if taken(r.guard, arms))

    def others(self, arms: Arms, rf: dict[int, int | None]) -> dict[int, Value] | None:
        """Return what reads return if values form a cycle that nothing bounds; None if they do not, or cannot go so.

        A value that was not tried is undef here, of which nothing is known.
        """
        needs = self._needs(rf, arms)
        cyclic = {r for r in rf if r in _reached(needs, r)}
        if not cyclic or not cyclic & self.domains().unbounded:
            return None
        unknown: dict[int, Value] = dict.fromkeys(cyclic, UNDEF)

        def read(r: int) -> Value:
            if r not in unknown:
                w = rf[r]
                expr = None if w is None else self.graph.events[w].value
                unknown[r] = UNDEF if expr is None else evaluate(expr, read, arms.__getitem__)
            return unknown[r]

        assignment = {r: read(r) for r in rf}
        return assignment if self.feasible(arms, assignment) else None


def _reads(expr: Expr, arms: Arms) -> frozenset[int]:
    """Return the reads from which an expression is computed where choices take these arms."""
    found: set[int] = set()
    seen: set[Expr] = set()
    stack = [expr]
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, Pick):
            stack += [part.arms[arms[part.choice]]] if part.choice in arms else []
        else:
            stack += operands(part)
            found |= {part.event} if isinstance(part, ReadOf) else set()
    return frozenset(found)


def _reached(needs: dict[int, frozenset[int]], read: int) -> set[int]:
    """Return the reads from whose values, directly or not, that of a read comes."""
    seen: set[int] = set()
    stack = list(needs[read])
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack += needs.get(other, ())
    return seen
