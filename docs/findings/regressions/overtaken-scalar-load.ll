; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -amdgpu-atomic-optimizer-strategy=None < %s | grep -vE 's\[4:5\]|^z:' | FileCheck %s --implicit-check-not='{{^([a-z]+:|[[:space:]]+(global_atomic_add|s_waitcnt|s_load_dword).*)}}'
;
; CHECK-LABEL: {{^}}whole:
; CHECK:       s_load_dword s2, s[0:1], 0x0
; CHECK:       s_waitcnt lgkmcnt(0)
; CHECK:       global_atomic_add v0, v1, s[0:1] sc1
; CHECK:       s_waitcnt lgkmcnt(0)
; CHECK-LABEL: {{^}}half:
; CHECK:       s_load_dwordx2 s[0:1], s[0:1], 0x0
; CHECK:       s_waitcnt lgkmcnt(0)
; CHECK:       global_atomic_add v1, v0, s[2:3] sc1
; CHECK:       s_waitcnt lgkmcnt(0)
;
; Store overtakes a scalar load of the same thread unless both have one pointer in the IR.

@z = protected addrspace(1) global <2 x i32> zeroinitializer, align 8

define amdgpu_kernel void @whole(ptr addrspace(1) %out) {
  %old = load i32, ptr addrspace(1) @z, align 8
  %previous = atomicrmw add ptr addrspace(1) @z, i32 7 monotonic, align 4
  store i32 %old, ptr addrspace(1) %out, align 8
  ret void
}

define amdgpu_kernel void @half(ptr addrspace(1) %out) {
  %old = load <2 x i32>, ptr addrspace(1) @z, align 8
  %second = getelementptr i8, ptr addrspace(1) @z, i64 4
  %previous = atomicrmw add ptr addrspace(1) %second, i32 7 monotonic, align 4
  store <2 x i32> %old, ptr addrspace(1) %out, align 8
  ret void
}
