; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a < %s | sed -n '/^first_wave:/,/s_setpc/p' | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_store|s_waitcnt vmcnt\(0\)$)}}'
;
; CHECK:       global_store
; CHECK:       s_waitcnt vmcnt(0)
; CHECK:       global_store
; CHECK:       s_waitcnt vmcnt(0)
;
; Release to the agent does not wait for stores of another wave that it acquired from.

@x = protected addrspace(1) global i32 0
@y = protected addrspace(1) global i32 0
@z = protected addrspace(1) global i32 0

define void @first_wave() {
  store i32 1, ptr addrspace(1) @x, align 4
  store atomic i32 1, ptr addrspace(1) @y syncscope("workgroup") release, align 4
  ret void
}

define i32 @second_wave() {
  %seen = load atomic i32, ptr addrspace(1) @y syncscope("workgroup") acquire, align 4
  store atomic i32 1, ptr addrspace(1) @z syncscope("agent") release, align 4
  ret i32 %seen
}
