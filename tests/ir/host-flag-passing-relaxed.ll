; The same with memory_order_relaxed: nothing orders the message before the flag, so that the read races with the store
; and is undef also where the flag was seen.
; axmem: exists (@consumer:%0=1 /\ @consumer:%1=undef)
; axmem: expect llvm sometimes "reading the flag synchronizes nothing"
; axmem: outcomes llvm {
; axmem:   consumer:%0=0 consumer:%1=undef
; axmem:   consumer:%0=1 consumer:%1=undef
; axmem: }
source_filename = "flag.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@data = dso_local global i32 0, align 4
@flag = dso_local global i32 0, align 4

define dso_local void @producer() local_unnamed_addr #0 {
entry:
  store i32 42, ptr @data, align 4
  store atomic i32 1, ptr @flag monotonic, align 4
  ret void
}

define dso_local i32 @consumer() local_unnamed_addr #0 {
entry:
  %0 = load atomic i32, ptr @flag monotonic, align 4
  %1 = load i32, ptr @data, align 4
  ret i32 %1
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
