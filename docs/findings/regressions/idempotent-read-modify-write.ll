; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_(load|store|atomic_or)|buffer_wbl2)}}'
;
; CHECK:       global_store
; CHECK:       buffer_wbl2
; CHECK:       global_atomic_or
; CHECK:       global_store
;
; Read-modify-write that changes nothing becomes an atomic load.

@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) @x, align 4
  fence syncscope("agent") release
  %old = atomicrmw or ptr addrspace(1) @f, i32 0 syncscope("agent") monotonic, align 4
  store i32 %old, ptr addrspace(1) %out, align 4
  ret void
}
