"""One piece of a search: the programs of one shape with outcomes that one model permits and the other does not match.

What goes in: a `SearchUnit`, plain data. What comes out: a `UnitFinding`, plain data too, so that any process can do
the work. Each program is kept in a stream of the unit's store as soon as it is found, and a unit that is run again
goes on from there. Invariant: a unit whose stream says that it is finished is not searched again.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict

from axmem.check.run.fingerprint import digest_of, model_digest, program_digest
from axmem.check.run.store import AnswerStore, AnswerStream
from axmem.check.selection import loaded, parse_choice
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Session
from axmem.front.records import dataclass
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.operations import BoundedProgram
from axmem.refinement.bounded.query import Unanswered
from axmem.refinement.bounded.records import bound_record, program_of, program_record
from axmem.refinement.bounded.skeleton import ThreadSizes
from axmem.refinement.contexts.families import ShapeSearch


@dataclass(frozen=True, slots=True)
class SearchUnit:
    """What to search: models as text, `permitting` the one whose outcomes are looked for; how many programs to find.

    `most` is None for all of them. `directory` keeps what is found; `until` is when (by `time.time`) to stop.
    """

    permitting: str
    refusing: str
    bound: Bound
    shape: ThreadSizes
    most: int | None
    directory: str
    until: float | None = None

    @property
    def key(self) -> str:
        """A digest of all that the answer depends on."""
        models = [model_digest(loaded(parse_choice(text))) for text in (self.permitting, self.refusing)]
        bound = {k: v for k, v in bound_record(self.bound).items() if k not in ("events", "threads")}
        program = program_digest("axmem.refinement.bounded", "axmem.refinement.contexts")
        return digest_of(json.dumps([*models, bound, self.shape, program]))


@dataclass(frozen=True, slots=True)
class UnitFinding:
    """What a unit found; `finished` if there is no more of what was asked, else `why` not. `seconds` of this run."""

    programs: tuple[BoundedProgram, ...]
    finished: bool
    why: str = ""
    variables: int = 0
    clauses: int = 0
    rounds: int = 0
    seconds: float = 0.0


def run_unit(unit: SearchUnit) -> UnitFinding:
    """Search a unit, or what the programs that are kept leave of it."""
    started = time.monotonic()
    stream = _stream(unit)
    found, finished = _known(stream)
    if finished or _enough(unit, len(found)):
        return UnitFinding(tuple(found), finished=True)
    if unit.until is not None and time.time() >= unit.until:
        return UnitFinding(tuple(found), finished=False, why=str(TIME_LIMIT))
    try:
        search = ShapeSearch(
            unit.bound,
            unit.shape,
            loaded(parse_choice(unit.permitting)),
            loaded(parse_choice(unit.refusing)),
            session=Session(),
            deadline=Deadline(None if unit.until is None else max(0.0, unit.until - time.time()), worked=False),
        )
        search.forget(found)
        for program in search.programs():
            found.append(program)
            stream.add({"program": program_record(program)})
            if _enough(unit, len(found)):
                break
        else:
            stream.add({"finished": True})
    except Unanswered as error:
        return UnitFinding(tuple(found), finished=False, why=str(error), seconds=time.monotonic() - started)
    return UnitFinding(tuple(found), finished=True, **asdict(search.effort), seconds=time.monotonic() - started)


def kept_programs(unit: SearchUnit) -> list[BoundedProgram]:
    """Return the programs that are kept of a unit."""
    return _known(_stream(unit))[0]


def store_of(directory: str) -> AnswerStore:
    """Return the store of a directory that keeps programs."""
    return AnswerStore(directory, refused="cannot write here")


def _stream(unit: SearchUnit) -> AnswerStream:
    return store_of(unit.directory).stream(unit.key)


def _enough(unit: SearchUnit, found: int) -> bool:
    return unit.most is not None and found >= unit.most


def _known(stream: AnswerStream) -> tuple[list[BoundedProgram], bool]:
    """Return the programs kept so far, and whether there are no more."""
    found: dict[BoundedProgram, None] = {}
    for entry in stream.answers():
        if entry.get("finished") is True:
            return list(found), True
        try:
            found[program_of(entry["program"])] = None
        except (ValueError, KeyError, TypeError):
            continue
    return list(found), False
