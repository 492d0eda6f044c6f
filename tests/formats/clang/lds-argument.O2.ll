; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - lds-argument.c
; axmem: kernel @k(@o, @s) workgroups 2
; axmem: exists (o[0]=1)
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] [i32 -1, i32 -1], align 4
@s = hidden local_unnamed_addr addrspace(3) global i32 undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly captures(none) %out, ptr addrspace(3) noundef captures(none) %t) local_unnamed_addr #0 {
entry:
  store atomic i32 0, ptr addrspace(3) %t syncscope("workgroup") monotonic, align 4
  %0 = atomicrmw add ptr addrspace(3) %t, i32 1 syncscope("workgroup") monotonic, align 4, !amdgpu.no.fine.grained.memory !7, !amdgpu.no.remote.memory !7
  %1 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom = zext i32 %1 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %0, ptr addrspace(1) %arrayidx, align 4, !tbaa !3
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

attributes #0 = { mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{}
