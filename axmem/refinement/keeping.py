"""A directory in which findings are kept from run to run.

What goes in: a claim and its bound. What comes out: what was found of it before. Each finding is one file, named by the
digest of all that it depends on: the claim, its models, and the program. Invariant: a file is a whole finding or none;
one that is damaged counts as absent, and what is unknown is not kept.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict

from axmem.front.inputs import about_file
from axmem.front.output import write_whole
from axmem.front.source import InputError
from axmem.refinement.contexts import UNKNOWN, Claim, Counterexample, Finding, model_of
from axmem.run.fingerprint import digest_of, model_digest, program_digest

ROOMS = ("axmem.families", "axmem.refinement")
"""The rooms of this work besides those of every answer."""
WITHOUT = ("theorems.py", "properties.py", "tables.py", "bounded.py", "report.py", "keeping.py")
"""Modules of which no finding depends: they say what is asked and how the answers are shown."""


class Keeping:
    """The findings of a directory, which is made if it is not there; without a path nothing is kept."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        if path is not None:
            try:
                os.makedirs(path, exist_ok=True)
            except OSError as error:
                raise InputError([about_file(path, f"cannot write here: {error.strerror or error}")]) from None

    def recalled(self, claim: Claim, events: int) -> Finding | None:
        """Return the finding of a claim if it is known."""
        if self.path is None:
            return None
        try:
            with open(self._file(claim, events), encoding="utf-8") as stream:
                record = json.load(stream)
            shown = record.pop("counterexample")
            record["reasons"] = tuple(record["reasons"])
            return Finding(counterexample=Counterexample(**shown) if shown else None, **record)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def keep(self, claim: Claim, events: int, found: Finding) -> None:
        """Keep the finding of a claim."""
        if self.path is not None and found.status != UNKNOWN:
            write_whole(self._file(claim, events), json.dumps(asdict(found), indent=1) + "\n")

    def _file(self, claim: Claim, events: int) -> str:
        assert self.path is not None
        models = [model_digest(model_of(claim, side)) for side in ("before", "after")]
        name = digest_of("\n".join([program_digest(*ROOMS, without=WITHOUT), repr(claim), str(events), *models]))
        return os.path.join(self.path, f"{name}.json")
