; RUN: opt -S -O3 < %s | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 | FileCheck %s --implicit-check-not='{{^[[:alnum:]_]+_[[:alnum:]_]+:|buffer_wbl2.*}}'
;
; CHECK-LABEL: {{^}}local_after_all:
; CHECK:       buffer_wbl2 sc1{{$}}
; CHECK-LABEL: {{^}}local_after_global:
; CHECK:       buffer_wbl2 sc1{{$}}
; CHECK-LABEL: {{^}}stronger_local_after_all:
; CHECK:       buffer_wbl2 sc0 sc1{{$}}
; CHECK-LABEL: {{^}}all_after_stronger_local:
; CHECK:       buffer_wbl2 sc0 sc1{{$}}
;
; Fence is deleted although the fence after it has other `!mmra` and orders less.

@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define void @local_after_all() {
  store i32 1, ptr addrspace(1) @x, align 4
  fence syncscope("agent") release
  fence syncscope("agent") release, !mmra !1
  store atomic i32 1, ptr addrspace(1) @f syncscope("agent") monotonic, align 4
  ret void
}

define void @local_after_global() {
  store i32 1, ptr addrspace(1) @x, align 4
  fence syncscope("agent") release, !mmra !0
  fence syncscope("agent") release, !mmra !1
  store atomic i32 1, ptr addrspace(1) @f syncscope("agent") monotonic, align 4
  ret void
}

define void @stronger_local_after_all() {
  store i32 1, ptr addrspace(1) @x, align 4
  fence release
  fence seq_cst, !mmra !1
  store atomic i32 1, ptr addrspace(1) @f monotonic, align 4
  ret void
}

define void @all_after_stronger_local() {
  store i32 1, ptr addrspace(1) @x, align 4
  fence seq_cst, !mmra !1
  fence release
  store atomic i32 1, ptr addrspace(1) @f monotonic, align 4
  ret void
}

!0 = !{!"amdgpu-synchronize-as", !"global"}
!1 = !{!"amdgpu-synchronize-as", !"local"}
