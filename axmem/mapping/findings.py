"""Why what a compiler made of a test is unsound: which of the faults of LLVM that have a page it is.

What goes in: an unsound verification of assembly. What comes out: the page of the finding which, mended in that
assembly as the page says, leaves it sound on the same hardware; several pages where it takes the changes of all. Where
the lowering of the repaired tables is unsound as well, it is what docs/verify.md has of that target. Invariant: a page
is named only for what was verified with its change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import chain, combinations

from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.program import lower
from axmem.codegen.targets import REPAIRED
from axmem.encoder.solve import Row
from axmem.events.unroll import event_graph
from axmem.front.clock import OutOfTime, working
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled, compiled
from axmem.mapping.faults import (
    FAULTS,
    LOST,
    OLDEST,
    PENDING,
    REGISTERS,
    UNAWAITED,
    KnownFault,
    acquires_before_scalar_loads,
    taken_for_free,
    taken_for_scalar,
)
from axmem.mapping.verification import Verification, judge

PAGES = "docs/findings/"
OPEN = "docs/verify.md#what-is-found"
LIMITS = "docs/verify.md#limits"
HARDWARE = ((OPEN, ("single_channel", "on")), (LIMITS, ("xnack_replay", "off")))
"""What is said where the repaired tables are unsound as well, each with the switch it rests on, and its other value."""
SCALAR = "fixed/stale-scalar-load"
WITHOUT = (
    ("fixed/merged-scopes", ("-disable-branch-fold",)),
    ("fixed/vectorized-over-acquire", ("-amdgpu-load-store-vectorizer=0",)),
)
"""Pages of passes of LLVM 22 whose changes no change of their output undoes, with the options of llc without them."""


_SCALAR_LOAD = re.compile(r"\ts_load_(dword|b32) (s\d+), (s\[\d+:\d+\]), 0x0\n")
"""A scalar load of what a location may be."""


def pages(found: Verification, llc: str = "") -> tuple[str, ...]:
    """Return the pages that explain an unsound verification of assembly, none if no known fault does.

    With `llc`, which made it, scalar loads are taken away as that compiler does it itself (`--divergent`), and it is
    tried without the passes of `WITHOUT`.
    """
    text = found.assembly
    asked = {text: False}

    def sound(made: str) -> bool:
        if made not in asked:
            asked[made] = _verdict(found, _assembled(found, made)) == "sound"
        return asked[made]

    if found.hazards:
        for page, explains in ((LOST, taken_for_free), (PENDING, taken_for_scalar)):
            if all(explains(found.test, found.target, text, hazard) for hazard in found.hazards):
                return _paths([page]) if sound(REGISTERS.made(found.test, found.target, text)) else ()
        return ()
    changes = [fault for fault in FAULTS if fault.is_of(found.target)]
    if _alone(found.test):
        changes = [fault for fault in changes if fault.page != UNAWAITED]
    for change in changes:
        if sound(change.made(found.test, found.target, text)):
            return _paths([change.page])
    alone = [*_made_anew(found, llc, 1)]
    for without, other in alone:
        if sound(other):
            return _paths(without)
    if not found.test.kernels and (said := _of_hardware(found, changes, llc)):
        return said
    several = chain.from_iterable(_made_anew(found, llc, number) for number in range(2, len(WITHOUT) + 2))
    for without, other in chain([((), text), *alone], several):
        if (made := _together(found, sound, changes, other)) is not None:
            return _paths((*made, *without))
    return ()


def pages_in_time(found: Verification, llc: str, seconds: float | None) -> tuple[str, ...] | None:
    """Return the pages that explain an unsound verification, None if so many seconds are over before that is known."""
    try:
        with working(seconds):
            return pages(found, llc)
    except OutOfTime:
        return None


def _of_hardware(found: Verification, changes: Iterable[KnownFault], llc: str) -> tuple[str, ...]:
    """Return what is said of hardware on which the repaired tables are unsound as well, and pages of the rest.

    It explains no outcome that the tables do not have on the same hardware.
    """
    tables = _of_tables(found)
    theirs = _forbidden(found, tables)
    if not theirs:
        return ()
    for page, (switch, value) in HARDWARE:
        other = replace(found, hardware=found.hardware.switched({switch: value}))
        if found.hardware.switches.get(switch, value) == value or _verdict(other, tables) != "sound":
            continue
        if _verdict(other, found.program) != "sound":
            if rest := pages(other, llc):
                return (page, *rest)
        elif _forbidden(found, found.program) <= theirs:
            return (page,)
        else:
            made = ((change, change.made(found.test, found.target, found.assembly)) for change in changes)
            for change, text in made:
                if text != found.assembly and _forbidden(found, _assembled(found, text)) <= theirs:
                    return (page, *_paths([change.page]))
    return ()


def _paths(pages: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{PAGES}{page}.md" for page in pages)


def _together(
    found: Verification, sound: Callable[[str], bool], changes: Iterable[KnownFault], text: str
) -> tuple[str, ...] | None:
    """Return the pages of changes that leave assembly sound together, each of them needed; None if all do not."""

    def mended(made: Iterable[KnownFault]) -> bool:
        return sound(reduce(lambda so_far, each: each.made(found.test, found.target, so_far), made, text))

    made = [each for each in changes if each.made(found.test, found.target, text) != text]
    if not mended(made):
        return None
    for each in tuple(made):
        rest = [other for other in made if other is not each]
        if mended(rest):
            made = rest
    return tuple(dict.fromkeys(each.page for each in made))


def _alone(test: LitmusTest) -> bool:
    """Tell whether a test has one thread, which nobody can see release anything."""
    return len(test.threads) == 1 and not test.kernels


def _of_tables(found: Verification) -> MachineProgram | None:
    """Return the lowering of the repaired tables, of which as much is observed as of the assembly."""
    try:
        program = machine_program(lower(found.test, replace(found.target, profile=REPAIRED)))
    except InputError:
        return None
    names = [observed.name for observed in event_graph(found.test).observed]
    shown = (lanes for name, lanes in zip(names, program.observed, strict=True) if name not in found.program.unseen)
    return replace(program, observed=tuple(shown))


def _assembled(found: Verification, text: str) -> MachineProgram | None:
    try:
        return assembled(found.test, found.target, text, found.program.name)
    except InputError:
        return None


def _made_anew(found: Verification, llc: str, number: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield so many pages, and the assembly that is left without their passes of `WITHOUT` or without scalar loads."""
    options = dict(WITHOUT) if llc and found.target.profile == OLDEST else {}
    scalar = [SCALAR] if acquires_before_scalar_loads(found.test, found.target, found.assembly) else []
    for without in combinations((*options, *scalar), number):
        words = tuple(chain.from_iterable(options.get(page, ()) for page in without))
        try:
            yield without, _without(found, llc, words, scalar=SCALAR in without)
        except InputError:
            continue


