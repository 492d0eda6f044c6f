"""What `axmem verify` says of a test: text, a picture, a record.

What goes in: a verification. What comes out: lines, an SVG document, or plain data for JSON. The order is that of the
test and its placements; nothing depends on time or place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from axmem.check.limits import limited
from axmem.codegen.machine.evidence import DOCUMENTED, evidence_of, standing
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline
from axmem.front.clock import OutOfTime
from axmem.front.files import content
from axmem.front.output import counted
from axmem.front.records import dataclass, replace
from axmem.front.source import mistake
from axmem.litmus.launch import launches
from axmem.mapping.cases import MachineAnswer, VerificationCase, compared, machine_answer, verification
from axmem.mapping.findings import pages_in_time
from axmem.mapping.switches import Setting
from axmem.mapping.verification import RACE, Verification, Violation
from axmem.report import needs as needed
from axmem.report.hazards import hang_record, hang_text, hazard_record, hazard_text
from axmem.report.mapping import GENERATED
from axmem.report.pictures.timeline_svg import as_svg
from axmem.report.timeline import execution, told_of
from axmem.report.tree import Document, Paragraph, Section, prose

NONE = "no finding explains it that can be mended in this assembly"
SHOWN = 4
"""How many violations are listed; the timeline is that of the first."""


Key: TypeAlias = tuple[str, str, str, str]
Known: TypeAlias = Mapping[Key, tuple[str, frozenset[str]]]
"""What an earlier run found: the verdict and the faults of each test, target, mode and model."""
_MOVES = ("line", "awaited_line", "loop")
"""What is no part of a fault, since it moves."""


@dataclass(frozen=True, slots=True)
class VerificationText:
    """What is said of a test: its verdict, the same with its standing, and the report in the format asked for (of what
    outcomes need in a markup, a `section`).

    `pages` are those of the known faults that an unsound verdict on a compiler's assembly comes from, None if nobody
    looked for them.
    """

    name: str
    verdict: str
    word: str
    text: str = ""
    record: Mapping[str, object] | None = None
    picture: str | None = None
    pages: tuple[str, ...] | None = None
    section: Section | None = None
    key: Key = ("", "", "", "")
    faults: frozenset[str] = frozenset()

    def is_known(self, known: Known) -> bool:
        """Say whether an earlier run has found the same verdict, and no fault less."""
        verdict, faults = known.get(self.key, ("", frozenset()))
        return verdict == self.verdict and self.faults <= faults


def answer(case: VerificationCase) -> VerificationText:
    """Verify a case's test and return what is said of it. Raises InputError."""
    try:
        with limited(Deadline(case.seconds)):
            return _answer(case)
    except OutOfTime:
        told = {"test": case.name, "model": case.model, "verdict": "unknown", "incomplete": [str(TIME_LIMIT)]}
        return VerificationText(
            case.name, "unknown", "unknown", f"{case.name}  unknown\n  incomplete: {TIME_LIMIT}\n", told
        )


def _answer(case: VerificationCase) -> VerificationText:
    deadline = Deadline(case.seconds)
    found = verification(case)
    return replace(_text(case, found, deadline), key=_key(found), faults=_faults(found))


def _text(case: VerificationCase, found: Verification, deadline: Deadline) -> VerificationText:
    known = _pages(case, found, deadline)
    other = compared(case, found)
    shown = None if case.needs is None else needed.needs(found)
    asked = machine_answer(found) if case.asks else None
    if case.format == "json":
        told = record(found)
        if asked is not None:
            told["asks"] = _asked_record(asked)
        if shown is not None:
            told["needs"] = needed.record(shown)
        if other is not None:
            told["differences"] = other
        if known is not None:
            told["findings"] = list(known)
        return VerificationText(case.name, found.verdict, found.word, record=told, pages=known)
    if case.format == "svg":
        drawn = picture(found) if shown is None else needed.picture(shown)
        return VerificationText(case.name, found.verdict, found.word, picture=drawn)
    head, *rest = lines(found)
    every = [head, *_explained(known), *([] if asked is None else _asked(found, asked)), *rest]
    if shown is not None and case.format != "text":
        section = Section(found.test.name, (Paragraph(head), *needed.blocks(shown, why=case.needs or ())))
        return VerificationText(case.name, found.verdict, found.word, section=section, pages=known)
    if shown is not None:
        every += needed.lines(shown, case.needs or ())
    every += _differences(case, found, other)
    return VerificationText(case.name, found.verdict, found.word, "".join(f"{line}\n" for line in every), pages=known)


