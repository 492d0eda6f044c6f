"""One test with some of its elements left out: its verdict, asked again and again, kept from run to run.

What goes in: a case. What comes out: verdicts. Each is kept under the digest of all that it depends on: the program,
the model, the test, the target, the placements, the switches, and what is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from axmem.check.results import Result, outcomes
from axmem.check.run.fingerprint import digest_of, model_digest, program_digest
from axmem.check.run.store import AnswerStore
from axmem.check.selection import loaded, parse_choice
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.layout import settings
from axmem.codegen.machine.mutants import kind_of, without
from axmem.codegen.machine.program import MachineProgram, ProgramElement
from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.formats.reading import parse
from axmem.front.records import replace
from axmem.mapping.cases import VerificationCase
from axmem.mapping.ending import Ending
from axmem.mapping.hardware import Hardware
from axmem.mapping.matrix import waiting
from axmem.mapping.rules import rules
from axmem.mapping.switches import Grounds
from axmem.mapping.verification import VERDICTS, Verification, choose, judge

ASKING = ("needs.py", "suite.py", "necessity.py", "strategy.py", "savings.py", "assumptions.py", "rules.py")
"""Modules of this room that say what is asked: no answer depends on them, and those for a suite that grows stay."""


class Judged(NamedTuple):
    """A verdict, and the first outcome that is not permitted, or nothing."""

    verdict: str
    state: str


class Prepared:
    """A case's test, lowered and placed. Raises InputError for what is wrong with it."""

    def __init__(self, case: VerificationCase) -> None:
        self.case = case
        self.store = store_of(case.kept) if case.kept else None
        self.test = parse(case.text, case.name, case.form)
        self.model = loaded(parse_choice(case.model))
        lowered = lower(self.test, target(case.target, case.mode, case.profile), divergent=case.divergent)
        self.program = machine_program(lowered)
        self.rules = dict(rules(lowered, self.program))
        switches = settings(self.program.family, dict(case.switches))
        self.hardware = Hardware(choose(self.program, case.placement), switches, case.limit)

    @cached_property
    def permitted(self) -> Result:
        """What the model permits."""
        return outcomes(self.test, self.model)

    def judged(
        self,
        left_out: Iterable[ProgramElement] = (),
        switch: tuple[str, str] | None = None,
        *,
        limit: int | None = None,
    ) -> Judged:
        """Return the verdict without some elements.

        `switch` is one to change, with its value; `limit` of states is another than the case's, if that is higher.
        """
        gone = tuple(sorted(left_out, key=_order))
        hardware = replace(self.hardware, limit=min(limit or self.case.limit, self.case.limit))
        if switch:
            hardware = hardware.switched(dict([switch]))
        key = self._key(gone, hardware) if self.store else ""
        known = self.store.recalled(key, _read) if self.store else None
        if known is not None:
            return known
        program = self.without(gone)
        judged = judge(program, self.test, self.permitted, hardware, ending=Ending(self.test, self.model), first=True)
        found = Judged(judged.verdict, judged.violations[0].state if judged.violations else "")
        if self.store:
            self.store.keep(key, found)
        return found

    def never(self, element: ProgramElement) -> str:
        """Return a flag that a load never returns without an element, if it is repeated until it does; or nothing."""
        if kind_of(self.program, element) not in ("bit", "writeback"):
            return ""
        key = self._key((element,), self.hardware, "never") if self.store else ""
        known = self.store.recalled(key, _read) if self.store else None
        if known is None:
            known = Judged("sound", self.waiting.get(element, ""))
            if self.store:
                self.store.keep(key, known)
        return known.state

    @cached_property
    def waiting(self) -> Mapping[ProgramElement, str]:
        """Elements without which some load that is repeated waits for ever, with what it waits for."""
        name = self.model.name
        whole = Verification(
            test=self.test, target=target(self.case.target, self.case.mode, self.case.profile), model=name,
            verdict="sound", program=self.program, permitted=self.permitted, found=(), violations=(),
            hardware=self.hardware, grounds=Grounds(), states=0, incomplete=(),
            ending=Ending(self.test, self.model),
        )  # fmt: skip
        return waiting(whole)

    def without(self, gone: Iterable[ProgramElement]) -> MachineProgram:
        """Return the program without some elements."""
        return without(self.program, gone)

    def _key(self, gone: tuple[ProgramElement, ...], hardware: Hardware, *what: str) -> str:
        case = self.case
        asked = [
            program_digest("axmem.codegen", "axmem.mapping", without=ASKING), model_digest(self.model),
            case.text, case.form, case.target, case.mode, case.profile, case.placement,
            sorted(hardware.switches.items()), case.divergent, hardware.limit, [_order(element) for element in gone],
            *what,
        ]  # fmt: skip
        return digest_of(json.dumps(asked))


@lru_cache(maxsize=512)
def prepared(case: VerificationCase) -> Prepared:
    """Return a case, prepared; each process does that once."""
    return Prepared(case)


def store_of(directory: str) -> AnswerStore:
    """Return the store of a directory that keeps verdicts."""
    return AnswerStore(directory, refused="cannot keep answers here")


def _order(element: ProgramElement) -> tuple[int, int, str]:
    return element.thread, element.instruction, element.part


def _read(record: Any) -> Judged:
    """Return the verdict and the outcome of a record. Raises ValueError if it is none."""
    verdict, state = record
    if verdict not in VERDICTS or not isinstance(state, str):
        raise ValueError("this is no verdict")
    return Judged(verdict, state)
