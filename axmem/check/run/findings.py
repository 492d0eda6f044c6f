"""Findings as plain data, for files, and back."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from axmem.check.judging import ModelFinding
from axmem.check.results import Column, Result, Work
from axmem.check.robustness import Neighbour
from axmem.encoder.limits import Limit, Reason
from axmem.litmus.syntax import AddressSpace, Type
from axmem.litmus.undef import UNDEF, Partial, Value

PLAIN = ("test", "model", "variants", "locations", "verdict", "positive", "negative", "flags", "undefined")
"""The fields of a result that are plain data already."""


def finding_record(finding: ModelFinding) -> dict[str, Any]:
    """Return a finding as plain data."""
    result = finding.result
    return {
        **{name: getattr(result, name) for name in PLAIN},
        "columns": [[c.name, *_type(c.type)] for c in result.columns],
        "outcomes": [[[*map(_value, lanes)] for lanes in row] for row in result.outcomes],
        "incomplete": [[reason.limit.name, reason.text] for reason in result.incomplete],
        "neighbours": None if finding.neighbours is None else [astuple(n) for n in finding.neighbours],
        "work": astuple(result.work),
    }


def finding_of(record: Any) -> ModelFinding:
    """Return the finding of a record. Raises ValueError, KeyError or TypeError if it is none."""
    plain = {name: _tuples(record[name]) for name in PLAIN}
    result = Result(
        **plain,
        columns=tuple(Column(name, _read_type(*described)) for name, *described in record["columns"]),
        outcomes=tuple(
            tuple(tuple(map(_read_value, lanes)) for lanes in row) for row in record["outcomes"]
        ),
        incomplete=tuple(Reason(Limit[name], text) for name, text in record["incomplete"]),
        work=Work(*record["work"]),
    )
    around = record["neighbours"]
    return ModelFinding(result, None if around is None else tuple(Neighbour(*n) for n in around))


def _value(value: Value) -> int | list[int] | None:
    return value if isinstance(value, int) else [value.bits, value.free] if isinstance(value, Partial) else None


def _read_value(value: int | list[int] | None) -> Value:
    return UNDEF if value is None else value if isinstance(value, int) else Partial(*value)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _type(type_: Type) -> tuple[int, int, str | None, bool]:
    return type_.bits, type_.lanes, None if type_.pointer is None else type_.pointer.name, type_.pair


def _read_type(bits: int, lanes: int, pointer: str | None, pair: bool) -> Type:
    return Type(bits, lanes, None if pointer is None else AddressSpace[pointer], pair)
