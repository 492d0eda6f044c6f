; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1250 -amdgpu-atomic-optimizer-strategy=None < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_atomic|global_store|s_wait_xcnt)}}'
;
; CHECK:       global_store_b32 v0, v1, s[0:1]{{$}}
; CHECK:       s_wait_xcnt 0x0{{$}}
; CHECK:       global_atomic_add_u32 v1, v0, v2, s[2:3] th:TH_ATOMIC_RETURN scope:SCOPE_DEV{{$}}
; CHECK:       global_store_b32 v0, v1, s[0:1]{{$}}
;
; `s_wait_xcnt` before a read-modify-write is dropped if its result overwrites a register in use.

@x = protected addrspace(1) global i32 0
@y = protected addrspace(1) global i32 0

define amdgpu_kernel void @alone(ptr addrspace(1) %out) {
  store i32 3, ptr addrspace(1) @x, align 4
  %old = atomicrmw add ptr addrspace(1) @y, i32 1 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0
  store i32 %old, ptr addrspace(1) %out, align 4
  ret void
}

!0 = !{}
