; Double-checked initialization. A thread that sees the pointer at once has acquired it from the release; one that
; enters the lock second has it from the unlock of the first. So both return 9.
; axmem: thread A = @get()
; axmem: thread B = @get()
; axmem: forall (A:return=9 /\ B:return=9)
; axmem: expect llvm always
source_filename = "singleton.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@instance = dso_local global ptr null, align 8
@storage = dso_local global i32 0, align 4
@mutex = internal global i32 0, align 4

define dso_local i32 @get() local_unnamed_addr #0 {
entry:
  %0 = load atomic ptr, ptr @instance acquire, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.then, label %if.end5

if.then:                                          ; preds = %entry
  br label %spin

spin:                                             ; preds = %spin, %if.then
  %1 = cmpxchg weak ptr @mutex, i32 0, i32 1 acquire monotonic, align 4
  %2 = extractvalue { i32, i1 } %1, 1
  br i1 %2, label %locked, label %spin, !llvm.loop !3

locked:                                           ; preds = %spin
  %3 = load atomic ptr, ptr @instance monotonic, align 8
  %cmp = icmp eq ptr %3, null
  br i1 %cmp, label %if.then3, label %if.end

if.then3:                                         ; preds = %locked
  store i32 9, ptr @storage, align 4
  store atomic ptr @storage, ptr @instance release, align 8
  br label %if.end

if.end:                                           ; preds = %if.then3, %locked
  %p.0 = phi ptr [ %3, %locked ], [ @storage, %if.then3 ]
  store atomic i32 0, ptr @mutex release, align 4
  br label %if.end5

if.end5:                                          ; preds = %if.end, %entry
  %p.1 = phi ptr [ %p.0, %if.end ], [ %0, %entry ]
  %4 = load i32, ptr %p.1, align 4
  ret i32 %4
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
