; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - private-array.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [4 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %a = alloca [4 x i32], align 4, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %id = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 0, ptr addrspace(5) %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr addrspace(5) %i, align 4
  %cmp = icmp slt i32 %0, 4
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = load i32, ptr addrspace(5) %i, align 4
  %add = add nsw i32 %1, 1
  %2 = load i32, ptr addrspace(5) %i, align 4
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds [4 x i32], ptr addrspace(5) %a, i64 0, i64 %idxprom
  store i32 %add, ptr addrspace(5) %arrayidx, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %3 = load i32, ptr addrspace(5) %i, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr addrspace(5) %i, align 4
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %4 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %4, ptr addrspace(5) %id, align 4
  %5 = load i32, ptr addrspace(5) %id, align 4
  %add1 = add nsw i32 %5, 1
  %idxprom2 = sext i32 %add1 to i64
  %arrayidx3 = getelementptr inbounds [4 x i32], ptr addrspace(5) %a, i64 0, i64 %idxprom2
  %6 = load i32, ptr addrspace(5) %arrayidx3, align 4
  %add4 = add nsw i32 %6, 10
  %7 = load i32, ptr addrspace(5) %id, align 4
  %idxprom5 = sext i32 %7 to i64
  %arrayidx6 = getelementptr inbounds [4 x i32], ptr addrspace(5) %a, i64 0, i64 %idxprom5
  store i32 %add4, ptr addrspace(5) %arrayidx6, align 4
  %8 = load i32, ptr addrspace(5) %id, align 4
  %idxprom7 = sext i32 %8 to i64
  %arrayidx8 = getelementptr inbounds [4 x i32], ptr addrspace(5) %a, i64 0, i64 %idxprom7
  %9 = load i32, ptr addrspace(5) %arrayidx8, align 4
  %arrayidx9 = getelementptr inbounds [4 x i32], ptr addrspace(5) %a, i64 0, i64 3
  %10 = load i32, ptr addrspace(5) %arrayidx9, align 4
  %add10 = add nsw i32 %9, %10
  %11 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %12 = load i32, ptr addrspace(5) %id, align 4
  %idxprom11 = sext i32 %12 to i64
  %arrayidx12 = getelementptr inbounds i32, ptr addrspace(1) %11, i64 %idxprom11
  store i32 %add10, ptr addrspace(1) %arrayidx12, align 4
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
!7 = !{!"int*"}
!8 = !{!""}
