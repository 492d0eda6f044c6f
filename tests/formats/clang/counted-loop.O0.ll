; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - counted-loop.cl
; axmem: kernel @k(@o, 3) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out, i32 noundef %n) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  %0 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %1 = load i32, ptr %n.addr.ascast, align 4
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, i32 noundef %1) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out, i32 noundef %n) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %sum = alloca i32, align 4, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  store i32 0, ptr addrspace(5) %sum, align 4
  store i32 0, ptr addrspace(5) %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr addrspace(5) %i, align 4
  %1 = load i32, ptr %n.addr.ascast, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %3 = load i32, ptr addrspace(5) %i, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %idxprom
  %4 = load i32, ptr addrspace(1) %arrayidx, align 4
  %5 = load i32, ptr addrspace(5) %sum, align 4
  %add = add nsw i32 %5, %4
  store i32 %add, ptr addrspace(5) %sum, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %6 = load i32, ptr addrspace(5) %i, align 4
  %inc = add nsw i32 %6, 1
  store i32 %inc, ptr addrspace(5) %i, align 4
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %7 = call i32 @llvm.amdgcn.workitem.id.x()
  %cmp1 = icmp eq i32 %7, 5
  br i1 %cmp1, label %if.then, label %if.end

if.then:                                          ; preds = %for.end
  %8 = load i32, ptr addrspace(5) %sum, align 4
  %9 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx2 = getelementptr inbounds i32, ptr addrspace(1) %9, i64 3
  store i32 %8, ptr addrspace(1) %arrayidx2, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.end
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
!5 = !{i32 1, i32 0}
!6 = !{!"none", !"none"}
!7 = !{!"int*", !"int"}
!8 = !{!"", !""}