def _asked(found: Verification, answer: MachineAnswer) -> Iterator[str]:
    """Yield what a test's own question is on the machine and under the model, and an execution that the machine has."""
    on, model = found.target.label, found.model
    yield f"  asks: {answer.question}: {answer.machine} on {on}, {answer.model} under {model}"
    if answer.relied:
        yield f"  {model} leaves this open: who needs it relies on {on}"
    if answer.shown is not None and not any(v.row == answer.shown.row for v in found.violations[:1]):
        yield from _execution(found, answer.shown)


def _asked_record(answer: MachineAnswer) -> dict[str, object]:
    shown = None if answer.shown is None else {"outcome": answer.shown.state, "placement": answer.shown.placement.text}
    return {
        "question": answer.question, "machine": answer.machine, "model": answer.model, "relied": answer.relied,
        "shown": shown,
    }  # fmt: skip


def page(found: Iterable[VerificationText], target: str) -> Document:
    """Return what the outcomes of tests need as a page."""
    sections = (answer.section for answer in found if answer.section is not None)
    return Document(
        (Paragraph(prose(needed.CELLS)), *sections), title=f"What outcomes need on {target}", origin=GENERATED
    )


def _explained(known: tuple[str, ...] | None) -> Iterator[str]:
    """Yield what an unsound verdict comes from, as text."""
    if known is not None:
        yield f"  known: {', '.join(known)}" if known else f"  not known: {NONE}"


def _pages(case: VerificationCase, found: Verification, deadline: Deadline) -> tuple[str, ...] | None:
    """Return the pages of what a compiler is known to do wrong, None where it is not asked or time is over."""
    if not found.assembly or found.verdict != "unsound" or case.format == "svg":
        return None
    return pages_in_time(found, case.llc, deadline.left())


def _differences(case: VerificationCase, found: Verification, other: list[str] | None) -> Iterator[str]:
    """Yield the differences from the tables, as text."""
    profile = found.target.profile
    if any(kernel.function for kernel in found.test.kernels):
        return  # what a compiler has made of a program beside its accesses says little
    if case.maker and other is None:
        yield f"  not compared with the tables: the machine does not have their lowering for {profile}"
    elif other is not None:
        yield f"  against the tables of {profile}: {f'- tables, + {case.maker}' if other else 'no difference'}"
        yield from (f"    {line}" for line in other)


def headline(found: Verification) -> str:
    """Return the verdict in one line: test, target, model, verdict, what it rests on, what was looked at."""
    rests = _rests(found)
    said = f"{found.word} under {{{rests}}}" if rests else found.word
    if found.word.endswith(" (open)"):
        said = f"{found.word.removesuffix('(open)')}{{{rests}}}"
    if found.hazards:
        hazards = counted(len(found.hazards), "register hazard")
        return f"{found.test.name}  {found.target.label}  {found.model}  {said}  ({hazards})"
    looked = f"{counted(len(found.hardware.placements), 'placement')}, {counted(len(found.found), 'outcome')}"
    return f"{found.test.name}  {found.target.label}  {found.model}  {said}  ({looked})"


def _rests(found: Verification) -> str:
    """Return what a verdict rests on: of `a=1, b=2 or c=3` the first has to be so, and one of the others."""
    family = found.target.family.name

    def told(setting: Setting) -> str:
        known = standing(family, *setting)
        return "=".join(setting) + ("" if known == DOCUMENTED else f" ({known})")

    settings = found.grounds
    return ", ".join([*map(told, settings.alone), *(" or ".join(map(told, some)) for some in settings.together)])


def lines(found: Verification) -> Iterator[str]:
    """Yield the report of a test."""
    yield headline(found)
    if any(kernel.function for kernel in found.test.kernels):
        yield f"  {launches(found.test)}{f', as in {found.made_by}' if found.made_by else ''}"
    for reason in found.permitted.undefined:
        yield f"  the model promises nothing: {reason}"
    for reason in found.incomplete:
        yield f"  incomplete: {reason}"
    if not any(kernel.function for kernel in found.test.kernels):  # of a program its memory is compared
        yield from _uncompared(found.program.unseen)
    unnamed = _left_open(found)
    if unnamed and found.verdict == "sound":
        many = f"{unnamed} of {counted(len(found.found), 'outcome')}"
        yield f"  race: the model promises nothing of values in {many}: it has undef there, which permits every value"
    yield from (f"  register hazard: {hazard_text(hazard)}" for hazard in found.hazards[:SHOWN])
    if len(found.hazards) > SHOWN:
        yield f"  and {counted(len(found.hazards) - SHOWN, 'more register hazard')}"
    for violation in found.violations[:SHOWN]:
        yield f"  not permitted: {violation.state}, in placement {violation.placement.text}"
    if len(found.violations) > SHOWN:
        yield f"  and {len(found.violations) - SHOWN} more outcomes that are not permitted"
    for loop in found.endless[:SHOWN]:
        yield f"  does not end: {hang_text(loop.hang)}, in placement {loop.placement.text}"
    if found.violations:
        yield from _execution(found, found.violations[0])


