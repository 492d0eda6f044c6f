@x = protected addrspace(1) global [32 x i64] zeroinitializer
@out = protected addrspace(1) global [2 x i64] zeroinitializer
declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @overwritten() {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i64, ptr addrspace(1) @x, i32 %lane
  store i64 7, ptr addrspace(1) %at, align 8
  %read = load atomic i64, ptr addrspace(1) %at syncscope("agent") monotonic, align 8
  store atomic i64 9, ptr addrspace(1) @out syncscope("agent") monotonic, align 8
  %next = getelementptr i64, ptr addrspace(1) @out, i32 1
  store i64 %read, ptr addrspace(1) %next, align 8
  ret void
}
