"""One test on the bench: its verdict with some elements left out, asked again and again, kept from run to run.

What goes in: a job, and the directory that keeps answers, or none. What comes out: verdicts. Each answer is one file,
named by the digest of all that it depends on: the program, the model, the test, the target, the placements, the
switches, and what is left out. Invariant: a file is a whole answer or none; one that is damaged counts as absent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

from axmem.check.results import Result, outcomes
from axmem.check.selection import loaded, parse_choice
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.layout import settings
from axmem.codegen.machine.mutants import without
from axmem.codegen.machine.program import Element, MachineProgram
from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.front.inputs import about_file
from axmem.front.output import write_whole
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.mapping.jobs import Job
from axmem.mapping.rules import rules
from axmem.mapping.verification import VERDICTS, choose, judge
from axmem.run.fingerprint import digest_of, model_digest, program_digest


class Bench:
    """A job's test, lowered and placed. Raises InputError for what is wrong with it."""

    def __init__(self, job: Job, directory: str) -> None:
        self.job = job
        self.directory = Path(directory) if directory else None
        self.test = parse(job.text, job.name)
        self.model = loaded(parse_choice(job.model))
        lowered = lower(self.test, target(job.target, job.mode, job.profile), divergent=job.divergent)
        self.program = machine_program(lowered)
        self.rules = dict(rules(lowered, self.program))
        self.where = choose(self.program, job.placement)
        self.switches = settings(self.program.family, dict(job.switches))

    @cached_property
    def permitted(self) -> Result:
        """What the model permits."""
        return outcomes(self.test, self.model)

    def judged(
        self, left_out: Iterable[Element] = (), switch: tuple[str, str] | None = None, *, limit: int | None = None
    ) -> tuple[str, str]:
        """Return the verdict without some elements, and the first outcome that is not permitted, or nothing.

        `switch` is one to change, with its value; `limit` of states is another than the job's, if that is higher.
        """
        limit = min(limit or self.job.limit, self.job.limit)
        gone = tuple(sorted(left_out, key=_order))
        switches = {**self.switches, **dict([switch] if switch else [])}
        file = self._file(gone, switches, limit)
        known = None if file is None else _read(file)
        if known is not None:
            return known
        program = self.without(gone)
        verdict, violations, *_ = judge(program, self.test, self.permitted, self.where, switches, limit, first=True)
        found = verdict, violations[0].state if violations else ""
        if file is not None:
            write_whole(str(file), json.dumps(found) + "\n")
        return found

    def without(self, gone: Iterable[Element]) -> MachineProgram:
        """Return the program without some elements."""
        return without(self.program, gone)

    def _file(self, gone: tuple[Element, ...], switches: Mapping[str, str], limit: int) -> Path | None:
        if self.directory is None:
            return None
        job = self.job
        asked = [
            program_digest("axmem.codegen", "axmem.mapping"), model_digest(self.model), job.text, job.target,
            job.mode, job.profile, job.placement, sorted(switches.items()), job.divergent, limit,
            [_order(element) for element in gone],
        ]  # fmt: skip
        key = digest_of(json.dumps(asked))
        return self.directory / key[:2] / f"{key}.json"


@lru_cache(maxsize=512)
def bench(job: Job, directory: str) -> Bench:
    """Return the bench of a job; each process prepares it once."""
    return Bench(job, directory)


def prepare(directory: str) -> None:
    """Make the folders that keep answers. Raises InputError if that cannot be done."""
    try:
        for shard in range(256):
            os.makedirs(os.path.join(directory, f"{shard:02x}"), exist_ok=True)
    except OSError as error:
        raise InputError([about_file(directory, f"cannot keep answers here: {error.strerror or error}")]) from None


def _order(element: Element) -> tuple[int, int, str]:
    return element.thread, element.instruction, element.part


def _read(file: Path) -> tuple[str, str] | None:
    """Return the answer of a file, or None if there is none or it is damaged."""
    try:
        verdict, state = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return None
    if verdict not in VERDICTS or not isinstance(state, str):
        return None
    return verdict, state
