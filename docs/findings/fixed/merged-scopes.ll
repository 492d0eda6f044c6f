@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer(i32 %c) {
  store i32 1, ptr addrspace(1) @x, align 4
  %zero = icmp eq i32 %c, 0
  br i1 %zero, label %wide, label %narrow

wide:
  store atomic i32 1, ptr addrspace(1) @f syncscope("agent") release, align 4
  ret void

narrow:
  store atomic i32 1, ptr addrspace(1) @f syncscope("workgroup") release, align 4
  ret void
}
