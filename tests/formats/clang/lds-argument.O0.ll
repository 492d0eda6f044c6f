; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O0 -S -emit-llvm -fno-ident -fno-discard-value-names -o - lds-argument.c
; axmem: kernel @k(@o, @s) workgroups 2
; axmem: exists (o[0]=1)
target triple = "amdgcn-amd-amdhsa"

@o = hidden addrspace(1) global [2 x i32] [i32 -1, i32 -1], align 4
@s = hidden addrspace(3) global i32 undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %out, ptr addrspace(3) noundef %t) #0 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %t.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %.atomictmp = alloca i32, align 4, addrspace(5)
  %.atomictmp1 = alloca i32, align 4, addrspace(5)
  %atomic-temp = alloca i32, align 4, addrspace(5)
  %out.addr.ascast = addrspacecast ptr addrspace(5) %out.addr to ptr
  %t.addr.ascast = addrspacecast ptr addrspace(5) %t.addr to ptr
  %.atomictmp.ascast = addrspacecast ptr addrspace(5) %.atomictmp to ptr
  %.atomictmp1.ascast = addrspacecast ptr addrspace(5) %.atomictmp1 to ptr
  %atomic-temp.ascast = addrspacecast ptr addrspace(5) %atomic-temp to ptr
  store ptr addrspace(1) %out, ptr %out.addr.ascast, align 8
  store ptr addrspace(3) %t, ptr %t.addr.ascast, align 4
  %0 = load ptr addrspace(3), ptr %t.addr.ascast, align 4
  store i32 0, ptr %.atomictmp.ascast, align 4
  %1 = load i32, ptr %.atomictmp.ascast, align 4
  store atomic i32 %1, ptr addrspace(3) %0 syncscope("workgroup") monotonic, align 4
  %2 = load ptr addrspace(3), ptr %t.addr.ascast, align 4
  store i32 1, ptr %.atomictmp1.ascast, align 4
  %3 = load i32, ptr %.atomictmp1.ascast, align 4
  %4 = atomicrmw add ptr addrspace(3) %2, i32 %3 syncscope("workgroup") monotonic, align 4, !amdgpu.no.fine.grained.memory !4, !amdgpu.no.remote.memory !4
  store i32 %4, ptr %atomic-temp.ascast, align 4
  %5 = load i32, ptr %atomic-temp.ascast, align 4
  %6 = load ptr addrspace(1), ptr %out.addr.ascast, align 8
  %7 = call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom = zext i32 %7 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %6, i64 %idxprom
  store i32 %5, ptr addrspace(1) %arrayidx, align 4
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

attributes #0 = { convergent noinline nounwind optnone }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{}
