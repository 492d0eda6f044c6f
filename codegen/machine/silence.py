"""Updates that write what they have read, and whether they change anything.

What goes in: a layout, and executions that others stand for if such updates change nothing. What comes out: whether
some may. One at the root, or in LDS, leaves what everybody sees as it was, and on its way it does nothing that caches
may not do by themselves. In a cache below the root it makes a line dirty, which may replace newer values there. One
that may be issued again, or for which a later store may be, does more than once what it did. Invariant: what is not
known to change nothing may change something.
"""

from __future__ import annotations

from axmem.codegen.machine.layout import LayoutOperation, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.program import Unfollowed


def counts(layout: MachineLayout, facts: LayoutAnalysis, left_out: Unfollowed) -> bool:
    """Say whether no others stand for executions that are left out."""
    row = layout.ops[left_out.stream]
    updates = [op for op in row if op.instruction.number in left_out.updates]
    return not left_out.updates or any(_changes(layout, facts, op) for op in updates)


def _changes(layout: MachineLayout, facts: LayoutAnalysis, op: LayoutOperation) -> bool:
    """Say whether an update that writes what it has read may change something."""
    groups = [f.group for f in op.footprints if not facts.lds[f.group]]
    if any(_ends_at(layout, facts, op, group) for group in groups):
        return True
    own = ((1 << facts.groups) - 1) << (op.number * facts.groups)
    masks = facts.replays[op.stream]
    return bool(masks[op.number]) or any(mask & own for mask in masks)


def _ends_at(layout: MachineLayout, facts: LayoutAnalysis, op: LayoutOperation, group: int) -> bool:
    """Say whether an update is done in a cache below the root."""
    below = facts.path(op)[:-1]
    return any(
        layout.nodes[n].back and layout.nodes[n].level >= op.scope and not facts.passes[n * facts.groups + group]
        for n in below
    )
