define void @checked(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %t = icmp sgt i32 %n, 0
  br i1 %t, label %h, label %x
h:
  %j = phi i8 [ %j1, %h ], [ 0, %entry ]
  %k = sext i8 %j to i64
  %from = getelementptr inbounds i32, ptr %q, i64 %k
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %p, i64 %k
  store i32 %v, ptr %to
  %j1 = add i8 %j, 1
  %w = sext i8 %j1 to i32
  %c = icmp sgt i32 %n, %w
  br i1 %c, label %h, label %x, !llvm.loop !0
x:
  ret void
}
define void @wide(ptr noalias %p, ptr noalias %q, i64 %n) {
entry:
  %t = icmp sgt i64 %n, 0
  br i1 %t, label %h, label %x
h:
  %j = phi i8 [ %j1, %h ], [ 0, %entry ]
  %k = sext i8 %j to i64
  %from = getelementptr inbounds i32, ptr %q, i64 %k
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %p, i64 %k
  store i32 %v, ptr %to
  %j1 = add i8 %j, 1
  %w = sext i8 %j1 to i64
  %c = icmp sgt i64 %n, %w
  br i1 %c, label %h, label %x, !llvm.loop !0
x:
  ret void
}
define void @constant(ptr %p) {
entry:
  br label %h
h:
  %i = phi i8 [ 0, %entry ], [ %i1, %b ]
  %w = sext i8 %i to i32
  %c = icmp slt i32 %w, 100
  br i1 %c, label %b, label %x
b:
  %k = sext i8 %i to i64
  %to = getelementptr inbounds i32, ptr %p, i64 %k
  store i32 3, ptr %to
  %i1 = add i8 %i, 1
  br label %h, !llvm.loop !1
x:
  ret void
}
define i32 @unsigned(ptr %q) {
entry:
  br label %h
h:
  %s = phi i32 [ 0, %entry ], [ %s1, %l ]
  %i = phi i8 [ 0, %entry ], [ %i1, %l ]
  %w = zext i8 %i to i32
  %c = icmp slt i32 %w, 100
  br i1 %c, label %b, label %x
b:
  %k = zext i8 %i to i64
  %from = getelementptr inbounds nuw i32, ptr %q, i64 %k
  %v = load i32, ptr %from
  %d = icmp slt i32 %v, 0
  br i1 %d, label %l, label %a
a:
  %add = add nsw i32 %s, %v
  br label %l
l:
  %s1 = phi i32 [ %s, %b ], [ %add, %a ]
  %i1 = add i8 %i, 1
  br label %h, !llvm.loop !2
x:
  ret i32 %s
}
define void @tests(ptr %p, ptr %q) {
entry:
  br label %o
o:
  %i = phi i8 [ 0, %entry ], [ %i1, %l ]
  %w = zext i8 %i to i32
  %c = icmp slt i32 %w, 5
  br i1 %c, label %i0, label %x
i0:
  br label %h
h:
  %j = phi i8 [ 0, %i0 ], [ %j1, %b ]
  %e = icmp slt i8 %j, 4
  br i1 %e, label %b, label %l
b:
  %to = getelementptr inbounds i32, ptr %p, i8 %j
  store i32 %w, ptr %to
  %j1 = add i8 %j, 1
  br label %h, !llvm.loop !3
l:
  %i1 = add i8 %i, 2
  br label %o, !llvm.loop !4
x:
  ret void
}
define i32 @costs(ptr %q) {
entry:
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %s = phi i32 [ 0, %entry ], [ %s1, %l ]
  br label %h
h:
  %j = phi i32 [ 0, %o ], [ %j1, %h ]
  %z = phi i32 [ %s, %o ], [ %s1, %h ]
  %from = getelementptr inbounds i32, ptr %q, i32 %j
  %v = load i32, ptr %from
  %s1 = add nsw i32 %z, %v
  %j1 = add nuw nsw i32 %j, 1
  %c = icmp ult i32 %j1, 100
  br i1 %c, label %h, label %l, !llvm.loop !3
l:
  %i1 = add nuw nsw i32 %i, 1
  %d = icmp ult i32 %i1, 100
  br i1 %d, label %o, label %x, !llvm.loop !5
x:
  ret i32 %s1
}
!0 = distinct !{!0, !10, !{!"llvm.loop.unroll.enable"}}
!1 = distinct !{!1, !10, !{!"llvm.loop.unroll.full"}}
!2 = distinct !{!2, !10, !{!"llvm.loop.vectorize.enable", i1 true}}
!3 = distinct !{!3, !10, !{!"llvm.loop.unroll.disable"}}
!4 = distinct !{!4, !10, !{!"llvm.loop.unroll.count", i32 3}}
!5 = distinct !{!5, !10}
!10 = !{!"llvm.loop.mustprogress"}
