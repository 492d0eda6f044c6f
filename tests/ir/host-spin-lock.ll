; A compare-and-set lock around an increment, twice. The compare-exchange that takes the lock second reads from the release of the
; first, so that the plain accesses of the counter are ordered: 1 + 2 are added in either order, and nothing races.
; axmem: thread A = @locked_add(1)
; axmem: thread B = @locked_add(2)
; axmem: forall (counter=3 /\ lock=0)
; axmem: expect llvm, amdgpu always
; axmem: observe A:%1
; axmem: outcomes llvm {
; axmem:   A:%1=0 counter=3
; axmem:   A:%1=2 counter=3
; axmem: }
source_filename = "spinlock.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@lock = dso_local global i32 0, align 4
@counter = dso_local local_unnamed_addr global i32 0, align 4

define dso_local void @locked_add(i32 noundef %amount) local_unnamed_addr #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.cond, %entry
  %0 = cmpxchg weak ptr @lock, i32 0, i32 1 acquire monotonic, align 4
  %tobool.not = extractvalue { i32, i1 } %0, 1
  br i1 %tobool.not, label %while.end, label %while.cond, !llvm.loop !3

while.end:                                        ; preds = %while.cond
  %1 = load i32, ptr @counter, align 4
  %add = add nsw i32 %1, %amount
  store i32 %add, ptr @counter, align 4
  store atomic i32 0, ptr @lock release, align 4
  ret void
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
