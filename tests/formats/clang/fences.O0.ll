; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - fences.cl
; axmem: kernel @k(@x, @y, @o) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4
@y = hidden addrspace(1) global i32 0, align 4
@o = hidden addrspace(1) global [2 x i32] zeroinitializer, align 4
@.str = private unnamed_addr addrspace(4) constant [1 x i8] zeroinitializer, align 1

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %a, ptr addrspace(1) noundef align 4 %b, ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %b.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %a, ptr %a.addr.ascast, align 8
  store ptr addrspace(1) %b, ptr %b.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %b.addr.ascast, align 8
  %2 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %a, ptr addrspace(1) noundef align 4 %b, ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %a.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %b.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %g = alloca i32, align 4, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  store ptr addrspace(1) %a, ptr %a.addr.ascast, align 8
  store ptr addrspace(1) %b, ptr %b.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  store i32 %0, ptr addrspace(5) %g, align 4
  %1 = load i32, ptr addrspace(5) %g, align 4
  %tobool = icmp ne i32 %1, 0
  br i1 %tobool, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %2 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  br label %cond.end

cond.false:                                       ; preds = %entry
  %3 = load ptr addrspace(1), ptr %b.addr.ascast, align 8
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi ptr addrspace(1) [ %2, %cond.true ], [ %3, %cond.false ]
  store i32 1, ptr %.atomictmp.ascast, align 4
  %4 = load i32, ptr %.atomictmp.ascast, align 4
  store atomic i32 %4, ptr addrspace(1) %cond monotonic, align 4
  fence seq_cst
  %5 = load i32, ptr addrspace(5) %g, align 4
  %tobool1 = icmp ne i32 %5, 0
  br i1 %tobool1, label %cond.true2, label %cond.false3

cond.true2:                                       ; preds = %cond.end
  %6 = load ptr addrspace(1), ptr %b.addr.ascast, align 8
  br label %cond.end4

cond.false3:                                      ; preds = %cond.end
  %7 = load ptr addrspace(1), ptr %a.addr.ascast, align 8
  br label %cond.end4

cond.end4:                                        ; preds = %cond.false3, %cond.true2
  %cond5 = phi ptr addrspace(1) [ %6, %cond.true2 ], [ %7, %cond.false3 ]
  %8 = load atomic i32, ptr addrspace(1) %cond5 monotonic, align 4
  store i32 %8, ptr %atomic-temp.ascast, align 4
  %9 = load i32, ptr %atomic-temp.ascast, align 4
  %10 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %11 = load i32, ptr addrspace(5) %g, align 4
  %idxprom = sext i32 %11 to i64
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %10, i64 %idxprom
  store i32 %9, ptr addrspace(1) %arrayidx, align 4
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
!5 = !{i32 1, i32 1, i32 1}
!6 = !{!"none", !"none", !"none"}
!7 = !{!"int*", !"int*", !"int*"}
!8 = !{!"", !"", !""}
