; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global|buffer|s_wait)}}'
;
; CHECK:       global_store_dword v0, v1, s[0:1]{{$}}
; CHECK:       buffer_wbl2 sc1{{$}}
; CHECK:       s_waitcnt vmcnt(0){{$}}
; CHECK:       buffer_wbl2 sc0 sc1{{$}}
; CHECK:       s_waitcnt vmcnt(0){{$}}
; CHECK:       global_store_dword v0, v1, s[0:1] sc0 sc1{{$}}
;
; Wait after `buffer_wbl2` is dropped.

@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer() {
  store i32 1, ptr addrspace(1) @x, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(1) @f release, align 4
  ret void
}
