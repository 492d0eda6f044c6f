; A state is read once and decides by a switch what is read; state 2 is stored behind the message. State 1 promises
; nothing, 0 is the beginning, and other states do not exist, so that the default is never reached.
; axmem: forall (@worker:return=0 \/ @worker:return=1 \/ @worker:return=5)
; axmem: expect llvm always
; axmem: outcomes llvm {
; axmem:   worker:return=0
; axmem:   worker:return=1
; axmem:   worker:return=5
; axmem: }
source_filename = "state.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@state = dso_local global i32 0, align 4
@message = dso_local global i32 0, align 4

define dso_local void @boss() local_unnamed_addr #0 {
entry:
  store atomic i32 1, ptr @state monotonic, align 4
  store i32 5, ptr @message, align 4
  store atomic i32 2, ptr @state release, align 4
  ret void
}

define dso_local i32 @worker() local_unnamed_addr #0 {
entry:
  %0 = load atomic i32, ptr @state acquire, align 4
  switch i32 %0, label %sw.default [
    i32 0, label %return
    i32 1, label %sw.bb1
    i32 2, label %sw.bb2
  ]

sw.bb1:                                           ; preds = %entry
  br label %return

sw.bb2:                                           ; preds = %entry
  %1 = load i32, ptr @message, align 4
  br label %return

sw.default:                                       ; preds = %entry
  unreachable

return:                                           ; preds = %entry, %sw.bb1, %sw.bb2
  %retval.0 = phi i32 [ %1, %sw.bb2 ], [ 1, %sw.bb1 ], [ 0, %entry ]
  ret i32 %retval.0
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
