"""Elements of assembly left out twice: by `axmem verify --elements`, and by hand from the text.

What goes in: a test, its assembly, a target. What comes out: for each element what `--elements` says of it, and what
`verify` says of the text without it. Neither knows of the other: the text is edited here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from axmem.codegen.machine.program import ProgramElement, RegisterHazard
from axmem.codegen.targets import Target
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled
from axmem.mapping.elements import Ablation, ablation
from axmem.mapping.verification import Exploration, Verification, state_text, verify_program
from axmem.model.library import load

STATES = 20_000
"""States of the machine in each placement; a program with more is not compared."""
Hazards = frozenset[tuple[int, str, tuple[str, ...], str, int]]


@dataclass(frozen=True)
class Compared:
    """What is said of an element, by `--elements` and by `verify` of the text without it: hazards, or outcomes."""

    test: str
    target: str
    element: str
    said: tuple[Hazards, frozenset[str]]
    verified: tuple[Hazards, frozenset[str]]

    @property
    def equal(self) -> bool:
        """Whether both say the same."""
        return self.said == self.verified


def verified(test: LitmusTest, text: str, where: Target) -> Verification:
    """Return what verify says of a text."""
    exploration = Exploration(robust=False, limit=STATES)
    found = verify_program(assembled(test, where, text, "left-out.s"), test, where, load("amdgpu"), exploration)
    return replace(found, assembly=text)


def compared(test: LitmusTest, text: str, where: Target) -> Iterator[Compared]:
    """Yield the comparison of each element; nothing if a search is cut."""
    whole = verified(test, text, where)
    if whole.incomplete:
        return
    shown = ablation(whole)
    for effect in shown.effects:
        if effect.gained is None or effect.lost is None:
            continue
        other = verified(test, without(text, [place(whole, effect.element)]), where)
        outcomes = (_states(whole) | set(effect.gained)) - set(effect.lost)
        said = _hazards(effect.hazards), frozenset() if effect.hazards else frozenset(outcomes)
        new = [hazard for hazard in other.hazards if hazard not in whole.hazards]
        other_said = _hazards(new), frozenset() if new else _states(other)
        yield Compared(test.name, where.name, "{}: {}".format(*place(whole, effect.element)), said, other_said)
    yield from _sets(whole, shown)


def _sets(whole: Verification, shown: Ablation) -> Iterator[Compared]:
    """Yield, for each outcome that is kept out, whether the text has it with nothing but what keeps it out; and whether
    registers are too early with nothing but what they wait for."""
    every = {effect.element: place(whole, effect.element) for effect in shown.effects}
    stay = [every[element] for element in shown.registers]
    kept = [(core.state, [every.get(e) or place(whole, e) for e in core.elements]) for core in shown.cores or ()]
    for state, elements in [("", []), *kept] if not whole.hazards else ():
        gone = [each for each in every.values() if each not in stay and each not in elements]
        if state and any(not part for _, part in gone) and any(part for _, part in elements):
            gone = [each for each in gone if each[0] not in {line for line, _ in elements}]
        other = verified(whole.test, without(whole.assembly, gone), whole.target)
        has = frozenset({state} & _states(other))
        none: Hazards = frozenset()
        yield Compared(whole.test.name, whole.target.name, f"only {stay}, {elements}", (none, frozenset()),
                       (_hazards(other.hazards), has))  # fmt: skip


def place(whole: Verification, element: ProgramElement) -> tuple[int, str]:
    """Return the line of an element, and its part."""
    return whole.program.instruction(element).span.line, element.part


def _hazards(hazards: Iterable[RegisterHazard]) -> Hazards:
    return frozenset((h.span.line, h.kind.value, h.registers, h.counter, h.awaited_span.line) for h in hazards)


def _states(found: Verification) -> frozenset[str]:
    return frozenset(state_text(row, found.permitted) for row in found.found)


def without(text: str, gone: Iterable[tuple[int, str]]) -> str:
    """Return assembly without some parts of its lines; without all of a line if a part is empty."""
    lines = text.split("\n")
    for number, part in sorted(gone, reverse=True):
        lines[number - 1] = _line(lines[number - 1], part)
    return "\n".join(lines)


def _line(line: str, part: str) -> str:
    """Return a line without a counter or bit: `s_wait_loadcnt_dscnt 0x0` without loadcnt is `s_wait_dscnt 0x0`."""
    code = line.partition(";")[0].rstrip()
    wait = re.fullmatch(r"\s*s_wait_([a-z]+cnt)(?:_(dscnt))?\s+(\w+)", code)
    if not part or (wait and not wait[2]) or re.match(r"\s*s_waitcnt_\w+", code):
        return ""
    if wait:
        other, shift = (wait[2], 0) if part == wait[1] else (wait[1], 8)
        return f"\ts_wait_{other} {int(wait[3], 16) >> shift & 0x3F:#x}"
    if code.strip().startswith("s_waitcnt"):
        rest = re.sub(rf"\b{part}\(\d+\)", "", code)
        return rest if "(" in rest else ""
    words = code.split(" ")
    last = len(words) - 1 - words[::-1].index(part)
    return " ".join(words[:last] + words[last + 1 :])
