; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(v_cmp_eq|s_cmp_lg_u64|global_store)}}'
;
; CHECK:       v_cmp_eq
; CHECK:       global_store
;
; Temporal divergence is reported in a region where convergence tokens exclude it.

define amdgpu_kernel void @after_the_loop(ptr addrspace(1) %sum) convergent {
entry:
  %anchor = call token @llvm.experimental.convergence.anchor()
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %lane
  br i1 %again, label %loop, label %exit

exit:
  %zero = icmp eq i32 %i, 0
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %zero) [ "convergencectrl"(token %heart) ]
  %any = icmp ne i64 %mask, 0
  %value = zext i1 %any to i32
  %place = getelementptr i32, ptr addrspace(1) %sum, i32 %lane
  store i32 %value, ptr addrspace(1) %place
  ret void
}
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
