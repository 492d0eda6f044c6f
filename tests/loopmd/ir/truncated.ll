define void @f(ptr %a, i32 %b) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %j, %h ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 1, ptr %p
  %j = add nuw nsw i64 %i, 1
  %w = trunc i64 %j to i32
  %c = icmp eq i32 %w, %b
  br i1 %c, label %x, label %h, !llvm.loop !0
x:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.enable"}
