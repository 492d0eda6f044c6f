"""Findings as text, for files.

What goes in: a finding, its key, and the limits under which it was made. What comes out: JSON with a checksum, and the
same finding back from it. Invariant: what reads back is what was written, or `MalformedEntry` is raised.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple
from typing import Any

from axmem.check.results import Column, Result, Work
from axmem.check.robustness import Neighbour
from axmem.encoder.limits import Limit, Reason
from axmem.encoder.solve import Limits, Row
from axmem.encoder.values import UNDEF, Value
from axmem.litmus.syntax import AddressSpace, Type
from axmem.run.suite import Finding


class MalformedEntry(Exception):
    """The text is not an entry under this key, whole and unchanged."""


def entry_text(key: str, finding: Finding, limits: Limits, megabytes: int | None) -> str:
    """Return a finding as text; `megabytes` is the memory limit of the worker that made it."""
    result = finding.result
    body = {
        "key": key,
        "test": result.test,
        "model": result.model,
        "variants": result.variants,
        "limits": {"seconds": limits.seconds, "outcomes": limits.outcomes, "megabytes": megabytes},
        "columns": [[c.name, *_type(c.type)] for c in result.columns],
        "locations": result.locations,
        "outcomes": [[[_cell(v) for v in lanes] for lanes in row] for row in result.outcomes],
        "verdict": result.verdict,
        "positive": result.positive,
        "negative": result.negative,
        "flags": result.flags,
        "undefined": result.undefined,
        "incomplete": [[reason.limit.name, reason.text] for reason in result.incomplete],
        "neighbours": None if finding.neighbours is None else [astuple(n) for n in finding.neighbours],
        "work": astuple(result.work),
    }
    return json.dumps({"sum": _sum(body), "answer": body}, ensure_ascii=False) + "\n"


def finding_of(content: bytes, key: str) -> tuple[Finding, Limits, int | None]:
    """Return a finding, and the limits of time, outcomes and memory under which it was made."""
    try:
        entry = json.loads(content)
        body = entry["answer"]
        if entry["sum"] != _sum(body) or body["key"] != key:
            raise MalformedEntry
        limits = body["limits"]
        around = body["neighbours"]
        found = None if around is None else tuple(Neighbour(*n) for n in around)
        return Finding(_result(body), found), Limits(limits["seconds"], limits["outcomes"]), limits["megabytes"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MalformedEntry from None


def _sum(body: object) -> str:
    """Return a digest of an entry's content, whatever its layout."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _result(body: Any) -> Result:
    return Result(
        test=body["test"],
        model=body["model"],
        variants=tuple((name, value) for name, value in body["variants"]),
        columns=tuple(Column(name, _read_type(*described)) for name, *described in body["columns"]),
        locations=tuple(body["locations"]),
        outcomes=tuple(_row(row) for row in body["outcomes"]),
        verdict=body["verdict"],
        positive=body["positive"],
        negative=body["negative"],
        flags=tuple(body["flags"]),
        undefined=tuple(body["undefined"]),
        incomplete=tuple(Reason(Limit[name], text) for name, text in body["incomplete"]),
        work=Work(*body["work"]),
    )


def _row(row: Any) -> Row:
    return tuple(tuple(_read_cell(v) for v in lanes) for lanes in row)


def _cell(value: Value) -> int | None:
    return None if value is UNDEF else value


def _read_cell(cell: int | None) -> Value:
    return UNDEF if cell is None else cell


def _type(type_: Type) -> tuple[int, int, str | None, bool]:
    return type_.bits, type_.lanes, None if type_.pointer is None else type_.pointer.name, type_.pair


def _read_type(bits: int, lanes: int, pointer: str | None, pair: bool) -> Type:
    return Type(bits, lanes, None if pointer is None else AddressSpace[pointer], pair)
