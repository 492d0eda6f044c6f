"""A test that a program built, without places in a text, means what its text means, down to the machine.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.check.results import outcomes
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.mutants import elements, kind_of, without
from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse
from axmem.front.source import NOWHERE, InputError
from axmem.litmus.printer import print_test
from axmem.litmus.resolution import resolve
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    AddressOf,
    AddressSpace,
    Both,
    LitmusTest,
    Load,
    Location,
    Number,
    Ordering,
    Placement,
    RegisterOf,
    Scope,
    Store,
    SyncScope,
    Thread,
    ValueComparison,
)
from axmem.litmus.walk import located
from axmem.mapping.rules import rules
from axmem.mapping.verification import verify, verify_program
from axmem.model.library import load
from tests.corpus import corpus_test
from tests.drawn import some
from tests.exploring import VERDICT_ALONE
from tests.litmus.built import built
from tests.paths import CORPUS_TESTS

MESSAGE = """litmus MP

global x = 0, f = 0

thread P0 @ agent 0, workgroup 0 {
  store 1, x
  store atomic 1, f syncscope("agent") RELEASE
}

thread P1 @ agent 0, workgroup 1 {
  r0 = load atomic f syncscope("agent") ACQUIRE
  r1 = load x
}

exists (P1:r0=1 /\\ P1:r1=0)
"""


def message_passing(release: Ordering, acquire: Ordering) -> LitmusTest:
    """Return the message-passing test as a program builds it, from the nodes of the syntax alone."""
    x, f = Address(AddressOf("x")), Address(AddressOf("f"))
    flag = SyncScope(Scope.AGENT)
    writer = (
        Store(Number(1), None, x, AccessMode()),
        Store(Number(1), None, f, AccessMode(ordering=release, scope=flag)),
    )
    reader = (
        Load("r0", None, f, AccessMode(ordering=acquire, scope=flag)),
        Load("r1", None, x, AccessMode()),
    )
    test = LitmusTest(
        "MP",
        "",
        tuple(Location(name, AddressSpace.GLOBAL, None, Number(0)) for name in ("x", "f")),
        (
            Thread("P0", Placement.at(agent=0, workgroup=0), writer),
            Thread("P1", Placement.at(agent=0, workgroup=1), reader),
        ),
        condition=Both(
            ValueComparison("=", RegisterOf("P1", "r0"), Number(1)),
            ValueComparison("=", RegisterOf("P1", "r1"), Number(0)),
        ),
    )
    resolved, diagnostics = resolve(test)
    assert not diagnostics
    return resolved


@pytest.mark.parametrize(
    ("release", "acquire", "count", "said"),
    [(Ordering.RELEASE, Ordering.ACQUIRE, 3, "sound"), (Ordering.MONOTONIC, Ordering.MONOTONIC, 4, "sound")],
)
def test_message_passing_built_by_a_program_is_its_text(
    release: Ordering, acquire: Ordering, count: int, said: str
) -> None:
    test = message_passing(release, acquire)
    text = parse(MESSAGE.replace("RELEASE", release.value).replace("ACQUIRE", acquire.value))
    assert test == text and {s.span for _, s in located(test)} == {NOWHERE}
    on, model = target("gfx942"), load("amdgpu")
    mine, its = (verify(each, on, model, exploration=VERDICT_ALONE) for each in (test, text))
    assert mine.found == its.found and len(mine.found) == count
    assert mine.verdict == its.verdict == said
    assert outcomes(test, model).states() == outcomes(text, model).states()


def test_a_violation_is_found_in_a_test_that_a_program_built() -> None:
    on, model = target("gfx942"), load("amdgpu")
    test = message_passing(Ordering.RELEASE, Ordering.ACQUIRE)
    program = machine_program(lower(test, on))
    invalidates = [e for e in elements(program) if kind_of(program, e) == "invalidate" and not e.part]
    assert verify_program(without(program, invalidates), test, on, model, VERDICT_ALONE).verdict == "unsound"


@pytest.mark.parametrize("path", some(CORPUS_TESTS[::9], of=4), ids=lambda path: path.stem)
def test_a_built_test_is_the_one_that_is_read(path: Path) -> None:
    text = corpus_test(path)
    test = built(text)
    resolved, diagnostics = resolve(test)
    assert test == text == resolved == parse(print_test(test)) and not diagnostics
    mine, its = event_graph(test), event_graph(text)
    assert [e.path for e in mine.events] == [e.path for e in its.events]
    assert {e.path for e in mine.events if e.thread >= 0} <= {path for path, _ in located(test)}
    on = target("gfx942")
    try:
        lowered = lower(text, on)
        program = machine_program(lowered)
    except InputError:  # the target or the machine has no such operation: of the built test neither
        with pytest.raises(InputError):
            machine_program(lower(test, on))
        return
    same = machine_program(lower(test, on))
    assert [[(i.text, i.statement, i.guard) for i in s.instructions] for s in same.streams] == [
        [(i.text, i.statement, i.guard) for i in s.instructions] for s in program.streams
    ]
    assert list(rules(lower(test, on), same)) == list(rules(lowered, program))
