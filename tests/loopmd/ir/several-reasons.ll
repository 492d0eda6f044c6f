define void @several_tests(ptr noalias %p, ptr noalias %q, i32 %m) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i1, %l ]
  %t = icmp slt i64 %i, 16
  br i1 %t, label %b, label %x
b:
  %k = sext i32 %m to i64
  %u = icmp eq i64 %i, %k
  br i1 %u, label %x, label %l
l:
  %from = getelementptr inbounds i32, ptr %q, i64 %i
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %v, ptr %to
  %i1 = add nsw i64 %i, 1
  br label %h, !llvm.loop !0
x:
  ret void
}
define void @steps(ptr %p, ptr %q, i32 %m) {
entry:
  %k = zext i32 %m to i64
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i1, %h ]
  %from = getelementptr inbounds i32, ptr %q, i64 %i
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %v, ptr %to
  %i1 = add nuw nsw i64 %i, 2
  %c = icmp ugt i64 %i, 3
  %d = icmp eq i64 %i1, %k
  %e = or i1 %c, %d
  br i1 %e, label %x, label %h, !llvm.loop !0
x:
  ret void
}
define void @checked(ptr %p, ptr %q, i32 %m) {
entry:
  %t = icmp eq i32 %m, 0
  br i1 %t, label %x, label %h
h:
  %i = phi i8 [ %i1, %h ], [ 0, %entry ]
  %k = sext i8 %i to i64
  %from = getelementptr inbounds i32, ptr %q, i64 %k
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %p, i64 %k
  store i32 %v, ptr %to
  %i1 = add i8 %i, 1
  %w = sext i8 %i1 to i32
  %c = icmp sgt i8 %i1, 99
  %d = icmp eq i32 %m, %w
  %e = or i1 %c, %d
  br i1 %e, label %x, label %h, !llvm.loop !1
x:
  ret void
}
!0 = distinct !{!0, !2, !{!"llvm.loop.unroll.count", i32 2}}
!1 = distinct !{!1, !2, !{!"llvm.loop.unroll.count", i32 3}}
!2 = !{!"llvm.loop.mustprogress"}
