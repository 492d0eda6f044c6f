; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1200 < %s | FileCheck %s --implicit-check-not='{{(s_load_b32|s_wait_kmcnt|global_atomic_add_u32)}}'
;
; CHECK:       s_load_b32
; CHECK:       s_wait_kmcnt
; CHECK:       global_atomic_add_u32
;
; Release does not wait for a scalar load that is on its way.

@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @reader(ptr addrspace(1) %out) {
  %old = load i32, ptr addrspace(1) @x, align 4
  %previous = atomicrmw add ptr addrspace(1) @f, i32 1 syncscope("agent") release, align 4
  store i32 %old, ptr addrspace(1) %out, align 4
  ret void
}
