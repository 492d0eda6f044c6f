; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - switch.cl
; axmem: kernel @k(@o, in {0, 1, 7})
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [1 x i32] zeroinitializer, align 4

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
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %n.addr.ascast = addrspacecast ptr addrspace(5) %n.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 %n, ptr %n.addr.ascast, align 4
  %0 = load i32, ptr %n.addr.ascast, align 4
  switch i32 %0, label %sw.default [
    i32 0, label %sw.bb
    i32 1, label %sw.bb1
    i32 2, label %sw.bb3
  ]

sw.bb:                                            ; preds = %entry
  %1 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %1, i64 0
  store i32 10, ptr addrspace(1) %arrayidx, align 4
  br label %sw.epilog

sw.bb1:                                           ; preds = %entry
  %2 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx2 = getelementptr inbounds i32, ptr addrspace(1) %2, i64 0
  store i32 20, ptr addrspace(1) %arrayidx2, align 4
  br label %sw.bb3

sw.bb3:                                           ; preds = %entry, %sw.bb1
  %3 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx4 = getelementptr inbounds i32, ptr addrspace(1) %3, i64 0
  %4 = load i32, ptr addrspace(1) %arrayidx4, align 4
  %add = add nsw i32 %4, 1
  store i32 %add, ptr addrspace(1) %arrayidx4, align 4
  br label %sw.epilog

sw.default:                                       ; preds = %entry
  %5 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx5 = getelementptr inbounds i32, ptr addrspace(1) %5, i64 0
  store i32 30, ptr addrspace(1) %arrayidx5, align 4
  br label %sw.epilog

sw.epilog:                                        ; preds = %sw.default, %sw.bb3, %sw.bb
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
