; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - structure.cl
; axmem: kernel @k(@n)
target triple = "amdgcn-amd-amdhsa"

%struct.node = type { i32, i32, ptr addrspace(1) }

@m = hidden addrspace(1) global %struct.node { i32 2, i32 20, ptr addrspace(1) null }, align 8
@n = hidden addrspace(1) global %struct.node { i32 1, i32 10, ptr addrspace(1) @m }, align 8

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 8 %p) #0 {
entry:
  %p.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %p.addr.ascast = addrspacecast ptr addrspace(5) %p.addr to ptr
  store ptr addrspace(1) %p, ptr %p.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 8 %0) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 8 %p) #1 {
entry:
  %p.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %here = alloca %struct.node, align 8, addrspace(5)
  %p.addr.ascast = addrspacecast ptr addrspace(5) %p.addr to ptr
  store ptr addrspace(1) %p, ptr %p.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  call void @llvm.memcpy.p5.p1.i64(ptr addrspace(5) align 8 %here, ptr addrspace(1) align 8 %0, i64 16, i1 false)
  %next = getelementptr inbounds nuw %struct.node, ptr addrspace(5) %here, i32 0, i32 2
  %1 = load ptr addrspace(1), ptr addrspace(5) %next, align 8
  %value = getelementptr inbounds nuw %struct.node, ptr addrspace(1) %1, i32 0, i32 1
  %2 = load i32, ptr addrspace(1) %value, align 4
  %key = getelementptr inbounds nuw %struct.node, ptr addrspace(5) %here, i32 0, i32 0
  %3 = load i32, ptr addrspace(5) %key, align 8
  %add = add nsw i32 %2, %3
  %4 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %value1 = getelementptr inbounds nuw %struct.node, ptr addrspace(1) %4, i32 0, i32 1
  store i32 %add, ptr addrspace(1) %value1, align 4
  ret void
}

declare void @llvm.memcpy.p5.p1.i64(ptr addrspace(5) noalias writeonly captures(none), ptr addrspace(1) noalias readonly captures(none), i64, i1 immarg) #2

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { convergent nounwind }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{i32 1}
!6 = !{!"none"}
!7 = !{!"struct node*"}
!8 = !{!""}
