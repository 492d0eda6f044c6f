"""The tests of one run of the generator.

What goes in: cycles, decorations, places. What comes out: tests, each with its cycle, under names that differ.
Invariant: the order depends on the arguments alone, and no test comes twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.front.records import dataclass
from axmem.front.source import mistake
from axmem.generate.cycles import Cycle
from axmem.generate.enumeration import Decorations, decorated
from axmem.generate.names import TestNames, name_of
from axmem.generate.places import Places, distinct_places, places_text
from axmem.generate.programs import litmus_test
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest


@dataclass(frozen=True, slots=True)
class Generated:
    """A test and the cycle that it asks for."""

    cycle: Cycle
    test: LitmusTest

    @property
    def text(self) -> str:
        """The canonical text of the test."""
        return print_test(self.test)


@dataclass(frozen=True, slots=True)
class Placing:
    """Where threads run: the given places, then, with `every`, all that there are; none: a workgroup each."""

    given: tuple[Places, ...] = ()
    every: bool = False

    def of(self, cycle: Cycle) -> Iterator[Places]:
        """Yield the places for a cycle; given ones for another number of threads are left out."""
        threads = len(cycle.threads())
        if not self.given and not self.every:
            yield ()
        found = dict.fromkeys(places for places in self.given if len(places) == threads)
        yield from found
        if self.every:
            yield from (places for places in distinct_places(cycle) if places not in found)


def suite(cycles: Iterable[Cycle], decorations: Decorations, placing: Placing) -> Iterator[Generated]:
    """Yield the tests of cycles with every decoration and at all places."""
    names = TestNames()
    seen: set[tuple[Cycle, Places]] = set()
    for cycle in cycles:
        for whole in decorated(cycle, decorations):
            for places in placing.of(whole):
                if (whole, places) not in seen:
                    seen.add((whole, places))
                    name = name_of(whole) + (f"+{places_text(places)}" if places else "")
                    yield Generated(whole, litmus_test(whole, names.unique(name), places))


def check_places(cycle: Cycle, placing: Placing) -> None:
    """Raise InputError for given places that are not one for each thread of a cycle."""
    threads = len(cycle.threads())
    for places in placing.given:
        if len(places) != threads:
            text = places_text(places).replace("-", ",")
            message = f"the cycle has {threads} threads, and here {'is' if len(places) == 1 else 'are'} {len(places)}"
            raise mistake("--places", message, text=text)
