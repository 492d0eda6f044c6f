"""Twenty kernels that hang if two lanes, waves or workgroups of them run, as modules of LLVM IR.

Each is a body, with a model of progress under which an execution of it need not end; derived by hand.
"""

from __future__ import annotations

from typing import NamedTuple


class HangingKernel(NamedTuple):
    """A kernel's body, and a model of progress under which it hangs."""

    body: str
    model: str
    parameters: str = "ptr addrspace(1) %lock, ptr addrspace(1) %count"


_ADD = """
  %c = load i32, ptr addrspace(1) %count
  %c1 = add i32 %c, 1
  store i32 %c1, ptr addrspace(1) %count
"""
_UNLOCK = """
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  ret void
"""
_TID = "  %t = call i32 @llvm.amdgcn.workitem.id.x()\n"
_GROUP = "  %g = call i32 @llvm.amdgcn.workgroup.id.x()\n"
_NUMBER = f"""{_TID}{_GROUP}
  %g2 = shl i32 %g, 1
  %n = add i32 %g2, %t
"""


def _waiting(place: str, until: str, then: str = "  ret void\n", scope: str = "agent") -> str:
    """Return a loop that reads a place until something holds of `%w`, and what follows."""
    return f"""  br label %wait
wait:
  %w = load atomic i32, ptr addrspace(1) {place} syncscope("{scope}") acquire, align 4
  %go = {until}
  br i1 %go, label %on, label %wait
on:
{then}"""


def _parted(condition: str, one: str, other: str) -> str:
    return f"  %is = {condition}\n  br i1 %is, label %one, label %other\none:\n{one}other:\n{other}"


def _store(value: str, place: str) -> str:
    return f'  store atomic i32 {value}, ptr addrspace(1) {place} syncscope("agent") release, align 4\n'


_END = "  ret void\n"
_SET = "icmp ne i32 %w, 0"
_TAKEN = f"""  br label %spin
spin:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 syncscope("agent") acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %in, label %spin
in:{_ADD}"""

