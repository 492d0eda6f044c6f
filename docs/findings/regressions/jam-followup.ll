; RUN: opt -S -mtriple=x86_64-- -O2 -enable-unroll-and-jam < %s | FileCheck %s --implicit-check-not='{{load i32}}'
;
; CHECK-COUNT-1: load i32
;
; Inner loop gets the followup of a remainder although nothing is unrolled and jammed.

define void @sums(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi i32 [ 0, %outer ], [ %total, %inner ]
  %ij = add i64 %i, %j
  %from = getelementptr i32, ptr %b, i64 %ij
  %v = load i32, ptr %from, align 4
  %total = add i32 %sum, %v
  %j.next = add nuw i64 %j, 1
  %inside = icmp ult i64 %j.next, 16
  br i1 %inside, label %inner, label %latch, !llvm.loop !0

latch:
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 %total, ptr %to, align 4
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %outer, label %exit, !llvm.loop !3

exit:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"llvm.loop.vectorize.width", i32 1}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.unroll_and_jam.enable"}
!5 = !{!"llvm.loop.unroll_and_jam.followup_remainder_inner", !6}
!6 = !{!"llvm.loop.unroll.count", i32 4}
