@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @producer() {
  store i32 1, ptr addrspace(1) @x, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(1) @f release, align 4
  ret void
}
