@x = protected addrspace(1) global i32 0
@y = protected addrspace(1) global i32 0

define amdgpu_kernel void @alone(ptr addrspace(1) %out) {
  store i32 3, ptr addrspace(1) @x, align 4
  %old = atomicrmw add ptr addrspace(1) @y, i32 1 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0
  store i32 %old, ptr addrspace(1) %out, align 4
  ret void
}

!0 = !{}
