; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - lds-array-argument.c
; axmem: kernel @k(@o, @s) workgroups 1, lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [2 x i32] zeroinitializer, align 4
@s = hidden addrspace(3) global [2 x i32] undef, align 4
@.str = private unnamed_addr addrspace(4) constant [10 x i8] c"workgroup\00", align 1

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %out, ptr addrspace(3) noundef %t) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %t.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %id = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %t.addr.ascast = addrspacecast ptr addrspace(5) %t.addr to ptr
  %id.ascast = addrspacecast ptr addrspace(5) %id to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store ptr addrspace(3) %t, ptr %t.addr.ascast, align 4
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %0, ptr %id.ascast, align 4
  %1 = load i32, ptr %id.ascast, align 4
  %add = add i32 %1, 5
  %2 = load ptr addrspace(3), ptr %t.addr.ascast, align 4
  %3 = load i32, ptr %id.ascast, align 4
  %idxprom = zext i32 %3 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(3) %2, i64 %idxprom
  store i32 %add, ptr addrspace(3) %arrayidx, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %4 = load ptr addrspace(3), ptr %t.addr.ascast, align 4
  %5 = load i32, ptr %id.ascast, align 4
  %sub = sub i32 1, %5
  %idxprom1 = zext i32 %sub to i64
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspace(3) %4, i64 %idxprom1
  %6 = load i32, ptr addrspace(3) %arrayidx2, align 4
  %7 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %8 = load i32, ptr %id.ascast, align 4
  %idxprom3 = zext i32 %8 to i64
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(1) %7, i64 %idxprom3
  store i32 %6, ptr addrspace(1) %arrayidx4, align 4
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare void @llvm.amdgcn.s.barrier() #2

attributes #0 = { convergent noinline nounwind optnone }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nofree nounwind willreturn }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
