"""What the outcomes of a test show.

By default the registers that receive what memory returns; besides, everything that the condition, the filter, an
`observe` line or an outcome set mentions. Order: threads as declared, registers as first loaded, then locations.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.events.graph import Observed
from axmem.events.values import ZERO, Expr
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.launch import LANE, WAVE, lanes_named, numbers_in
from axmem.litmus.launch import names as lane_names
from axmem.litmus.registers import register_types
from axmem.litmus.walk import observed

Lanes = tuple[Expr, ...]


def observed_values(
    test: ast.LitmusTest,
    registers: dict[tuple[str, str], Lanes],
    loaded: list[tuple[str, str]],
    final_value: Callable[[str, int, ast.Type], Lanes],
) -> tuple[Observed, ...]:
    """Return what outcomes show, as expressions; `final_value` reads a type at an offset of a location at the end."""
    types = register_types(test)
    mentioned = list(observed(test))
    names = dict.fromkeys(loaded)
    names.update(dict.fromkeys((o.thread, o.register) for o in mentioned if isinstance(o, ast.RegisterOf)))
    place, kernel_of = _order(test)
    shown = []
    for thread, register in sorted(names, key=lambda n: place[n[0]]):
        kernel = kernel_of.get(thread)
        type_ = types[thread if kernel is None else kernel.name, register]
        if kernel is not None and numbers_in(kernel, thread) == WAVE:
            members = lanes_named(kernel, thread)
            lanes = tuple(registers.get((member.name, register), (ZERO,))[0] for member in members)
            type_ = replace(type_, lanes=len(members))
        else:
            lanes = registers.get((thread, register), (ZERO,) * (2 if type_.pair else max(1, type_.lanes)))
        shown.append(Observed(ast.RegisterOf(thread, register), f"{thread}:{register}", type_, lanes))
    declared = {loc.name: loc for loc in test.locations}
    finals = dict.fromkeys((o.location, o.index) for o in mentioned if isinstance(o, ast.FinalValue))
    at = {name: i for i, name in enumerate(declared)}
    for location, index in sorted(finals, key=lambda f: (at[f[0]], -1 if f[1] is None else f[1])):
        whole = declared[location].type
        assert whole is not None
        name = location if index is None else f"{location}[{index}]"
        part = whole if index is None else whole.element
        lanes = final_value(location, (index or 0) * part.size, part)
        shown.append(Observed(ast.FinalValue(location, index), name, part, lanes))
    return tuple(shown)


def _order(test: ast.LitmusTest) -> tuple[dict[str, int], dict[str, ast.Kernel]]:
    """Return the place of everything that has registers, and the kernel of a kernel's names: itself, waves, lanes."""
    names = [thread.name for thread in test.threads]
    kernel_of: dict[str, ast.Kernel] = {}
    for kernel in test.kernels:
        own = dict.fromkeys(name for depth in (0, WAVE, LANE) for name in lane_names(kernel, depth))
        names += own
        kernel_of |= dict.fromkeys(own, kernel)
    return {name: number for number, name in enumerate(names)}, kernel_of
