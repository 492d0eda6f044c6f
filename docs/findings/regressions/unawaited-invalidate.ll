; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_(load|store)|buffer_[a-z0-9_]+|s_waitcnt vmcnt\(0\))}}'
;
; CHECK:       global_load
; CHECK:       s_waitcnt vmcnt(0)
; CHECK:       buffer_invl2
; CHECK:       buffer_wbinvl1_vol
; CHECK:       s_waitcnt vmcnt(0)
; CHECK:       global_store
; CHECK:       global_store
;
; Wait of a release is dropped after `buffer_invl2` and `buffer_gl1_inv`, which are not counted.

@y = protected addrspace(1) global i32 0
@z = protected addrspace(1) global i32 0

define amdgpu_kernel void @relay(ptr addrspace(1) %out) {
  %seen = load atomic i32, ptr addrspace(1) @y acquire, align 4
  store atomic i32 1, ptr addrspace(1) @z syncscope("agent") release, align 4
  store i32 %seen, ptr addrspace(1) %out, align 4
  ret void
}
