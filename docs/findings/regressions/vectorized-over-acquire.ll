; RUN: llc -O2 -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_load_[[:alnum:]_]+|buffer_inv)}}'
;
; CHECK:       global_load_dword
; CHECK:       global_load_dword
; CHECK:       buffer_inv
; CHECK:       global_load_dword
;
; Plain load is moved up over an acquire load.

@d = protected addrspace(1) global [2 x i32] zeroinitializer, align 8
@f = protected addrspace(1) global i32 0, align 4

define i32 @consumer() {
  %a = load i32, ptr addrspace(1) @d, align 8
  %flag = load atomic i32, ptr addrspace(1) @f syncscope("agent") acquire, align 4
  %b = load i32, ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @d, i64 4), align 4
  %seen = icmp eq i32 %flag, 1
  %message = select i1 %seen, i32 %b, i32 %a
  ret i32 %message
}