def _without(found: Verification, llc: str, options: tuple[str, ...], *, scalar: bool) -> str:
    """Return the assembly of llc with options; scalar loads are left out by llc, or vector loads replace them."""
    by_llc = scalar and bool(llc) and not found.test.kernels
    text = compiled(found.test, found.target, llc, divergent=by_llc, options=options)[1] if llc else found.assembly
    if by_llc or not scalar:
        return text
    counters = found.target.family.counters
    counter = counters.get("loadcnt") or counters["vmcnt"]
    wait = f"{counter.instruction} {counter.operand}"
    load = rf"\tv_mov_b32_e32 v250, 0\n\tglobal_load_\1 v251, v250, \3\n\t{wait}\n\tv_readfirstlane_b32 \2, v251\n"
    return _SCALAR_LOAD.sub(load, text)


def _verdict(found: Verification, program: MachineProgram | None) -> str:
    """Return the verdict on another program of the test where one was verified, nothing if there is no program."""
    if program is None:
        return ""
    return judge(program, found.test, found.permitted, found.hardware, ending=found.ending, first=True).verdict


def _forbidden(found: Verification, program: MachineProgram | None) -> frozenset[Row]:
    """Return the outcomes of another program of the test that the model does not permit."""
    judged = judge(program, found.test, found.permitted, found.hardware, ending=found.ending) if program else None
    return frozenset(violation.row for violation in judged.violations) if judged else frozenset()
