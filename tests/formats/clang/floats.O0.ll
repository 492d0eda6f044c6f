; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - floats.cl
; axmem: kernel @k(@h, @o) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@h = hidden addrspace(1) global float 1.500000e+00, align 4
@o = hidden addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %sum, ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %sum.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %sum.addr.ascast = addrspacecast ptr addrspace(5) %sum.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %sum, ptr %sum.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %sum.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %sum, ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %sum.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %old = alloca float, align 4, addrspace(5)
  %.atomictmp = alloca float, align 4, addrspace(5)
  %atomic-temp = alloca float, align 4, addrspace(5)
  %sum.addr.ascast = addrspacecast ptr addrspace(5) %sum.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  store ptr addrspace(1) %sum, ptr %sum.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %sum.addr.ascast, align 8
  store float 5.000000e-01, ptr %.atomictmp.ascast, align 4
  %1 = load float, ptr %.atomictmp.ascast, align 4
  %2 = atomicrmw fadd ptr addrspace(1) %0, float %1 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !9, !amdgpu.no.remote.memory !9
  store float %2, ptr %atomic-temp.ascast, align 4
  %3 = load float, ptr %atomic-temp.ascast, align 4
  store float %3, ptr addrspace(5) %old, align 4
  %4 = load float, ptr addrspace(5) %old, align 4
  %add = fadd float %4, 1.000000e+00
  %cmp = fcmp ogt float %add, 2.750000e+00
  %conv = zext i1 %cmp to i32
  %5 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %6 = call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom = zext i32 %6 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %5, i64 %idxprom
  store i32 %conv, ptr addrspace(1) %arrayidx, align 4
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #2

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nounwind }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{i32 1, i32 1}
!6 = !{!"none", !"none"}
!7 = !{!"float*", !"int*"}
!8 = !{!"", !""}
!9 = !{}
