; A node is initialized and its address published with release; the reader follows the pointer if it is there. The
; fields are read through the address, so that they are those of the node. Before, the pointer is null.
; axmem: exists (@reader:return=0)
; axmem: expect llvm never
; axmem: outcomes llvm {
; axmem:   reader:return=30
; axmem:   reader:return=0xffffffff
; axmem: }
source_filename = "publish.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.node = type { i32, i64, ptr }

@storage = dso_local global %struct.node zeroinitializer, align 8
@head = dso_local global ptr null, align 8

define dso_local void @writer() local_unnamed_addr #0 {
entry:
  store i32 10, ptr @storage, align 8
  store i64 20, ptr getelementptr inbounds (%struct.node, ptr @storage, i64 0, i32 1), align 8
  store atomic ptr @storage, ptr @head release, align 8
  ret void
}

define dso_local i32 @reader() local_unnamed_addr #0 {
entry:
  %0 = load atomic ptr, ptr @head acquire, align 8
  %cmp = icmp eq ptr %0, null
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %entry
  %1 = load i32, ptr %0, align 8
  %second = getelementptr inbounds nuw %struct.node, ptr %0, i32 0, i32 1
  %2 = load i64, ptr %second, align 8
  %conv = trunc i64 %2 to i32
  %add = add nsw i32 %1, %conv
  br label %return

return:                                           ; preds = %if.end, %entry
  %retval.0 = phi i32 [ %add, %if.end ], [ -1, %entry ]
  ret i32 %retval.0
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
