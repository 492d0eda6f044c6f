; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
;
; CHECK-LABEL: {{^}}forth:
; CHECK:       s_ff1
; CHECK-LABEL: {{^}}back:
; CHECK:       s_ff1
;
; Answer in an irreducible cycle depends on the order of a uniform branch's targets.

define amdgpu_kernel void @forth(ptr addrspace(1) %sum, i32 %a, i32 %b) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %at.a = icmp eq i32 %a, 0
  br i1 %at.a, label %A, label %B
A:
  %p = phi i32 [ 1, %entry ], [ 2, %A ], [ 3, %B ]
  %t = phi i32 [ 0, %entry ], [ %t.next, %A ], [ %u, %B ]
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %p syncscope("agent") monotonic
  %t.next = add i32 %t, 1
  %stay = icmp ult i32 %t.next, %lane
  br i1 %stay, label %A, label %B
B:
  %u = phi i32 [ 0, %entry ], [ %t.next, %A ]
  %more = icmp ult i32 %u, %b
  br i1 %more, label %A, label %exit
exit:
  ret void
}

define amdgpu_kernel void @back(ptr addrspace(1) %sum, i32 %a, i32 %b) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %at.b = icmp ne i32 %a, 0
  br i1 %at.b, label %B, label %A
A:
  %p = phi i32 [ 1, %entry ], [ 2, %A ], [ 3, %B ]
  %t = phi i32 [ 0, %entry ], [ %t.next, %A ], [ %u, %B ]
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %p syncscope("agent") monotonic
  %t.next = add i32 %t, 1
  %stay = icmp ult i32 %t.next, %lane
  br i1 %stay, label %A, label %B
B:
  %u = phi i32 [ 0, %entry ], [ %t.next, %A ]
  %more = icmp ult i32 %u, %b
  br i1 %more, label %A, label %exit
exit:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
