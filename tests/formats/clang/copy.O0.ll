; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - copy.c
; axmem: kernel @k(@a, @b)
target triple = "amdgcn-amd-amdhsa"

%struct.pair = type { [4 x i32] }

@a = hidden addrspace(1) global %struct.pair { [4 x i32] [i32 1, i32 2, i32 3, i32 4] }, align 4
@b = hidden addrspace(1) global %struct.pair zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %p, ptr addrspace(1) noundef %q) #0 {
entry:
  %p.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %q.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %p.addr.ascast = addrspacecast ptr addrspace(5) %p.addr to ptr
  %q.addr.ascast = addrspacecast ptr addrspace(5) %q.addr to ptr
  store ptr addrspace(1) %p, ptr %p.addr.ascast, align 8
  store ptr addrspace(1) %q, ptr %q.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %q.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %0, ptr addrspace(1) align 4 %1, i64 16, i1 false)
  ret void
}

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) noalias writeonly captures(none), ptr addrspace(1) noalias readonly captures(none), i64, i1 immarg) #1

attributes #0 = { convergent noinline nounwind optnone }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
