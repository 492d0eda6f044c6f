define void @f(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %j, %h ]
  %j = add nuw nsw i64 %i, 1
  %pa = getelementptr inbounds i32, ptr %a, i64 %i
  %pa1 = getelementptr inbounds i32, ptr %a, i64 %j
  %va = load i32, ptr %pa
  store i32 %va, ptr %pa1
  %pb = getelementptr inbounds i32, ptr %b, i64 %i
  %vb = load i32, ptr %pb
  %pc = getelementptr inbounds i32, ptr %c, i64 %i
  store i32 %vb, ptr %pc
  %t = icmp eq i64 %j, %n
  br i1 %t, label %x, label %h, !llvm.loop !0
x:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.distribute.enable", i1 true}