def _left_open(found: Verification) -> int:
    """Return how many outcomes the model permits by undef alone, where accesses race."""
    if RACE not in found.permitted.flags or found.permitted.undefined:
        return 0
    named = set(found.permitted.outcomes) | {violation.row for violation in found.violations}
    return sum(row not in named for row in found.found)


def _uncompared(unseen: Mapping[str, str]) -> Iterator[str]:
    """Yield what outcomes are compared without, by the reasons."""
    for reason in dict.fromkeys(unseen.values()):
        names = ", ".join(name for name, found in unseen.items() if found == reason)
        yield f"  not compared: {names}: {reason}"


def _execution(found: Verification, violation: Violation) -> Iterator[str]:
    shown = list(execution(found.program, violation, found.hardware.switches))
    if shown:
        yield f"  an execution with {violation.state}:"
    yield from (f"    {line}" for line in shown)


def picture(found: Verification) -> str | None:
    """Return the timeline of the first violation as SVG, or None if there is none."""
    if not found.violations:
        return None
    told = told_of(found.program, found.violations[0], found.hardware.switches)
    if told is None:
        return None
    shown, places = told
    title = f"{found.test.name} on {found.target.label}: {found.violations[0].state}, not permitted by {found.model}"
    return as_svg(shown, title, places)


def _evidence(found: Verification) -> Iterator[tuple[str, object]]:
    """Yield the switches that a verdict rests on, each with its standing and the sentence that it has that from."""
    family = found.target.family.name
    for name, value in found.grounds.settings:
        known = evidence_of(family, name)
        yield name, {"standing": standing(family, name, value), "sentence": known.sentence if known else None}


def record(found: Verification) -> dict[str, object]:
    """Return a verification as plain data, keys in a fixed order."""
    first = told_of(found.program, found.violations[0], found.hardware.switches) if found.violations else None
    said: dict[str, object] = {
        "test": found.test.name,
        "target": found.target.name,
        "mode": found.target.mode,
        "profile": found.target.profile,
        "model": found.model,
        "verdict": found.verdict,
        "standing": found.grounds.standing or None,
        "rests": dict(found.rests),
        "together": [dict(some) for some in found.grounds.together],
        "evidence": dict(_evidence(found)),
        "switches": dict(found.hardware.switches),
        "placements": [p.text for p in found.hardware.placements],
        "outcomes": len(found.found),
        "states": found.states,
        "incomplete": list(found.incomplete),
        "undefined": list(found.permitted.undefined),
        "race": RACE in found.permitted.flags,
        "by_undef": _left_open(found),
        "not_compared": dict(found.program.unseen),
        "hazards": [hazard_record(hazard) for hazard in found.hazards],
        "endless": [{**hang_record(each.hang), "placement": each.placement.text} for each in found.endless],
        "violations": [{"outcome": v.state, "placement": v.placement.text} for v in found.violations],
        "timeline": None
        if first is None
        else [
            {"number": m.number, "column": m.column, "text": m.text, "stale": m.stale or None} for m in first[0].moments
        ],
    }
    return said


def _key(found: Verification) -> Key:
    """Return what a verification is of: the test, the target, its mode, the model."""
    return found.test.name, found.target.name, found.target.mode, found.model


def _faults(found: Verification) -> frozenset[str]:
    """Return what is wrong, as texts that are alike in later runs."""
    hazards = (hazard_record(each) for each in found.hazards)
    hangs = (hang_record(each.hang) for each in found.endless)
    return frozenset({*(v.state for v in found.violations), *map(_still, hazards), *map(_still, hangs)})


def baseline(path: str) -> Known:
    """Return what a file says was found. Raises InputError for one that `--format json` has not written."""
    try:
        text = content(path)
    except OSError as error:
        raise mistake("--baseline", f"cannot read {path}: {error.strerror}", text=path) from None
    try:
        told = json.loads(text)["verifications"]
        return {
            (one["test"], one["target"], one["mode"], one["model"]): (one["verdict"], _told_faults(one))
            for one in told
            if "hazards" in one
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise mistake("--baseline", f"{path} is not what axmem verify --format json writes", text=path) from None


def _told_faults(one: Mapping[str, list[dict[str, object]]]) -> frozenset[str]:
    hangs = ({name: value for name, value in each.items() if name != "placement"} for each in one["endless"])
    states = (str(each["outcome"]) for each in one["violations"])
    return frozenset({*states, *map(_still, one["hazards"]), *map(_still, hangs)})


def _still(fault: Mapping[str, object]) -> str:
    return json.dumps({name: value for name, value in fault.items() if name not in _MOVES}, sort_keys=True)
