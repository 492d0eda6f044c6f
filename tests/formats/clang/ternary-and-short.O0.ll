; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - ternary-and-short.cl
; axmem: kernel @k(@b, in {0, 1})
target triple = "amdgcn-amd-amdhsa"

@b = hidden addrspace(1) global [2 x i8] c"\01\02", align 1

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 1 %p, i32 noundef %n) #0 {
entry:
  %p.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %p.addr.ascast = addrspacecast ptr addrspace(5) %p.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  store ptr addrspace(1) %p, ptr %p.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  %0 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %1 = load i32, ptr %n.addr.ascast, align 4
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 1 %0, i32 noundef %1) #2
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 1 %p, i32 noundef %n) #1 {
entry:
  %p.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %n.addr = alloca i32, align 4, addrspace(5)
  %s = alloca i16, align 2, addrspace(5)
  %p.addr.ascast = addrspacecast ptr addrspace(5) %p.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  store ptr addrspace(1) %p, ptr %p.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  %0 = load i32, ptr %n.addr.ascast, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %1 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %arrayidx = getelementptr inbounds i8, ptr addrspace(1) %1, i64 0
  %2 = load i8, ptr addrspace(1) %arrayidx, align 1
  %conv = sext i8 %2 to i32
  br label %cond.end

cond.false:                                       ; preds = %entry
  %3 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %arrayidx1 = getelementptr inbounds i8, ptr addrspace(1) %3, i64 1
  %4 = load i8, ptr addrspace(1) %arrayidx1, align 1
  %conv2 = sext i8 %4 to i32
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %conv, %cond.true ], [ %conv2, %cond.false ]
  %conv3 = trunc i32 %cond to i16
  store i16 %conv3, ptr addrspace(5) %s, align 2
  %5 = load i16, ptr addrspace(5) %s, align 2
  %conv4 = sext i16 %5 to i32
  %cmp = icmp sgt i32 %conv4, 1
  br i1 %cmp, label %land.lhs.true, label %cond.false11

land.lhs.true:                                    ; preds = %cond.end
  %6 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %7 = load i32, ptr %n.addr.ascast, align 4
  %sub = sub nsw i32 1, %7
  %idxprom = sext i32 %sub to i64
  %arrayidx6 = getelementptr inbounds i8, ptr addrspace(1) %6, i64 %idxprom
  %8 = load i8, ptr addrspace(1) %arrayidx6, align 1
  %conv7 = sext i8 %8 to i32
  %tobool8 = icmp ne i32 %conv7, 0
  br i1 %tobool8, label %cond.true9, label %cond.false11

cond.true9:                                       ; preds = %land.lhs.true
  %9 = load i16, ptr addrspace(5) %s, align 2
  %conv10 = sext i16 %9 to i32
  br label %cond.end14

cond.false11:                                     ; preds = %land.lhs.true, %cond.end
  %10 = load i16, ptr addrspace(5) %s, align 2
  %conv12 = sext i16 %10 to i32
  %sub13 = sub nsw i32 0, %conv12
  br label %cond.end14

cond.end14:                                       ; preds = %cond.false11, %cond.true9
  %cond15 = phi i32 [ %conv10, %cond.true9 ], [ %sub13, %cond.false11 ]
  %conv16 = trunc i32 %cond15 to i8
  %11 = load ptr addrspace(1), ptr %p.addr.ascast, align 8
  %12 = load i32, ptr %n.addr.ascast, align 4
  %idxprom17 = sext i32 %12 to i64
  %arrayidx18 = getelementptr inbounds i8, ptr addrspace(1) %11, i64 %idxprom17
  store i8 %conv16, ptr addrspace(1) %arrayidx18, align 1
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
!7 = !{!"char*", !"int"}
!8 = !{!"", !""}
