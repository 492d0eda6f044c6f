"""Loops that come back to where they were, though they have written: iterations beyond those that are followed.

Readers and a writer: who is refused takes back what it has added, and tries again. One variant says whether it was
refused, and must then find what the writer left; another counts how often, which has no end.
"""

from __future__ import annotations

import pytest

from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.layout import layout, settings
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.program import LoopArrival, Wait
from axmem.codegen.machine.revisits import Revisits
from axmem.codegen.machine.state import MachineState
from axmem.codegen.targets import target
from axmem.front.records import replace
from axmem.mapping.built import code, profile_of_clang, program
from axmem.mapping.verification import CodeSource, Exploration, Verification, verify
from tests.drawn import some
from tests.exploring import VERDICT_ALONE
from tests.formats.test_sources import with_clang
from tests.sources.trial import SOURCES

READERS = (SOURCES / "readers.hip").read_text(encoding="utf-8")


def source(met: str) -> str:
    """Return the readers' source with something done where a reader is refused, and stored at its end."""
    writer, reader = READERS.split("__global__ void reader")
    reader = reader.replace("  while (", "  int met = 0;\n  while (")
    back = "    __hip_atomic_fetch_add(lock, -1, __ATOMIC_RELAXED, AGENT);\n"
    assert back in reader
    reader = reader.replace(back, f"  {{\n{back}    {met};\n  }}\n").replace(
        "*out = *data;", "*out = *data; out[1] = met;"
    )
    return f"{writer}__global__ void reader{reader}"


def found(
    text: str, gpu: str, gone: str = "", exploration: Exploration = VERDICT_ALONE, number: int = 0
) -> Verification:
    """Return what is said of a source, one of the places of something in its code left out."""
    where = target(gpu, "", profile_of_clang())
    name, made = code(text, "readers.hip", where)
    if gone:
        *before, after = made.split(gone, number + 1)
        made = gone.join(before) + after
    test = program(text, "readers.hip", "", where)
    return verify(test, where, code=CodeSource((name, made)), exploration=exploration)


TARGETS = ("gfx942", "gfx1250", "gfx90a", "gfx1100", "gfx1200")


@with_clang
@pytest.mark.parametrize("gpu", some(TARGETS, of=2))
def test_updates_that_are_taken_back_have_no_bound(gpu: str) -> None:
    made = found(source("met = 1"), gpu)
    shown = {dict(zip([c.name for c in made.permitted.columns], row, strict=True))["out"] for row in made.found}
    assert made.word == "sound" and made.incomplete == ()
    assert shown == {(0, 0), (1, 0), (1, 1)}, "who was refused finds what the writer left"


@with_clang
@pytest.mark.parametrize(("gone", "number"), [
    ("\tbuffer_wbl2 sc1\n", 0),
    ("\tbuffer_inv sc1\n", -1),
])  # fmt: skip
def test_it_needs_what_keeps_it_together(gone: str, number: int) -> None:
    where = target("gfx942", "", profile_of_clang())
    count = code(source("met = 1"), "readers.hip", where)[1].count(gone)
    made = found(source("met = 1"), "gfx942", gone, number=number % count)
    assert made.verdict == "unsound" or made.incomplete


@with_clang
def test_what_is_counted_never_comes_back() -> None:
    made = found(source("met += 1"), "gfx942")
    assert made.word == "unknown"
    assert any("is followed for 4 iterations" in reason for reason in made.incomplete)


@with_clang
def test_what_is_left_out_is_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the comparison all of it is followed as far as there are copies, to the same outcomes, and cut there."""
    made = found(source("met = 1"), "gfx942").program
    laid = [layout(made, place, settings(made.family)) for place in placements(made)]
    short = [explore(each) for each in laid]
    assert [explore(each, reduced=False).outcomes for each in laid[:1]] == [each.outcomes for each in short[:1]]

    def never(self: Revisits, state: MachineState, arrivals: list[LoopArrival]) -> bool:
        return False

    monkeypatch.setattr(Revisits, "known", never)
    for each, known in zip(laid, short, strict=True):
        whole = explore(each)
        assert whole.outcomes == known.outcomes and whole.incomplete and not known.incomplete
        assert whole.states > known.states and whole.hangs == known.hangs


@with_clang
def test_iterations_that_wait_for_less_are_not_alike() -> None:
    """How many operations a wait leaves follows from those before it, which the machine may not know."""
    made = found(source("met = 1"), "gfx942").program
    (reader,) = {arrival.stream for arrival in made.arrivals if arrival.level > 1}
    row = list(made.streams[reader].instructions)
    at = max(k for k, instruction in enumerate(row) if isinstance(instruction.operation, Wait))
    row[at] = replace(row[at], operation=Wait((("vmcnt", 1),)))
    streams = list(made.streams)
    streams[reader] = replace(streams[reader], instructions=tuple(row))
    place = next(iter(placements(made)))
    for each, usable in ((made, True), (made.with_streams(tuple(streams)), False)):
        laid = layout(each, place, settings(each.family))
        assert bool(Revisits(laid, LayoutAnalysis(laid)).at[reader]) is usable
