@a = protected addrspace(1) global i32 0
@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer() {
  store i32 1, ptr addrspace(1) @a, align 4
  store i32 1, ptr addrspace(1) @x, align 4
  store atomic i32 1, ptr addrspace(1) @f syncscope("agent") release, align 4
  ret void
}
