; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(s_bcnt1|v_mul|v_readlane|global_atomic_add)}}'
;
; CHECK:       v_readlane
; CHECK:       global_atomic_add
;
; Phi of constants is called uniform where lanes leave a cycle at two places.

define amdgpu_kernel void @sum_of_ways(ptr addrspace(1) %sum, i32 %m) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  br label %header

header:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %done = icmp eq i32 %i, %m
  br i1 %done, label %exit, label %latch

latch:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %lane
  br i1 %again, label %header, label %exit

exit:
  %way = phi i32 [ 1, %header ], [ 2, %latch ]
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %way syncscope("agent") monotonic
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
