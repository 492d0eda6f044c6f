; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - device-library.c
; axmem: kernel @k(@x)
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %a) #0 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  store ptr addrspace(1) %a, ptr %a.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  %1 = load i32, ptr addrspace(1) %0, align 4
  %call = call i32 @outside(i32 noundef %1) #2
  %2 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  store i32 %call, ptr addrspace(1) %2, align 4
  ret void
}

declare hidden i32 @outside(i32 noundef) #1

attributes #0 = { convergent noinline nounwind optnone }
attributes #1 = { convergent }
attributes #2 = { convergent }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
