; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - volatile.c
; axmem: kernel @k(@x, @y) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4
@y = hidden addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %a, ptr addrspace(1) noundef %b) #0 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %b.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  store ptr addrspace(1) %a, ptr %a.addr.ascast, align 8
  store ptr addrspace(1) %b, ptr %b.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %1 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  store volatile i32 1, ptr addrspace(1) %1, align 4
  %2 = load ptr addrspace(1), ptr %b.addr.ascast, align 8
  store volatile i32 1, ptr addrspace(1) %2, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  %3 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  %4 = load volatile i32, ptr addrspace(1) %3, align 4
  %add = add nsw i32 %4, 2
  %5 = load ptr addrspace(1), ptr %b.addr.ascast, align 8
  store volatile i32 %add, ptr addrspace(1) %5, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

attributes #0 = { convergent noinline nounwind optnone }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
