; A sequence lock: an odd number says that the pair is being written. The reader takes the pair only if it has read the
; same even number before and after it, the latter behind an acquire fence (Boehm, "Can seqlocks get along with
; programming language memory models?", the variant with relaxed atomics for the data). If the reader has read a datum
; of the writer, which the release fence precedes, its second number is odd at least: so it takes both or none.
; axmem: exists (@reader:%ok=1 /\ ~(@reader:%a=@reader:%b))
; axmem: expect llvm, amdgpu never "fence to fence: whoever reads new data reads the new number behind it"
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
  fence acquire
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
