; A ticket lock: the one served second waits until it has acquired the release of the first, whose increment it sees.
; axmem: thread A = @next()
; axmem: thread B = @next()
; axmem: forall (counter=2)
; axmem: expect llvm always
; axmem: observe A:%2, B:%2
; axmem: outcomes llvm {
; axmem:   A:%2=0 B:%2=1 counter=2
; axmem:   A:%2=1 B:%2=0 counter=2
; axmem: }
source_filename = "ticket.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.ticket_lock = type { i32, i32 }

@lock = dso_local global %struct.ticket_lock zeroinitializer, align 4
@counter = dso_local global i32 0, align 4

define dso_local void @next() local_unnamed_addr #0 {
entry:
  %0 = atomicrmw add ptr @lock, i32 1 monotonic, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.cond, %entry
  %1 = load atomic i32, ptr getelementptr inbounds nuw (i8, ptr @lock, i64 4) acquire, align 4
  %cmp.not = icmp eq i32 %1, %0
  br i1 %cmp.not, label %while.end, label %while.cond, !llvm.loop !3

while.end:                                        ; preds = %while.cond
  %2 = load i32, ptr @counter, align 4
  %inc = add nsw i32 %2, 1
  store i32 %inc, ptr @counter, align 4
  %add = add i32 %0, 1
  store atomic i32 %add, ptr getelementptr inbounds nuw (%struct.ticket_lock, ptr @lock, i32 0, i32 1) release, align 4
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
