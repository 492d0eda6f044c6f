; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - break-and-continue.cl
; axmem: kernel @k(@o, 4)
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [4 x i32] [i32 0, i32 1, i32 5, i32 7], align 4

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
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, i32 noundef %1) #2
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out, i32 noundef %n) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %found = alloca i32, align 4, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  store i32 -1, ptr addrspace(5) %found, align 4
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
  %cmp1 = icmp eq i32 %4, 0
  br i1 %cmp1, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  br label %for.inc

if.end:                                           ; preds = %for.body
  %5 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %6 = load i32, ptr addrspace(5) %i, align 4
  %idxprom2 = sext i32 %6 to i64
  %arrayidx3 = getelementptr inbounds i32, ptr addrspace(1) %5, i64 %idxprom2
  %7 = load i32, ptr addrspace(1) %arrayidx3, align 4
  %cmp4 = icmp sgt i32 %7, 4
  br i1 %cmp4, label %if.then5, label %if.end6

if.then5:                                         ; preds = %if.end
  %8 = load i32, ptr addrspace(5) %i, align 4
  store i32 %8, ptr addrspace(5) %found, align 4
  br label %for.end

if.end6:                                          ; preds = %if.end
  br label %for.inc

for.inc:                                          ; preds = %if.end6, %if.then
  %9 = load i32, ptr addrspace(5) %i, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, ptr addrspace(5) %i, align 4
  br label %for.cond

for.end:                                          ; preds = %if.then5, %for.cond
  %10 = load i32, ptr addrspace(5) %found, align 4
  %11 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx7 = getelementptr inbounds i32, ptr addrspace(1) %11, i64 0
  store i32 %10, ptr addrspace(1) %arrayidx7, align 4
  ret void
}

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { convergent nounwind }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{i32 1, i32 0}
!6 = !{!"none", !"none"}
!7 = !{!"int*", !"int"}
!8 = !{!"", !""}
