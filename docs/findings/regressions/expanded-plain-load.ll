; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -stop-after=atomic-expand < %s | FileCheck %s --implicit-check-not='{{(load|cmpxchg) .*ptr addrspace\(1\) %x}}'
;
; CHECK:       load atomic i32, ptr addrspace(1) %x
; CHECK:       cmpxchg ptr addrspace(1) %x
;
; First load of a compare-exchange loop is not atomic.

define i32 @count(ptr addrspace(1) %x) {
  %old = atomicrmw nand ptr addrspace(1) %x, i32 5 syncscope("agent") monotonic, align 4
  ret i32 %old
}
