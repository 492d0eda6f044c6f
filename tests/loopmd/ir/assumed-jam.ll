define void @f(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %m = sext i32 %n to i64
  %t = icmp eq i32 %n, 0
  br i1 %t, label %x, label %o
o:
  %i = phi i64 [ %i1, %l ], [ 0, %entry ]
  %s = phi i32 [ %s1, %l ], [ 0, %entry ]
  br label %h
h:
  %j = phi i64 [ 0, %o ], [ %j1, %h ]
  %z = phi i32 [ %s, %o ], [ %s1, %h ]
  %from = getelementptr inbounds i32, ptr %q, i64 %j
  %v = load i32, ptr %from
  %s1 = add nsw i32 %z, %v
  %j1 = add i64 %j, 1
  %c = icmp ult i64 %j1, %m
  br i1 %c, label %h, label %l, !llvm.loop !0
l:
  %to = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %s1, ptr %to
  %i1 = add i64 %i, 2
  %d = icmp ult i64 %i1, %m
  br i1 %d, label %o, label %x, !llvm.loop !1
x:
  ret void
}
define void @before(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %m = sext i32 %n to i64
  %t = icmp eq i32 %n, 0
  br i1 %t, label %x, label %o
o:
  %i = phi i64 [ %i1, %l ], [ 0, %entry ]
  %s = phi i32 [ %s1, %l ], [ 0, %entry ]
  br label %h
h:
  %j = phi i64 [ %i, %o ], [ %j1, %h ]
  %z = phi i32 [ %s, %o ], [ %s1, %h ]
  %from = getelementptr inbounds i32, ptr %q, i64 %j
  %v = load i32, ptr %from
  %s1 = add nsw i32 %z, %v
  %j1 = add i64 %j, 1
  %c = icmp ult i64 %j1, %m
  br i1 %c, label %h, label %l, !llvm.loop !2
l:
  %to = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %s1, ptr %to
  %i1 = add i64 %i, 2
  %d = icmp ult i64 %i1, %m
  br i1 %d, label %o, label %x, !llvm.loop !1
x:
  ret void
}
!0 = distinct !{!0, !3, !4}
!1 = distinct !{!1, !3, !5}
!2 = distinct !{!2, !3, !6}
!3 = !{!"llvm.loop.mustprogress"}
!4 = !{!"llvm.loop.unroll.enable"}
!5 = !{!"llvm.loop.unroll.count", i32 3}
!6 = !{!"llvm.loop.unroll.count", i32 2}
