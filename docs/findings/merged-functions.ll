define void @a(ptr addrspace(1) %x, ptr addrspace(1) %f) {
  store i32 1, ptr addrspace(1) %x, align 4
  fence syncscope("agent") release, !mmra !0
  store atomic i32 1, ptr addrspace(1) %f syncscope("agent") monotonic, align 4
  ret void
}

define void @b(ptr addrspace(1) %x, ptr addrspace(1) %f) {
  store i32 1, ptr addrspace(1) %x, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(1) %f syncscope("agent") monotonic, align 4
  ret void
}

!0 = !{!"amdgpu-synchronize-as", !"local"}
