; RUN: opt -S -O2 -enable-loopinterchange -loop-interchange-profitabilities=ignore < %s | FileCheck %s --implicit-check-not='{{%[ij] = phi}}'
;
; CHECK:       %i = phi
; CHECK:       %j = phi
;
; Loops around a read-modify-write are exchanged.

@counter = global i32 0
@order = global [4096 x i32] zeroinitializer

define i32 @main() {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %number = atomicrmw add ptr @counter, i32 1 monotonic
  %row = shl nuw nsw i64 %i, 6
  %index = add nuw nsw i64 %row, %j
  %place = getelementptr inbounds [4096 x i32], ptr @order, i64 0, i64 %index
  store i32 %number, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 64
  br i1 %more, label %inner, label %outer.latch

outer.latch:
  %i.next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i.next, 64
  br i1 %again, label %outer, label %exit

exit:
  %second = load i32, ptr getelementptr inbounds ([4096 x i32], ptr @order, i64 0, i64 1)
  ret i32 %second
}
