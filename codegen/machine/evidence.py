"""What documents say of the machine's switches: `evidence.toml`, read.

What goes in: a family of targets, a switch, a value. What comes out: the value's standing, and the sentence that speaks
for or against it. Invariant: every row names families, a switch and a value that there are, and none says something
twice; `MachineTableError` says where one does not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import TypeAlias

from axmem.codegen.machine.families import SWITCHES, MachineTableError
from axmem.codegen.tables import families
from axmem.front.records import dataclass

STANDINGS = DOCUMENTED, CONTRADICTED, OPEN = "documented", "contradicted", "open"
"""Standings of a switch's value: a sentence speaks for it, or for the other value, or there is none."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The value that a sentence speaks for, and the sentence with its source."""

    value: str
    sentence: str


def evidence_of(family: str, switch: str) -> Evidence | None:
    """Return what the documents say of a switch on a family of targets."""
    return _evidence().get((family, switch))


def standing(family: str, switch: str, value: str) -> str:
    """Return the standing of a switch's value on a family of targets."""
    found = evidence_of(family, switch)
    if found is None:
        return OPEN
    return DOCUMENTED if found.value == value else CONTRADICTED


Row: TypeAlias = tuple[str, str, str, str]
"""Families, a switch, the value that a sentence speaks for, the sentence."""


@cache
def rows() -> tuple[Row, ...]:
    """Return the table as it is written."""
    text = (resources.files("axmem.codegen") / "machine" / "evidence.toml").read_text(encoding="utf-8")
    return tuple((named, switch, value, sentence) for named, switch, value, sentence in tomllib.loads(text)["rows"])


@cache
def _evidence() -> Mapping[tuple[str, str], Evidence]:
    return evidence_in(rows())


def evidence_in(table: Iterable[Row]) -> Mapping[tuple[str, str], Evidence]:
    """Return what rows say, by family and switch. Raises MachineTableError."""
    values = {switch.name: switch.values for switch in SWITCHES}
    found: dict[tuple[str, str], Evidence] = {}
    for named, switch, value, sentence in table:
        if value not in values.get(switch, ()):
            raise MachineTableError(f"evidence.toml: no switch has '{switch}={value}'")
        for family in named.split():
            if family not in families() or (family, switch) in found:
                raise MachineTableError(f"evidence.toml: '{family}' is no family, or has {switch} twice")
            found[family, switch] = Evidence(value, sentence)
    return found
