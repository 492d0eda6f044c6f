; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - lock.cl
; axmem: kernel @k(@x, @o) workgroups 2
; axmem: bound 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4
@o = hidden addrspace(1) global [1 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %lock, ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %lock.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %lock.addr.ascast = addrspacecast ptr addrspace(5) %lock.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %lock, ptr %lock.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %lock.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1) #2
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %lock, ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %lock.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %expected = alloca i32, align 4, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %cmpxchg.bool = alloca i8, align 1, addrspace(5)
  %.atomictmp2 = alloca i32, align 4, addrspace(5)
  %lock.addr.ascast = addrspacecast ptr addrspace(5) %lock.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %cmpxchg.bool.ascast = addrspacecast ptr addrspace(5) %cmpxchg.bool to ptr
  %.atomictmp2.ascast = addrspacecast ptr addrspace(5) %.atomictmp2 to ptr
  store ptr addrspace(1) %lock, ptr %lock.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store i32 0, ptr addrspace(5) %expected, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load ptr addrspace(1), ptr %lock.addr.ascast, align 8
  store i32 1, ptr %.atomictmp.ascast, align 4
  %1 = load i32, ptr addrspace(5) %expected, align 4
  %2 = load i32, ptr %.atomictmp.ascast, align 4
  %3 = cmpxchg ptr addrspace(1) %0, i32 %1, i32 %2 syncscope("agent") acquire monotonic, align 4
  %4 = extractvalue { i32, i1 } %3, 0
  %5 = extractvalue { i32, i1 } %3, 1
  br i1 %5, label %cmpxchg.continue, label %cmpxchg.store_expected

cmpxchg.store_expected:                           ; preds = %while.cond
  store i32 %4, ptr addrspace(5) %expected, align 4
  br label %cmpxchg.continue

cmpxchg.continue:                                 ; preds = %cmpxchg.store_expected, %while.cond
  %storedv = zext i1 %5 to i8
  store i8 %storedv, ptr %cmpxchg.bool.ascast, align 1
  %6 = load i8, ptr %cmpxchg.bool.ascast, align 1
  %loadedv = trunc i8 %6 to i1
  %lnot = xor i1 %loadedv, true
  br i1 %lnot, label %while.body, label %while.end

while.body:                                       ; preds = %cmpxchg.continue
  store i32 0, ptr addrspace(5) %expected, align 4
  br label %while.cond

while.end:                                        ; preds = %cmpxchg.continue
  %7 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %7, i64 0
  %8 = load i32, ptr addrspace(1) %arrayidx, align 4
  %add = add nsw i32 %8, 1
  %9 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx1 = getelementptr inbounds i32, ptr addrspace(1) %9, i64 0
  store i32 %add, ptr addrspace(1) %arrayidx1, align 4
  %10 = load ptr addrspace(1), ptr %lock.addr.ascast, align 8
  store i32 0, ptr %.atomictmp2.ascast, align 4
  %11 = load i32, ptr %.atomictmp2.ascast, align 4
  store atomic i32 %11, ptr addrspace(1) %10 syncscope("agent") release, align 4
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
!5 = !{i32 1, i32 1}
!6 = !{!"none", !"none"}
!7 = !{!"int*", !"int*"}
!8 = !{!"", !""}
