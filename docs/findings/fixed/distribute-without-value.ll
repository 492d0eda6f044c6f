define void @copies(ptr noalias %a, ptr noalias %b) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %b, i64 %i
  store i32 %v, ptr %q, align 4
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, 10
  br i1 %more, label %loop, label %exit, !llvm.loop !0

exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.distribute.enable"}