HANGING = {
    "spin lock": HangingKernel(
        f"""  br label %spin
spin:
  %p = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic
  %ok = extractvalue {{ i32, i1 }} %p, 1
  br i1 %ok, label %in, label %spin
in:{_ADD}{_UNLOCK}""", "wave"),
    "exchange lock": HangingKernel(_TAKEN + _UNLOCK, "wave"),
    "lock that is never released": HangingKernel(_TAKEN + "  ret void\n", "fair"),
    "lock of workgroups": HangingKernel(_TAKEN + _UNLOCK, "hsa"),
    "test and test and set": HangingKernel(
        f"""  br label %look
look:
  %seen = load atomic i32, ptr addrspace(1) %lock syncscope("agent") monotonic, align 4
  %held = icmp ne i32 %seen, 0
  br i1 %held, label %look, label %try
try:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 syncscope("agent") acquire
  %lost = icmp ne i32 %old, 0
  br i1 %lost, label %look, label %in
in:{_ADD}{_UNLOCK}""", "wave"),
    "ticket lock": HangingKernel(
        """  %mine = atomicrmw add ptr addrspace(1) %next, i32 1 syncscope("agent") monotonic
"""
        + _waiting("%lock", "icmp eq i32 %w, %mine", f"{_ADD}  %s = add i32 %w, 1\n{_store('%s', '%lock')}{_END}"),
        "wave", "ptr addrspace(1) %lock, ptr addrspace(1) %count, ptr addrspace(1) %next"),
    "flag of the next lane": HangingKernel(
        _TID + _parted("icmp eq i32 %t, 0", _waiting("%lock", _SET), _store("1", "%lock") + "  ret void\n"), "wave"),
    "flag of the second workgroup": HangingKernel(
        _GROUP + _parted("icmp eq i32 %g, 0", _waiting("%lock", _SET), _store("1", "%lock") + "  ret void\n"), "obe"),
    "flag of the first workgroup": HangingKernel(
        _GROUP + _parted("icmp eq i32 %g, 1", _waiting("%lock", _SET), _store("1", "%lock") + "  ret void\n"), "obe"),
    "flag that nobody sets": HangingKernel(_waiting("%lock", _SET, _store("1", "%lock") + "  ret void\n"), "fair"),
    "barrier of workgroups": HangingKernel(
        '  %a = atomicrmw add ptr addrspace(1) %lock, i32 1 syncscope("agent") acq_rel\n'
        + _waiting("%lock", "icmp uge i32 %w, 4"), "obe"),
    "barrier for more lanes than there are": HangingKernel(
        '  %a = atomicrmw add ptr addrspace(1) %lock, i32 1 syncscope("agent") acq_rel\n'
        + _waiting("%lock", "icmp uge i32 %w, 64"), "fair"),
    "chain published behind the loop": HangingKernel(
        _NUMBER
        + _waiting("%lock", "icmp uge i32 %w, %n", f"  %s = add i32 %n, 1\n{_store('%s', '%lock')}  ret void\n"),
        "wave"),
    "chain from the wrong end": HangingKernel(
        _NUMBER
        + _waiting("%lock", "icmp ugt i32 %w, %n", f"  %s = add i32 %n, 1\n{_store('%s', '%lock')}  ret void\n"),
        "fair"),
    "two locks in two orders": HangingKernel(
        """  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %is = icmp eq i32 %t, 0
  %p = select i1 %is, ptr addrspace(1) %lock, ptr addrspace(1) %count
  %q = select i1 %is, ptr addrspace(1) %count, ptr addrspace(1) %lock
  br label %first
first:
  %a = atomicrmw xchg ptr addrspace(1) %p, i32 1 syncscope("agent") acquire
  %a0 = icmp eq i32 %a, 0
  br i1 %a0, label %second, label %first
second:
  %b = atomicrmw xchg ptr addrspace(1) %q, i32 1 syncscope("agent") acquire
  %b0 = icmp eq i32 %b, 0
  br i1 %b0, label %in, label %second
in:
  store atomic i32 0, ptr addrspace(1) %q syncscope("agent") release, align 4
  store atomic i32 0, ptr addrspace(1) %p syncscope("agent") release, align 4
  ret void
""", "fair"),
    "barrier in one lane": HangingKernel(
        _TID + _parted("icmp eq i32 %t, 0", "  call void @llvm.amdgcn.s.barrier()\n  ret void\n", "  ret void\n"),
        "fair"),
    "barrier in one wave": HangingKernel(
        _TID + _parted("icmp ult i32 %t, 2", "  call void @llvm.amdgcn.s.barrier()\n  ret void\n", "  ret void\n"),
        "fair"),
    "flag set behind the barrier": HangingKernel(
        _TID + _parted(
            "icmp ult i32 %t, 2",
            _waiting("%lock", _SET, "  br label %meet\n"), "  br label %meet\n")
        + "meet:\n  call void @llvm.amdgcn.s.barrier()\n" + _store("1", "%lock") + "  ret void\n",
        "fair"),
    "flag by a plain load": HangingKernel(
        _TID + _parted(
            "icmp eq i32 %t, 0",
            _waiting("%lock", _SET).replace("atomic ", "").replace(' syncscope("agent") acquire', ""),
            _store("1", "%lock") + "  ret void\n"),
        "fair"),
    "flag by a load of the workgroup's scope": HangingKernel(
        _GROUP + _parted(
            "icmp eq i32 %g, 0", _waiting("%lock", _SET, scope="workgroup"), _store("1", "%lock") + "  ret void\n"),
        "fair"),
}  # fmt: skip


def module(kernel: HangingKernel) -> str:
    """Return a kernel as a module."""
    return f"""define amdgpu_kernel void @k({kernel.parameters}) {{
{kernel.body}}}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
"""
