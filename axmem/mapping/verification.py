"""Whether a lowered test has only outcomes that a model permits.

What goes in: a test, a target, a model, placements and switches. What comes out: a `Verification`: a verdict, the
outcomes that the model does not permit, each with a placement, and the switches that the verdict rests on. Invariant:
`sound` is said only if every placement was explored to the end and the model's outcomes are complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from axmem.check.compare import unmatched
from axmem.check.conditions import Valuation, holds
from axmem.check.results import Result, format_lanes, outcomes_of
from axmem.check.selection import DEFAULT_MODEL, AnyModel, loaded
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.evidence import DOCUMENTED, OPEN
from axmem.codegen.machine.explore import LIMIT, STATES, Explored, explore
from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.layout import settings
from axmem.codegen.machine.placements import WavePlacement, placements
from axmem.codegen.machine.program import MachineProgram, RegisterHazard
from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, REPAIRED, Target
from axmem.codegen.targets import target as target_named
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline, Limits, Row
from axmem.events.unroll import events_under
from axmem.formats.reading import as_test
from axmem.front.clock import OutOfTime, working
from axmem.front.records import dataclass, replace
from axmem.front.source import did_you_mean, mistake
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled, compiled, profile_of
from axmem.mapping.ending import Ending
from axmem.mapping.hardware import Hardware
from axmem.mapping.switches import Grounds, Settings, feeling, grounds
from axmem.model.model import Model

VERDICTS = ("sound", "unsound", "unknown")
ENDLESS = "does not end"
_STANDINGS = ("", " (documented)", " if (open)")
WORDS = ("sound", *(word + of for word in ("unsound", ENDLESS) for of in _STANDINGS), "unknown")
"""Verdicts, unsound ones with their standing; without one where it was not asked what they rest on. What has only
outcomes that are permitted, and loops that wait for ever, does not end."""
RACE = "race"
"""What the models flag that accesses race by."""
NO_REPLAY = {"xnack_replay": "off"}
"""Switches under which registers are waited for by results alone, and by what reads sources late: by documents."""
STATES_MORE = 30_000
"""How many states are visited, beside as many as for the verdict, to find what a sound one rests on."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An outcome that the model does not permit, with the first placement in which the machine has it."""

    row: Row
    state: str
    placement: WavePlacement


