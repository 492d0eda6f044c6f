"""One piece of a search: the programs of one shape with outcomes that one model permits and the other does not match.

What goes in: a `Unit`, plain data. What comes out: a `Finding`, plain data too, so that any process can do the work. A
unit keeps each program it finds in a journal as soon as it is found, and goes on from there when it is run again.
Invariant: a journal's line is whole or counts for nothing; a unit that its journal calls finished is not searched
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from axmem.check.selection import loaded, parse_choice
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Session
from axmem.families.bound import Bound
from axmem.families.enumeration import Shape
from axmem.families.operations import Program
from axmem.families.records import bound_record, program_of, program_record
from axmem.families.search import Search, Unfinished
from axmem.run.fingerprint import digest_of, model_digest, program_digest


@dataclass(frozen=True, slots=True)
class Unit:
    """What to search: models as text, `permitting` the one whose outcomes are looked for; how many programs to find.

    `most` is None for all of them. `journals` is a directory; `until` the time (of `time.time`) at which to stop.
    """

    permitting: str
    refusing: str
    bound: Bound
    shape: Shape
    most: int | None
    journals: str
    until: float | None = None

    @property
    def key(self) -> str:
        """A digest of all that the answer depends on."""
        models = [model_digest(loaded(parse_choice(text))) for text in (self.permitting, self.refusing)]
        bound = {k: v for k, v in bound_record(self.bound).items() if k not in ("events", "threads")}
        asked = json.dumps([*models, bound, self.shape, program_digest("axmem.families")])
        return digest_of(asked)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a unit found; `finished` if there is no more of what was asked, else `why` not. `seconds` of this run."""

    programs: tuple[Program, ...]
    finished: bool
    why: str = ""
    variables: int = 0
    clauses: int = 0
    rounds: int = 0
    seconds: float = 0.0


def run_unit(unit: Unit) -> Finding:
    """Search a unit, or what its journal leaves of it."""
    started = time.monotonic()
    journal = _journal(unit)
    found, finished = journal.read()
    if finished or _enough(unit, len(found)):
        return Finding(tuple(found), True)
    if unit.until is not None and time.time() >= unit.until:
        return Finding(tuple(found), False, str(TIME_LIMIT))
    try:
        search = Search(
            unit.bound,
            unit.shape,
            loaded(parse_choice(unit.permitting)),
            loaded(parse_choice(unit.refusing)),
            Session(),
            Deadline(None if unit.until is None else max(0.0, unit.until - time.time())),
        )
        search.forget(found)
        for program in search.programs():
            found.append(program)
            journal.keep({"program": program_record(program)})
            if _enough(unit, len(found)):
                break
        else:
            journal.keep({"finished": True})
    except Unfinished as error:
        return Finding(tuple(found), False, str(error), seconds=time.monotonic() - started)
    effort = search.effort
    return Finding(tuple(found), True, "", effort.variables, effort.clauses, effort.rounds, time.monotonic() - started)


def kept_programs(unit: Unit) -> list[Program]:
    """Return the programs that a unit's journal has."""
    return _journal(unit).read()[0]


def _journal(unit: Unit) -> Journal:
    return Journal(os.path.join(unit.journals, f"{unit.key}.jsonl"))


def _enough(unit: Unit, found: int) -> bool:
    return unit.most is not None and found >= unit.most


class Journal:
    """A file of what has been found, a line each with its checksum."""

    def __init__(self, path: str) -> None:
        self.path = path

    def read(self) -> tuple[list[Program], bool]:
        """Return the programs kept so far, and whether there are no more."""
        found: list[Program] = []
        for entry in self._entries():
            if entry.get("finished") is True:
                return found, True
            try:
                program = program_of(entry["program"])
            except (ValueError, KeyError, TypeError):
                continue
            if program not in found:
                found.append(program)
        return found, False

    def _entries(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return
        for line in lines:
            checksum, _, text = line.partition(" ")
            if text and checksum == _checksum(text):
                yield json.loads(text)

    def keep(self, entry: dict[str, Any]) -> None:
        """Append an entry."""
        text = json.dumps(entry)
        with open(self.path, "a", encoding="utf-8") as file:
            # A line that an earlier run left unfinished ends here, and counts for nothing.
            file.write(f"\n{_checksum(text)} {text}\n")


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
