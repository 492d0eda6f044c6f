; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - ballot.cl
; axmem: kernel @k(@o) lanes 3
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [4 x i32] zeroinitializer, align 4

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
  %id = alloca i32, align 4, addrspace(5)
  %mask = alloca i64, align 8, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr addrspace(5) %id, align 4
  %1 = load i32, ptr addrspace(5) %id, align 4
  %cmp = icmp sgt i32 %1, 0
  %2 = call i64 @llvm.amdgcn.ballot.i64(i1 %cmp)
  store i64 %2, ptr addrspace(5) %mask, align 8
  %3 = load i64, ptr addrspace(5) %mask, align 8
  %conv = trunc i64 %3 to i32
  %4 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %5 = load i32, ptr addrspace(5) %id, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %4, i64 %idxprom
  store i32 %conv, ptr addrspace(1) %arrayidx, align 4
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

declare i64 @llvm.amdgcn.ballot.i64(i1) #3

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
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
