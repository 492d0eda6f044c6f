; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - spin.cl
; axmem: kernel @k(@x, @flag, @o) workgroups 2
; axmem: exists (o[1]=1)
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4
@flag = hidden addrspace(1) global i32 0, align 4
@o = hidden addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %data, ptr addrspace(1) noundef align 4 %f, ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %data.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %f.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %data.addr.ascast = addrspacecast ptr addrspace(5) %data.addr to ptr
  %f.addr.ascast = addrspacecast ptr addrspace(5) %f.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %data, ptr %data.addr.ascast, align 8
  store ptr addrspace(1) %f, ptr %f.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %data.addr.ascast, align 8
  %1 = load ptr addrspace(1), ptr %f.addr.ascast, align 8
  %2 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2) #3
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %data, ptr addrspace(1) noundef align 4 %f, ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %data.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %f.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %data.addr.ascast = addrspacecast ptr addrspace(5) %data.addr to ptr
  %f.addr.ascast = addrspacecast ptr addrspace(5) %f.addr to ptr
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  store ptr addrspace(1) %data, ptr %data.addr.ascast, align 8
  store ptr addrspace(1) %f, ptr %f.addr.ascast, align 8
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workgroup.id.x()
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %1 = load ptr addrspace(1), ptr %data.addr.ascast, align 8
  store i32 1, ptr addrspace(1) %1, align 4
  %2 = load ptr addrspace(1), ptr %f.addr.ascast, align 8
  store i32 1, ptr %.atomictmp.ascast, align 4
  %3 = load i32, ptr %.atomictmp.ascast, align 4
  store atomic i32 %3, ptr addrspace(1) %2 syncscope("agent") release, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  br label %while.cond

while.cond:                                       ; preds = %while.body, %if.else
  %4 = load ptr addrspace(1), ptr %f.addr.ascast, align 8
  %5 = load atomic i32, ptr addrspace(1) %4 syncscope("agent") acquire, align 4
  store i32 %5, ptr %atomic-temp.ascast, align 4
  %6 = load i32, ptr %atomic-temp.ascast, align 4
  %tobool = icmp ne i32 %6, 0
  %lnot = xor i1 %tobool, true
  br i1 %lnot, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  br label %while.cond

while.end:                                        ; preds = %while.cond
  %7 = load ptr addrspace(1), ptr %data.addr.ascast, align 8
  %8 = load i32, ptr addrspace(1) %7, align 4
  %9 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %9, i64 1
  store i32 %8, ptr addrspace(1) %arrayidx, align 4
  br label %if.end

if.end:                                           ; preds = %while.end, %if.then
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
