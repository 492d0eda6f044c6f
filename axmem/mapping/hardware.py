"""What a machine program of a test may run on.

What goes in: placements of its waves, values of the switches, a limit of states. What comes out: the program laid out
in each placement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.codegen.machine.explore import LIMIT
from axmem.codegen.machine.layout import MachineLayout, layout
from axmem.codegen.machine.placements import WavePlacement
from axmem.codegen.machine.program import MachineProgram
from axmem.front.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a program may run on: the placements of its waves, the switches, how many states each placement may have."""

    placements: tuple[WavePlacement, ...]
    switches: Mapping[str, str]
    limit: int = LIMIT

    def switched(self, values: Mapping[str, str]) -> Hardware:
        """Return the same with other values of some switches."""
        return replace(self, switches={**self.switches, **values})

    def laid_out(self, program: MachineProgram) -> Iterator[MachineLayout]:
        """Yield a program laid out in each placement."""
        for placement in self.placements:
            yield layout(program, placement, self.switches)
