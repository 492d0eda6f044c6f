"""What the machine has, by family: `families.toml`, read.

What goes in: the name of a family of targets. What comes out: its `Machine`: nodes with levels, what bits, invalidates,
writebacks and counters mean, and the switches. Invariant: every word of the table is known; `MachineTableError` says
where one is not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from axmem.codegen.tables import families as lowered_families
from axmem.front.records import dataclass, replace

UNITS = ("agent", "l2", "array", "cu")
"""What nodes may be one for each of, the outermost first."""
COUNTED = frozenset({"load", "store", "atomic", "fetch", "writeback", "invalidate", "lds", "scalar", "flat",
                     "gds", "sample", "bvh", "async", "tensor", "message", "export", "parameter"})  # fmt: skip


class MachineTableError(ValueError):
    """An entry of `families.toml` is wrong."""


@dataclass(frozen=True, slots=True)
class HardwareSwitch:
    """An assumption about the hardware, which docs/verify.md describes: its values, the weakest first; the default."""

    name: str
    values: tuple[str, str]
    default: str


SWITCHES = (
    HardwareSwitch("cu_order", ("off", "on"), "on"),
    HardwareSwitch("single_channel", ("off", "on"), "off"),
    HardwareSwitch("l0_write", ("update", "drop"), "update"),
    HardwareSwitch("gl1_write", ("update", "drop"), "update"),
    HardwareSwitch("bypass", ("keep", "evict"), "evict"),
    HardwareSwitch("inv_async", ("on", "off"), "on"),
    HardwareSwitch("inv_counted", ("off", "on"), "on"),
    HardwareSwitch("inv_inflight", ("lands", "drops"), "drops"),
    HardwareSwitch("wb_traverses", ("off", "on"), "on"),
    HardwareSwitch("memory", ("nc", "fine"), "nc"),
    HardwareSwitch("xnack_replay", ("on", "off"), "off"),
)


@dataclass(frozen=True, slots=True)
class NodeKind:
    """A kind of node: one for each `unit`; `back` if it keeps dirty data; its level, and others by mode or l2."""

    name: str
    unit: str
    back: bool
    level: int
    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Machine:
    """What a family's table says. `scopes` maps load, store, rmw and sorted bits to a scope.

    `units` are what placements spread waves over within an agent, the outermost first; `counters` gives for each
    counter what it counts. With `clusters`, workgroups of a cluster share all but their CUs. `ordered`, `rewritten` and
    `locks` are about registers (`codegen/assembly/scoreboard.py`): what each counter sees complete in order, whether
    vector loads write theirs in order, and whose source registers are locked until a counter says that they were read.
    """

    name: str
    nodes: tuple[NodeKind, ...]
    scalar: str
    units: tuple[str, ...]
    clusters: bool
    hints: frozenset[str]
    result: str
    scopes: Mapping[str, Mapping[tuple[str, ...], int]]
    invalidates: Mapping[str, tuple[int, int]]
    writebacks: Mapping[str, int]
    counters: Mapping[str, frozenset[str]]
    ordered: Mapping[str, frozenset[str]]
    rewritten: bool
    locks: Mapping[str, frozenset[str]]
    defaults: Mapping[str, str]

    def scope(self, action: str, bits: tuple[str, ...]) -> int | None:
        """Return the scope that the bits of a load, store or rmw spell, or None if the table does not have them."""
        away = self.hints | ({self.result} if action == "rmw" else frozenset())
        return self.scopes[action].get(tuple(sorted(set(bits) - away)))

    def counting(self, kind: str, *, flat: bool = False) -> tuple[str, ...]:
        """Return the counters that count a kind of operation (a word of `COUNTED`), and a flat one besides."""
        return tuple(c for c, kinds in self.counters.items() if kind in kinds or (flat and "flat" in kinds))


@cache
def machines() -> Mapping[str, Machine]:
    """Read every machine, by the name of the family of targets."""
    text = (resources.files("axmem.codegen") / "machine" / "families.toml").read_text(encoding="utf-8")
    found = {}
    for name, entry in tomllib.loads(text).items():
        machine = _machine(name, entry)
        for family in entry["families"]:
            locks = entry.get("locks", {}).get(family, {})
            found[family] = replace(machine, locks={counter: _kinds(kinds) for counter, kinds in locks.items()})
            _check(found[family], entry["switches"])
    if set(found) != set(lowered_families()):
        raise MachineTableError(f"families.toml: families are {sorted(found)}, not those of the lowering")
    return found


def machine_of(family: str) -> Machine:
    """Return the machine of a family of targets."""
    return machines()[family]


def _machine(name: str, entry: dict[str, Any]) -> Machine:
    scopes = {
        action: {tuple(sorted(bits.split())): level for bits, level in entry["scopes"][action].items()}
        for action in ("load", "store", "rmw")
    }
    nodes = tuple(NodeKind(n[0], n[1], n[2] == "back", n[3], n[4] if len(n) > 4 else {}) for n in entry["nodes"])
    return Machine(
        name=name,
        nodes=nodes,
        scalar=str(entry["scalar"]),
        units=tuple(map(str, entry["units"])),
        clusters=bool(entry.get("clusters", False)),
        hints=frozenset(map(str, entry["hints"])),
        result=str(entry["result"]),
        scopes=scopes,
        invalidates={text: (levels[0], levels[1]) for text, levels in entry["invalidates"].items()},
        writebacks=dict(entry["writebacks"]),
        counters={counter: _kinds(kinds) for counter, kinds in entry["counters"].items()},
        ordered={counter: _kinds(kinds) for counter, kinds in entry["ordered"].items()},
        rewritten=bool(entry["rewritten"]),
        locks={},
        defaults={switch.name: str(entry["switches"].get(switch.name, switch.default)) for switch in SWITCHES},
    )


def _kinds(words: object) -> frozenset[str]:
    return frozenset(str(words).split())


def _check(machine: Machine, switches: Mapping[str, object]) -> None:
    known = {switch.name: switch.values for switch in SWITCHES}
    wrong = [
        *(f"unit '{n.unit}'" for n in machine.nodes if n.unit not in UNITS),
        *(f"unit '{unit}'" for unit in machine.units if unit not in UNITS),
        *(f"node '{machine.scalar}'" for _ in "1" if machine.scalar not in {n.name for n in machine.nodes}),
        *(
            f"counted '{word}'"
            for table in (machine.counters, machine.ordered, machine.locks)
            for kinds in table.values()
            for word in kinds - COUNTED
        ),
        *(f"switch '{name}'" for name, value in switches.items() if value not in known.get(name, ())),
    ]
    if wrong:
        raise MachineTableError(f"families.toml: {machine.name}: unknown {wrong[0]}")
