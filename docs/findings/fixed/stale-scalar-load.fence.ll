@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @consumer(ptr addrspace(1) %out) {
  %flag = load atomic i32, ptr addrspace(1) @f syncscope("agent") monotonic, align 4
  fence syncscope("agent") acquire
  %message = load i32, ptr addrspace(1) @x, align 4
  %both = add i32 %flag, %message
  store i32 %both, ptr addrspace(1) %out, align 4
  ret void
}
