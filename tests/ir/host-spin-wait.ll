; while (!atomic_load_explicit(&ready, memory_order_acquire)); the loop ends only when the release was read, and then
; the data are there: one outcome, and no race.
; axmem: forall (@consumer:%1=7)
; axmem: expect llvm, amdgpu always
; axmem: outcomes llvm {
; axmem:   consumer:%1=7
; axmem: }
source_filename = "wait.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@data = dso_local local_unnamed_addr global i32 0, align 4
@ready = dso_local global i8 0, align 1

define dso_local void @producer() local_unnamed_addr #0 {
entry:
  store i32 7, ptr @data, align 4, !tbaa !3
  store atomic i8 1, ptr @ready release, align 1
  ret void
}

define dso_local i32 @consumer() local_unnamed_addr #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.cond, %entry
  %0 = load atomic i8, ptr @ready acquire, align 1, !range !7, !noundef !8
  %loadedv = trunc nuw i8 %0 to i1
  br i1 %loadedv, label %while.end, label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %while.cond
  %1 = load i32, ptr @data, align 4, !tbaa !3
  ret i32 %1
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{i8 0, i8 2}
!8 = !{}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
