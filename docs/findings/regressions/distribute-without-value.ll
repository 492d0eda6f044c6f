; RUN: opt -S -O2 < %s 2>&1 | FileCheck %s --implicit-check-not='{{Stack dump|define}}'
;
; CHECK:       define
;
; Crash on `!{!"llvm.loop.distribute.enable"}` without a value.

define void @copies(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  %w = mul i32 %v, 3
  %q = getelementptr i32, ptr %b, i64 %i
  store i32 %w, ptr %q, align 4
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0

exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.distribute.enable"}
