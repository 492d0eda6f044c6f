define void @sums(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi i32 [ 0, %outer ], [ %total, %inner ]
  %from = getelementptr i32, ptr %b, i64 %j
  %v = load i32, ptr %from, align 4
  %total = add i32 %sum, %v
  %j.next = add nuw i64 %j, 1
  %inside = icmp ult i64 %j.next, %m
  br i1 %inside, label %inner, label %latch, !llvm.loop !0

latch:
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 %total, ptr %to, align 4
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %outer, label %exit, !llvm.loop !2

exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = distinct !{!2, !3, !4, !5}
!3 = !{!"llvm.loop.unroll_and_jam.count", i32 4}
!4 = !{!"llvm.loop.unroll.count", i32 2}
!5 = !{!"llvm.loop.unroll_and_jam.followup_remainder_inner", !6}
!6 = !{!"llvm.loop.unroll.disable"}
