; ModuleID = 'x.c'
source_filename = "x.c"
target triple = "amdgcn-amd-amdhsa"

@x = addrspace(1) global i32 0, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}
