; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - nested-loops.cl
; axmem: kernel @k(@o, 2, 2)
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [4 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out, i32 noundef %n, i32 noundef %m) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %m.addr = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  %m.addr.ascast = addrspacecast ptr addrspace(5) %m.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  store i32 %m, ptr %m.addr.ascast, align 4
  %0 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %1 = load i32, ptr %n.addr.ascast, align 4
  %2 = load i32, ptr %m.addr.ascast, align 4
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, i32 noundef %1, i32 noundef %2) #2
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out, i32 noundef %n, i32 noundef %m) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %m.addr = alloca i32, align 4, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %j = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  %m.addr.ascast = addrspacecast ptr addrspace(5) %m.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  store i32 %m, ptr %m.addr.ascast, align 4
  store i32 0, ptr addrspace(5) %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc5, %entry
  %0 = load i32, ptr addrspace(5) %i, align 4
  %1 = load i32, ptr %n.addr.ascast, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end7

for.body:                                         ; preds = %for.cond
  store i32 0, ptr addrspace(5) %j, align 4
  br label %for.cond1

for.cond1:                                        ; preds = %for.inc, %for.body
  %2 = load i32, ptr addrspace(5) %j, align 4
  %3 = load i32, ptr %m.addr.ascast, align 4
  %cmp2 = icmp slt i32 %2, %3
  br i1 %cmp2, label %for.body3, label %for.end

for.body3:                                        ; preds = %for.cond1
  %4 = load i32, ptr addrspace(5) %i, align 4
  %5 = load i32, ptr addrspace(5) %j, align 4
  %add = add nsw i32 %4, %5
  %6 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %7 = load i32, ptr addrspace(5) %i, align 4
  %mul = mul nsw i32 2, %7
  %8 = load i32, ptr addrspace(5) %j, align 4
  %add4 = add nsw i32 %mul, %8
  %idxprom = sext i32 %add4 to i64
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %6, i64 %idxprom
  store i32 %add, ptr addrspace(1) %arrayidx, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body3
  %9 = load i32, ptr addrspace(5) %j, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, ptr addrspace(5) %j, align 4
  br label %for.cond1

for.end:                                          ; preds = %for.cond1
  br label %for.inc5

for.inc5:                                         ; preds = %for.end
  %10 = load i32, ptr addrspace(5) %i, align 4
  %inc6 = add nsw i32 %10, 1
  store i32 %inc6, ptr addrspace(5) %i, align 4
  br label %for.cond

for.end7:                                         ; preds = %for.cond
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
!5 = !{i32 1, i32 0, i32 0}
!6 = !{!"none", !"none", !"none"}
!7 = !{!"int*", !"int", !"int"}
!8 = !{!"", !"", !""}
