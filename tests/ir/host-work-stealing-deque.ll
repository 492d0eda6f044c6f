; The last element of a Chase-Lev deque (Le, Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing for weak
; memory models"): the owner takes from the bottom, a thief steals from the top. The fences are sequentially consistent;
; whichever comes first, one of the two sees the other's index and both go through the compare-exchange of top, which
; one of them wins. So the element is never taken twice.
; axmem: exists (@take:return=7 /\ @steal:return=7)
; axmem: expect llvm never
source_filename = "deque.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.deque = type { i64, i64, [2 x i32] }

@q = dso_local global %struct.deque { i64 0, i64 1, [2 x i32] [i32 7, i32 0] }, align 8

define dso_local i32 @take() local_unnamed_addr #0 {
entry:
  %0 = load atomic i64, ptr getelementptr inbounds nuw (i8, ptr @q, i64 8) monotonic, align 8
  %sub = add i64 %0, -1
  store atomic i64 %sub, ptr getelementptr inbounds nuw (i8, ptr @q, i64 8) monotonic, align 8
  fence seq_cst
  %1 = load atomic i64, ptr @q monotonic, align 8
  %cmp.not = icmp ugt i64 %1, %sub
  br i1 %cmp.not, label %empty, label %some

some:                                             ; preds = %entry
  %2 = load atomic i32, ptr getelementptr inbounds nuw (i8, ptr @q, i64 16) monotonic, align 4
  %cmp3 = icmp eq i64 %1, %sub
  br i1 %cmp3, label %last, label %return

last:                                             ; preds = %some
  %add = add i64 %1, 1
  %3 = cmpxchg ptr @q, i64 %1, i64 %add seq_cst monotonic, align 8
  %4 = extractvalue { i64, i1 } %3, 1
  %spec.select = select i1 %4, i32 %2, i32 -1
  store atomic i64 %add, ptr getelementptr inbounds nuw (i8, ptr @q, i64 8) monotonic, align 8
  br label %return

empty:                                            ; preds = %entry
  store atomic i64 %0, ptr getelementptr inbounds nuw (i8, ptr @q, i64 8) monotonic, align 8
  br label %return

return:                                           ; preds = %empty, %last, %some
  %x = phi i32 [ %spec.select, %last ], [ %2, %some ], [ -1, %empty ]
  ret i32 %x
}

define dso_local i32 @steal() local_unnamed_addr #0 {
entry:
  %0 = load atomic i64, ptr @q acquire, align 8
  fence seq_cst
  %1 = load atomic i64, ptr getelementptr inbounds nuw (i8, ptr @q, i64 8) acquire, align 8
  %cmp = icmp ult i64 %0, %1
  br i1 %cmp, label %if.then, label %return

if.then:                                          ; preds = %entry
  %arrayidx = getelementptr inbounds [2 x i32], ptr getelementptr inbounds nuw (i8, ptr @q, i64 16), i64 0, i64 0
  %2 = load atomic i32, ptr %arrayidx monotonic, align 4
  %add = add i64 %0, 1
  %3 = cmpxchg ptr @q, i64 %0, i64 %add seq_cst monotonic, align 8
  %4 = extractvalue { i64, i1 } %3, 1
  br i1 %4, label %return, label %abort

abort:                                            ; preds = %if.then
  br label %return

return:                                           ; preds = %abort, %if.then, %entry
  %x = phi i32 [ -1, %entry ], [ %2, %if.then ], [ -2, %abort ]
  ret i32 %x
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
