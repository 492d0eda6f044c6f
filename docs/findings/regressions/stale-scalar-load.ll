; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_(load|store|atomic)[[:alnum:]_]*|buffer_[[:alnum:]_]+|s_load_dword)}}'
;
; CHECK:       global_atomic_cmpswap
; CHECK:       buffer_inv
; CHECK:       global_load_dword
; CHECK:       global_store_dword
; CHECK:       buffer_wbl2
; CHECK:       global_store_dword
;
; Load behind an acquire becomes a scalar load, and the acquire does not reach the scalar cache.

@lock = protected addrspace(1) global i32 0
@count = protected addrspace(1) global i32 0

define amdgpu_kernel void @add_one() {
entry:
  br label %spin

spin:
  %pair = cmpxchg ptr addrspace(1) @lock, i32 0, i32 1 syncscope("agent") acquire monotonic, align 4
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %critical, label %spin

critical:
  %old = load i32, ptr addrspace(1) @count, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) @count, align 4
  store atomic i32 0, ptr addrspace(1) @lock syncscope("agent") release, align 4
  ret void
}
