; A message behind a flag, atomic_store_explicit(&flag, 1, memory_order_release).
; Whoever reads the flag has synchronized with its store, so that the message is there: the acquire reads from the
; release, which happens before it. The flag itself may be read before or after the store.
; axmem: expect llvm never
; axmem: exists (@consumer:%0=1 /\ @consumer:%1=0)
; axmem: outcomes llvm {
; axmem:   consumer:%0=0 consumer:%1=undef
; axmem:   consumer:%0=1 consumer:%1=42
; axmem: }
source_filename = "flag.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@data = dso_local global i32 0, align 4
@flag = dso_local global i32 0, align 4

; Function Attrs: mustprogress nofree norecurse nounwind willreturn memory(readwrite, inaccessiblemem: none) uwtable
define dso_local void @producer() local_unnamed_addr #0 {
entry:
  store i32 42, ptr @data, align 4, !tbaa !5
  store atomic i32 1, ptr @flag release, align 4
  ret void
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn memory(readwrite, inaccessiblemem: none) uwtable
define dso_local i32 @consumer() local_unnamed_addr #0 {
entry:
  %0 = load atomic i32, ptr @flag acquire, align 4
  %1 = load i32, ptr @data, align 4, !tbaa !5
  ret i32 %1
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn memory(readwrite, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{!"clang version 19.1.0"}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C/C++ TBAA"}
