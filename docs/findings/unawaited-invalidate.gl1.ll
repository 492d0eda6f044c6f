@y = protected addrspace(1) global i32 0
@z = protected addrspace(1) global i32 0

define amdgpu_kernel void @relay(ptr addrspace(1) %out) {
  %seen = load atomic i32, ptr addrspace(1) @y syncscope("agent") acquire, align 4
  store atomic i32 1, ptr addrspace(1) @z syncscope("workgroup") release, align 4
  store i32 %seen, ptr addrspace(1) %out, align 4
  ret void
}
