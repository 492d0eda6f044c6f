; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1250 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_store|global_wb|s_wait_[sx][[:alnum:]_]+)}}'
;
; CHECK:       global_store
; CHECK:       global_store
; CHECK:       s_wait_storecnt
; CHECK:       global_wb
; CHECK:       s_wait_storecnt
; CHECK:       s_wait_xcnt
; CHECK:       global_store
;
; `global_wb` of gfx1250 does not wait for stores that may be replayed.

@a = protected addrspace(1) global i32 0
@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer() {
  store i32 1, ptr addrspace(1) @a, align 4
  store i32 1, ptr addrspace(1) @x, align 4
  store atomic i32 1, ptr addrspace(1) @f syncscope("agent") release, align 4
  ret void
}
