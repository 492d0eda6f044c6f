"""Which threads of a test are one kernel: those of one workgroup, a wave each, as one writes them for a GPU.

What goes in: a test. What comes out: its `KernelLaunch`es. What LLVM does with a barrier depends on what it knows of
the workgroup, so that threads that meet at one are to be of one kernel, which branches on the wave's number. Threads
of one wave would be lanes, and an alloca of one thread's would be all threads': these stay kernels of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.ir_slots import StoredSlot, slots
from axmem.front.records import dataclass
from axmem.litmus.syntax import AddressOf, AddressSpace, LitmusTest, Thread
from axmem.litmus.walk import expressions, parts, statements
from axmem.litmus.words import Scope

ALIGNED = 16
"""What a thread of several stores begins at a byte that this divides."""


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """A kernel of a test: its name, its threads in the order of their waves, and what each stores."""

    name: str
    threads: tuple[Thread, ...]
    results: tuple[tuple[StoredSlot, ...], ...]


def launches(test: LitmusTest) -> tuple[KernelLaunch, ...]:
    """Return the kernels of a test in which threads of one workgroup are one, in the order of their first threads."""
    groups: dict[object, list[Thread]] = {}
    for thread in test.threads:
        groups.setdefault(thread.placement.instance(Scope.WORKGROUP), []).append(thread)
    found: list[KernelLaunch] = []
    for thread in test.threads:
        group = groups[thread.placement.instance(Scope.WORKGROUP)]
        if len(group) == 1 or not _may_be_one(test, group):
            found.append(alone(test, thread))
        elif thread is group[0]:
            found.append(
                KernelLaunch(".".join(each.name for each in group), tuple(group), tuple(_results(test, group)))
            )
    return tuple(found)


def alone(test: LitmusTest, thread: Thread) -> KernelLaunch:
    """Return a thread as a kernel of its own."""
    named = thread.name in {location.name for location in test.locations}
    return KernelLaunch(f"{thread.name}.kernel" if named else thread.name, (thread,), (slots(test, thread),))


def private_locations(test: LitmusTest, thread: Thread) -> Iterator[str]:
    """Yield the private locations that a thread names."""
    private = {location.name for location in test.locations if location.space is AddressSpace.PRIVATE}
    for statement in statements(thread.body):
        for expr in expressions(statement):
            yield from (p.location for p in parts(expr) if isinstance(p, AddressOf) and p.location in private)


def _may_be_one(test: LitmusTest, group: list[Thread]) -> bool:
    waves = {thread.placement.instance(Scope.WAVEFRONT) for thread in group}
    return len(waves) == len(group) and not any(any(private_locations(test, thread)) for thread in group)


def _results(test: LitmusTest, group: list[Thread]) -> Iterator[tuple[StoredSlot, ...]]:
    """Yield what each thread stores: in one buffer, one behind the other."""
    start = 0
    for thread in group:
        found = slots(test, thread, start)
        yield found
        start = max((-(-(slot.offset + slot.stored.size) // ALIGNED) * ALIGNED for slot in found), default=start)
