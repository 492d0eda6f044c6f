"""Findings that are kept from run to run.

What goes in: a claim and its bound. What comes out: what is found of it, now or in an earlier run. A finding is kept
under the digest of all that it depends on: the claim, its models, and the program; one that is unknown is not kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from axmem.check.run.fingerprint import digest_of, model_digest, program_digest
from axmem.check.run.store import AnswerStore
from axmem.front.output import writing_into
from axmem.refinement.bounded_check import UNKNOWN, Claim, Counterexample, Finding, model_of

WITHOUT = ("claims.py", "theorems.py", "mmra.py", "optimizations.py", "properties.py", "keeping.py")
"""Modules of which no finding depends: they say what is asked."""


def store_of(directory: str | None) -> AnswerStore | None:
    """Return the store of a directory, which is made if it is not there. Raises InputError."""
    if directory is None:
        return None
    with writing_into(directory):
        os.makedirs(directory, exist_ok=True)
    return AnswerStore(directory, refused="cannot write here").make()


def kept(store: AnswerStore | None, claim: Claim, events: int, find: Callable[[], Finding]) -> Finding:
    """Return what the store has of a claim; else what is found, which the store then keeps."""
    if store is None:
        return find()
    models = [model_digest(model_of(claim, side)) for side in ("before", "after")]
    key = digest_of("\n".join([program_digest("axmem.refinement", without=WITHOUT), repr(claim), str(events), *models]))
    found = store.recalled(key, finding_of)
    if found is None:
        found = find()
        if found.status != UNKNOWN:
            store.keep(key, asdict(found))
    return found


def finding_of(record: Any) -> Finding:
    """Return the finding of a record. Raises KeyError or TypeError if it is none."""
    shown = record["counterexample"]
    counterexample = Counterexample(**shown) if shown else None
    return Finding(**{**record, "counterexample": counterexample, "reasons": tuple(record["reasons"])})
