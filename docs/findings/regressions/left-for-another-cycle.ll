; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(s_bcnt1|v_mul|v_readlane|global_atomic_add)}}'
;
; CHECK:       v_readlane
; CHECK:       global_atomic_add
;
; Value of a cycle is called uniform where lanes leave two nested cycles for a sibling cycle.

define amdgpu_kernel void @sum_of_counters(ptr addrspace(1) %sum, i32 %n) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  %leave = icmp eq i32 %i, %lane
  br i1 %leave, label %sibling, label %inner.latch

inner.latch:
  %j.next = add i32 %j, 1
  %inner.again = icmp ult i32 %j.next, %n
  br i1 %inner.again, label %inner, label %outer.latch

outer.latch:
  %i.next = add i32 %i, 1
  br label %outer

sibling:
  %k = phi i32 [ 0, %inner ], [ %k.next, %sibling ]
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %i syncscope("agent") monotonic
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %sibling, label %exit

exit:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
