; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - lds-array-argument.c
; axmem: kernel @k(@o, @s) workgroups 1, lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] zeroinitializer, align 4
@s = hidden local_unnamed_addr addrspace(3) global [2 x i32] undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly captures(none) %out, ptr addrspace(3) noundef captures(none) %t) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %add = add nuw nsw i32 %0, 5
  %idxprom = zext nneg i32 %0 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(3) %t, i32 %0
  store i32 %add, ptr addrspace(3) %arrayidx, align 4, !tbaa !3
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %sub = sub nsw i32 1, %0
  %arrayidx2 = getelementptr inbounds nuw i32, ptr addrspace(3) %t, i32 %sub
  %1 = load i32, ptr addrspace(3) %arrayidx2, align 4, !tbaa !3
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %1, ptr addrspace(1) %arrayidx4, align 4, !tbaa !3
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare void @llvm.amdgcn.s.barrier() #2

attributes #0 = { convergent mustprogress nofree norecurse nounwind willreturn }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nofree nounwind willreturn }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
