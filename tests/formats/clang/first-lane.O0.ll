; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - first-lane.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  call void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %0) #5
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 %out) #1 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %id = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr addrspace(5) %id, align 4
  %1 = load i32, ptr addrspace(5) %id, align 4
  %cmp = icmp eq i32 %1, 1
  br i1 %cmp, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %2 = load i32, ptr addrspace(5) %id, align 4
  %add = add nsw i32 %2, 4
  %3 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %add)
  %4 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %4, i64 1
  store i32 %3, ptr addrspace(1) %arrayidx, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  %5 = load i32, ptr addrspace(5) %id, align 4
  %add1 = add nsw i32 %5, 7
  %6 = call i32 @llvm.amdgcn.readlane.i32(i32 %add1, i32 0)
  %7 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx2 = getelementptr inbounds i32, ptr addrspace(1) %7, i64 0
  store i32 %6, ptr addrspace(1) %arrayidx2, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #3

declare i32 @llvm.amdgcn.readlane.i32(i32, i32) #4

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #4 = { convergent nocallback nofree nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{i32 1}
!6 = !{!"none"}
!7 = !{!"int*"}
!8 = !{!""}
