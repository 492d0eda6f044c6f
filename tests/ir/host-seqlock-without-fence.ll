; The same without the acquire fence: the loads of the data may be done after the second load of the number, so that
; the reader takes a torn pair.
; axmem: exists (@reader:%ok=1 /\ ~(@reader:%a=@reader:%b))
; axmem: expect llvm sometimes
source_filename = "seqlock.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@seq = dso_local global i32 0, align 4
@first = dso_local global i32 0, align 4
@second = dso_local global i32 0, align 4

define dso_local void @writer() local_unnamed_addr #0 {
entry:
  store atomic i32 1, ptr @seq monotonic, align 4
  fence release
  store atomic i32 5, ptr @first monotonic, align 4
  store atomic i32 5, ptr @second monotonic, align 4
  store atomic i32 2, ptr @seq release, align 4
  ret void
}

define dso_local i32 @reader() local_unnamed_addr #0 {
entry:
  %s0 = load atomic i32, ptr @seq acquire, align 4
  %a = load atomic i32, ptr @first monotonic, align 4
  %b = load atomic i32, ptr @second monotonic, align 4
  %s1 = load atomic i32, ptr @seq monotonic, align 4
  %odd = and i32 %s0, 1
  %even = icmp eq i32 %odd, 0
  %same = icmp eq i32 %s0, %s1
  %ok = and i1 %even, %same
  %result = select i1 %ok, i32 %a, i32 -1
  ret i32 %result
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
