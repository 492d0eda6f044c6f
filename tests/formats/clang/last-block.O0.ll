; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - last-block.cl
; axmem: kernel @k(@o, @x) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [3 x i32] zeroinitializer, align 4
@x = hidden addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out, ptr addrspace(1) noundef align 4 %count) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %count.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %count.addr.ascast = addrspacecast ptr addrspace(5) %count.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store ptr addrspace(1) %count, ptr %count.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %count.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out, ptr addrspace(1) noundef align 4 %count) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %count.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %count.addr.ascast = addrspacecast ptr addrspace(5) %count.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store ptr addrspace(1) %count, ptr %count.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %add = add i32 %0, 1
  %1 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom = zext i32 %2 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %1, i64 %idxprom
  store i32 %add, ptr addrspace(1) %arrayidx, align 4
  %3 = load ptr addrspace(1), ptr %count.addr.ascast, align 8
  store i32 1, ptr %.atomictmp.ascast, align 4
  %4 = load i32, ptr %.atomictmp.ascast, align 4
  %5 = atomicrmw add ptr addrspace(1) %3, i32 %4 syncscope("agent") acq_rel, align 4, !amdgpu.no.fine.grained.memory !9, !amdgpu.no.remote.memory !9
  store i32 %5, ptr %atomic-temp.ascast, align 4
  %6 = load i32, ptr %atomic-temp.ascast, align 4
  %cmp = icmp eq i32 %6, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %7 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx1 = getelementptr inbounds i32, ptr addrspace(1) %7, i64 0
  %8 = load i32, ptr addrspace(1) %arrayidx1, align 4
  %9 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx2 = getelementptr inbounds i32, ptr addrspace(1) %9, i64 1
  %10 = load i32, ptr addrspace(1) %arrayidx2, align 4
  %add3 = add nsw i32 %8, %10
  %11 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx4 = getelementptr inbounds i32, ptr addrspace(1) %11, i64 2
  store i32 %add3, ptr addrspace(1) %arrayidx4, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
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
!7 = !{!"int*", !"int*"}
!8 = !{!"", !""}
!9 = !{}
