define amdgpu_kernel void @any_zero(ptr addrspace(1) %out, i32 %n) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  %leave = icmp eq i32 %i, %lane
  br i1 %leave, label %sibling, label %inner.latch

inner.latch:
  %j.next = add i32 %j, 1
  %inner.again = icmp ult i32 %j.next, %n
  br i1 %inner.again, label %inner, label %outer.latch

outer.latch:
  %i.next = add i32 %i, 1
  br label %outer

sibling:
  %k = phi i32 [ 0, %inner ], [ %k.next, %sibling ]
  %zero = icmp eq i32 %i, 0
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %zero)
  %any = icmp ne i64 %mask, 0
  %value = zext i1 %any to i32
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store volatile i32 %value, ptr addrspace(1) %place
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %sibling, label %exit

exit:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
