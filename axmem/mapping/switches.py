"""On which assumptions about the hardware a verdict rests.

What goes in: a program, the hardware that it was judged on, its verdict, and what judges it on other hardware. What
comes out: the switches each of which alone makes the verdict another one with its other value; for an unsound one the
smallest sets of the others that do so together, and whether it stands on what is documented. Invariant: every set was
tried; one that is not found, as a search was cut or the set is larger than `LARGEST`, is one less said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from axmem.codegen.machine.evidence import DOCUMENTED, OPEN, standing
from axmem.codegen.machine.families import SWITCHES, HardwareSwitch, machine_of
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.placements import WavePlacement
from axmem.codegen.machine.program import Access, Invalidate, MachineProgram, Writeback
from axmem.front.records import dataclass
from axmem.mapping.hardware import Hardware

Setting: TypeAlias = tuple[str, str]
"""A switch and a value."""
Settings: TypeAlias = tuple[Setting, ...]
Judge: TypeAlias = Callable[[Mapping[str, str]], str]
"""What judges a program with other values of some switches; `unknown` where the search was cut."""
LARGEST = 3
"""Of how many switches a set has at most."""
ABOUT_LINES = frozenset({"l0_write", "gl1_write", "bypass", "inv_inflight"})
"""Switches that say nothing of a program none of whose accesses may hit in a cache below the root."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a verdict rests on.

    `alone` are the switches, with their values, with whose other value the verdict is another one, `together` the
    smallest sets of further ones that make it one if all of a set take their other values. `standing` is that of an
    unsound verdict: `documented` if it stays where every switch whose value no document backs has its strongest one,
    else `open`; of other verdicts it is empty.
    """

    alone: Settings = ()
    together: tuple[Settings, ...] = ()
    standing: str = ""

    @property
    def settings(self) -> Settings:
        """Every setting that is named."""
        return tuple(dict.fromkeys([*self.alone, *(setting for some in self.together for setting in some)]))


def grounds(program: MachineProgram, hardware: Hardware, verdict: str, judged: Judge) -> Grounds:
    """Return what a sound or unsound verdict rests on."""
    changes = dict(neighbours(program, hardware, verdict))
    now = hardware.switches

    def changed(names: Iterable[str]) -> str:
        return judged({name: changes[name] for name in names})

    def turned(names: Iterable[str]) -> bool:
        return changed(names) not in (verdict, "unknown")

    def settings(names: Iterable[str]) -> Settings:
        return tuple((name, now[name]) for name in names)

    if verdict != "unsound":
        return Grounds(settings(_turning(tuple(changes), changed, verdict)))
    alone = tuple(name for name in changes if turned((name,)))
    together = list(_sets([name for name in changes if name not in alone], turned))
    free = [name for name in changes if standing(program.family, name, now[name]) != DOCUMENTED]
    then = judged({name: changes[name] for name in free}) if free else verdict
    if then != "sound":
        return Grounds(settings(alone), tuple(map(settings, together)), DOCUMENTED if then == verdict else "")
    if not any(set(some) <= set(free) for some in [*((name,) for name in alone), *together]):
        together.append(_least(free, turned))
    return Grounds(settings(alone), tuple(map(settings, together)), OPEN)


def _turning(names: tuple[str, ...], judged: Callable[[Iterable[str]], str], verdict: str) -> Iterator[str]:
    """Yield the switches that turn a verdict alone.

    A machine with several weaker values has every outcome of one with one of them, so that where a sound verdict stays
    when all of some take their other values, it does for each.
    """
    if not names:
        return
    found = judged(names)
    if found == verdict:
        return
    if len(names) > 1:
        middle = len(names) // 2
        yield from _turning(names[:middle], judged, verdict)
        yield from _turning(names[middle:], judged, verdict)
    elif found != "unknown":
        yield names[0]


def felt(facts: LayoutAnalysis, names: Iterable[str]) -> bool:
    """Tell whether other values of some switches may give a layout another outcome."""
    unfelt = {"bypass": not facts.may_bypass, "inv_inflight": not facts.may_land}
    return any(not unfelt.get(name) and (facts.may_hit or name not in ABOUT_LINES) for name in names)


def feeling(program: MachineProgram, hardware: Hardware, names: Iterable[str]) -> Iterator[WavePlacement]:
    """Yield the placements in which other values of some switches may give a program another outcome."""
    for laid in hardware.laid_out(program):
        if felt(LayoutAnalysis(laid), names):
            yield laid.placement


def _sets(names: Sequence[str], turned: Callable[[Iterable[str]], bool]) -> Iterator[tuple[str, ...]]:
    """Yield the smallest sets, of two to `LARGEST` switches none of which turns a verdict alone, that do so together.

    The more of them take their other values the likelier, so that where all of them leave the verdict, every set does.
    """
    if len(names) < 2 or not turned(names):
        return
    found: list[set[str]] = []
    for size in range(2, LARGEST + 1):
        for some in combinations(names, size):
            if not any(smaller <= set(some) for smaller in found) and turned(some):
                found.append(set(some))
                yield some


def _least(names: Sequence[str], turned: Callable[[Iterable[str]], bool]) -> tuple[str, ...]:
    """Return a smallest subset of switches that turn a verdict together, one of several there may be."""
    kept = list(names)
    for name in names:
        fewer = [other for other in kept if other != name]
        if fewer and turned(fewer):
            kept = fewer
    return tuple(kept)


def neighbours(program: MachineProgram, hardware: Hardware, verdict: str) -> Iterator[Setting]:
    """Yield the switches on which a verdict may rest, each with its other value.

    A weaker machine has every outcome of a stronger one, so a sound verdict can only rest on strong values and
    the opposite on weak ones.
    """
    facts = [LayoutAnalysis(laid) for laid in hardware.laid_out(program)]
    for switch in SWITCHES:
        weak, strong = switch.values
        now = hardware.switches[switch.name]
        if not any(felt(of, (switch.name,)) for of in facts):
            continue
        if now != (weak if verdict == "sound" else strong) and speaks(switch, program, hardware.placements):
            yield switch.name, strong if now == weak else weak


def speaks(switch: HardwareSwitch, program: MachineProgram, where: Sequence[WavePlacement]) -> bool:
    """Tell whether a switch says something of a program at all."""
    machine = machine_of(program.family)
    operations = [i.operation for s in program.streams for i in s.instructions]
    if switch.name == "gl1_write":
        return any(node.name == "GL1" for node in machine.nodes)
    if switch.name.startswith("inv_"):
        return any(isinstance(o, Invalidate) for o in operations)
    if switch.name == "wb_traverses":
        return any(isinstance(o, Writeback) for o in operations)
    if switch.name == "xnack_replay":
        return "xcnt" in machine.counters
    if switch.name == "memory":
        return len({w.agent for w in program.waves}) > 1 or any(p.l2 == "several" for p in where)
    return any(isinstance(o, Access) for o in operations)
