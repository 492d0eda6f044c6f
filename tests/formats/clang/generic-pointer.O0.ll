; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - generic-pointer.c
; axmem: kernel @k(@x, @s, in {0, 1})
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 4, align 4
@s = hidden addrspace(3) global i32 undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %a, ptr addrspace(3) noundef %b, i32 noundef %which) #0 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %b.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %which.addr = alloca i32, align 4, addrspace(5)
  %p = alloca ptr, align 8, addrspace(5)
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  %which.addr.ascast = addrspacecast ptr addrspace(5) %which.addr to ptr
  %p.ascast = addrspacecast ptr addrspace(5) %p to ptr
  store ptr addrspace(1) %a, ptr %a.addr.ascast, align 8
  store ptr addrspace(3) %b, ptr %b.addr.ascast, align 4
  store i32 %which, ptr %which.addr.ascast, align 4
  %0 = load i32, ptr %which.addr.ascast, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %1 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  %2 = addrspacecast ptr addrspace(1) %1 to ptr
  br label %cond.end

cond.false:                                       ; preds = %entry
  %3 = load ptr addrspace(3), ptr %b.addr.ascast, align 4
  %4 = addrspacecast ptr addrspace(3) %3 to ptr
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi ptr [ %2, %cond.true ], [ %4, %cond.false ]
  store ptr %cond, ptr %p.ascast, align 8
  %5 = load ptr, ptr %p.ascast, align 8
  store i32 7, ptr %5, align 4
  %6 = load ptr, ptr %p.ascast, align 8
  %7 = load i32, ptr %6, align 4
  %add = add nsw i32 %7, 1
  %8 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  store i32 %add, ptr addrspace(1) %8, align 4
  ret void
}

attributes #0 = { convergent noinline nounwind optnone }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
