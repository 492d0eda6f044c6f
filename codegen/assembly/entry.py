"""What a wave begins with: its registers, its arguments, and the packet of its launch, as directives of the file say.

What goes in: a listing, and what a wave executes. What comes out: the values of registers at the start, by the initial
execution state of kernels in [AMDGPUUsage]; and numbers that stand in the segment of arguments behind those that the
caller gives, or in the packet. Invariant: what nothing says is not there, and whoever reads it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.codegen.assembly.check import Executed
from axmem.codegen.assembly.registers import Registers
from axmem.codegen.assembly.text import AssemblyListing
from axmem.codegen.assembly.values import ARGUMENTS, PACKET, joined, sliced
from axmem.codegen.tables import TargetFamily
from axmem.events.values import Constant, Expr
from axmem.litmus.kernels import Launch

_USER = (("private_segment_buffer", 4), ("dispatch_ptr", 2), ("queue_ptr", 2), ("kernarg_segment_ptr", 2),
         ("dispatch_id", 2), ("flat_scratch_init", 2), ("private_segment_size", 1))  # fmt: skip
"""The scalar registers that a kernel may ask for, in their order, and how many each is."""
_POINTERS = {"dispatch_ptr": PACKET, "kernarg_segment_ptr": ARGUMENTS}
_GROUPS = ("x", "y", "z")


def stated(listing: AssemblyListing, kernel: str, directive: str) -> int | None:
    """Return the number that a directive of a kernel says, None if there is none."""
    value, _ = listing.facts.get((kernel, f".amdhsa_{directive}"), ("", None))
    return int(value, 0) if value[:1].isdecimal() else None


def says_arguments(listing: AssemblyListing, kernel: str) -> bool:
    """Say whether the file says where a kernel finds its arguments."""
    return stated(listing, kernel, "user_sgpr_kernarg_segment_ptr") is not None


def registers_of(listing: AssemblyListing, executed: Executed, family: TargetFamily) -> dict[str, Expr]:
    """Return the scalar registers that a wave begins with, as far as directives of the file say."""
    kernel = executed.kernel.name
    found: dict[str, Expr] = {}
    place = 0
    for name, count in _USER:
        if stated(listing, kernel, f"user_sgpr_{name}"):
            if name in _POINTERS:
                address = _POINTERS[name]
                found |= {f"s{place}": Constant(address & 0xFFFFFFFF), f"s{place + 1}": Constant(address >> 32)}
            place += count
    if executed.ids:
        found |= {place: Constant(value) for place, value in _workgroup(listing, executed, family)}
    return found


def _workgroup(listing: AssemblyListing, executed: Executed, family: TargetFamily) -> Iterator[tuple[str, int]]:
    """Yield the registers of the numbers of the workgroup: the family's own, or those behind the user's."""
    kernel = executed.kernel.name
    users = stated(listing, kernel, "user_sgpr_count")
    for axis in _GROUPS:
        if not stated(listing, kernel, f"system_sgpr_workgroup_id_{axis}"):
            continue
        number = executed.ids[0]["workgroup.id"] if axis == "x" else 0
        if family.workgroup and axis == "x":
            yield family.workgroup, number
        elif not family.workgroup and users is not None:
            yield f"s{users}", number
            users += 1


def hidden_argument(kind: str, launch: Launch | None) -> int | None:
    """Return an argument that the launch gives, by its kind, None if it is not known."""
    what, _, axis = kind.removeprefix("hidden_").rpartition("_")
    if kind == "hidden_grid_dims":
        return 1
    if launch is None or axis not in _GROUPS:
        return None
    sizes = {"block_count": launch.workgroups, "group_size": launch.wavefronts * launch.lanes}
    if what in ("remainder", "global_offset"):
        return 0
    return None if what not in sizes else sizes[what] if axis == "x" else 1


def in_packet(launch: Launch | None) -> dict[int, tuple[int, int]]:
    """Return what the packet of a launch has, by the byte: how many bytes, and the number."""
    if launch is None:
        return {}
    items = launch.wavefronts * launch.lanes
    sizes = {4: (2, items), 6: (2, 1), 8: (2, 1), 12: (4, items * launch.workgroups), 16: (4, 1), 20: (4, 1)}
    return {2: (2, 1), **sizes}


def written_bytes(
    offset: int,
    size: int,
    known: Mapping[int, tuple[int, int]],
    names: Mapping[int, tuple[int, str]],
    where: str,
    registers: Registers,
) -> Expr:
    """Return bytes of memory that the launch wrote, of which numbers and names are given by where they begin, each with
    how many bytes it has; what is not known has the name that it has there."""
    parts: list[Expr] = []
    sizes: list[int] = []
    at = offset
    while at < offset + size:
        start, (length, value) = next(((s, k) for s, k in known.items() if s <= at < s + k[0]), (at, (0, 0)))
        if length:
            count = min(start + length, offset + size) - at
            parts.append(Constant(value >> 8 * (at - start) & (1 << 8 * count) - 1))
        else:
            count = min(at // 4 * 4 + 4, offset + size, *(s for s in known if s > at)) - at
            name = next((name for s, (length, name) in names.items() if s <= at < s + length and name), "")
            entry = registers.entry(f"the argument '{name}'" if name else f"byte {at} of {where}")
            parts.append(sliced(entry, 0, 8 * count, registers.widths))
        sizes.append(8 * count)
        at += count
    return joined(tuple(parts), tuple(sizes), registers.widths)
