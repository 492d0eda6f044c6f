; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - global-variables.c
; axmem: kernel @k() workgroups 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4
@y = internal addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k() #0 {
entry:
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %atomic-temp1 = alloca i32, align 4, addrspace(5)
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  %atomic-temp1.ascast = addrspacecast ptr addrspace(5) %atomic-temp1 to ptr
  store i32 1, ptr %.atomictmp.ascast, align 4
  %0 = load i32, ptr %.atomictmp.ascast, align 4
  %1 = atomicrmw add ptr addrspace(1) @x, i32 %0 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !4, !amdgpu.no.remote.memory !4
  store i32 %1, ptr %atomic-temp.ascast, align 4
  %2 = load i32, ptr %atomic-temp.ascast, align 4
  %3 = load atomic i32, ptr addrspace(1) @x syncscope("agent") monotonic, align 4
  store i32 %3, ptr %atomic-temp1.ascast, align 4
  %4 = load i32, ptr %atomic-temp1.ascast, align 4
  store i32 %4, ptr addrspace(1) @y, align 4
  ret void
}

attributes #0 = { convergent noinline nounwind optnone }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{}
