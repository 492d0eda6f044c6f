; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - vector.cl
; axmem: kernel @k(@v) lanes 2
target triple = "amdgcn-amd-amdhsa"

@v = hidden addrspace(1) global [2 x <2 x i32>] [<2 x i32> <i32 1, i32 2>, <2 x i32> <i32 3, i32 4>], align 8

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
  %id = alloca i32, align 4, addrspace(5)
  %a = alloca <2 x i32>, align 8, addrspace(5)
  %p.addr.ascast = addrspacecast ptr addrspace(5) %p.addr to ptr
  store ptr addrspace(1) %p, ptr %p.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr addrspace(5) %id, align 4
  %1 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %2 = load i32, ptr addrspace(5) %id, align 4
  %idxprom = zext i32 %2 to i64
  %arrayidx = getelementptr inbounds nuw <2 x i32>, ptr addrspace(1) %1, i64 %idxprom
  %3 = load <2 x i32>, ptr addrspace(1) %arrayidx, align 8
  store <2 x i32> %3, ptr addrspace(5) %a, align 8
  %4 = load <2 x i32>, ptr addrspace(5) %a, align 8
  %5 = shufflevector <2 x i32> %4, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %add = add <2 x i32> %5, splat (i32 1)
  %6 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %7 = load i32, ptr addrspace(5) %id, align 4
  %idxprom1 = zext i32 %7 to i64
  %arrayidx2 = getelementptr inbounds nuw <2 x i32>, ptr addrspace(1) %6, i64 %idxprom1
  store <2 x i32> %add, ptr addrspace(1) %arrayidx2, align 8
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nounwind }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{i32 1}
!6 = !{!"none"}
!7 = !{!"int2*"}
!8 = !{!"int __attribute__((ext_vector_type(2)))*"}
!9 = !{!""}
