; RUN: opt -S -O2 -enable-merge-functions < %s | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 | FileCheck %s --implicit-check-not='{{^b:|buffer_wbl2.*}}'
;
; CHECK-LABEL: {{^}}b:
; CHECK:       buffer_wbl2 sc1{{$}}
;
; Functions that differ in `!mmra` of stores, updates or fences are merged.

define void @a(ptr addrspace(1) %x, ptr addrspace(1) %f) {
  store i32 1, ptr addrspace(1) %x, align 4
  fence syncscope("agent") release, !mmra !0
  store atomic i32 1, ptr addrspace(1) %f syncscope("agent") monotonic, align 4
  ret void
}

define void @b(ptr addrspace(1) %x, ptr addrspace(1) %f) {
  store i32 1, ptr addrspace(1) %x, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(1) %f syncscope("agent") monotonic, align 4
  ret void
}

!0 = !{!"amdgpu-synchronize-as", !"local"}
