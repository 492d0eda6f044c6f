; RUN: opt -S -O2 < %s | FileCheck %s --implicit-check-not='{{br label %loop|^!.*(distinct|disable)}}'
;
; CHECK:       br label %loop{{$}}
; CHECK:       br label %loop, !llvm.loop !1{{$}}
; CHECK:       !1 = distinct !{!1, !2, !3}{{$}}
; CHECK:       !2 = !{!"llvm.licm.disable"}{{$}}
; CHECK:       !3 = !{!"llvm.loop.unroll.disable"}{{$}}
;
; Loop loses its other attributes if the factor does not divide a constant trip count.

define void @stores(ptr noalias %a) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  store volatile i32 1, ptr %p, align 4
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, 10
  br i1 %more, label %loop, label %exit, !llvm.loop !0

exit:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.unroll.count", i32 4}
!2 = !{!"llvm.licm.disable"}
