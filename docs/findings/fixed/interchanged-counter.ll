@counter = global i32 0
@order = global [4 x i32] zeroinitializer

define i32 @main() {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %number = atomicrmw add ptr @counter, i32 1 monotonic
  %row = shl i64 %i, 1
  %index = add i64 %row, %j
  %place = getelementptr inbounds [4 x i32], ptr @order, i64 0, i64 %index
  store i32 %number, ptr %place
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, 2
  br i1 %more, label %inner, label %outer.latch

outer.latch:
  %i.next = add i64 %i, 1
  %again = icmp ult i64 %i.next, 2
  br i1 %again, label %outer, label %exit

exit:
  %second = load i32, ptr getelementptr inbounds ([4 x i32], ptr @order, i64 0, i64 1)
  %third = load i32, ptr getelementptr inbounds ([4 x i32], ptr @order, i64 0, i64 2)
  %tens = mul i32 %second, 10
  %both = add i32 %tens, %third
  ret i32 %both
}
