@x = protected addrspace(1) global i32 0
@f = protected addrspace(1) global i32 0

define amdgpu_kernel void @reader(ptr addrspace(1) %out) {
  %old = load i32, ptr addrspace(1) @x, align 4
  %previous = atomicrmw add ptr addrspace(1) @f, i32 1 syncscope("agent-one-as") release, align 4
  store i32 %old, ptr addrspace(1) %out, align 4
  ret void
}
