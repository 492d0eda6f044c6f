; Peterson's lock: the store of the flag, the store of the turn and the loads behind them are sequentially consistent, so
; that not both threads enter at once; each tries once here.
; axmem: thread A = @try(@flag0, @flag1, 1)
; axmem: thread B = @try(@flag1, @flag0, 0)
; axmem: exists (A:return=1 /\ B:return=1)
; axmem: expect llvm never
source_filename = "peterson.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@flag0 = dso_local global i32 0, align 4
@flag1 = dso_local global i32 0, align 4
@turn = dso_local global i32 0, align 4

define dso_local i32 @try(ptr noundef %mine, ptr noundef %other, i32 noundef %next) local_unnamed_addr #0 {
entry:
  store atomic i32 1, ptr %mine seq_cst, align 4
  store atomic i32 %next, ptr @turn seq_cst, align 4
  %0 = load atomic i32, ptr %other seq_cst, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %return, label %lor.rhs

lor.rhs:                                          ; preds = %entry
  %1 = load atomic i32, ptr @turn seq_cst, align 4
  %cmp1 = icmp ne i32 %1, %next
  %2 = zext i1 %cmp1 to i32
  br label %return

return:                                           ; preds = %lor.rhs, %entry
  %3 = phi i32 [ 1, %entry ], [ %2, %lor.rhs ]
  ret i32 %3
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
