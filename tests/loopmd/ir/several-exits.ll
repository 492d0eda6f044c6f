declare void @g(i32)
define void @bounded(ptr %p, i32 %m) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %j, %l ]
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  %t = icmp eq i32 %v, %m
  br i1 %t, label %x, label %l
l:
  call void @g(i32 %v)
  %j = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %j, 20
  br i1 %c, label %x, label %h, !llvm.loop !0
x:
  ret void
}
define void @by_two(ptr %p, i32 %n) {
entry:
  br label %h
h:
  %i = phi i32 [ %n, %entry ], [ %j, %h ]
  %q = getelementptr inbounds i32, ptr %p, i32 %i
  store i32 1, ptr %q
  %j = add nsw i32 %i, -2
  %c = icmp eq i32 %j, 0
  br i1 %c, label %x, label %h, !llvm.loop !2
x:
  ret void
}
define void @self(ptr %p, i32 %n, i1 %c) {
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %a ], [ %i1, %b ]
  %s = phi i32 [ 0, %entry ], [ %s1, %a ], [ %i, %b ]
  %i1 = add i32 %i, 1
  %t = icmp ult i32 %i1, %n
  br i1 %t, label %body, label %x
body:
  br i1 %c, label %a, label %b
a:
  %s1 = add i32 %s, 2
  store volatile i32 %s1, ptr %p
  br label %h, !llvm.loop !0
b:
  br label %h, !llvm.loop !0
x:
  ret void
}
define void @unlike(ptr %p, i32 %n, i1 %c) {
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %a ], [ %i1, %b ]
  %i1 = add i32 %i, 1
  store volatile i32 %i, ptr %p
  %t = icmp ult i32 %i1, %n
  br i1 %t, label %body, label %x
body:
  br i1 %c, label %a, label %b
a:
  br label %h, !llvm.loop !0
b:
  br label %h, !llvm.loop !3
x:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.enable"}
!2 = distinct !{!2, !4}
!3 = distinct !{!3, !5}
!4 = !{!"llvm.loop.vectorize.enable", i1 true}
!5 = !{!"llvm.loop.unroll.count", i32 4}