@dataclass(frozen=True, slots=True)
class EndlessLoop:
    """A loop that waits for ever, with the first placement in which it does."""

    hang: Hang
    placement: WavePlacement


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found of a test on a target under a model.

    `grounds` say which assumptions about the hardware it rests on. `undefined` are the reasons why the model promises
    nothing. `found` are the machine's outcomes over all placements. `assembly` is what was read, if axmem
    did not lower the test itself, and `made_by` the file that it is, or the compiler. `endless` are the loops that wait
    for ever, `ending` says of those that nothing can end whose they are. With `cut` the machine may have more outcomes.
    """

    test: LitmusTest
    target: Target
    model: str
    verdict: str
    program: MachineProgram
    permitted: Result
    found: tuple[Row, ...]
    violations: tuple[Violation, ...]
    hardware: Hardware
    grounds: Grounds
    states: int
    incomplete: tuple[str, ...]
    ending: Ending
    assembly: str = ""
    made_by: str = ""
    endless: tuple[EndlessLoop, ...] = ()
    cut: bool = False

    @property
    def hazards(self) -> tuple[RegisterHazard, ...]:
        """What does not wait for its registers, on this hardware; nothing if the model promises nothing."""
        return self.standing(self.program)

    def standing(self, program: MachineProgram) -> tuple[RegisterHazard, ...]:
        """Return what of a program of this test does not wait for its registers, as `hazards` does."""
        if self.permitted.undefined:
            return ()
        return tuple(h for h in program.hazards if h.stands(self.hardware.switches))

    @property
    def rests(self) -> Settings:
        """The switches, with their values, with whose other value alone the verdict is another one."""
        return self.grounds.alone

    @property
    def word(self) -> str:
        """The verdict, and with an unsound one its standing, one of `WORDS`."""
        said = ENDLESS if self.endless and not self.violations else self.verdict
        return said + {DOCUMENTED: " (documented)", OPEN: " if (open)"}.get(self.grounds.standing, "")


@dataclass(frozen=True, slots=True)
class CodeSource:
    """Where the instructions of a test come from: a file of `assembly`, its name and text; an `llc`; else axmem itself.

    Without assembly branches may be `divergent`.
    """

    assembly: tuple[str, str] | None = None
    llc: str = ""
    divergent: bool = False


@dataclass(frozen=True, slots=True)
class Exploration:
    """How the machine is run.

    `placement` is all, spread, packed, or one as reports name it; `switches` say what is assumed of the hardware. If it
    is `robust`, the verdict names the switches that it rests on. `limit` bounds the states in each placement, `seconds`
    the time.
    """

    placement: str = "all"
    switches: Mapping[str, str] | None = None
    robust: bool = True
    limit: int = LIMIT
    seconds: float | None = None


WHOLE = Exploration()
LOWERED = CodeSource()


def verify(
    test: str | LitmusTest,
    target: str | Target,
    model: AnyModel = DEFAULT_MODEL,
    *,
    mode: str = "",
    profile: str = "",
    code: CodeSource = LOWERED,
    exploration: Exploration = WHOLE,
) -> Verification:
    """Verify the lowering of a test, or other code for it.

    `mode` and `profile` are for a target that is given by its name (the profile of assembly is that of LLVM 24).
    Raises InputError for what is wrong with any of them.
    """
    test = as_test(test)
    if not isinstance(target, Target):
        target = target_named(target, mode, profile or (REPAIRED if code.assembly is None else NEWEST_LLVM))
        if code.llc and not profile:
            target = replace(target, profile=profile_of(code.llc))
    name = text = ""
    if code.assembly is not None:
        name, text = code.assembly
        program = assembled(test, target, text, name)
    elif code.llc:
        program, text = compiled(test, target, code.llc, divergent=code.divergent)
        name = f"{code.llc} of {test.name}"
    else:
        program = machine_program(lower(test, target, divergent=code.divergent))
    return replace(verify_program(program, test, target, loaded(model), exploration), assembly=text, made_by=name)


_UNKNOWN = "before it was known what the verdict rests on"
UNTRIED = f"{TIME_LIMIT} {_UNKNOWN}"


def verify_program(
    program: MachineProgram,
    test: LitmusTest,
    target: Target,
    model: Model,
    exploration: Exploration = WHOLE,
) -> Verification:
    """Verify a machine program of a test, lowered by axmem or made by another compiler."""
    seconds, limit = exploration.seconds, exploration.limit
    deadline = Deadline(seconds)
    permitted = _seen(_permitted(test, model, program, seconds), test, program)
    places = choose(program, exploration.placement)
    hardware = Hardware(places, settings(program.family, exploration.switches), limit)
    ending = Ending(test, model)
    judged = MachineVerdict("unknown", (), frozenset(), 0, (str(TIME_LIMIT),))
    found = Grounds()
    incomplete: tuple[str, ...] = ()
    try:
        with working(deadline.left()):
            judged = judge(program, test, permitted, hardware, ending=ending)
            if judged.verdict == "unsound" and any(h.stands(NO_REPLAY) for h in program.hazards):
                found = Grounds(standing=DOCUMENTED)
            elif exploration.robust and judged.verdict != "unknown" and not permitted.undefined:
                most = judged.states + STATES_MORE
                left = most

                def verdict(values: Mapping[str, str]) -> str:
                    nonlocal left, incomplete
                    other = hardware.switched(values)
                    if judged.verdict == "unsound":
                        return judge(program, test, permitted, other, first=True, ending=ending).verdict
                    other = replace(other, placements=tuple(feeling(program, other, values)))
                    allowed = left // 2
                    tried = judge(program, test, permitted, other, first=True, most=allowed, ending=ending)
                    left -= tried.states
                    if tried.verdict == "unknown" and len(values) == 1 and tried.states > allowed:
                        incomplete = (f"{STATES.format(limit=most)} {_UNKNOWN}",)
                    return tried.verdict

                found = grounds(program, hardware, judged.verdict, verdict)
    except OutOfTime:
        incomplete = () if judged.verdict == "unknown" else (UNTRIED,)
    return Verification(
        test=test,
        target=target,
        model=model.name,
        verdict=judged.verdict,
        program=program,
        permitted=permitted,
        found=tuple(sorted(judged.found, key=repr)),
        violations=judged.violations,
        hardware=hardware,
        grounds=found,
        states=judged.states,
        incomplete=(*judged.cut, *incomplete),
        ending=ending,
        endless=judged.endless,
        cut=bool(judged.cut) or judged.verdict == "unknown",
    )


@dataclass(frozen=True, slots=True)
class MachineVerdict:
    """A verdict with the violations, the machine's outcomes, the states visited, what cut the search, and the loops
    that wait for ever."""

    verdict: str
    violations: tuple[Violation, ...]
    found: frozenset[Row]
    states: int
    cut: tuple[str, ...]
    endless: tuple[EndlessLoop, ...] = ()


def judge(
    program: MachineProgram,
    test: LitmusTest,
    permitted: Result,
    hardware: Hardware,
    *,
    ending: Ending,
    first: bool = False,
    most: int | None = None,
) -> MachineVerdict:
    """Run a program of a test in every placement; with `first` until one has a violation, with `most` through about so
    many states in all.

    There is none as long as not all that is permitted is known: then nothing is, unless the machine has only outcomes
    that are permitted. What does not wait for its registers is unsound without being run, unless the model promises
    nothing. So is what waits for ever, unless accesses race: nobody promises then that what is written is ever seen.
    """
    if not permitted.undefined and any(hazard.stands(hardware.switches) for hazard in program.hazards):
        return MachineVerdict("unsound", (), frozenset(), 0, ())
    violations: dict[Row, Violation] = {}
    found: set[Row] = set()
    endless: dict[Hang, EndlessLoop] = {}
    """By the hang, whichever unit of a cache the line stays in."""
    states, cut, doubtful = 0, set[str](), False
    for laid in hardware.laid_out(program):
        limit = hardware.limit if most is None else min(hardware.limit, most - states)
        explored = explore(laid, limit=limit)
        rows = kept(explored, test, permitted)
        found |= rows
        states += explored.states
        cut |= set(explored.incomplete)
        if permitted.undefined:
            continue
        hangs = []
        if RACE not in permitted.flags:
            hangs = list(ending.endless(explored))
            cut |= ending.doubts(explored)
        if permitted.incomplete:
            doubtful |= bool(hangs or not rows or unmatched(sorted(rows, key=repr), permitted.outcomes))
            continue
        for hang in hangs:
            endless.setdefault(hang._replace(node=""), EndlessLoop(hang, laid.placement))
        for row in unmatched(sorted(rows - violations.keys(), key=repr), permitted.outcomes):
            violations.setdefault(row, Violation(row, state_text(row, permitted), laid.placement))
        if first and (violations or endless):
            break
        if most is not None and states > most:
            break
    if doubtful:
        cut |= set(map(str, permitted.incomplete))
    verdict = "unknown" if cut and not permitted.undefined else "sound"
    if violations or endless:
        verdict = "unsound"
    shown = tuple(violations.values())
    return MachineVerdict(verdict, shown, frozenset(found), states, tuple(sorted(cut)), tuple(endless.values()))


def kept(explored: Explored, test: LitmusTest, permitted: Result) -> set[Row]:
    """Return the machine's outcomes of which the test's filter may hold; all, if time was over before it was read."""
    if test.filter is None or not permitted.columns:
        return set(explored.outcomes)
    types = {c.name: c.type for c in permitted.columns}
    names = [c.name for c in permitted.columns]
    return {
        row
        for row in explored.outcomes
        if holds(test.filter, Valuation(dict(zip(names, row, strict=True)), types, permitted.locations), "wild").may
    }


def state_text(row: Row, permitted: Result) -> str:
    """Return an outcome as a line, `P1:r0=1  P1:r1=0`."""
    return "  ".join(
        f"{c.name}={format_lanes(lanes, c.type, permitted.locations)}"
        for c, lanes in zip(permitted.columns, row, strict=True)
    )


def _permitted(test: LitmusTest, model: Model, program: MachineProgram, seconds: float | None) -> Result:
    """Return the outcomes that a model permits; where code shows no registers of kernels, some that others match may be
    missing."""
    events = partial(events_under, test, model, memory=bool(program.unseen))
    return outcomes_of(test, model, events, limits=Limits(seconds))


def _seen(permitted: Result, test: LitmusTest, program: MachineProgram) -> Result:
    """Return outcomes without what the program's code does not show. Raises InputError if a filter needs it, or if
    nothing is left to compare."""
    shown = [k for k, column in enumerate(permitted.columns) if column.name not in program.unseen]
    if len(shown) == len(permitted.columns):
        return permitted
    if test.filter is not None:
        raise mistake(test.name, "a filter, where code does not show every register", "let it store what is to be seen")
    if not shown:
        raise mistake(test.name, "code shows nothing of what this test observes", "let it store what is to be seen")
    rows = {tuple(row[k] for k in shown) for row in permitted.outcomes}
    columns = tuple(permitted.columns[k] for k in shown)
    return replace(permitted, columns=columns, outcomes=tuple(sorted(rows, key=repr)))


# ---------------------------------------------------------------- placements


def choose(program: MachineProgram, chosen: str) -> tuple[WavePlacement, ...]:
    """Return the placements that an option names: all, spread (all as far apart as may be), packed, or one by its
    text."""
    every = tuple(placements(program))
    if chosen == "all":
        return every
    if chosen in ("spread", "packed"):
        ordered = sorted(every, key=lambda p: (_apart(p), p.text))
        return (ordered[-1] if chosen == "spread" else ordered[0],)
    named = tuple(p for p in every if p.text == chosen)
    if not named:
        texts = [p.text for p in every]
        hint = did_you_mean(chosen, texts) or f"known: all, spread, packed, {', '.join(texts[:8])}"
        raise mistake("--placement", f"{program.name} has no placement '{chosen}'", hint)
    return named


def _apart(placement: WavePlacement) -> tuple[int, ...]:
    """Return how many units of each kind a placement uses, the outermost first."""
    return tuple(len({place[: d + 1] for place in placement.places}) for d in range(len(placement.units)))
