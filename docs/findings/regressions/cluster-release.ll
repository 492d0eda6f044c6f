; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1250 < %s | sed -n '/^writer:/,/s_set_pc/p' | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_store|global_wb scope:SCOPE_SE|s_wait_storecnt 0x0)}}'
;
; CHECK:       global_store
; CHECK:       s_wait_storecnt 0x0
; CHECK:       global_wb scope:SCOPE_SE
; CHECK:       s_wait_storecnt 0x0
; CHECK:       global_store
;
; Release to the cluster does not wait until stores have left the WGP's cache.

@x = protected addrspace(1) global i32 0
@y = protected addrspace(1) global i32 0

define void @writer() {
  store i32 1, ptr addrspace(1) @x, align 4
  store atomic i32 1, ptr addrspace(1) @y syncscope("cluster") release, align 4
  ret void
}

define i32 @reader(ptr addrspace(1) %flag) {
  %seen = load atomic i32, ptr addrspace(1) @y syncscope("cluster") acquire, align 4
  store i32 %seen, ptr addrspace(1) %flag, align 4
  %got = load i32, ptr addrspace(1) @x, align 4
  ret i32 %got
}
