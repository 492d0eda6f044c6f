; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - reduction.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [1 x i32] zeroinitializer, align 4
@k.part = internal addrspace(3) global [2 x i32] undef, align 4
@.str = private unnamed_addr addrspace(4) constant [10 x i8] c"workgroup\00", align 1

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
  %step = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr addrspace(5) %id, align 4
  %1 = load i32, ptr addrspace(5) %id, align 4
  %add = add nsw i32 %1, 1
  %2 = load i32, ptr addrspace(5) %id, align 4
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds [2 x i32], ptr addrspace(3) @k.part, i64 0, i64 %idxprom
  store i32 %add, ptr addrspace(3) %arrayidx, align 4
  store i32 1, ptr addrspace(5) %step, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %3 = load i32, ptr addrspace(5) %step, align 4
  %tobool = icmp ne i32 %3, 0
  br i1 %tobool, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %4 = load i32, ptr addrspace(5) %id, align 4
  %5 = load i32, ptr addrspace(5) %step, align 4
  %cmp = icmp slt i32 %4, %5
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %6 = load i32, ptr addrspace(5) %id, align 4
  %7 = load i32, ptr addrspace(5) %step, align 4
  %add1 = add nsw i32 %6, %7
  %idxprom2 = sext i32 %add1 to i64
  %arrayidx3 = getelementptr inbounds [2 x i32], ptr addrspace(3) @k.part, i64 0, i64 %idxprom2
  %8 = load i32, ptr addrspace(3) %arrayidx3, align 4
  %9 = load i32, ptr addrspace(5) %id, align 4
  %idxprom4 = sext i32 %9 to i64
  %arrayidx5 = getelementptr inbounds [2 x i32], ptr addrspace(3) @k.part, i64 0, i64 %idxprom4
  %10 = load i32, ptr addrspace(3) %arrayidx5, align 4
  %add6 = add nsw i32 %10, %8
  store i32 %add6, ptr addrspace(3) %arrayidx5, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %11 = load i32, ptr addrspace(5) %step, align 4
  %shr = ashr i32 %11, 1
  store i32 %shr, ptr addrspace(5) %step, align 4
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %12 = load i32, ptr addrspace(5) %id, align 4
  %cmp7 = icmp eq i32 %12, 0
  br i1 %cmp7, label %if.then8, label %if.end10

if.then8:                                         ; preds = %for.end
  %13 = load i32, ptr addrspace(3) @k.part, align 4
  %14 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %arrayidx9 = getelementptr inbounds i32, ptr addrspace(1) %14, i64 0
  store i32 %13, ptr addrspace(1) %arrayidx9, align 4
  br label %if.end10

if.end10:                                         ; preds = %if.then8, %for.end
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

declare void @llvm.amdgcn.s.barrier() #3

attributes #0 = { convergent noinline norecurse nounwind optnone }
attributes #1 = { convergent noinline norecurse nounwind optnone }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nofree nounwind willreturn }
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
