; Dekker's entry: of two sequentially consistent stores one comes first in their order, and the load of the other
; thread stands behind it, so that not both loads read 0.
; axmem: ~exists (@left:%0=0 /\ @right:%0=0)
; axmem: expect llvm never
; axmem: outcomes llvm {
; axmem:   left:%0=0 right:%0=1
; axmem:   left:%0=1 right:%0=0
; axmem:   left:%0=1 right:%0=1
; axmem: }
source_filename = "dekker.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@x = dso_local global i32 0, align 4
@y = dso_local global i32 0, align 4

define dso_local noundef i32 @left() local_unnamed_addr #0 {
entry:
  store atomic i32 1, ptr @x seq_cst, align 4
  %0 = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %0
}

define dso_local noundef i32 @right() local_unnamed_addr #0 {
entry:
  store atomic i32 1, ptr @y seq_cst, align 4
  %0 = load atomic i32, ptr @x seq_cst, align 4
  ret i32 %0
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
