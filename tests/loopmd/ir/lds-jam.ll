target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @f(ptr addrspace(3) noalias %a, ptr addrspace(3) noalias %b, i32 %n, i32 %m) {
entry:
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  br label %h
h:
  %j = phi i32 [ 0, %o ], [ %j1, %h ]
  %s = phi i32 [ 0, %o ], [ %s1, %h ]
  %p = getelementptr inbounds i32, ptr addrspace(3) %b, i32 %j
  %v = load i32, ptr addrspace(3) %p
  %s1 = add i32 %s, %v
  %j1 = add nuw i32 %j, 1
  %c = icmp eq i32 %j1, %m
  br i1 %c, label %l, label %h
l:
  %q = getelementptr inbounds i32, ptr addrspace(3) %a, i32 %i
  store i32 %s1, ptr addrspace(3) %q
  %i1 = add nuw i32 %i, 1
  %d = icmp eq i32 %i1, %n
  br i1 %d, label %x, label %o, !llvm.loop !0
x:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll_and_jam.count", i32 2}
