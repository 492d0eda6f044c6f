@z = protected addrspace(1) global <2 x i32> zeroinitializer, align 8

define amdgpu_kernel void @whole(ptr addrspace(1) %out) {
  %old = load i32, ptr addrspace(1) @z, align 8
  %previous = atomicrmw add ptr addrspace(1) @z, i32 7 monotonic, align 4
  store i32 %old, ptr addrspace(1) %out, align 8
  ret void
}

define amdgpu_kernel void @half(ptr addrspace(1) %out) {
  %old = load <2 x i32>, ptr addrspace(1) @z, align 8
  %second = getelementptr i8, ptr addrspace(1) @z, i64 4
  %previous = atomicrmw add ptr addrspace(1) %second, i32 7 monotonic, align 4
  store <2 x i32> %old, ptr addrspace(1) %out, align 8
  ret void
}
