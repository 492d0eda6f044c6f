; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global|buffer|s_wait)}}'
;
; CHECK:       global_store_dword v0, v1, s[0:1]{{$}}
; CHECK:       s_waitcnt lgkmcnt(0){{$}}
; CHECK:       buffer_wbl2 sc1{{$}}
; CHECK:       s_waitcnt vmcnt(0){{$}}
; CHECK:       global_store_dword v0, v1, s[0:1] sc1{{$}}
;
; Stores that differ in ordering or scope alone are merged, and the weaker one is left.

@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer(i32 %c) {
  store i32 1, ptr addrspace(1) @x, align 4
  %zero = icmp eq i32 %c, 0
  br i1 %zero, label %wide, label %narrow

wide:
  store atomic i32 1, ptr addrspace(1) @f syncscope("agent") release, align 4
  ret void

narrow:
  store atomic i32 1, ptr addrspace(1) @f syncscope("workgroup") release, align 4
  ret void
}
