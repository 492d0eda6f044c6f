; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - call.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0) #4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %b = alloca i32, align 4, addrspace(5)
  %id = alloca i32, align 4, addrspace(5)
  %a = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 1, ptr addrspace(5) %b, align 4
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr addrspace(5) %id, align 4
  %1 = load i32, ptr addrspace(5) %id, align 4
  %b.ascast = addrspacecast ptr addrspace(5) %b to ptr
  %call = call i32 @twice(i32 noundef %1, ptr noundef %b.ascast) #4
  store i32 %call, ptr addrspace(5) %a, align 4
  %2 = load i32, ptr addrspace(5) %a, align 4
  %3 = load i32, ptr addrspace(5) %b, align 4
  %add = add nsw i32 %2, %3
  %4 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %5 = load i32, ptr addrspace(5) %id, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %4, i64 %idxprom
  store i32 %add, ptr addrspace(1) %arrayidx, align 4
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

define internal i32 @twice(i32 noundef %a, ptr noundef %b) #3 {
entry:
  %retval = alloca i32, align 4, addrspace(5)
  %a.addr = alloca i32, align 4, addrspace(5)
  %b.addr = alloca ptr, align 8, addrspace(5)
  %retval.ascast = addrspacecast ptr addrspace(5) %retval to ptr
  %a.addr.ascast = addrspacecast ptr addrspace(5) %a.addr to ptr
  %b.addr.ascast = addrspacecast ptr addrspace(5) %b.addr to ptr
  store i32 %a, ptr %a.addr.ascast, align 4
  store ptr %b, ptr %b.addr.ascast, align 8
  %0 = load i32, ptr %a.addr.ascast, align 4
  %1 = load ptr, ptr %b.addr.ascast, align 8
  %2 = load i32, ptr %1, align 4
  %add = add nsw i32 %2, %0
  store i32 %add, ptr %1, align 4
  %3 = load i32, ptr %a.addr.ascast, align 4
  %mul = mul nsw i32 2, %3
  ret i32 %mul
}

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent noinline norecurse nounwind optnone }
attributes #4 = { convergent nounwind }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{i32 1}
!6 = !{!"none"}
!7 = !{!"int*"}
!8 = !{!""}
