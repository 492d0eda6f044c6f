; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - ballot.cl
; axmem: kernel @k(@o) lanes 3
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [4 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %cmp.i = icmp ne i32 %0, 0
  %1 = tail call i64 @llvm.amdgcn.ballot.i64(i1 %cmp.i)
  %conv.i = trunc i64 %1 to i32
  %idxprom.i = zext nneg i32 %0 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %conv.i, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %cmp = icmp ne i32 %0, 0
  %1 = tail call i64 @llvm.amdgcn.ballot.i64(i1 %cmp)
  %conv = trunc i64 %1 to i32
  %idxprom = zext nneg i32 %0 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %conv, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

declare i64 @llvm.amdgcn.ballot.i64(i1) #3

attributes #0 = { convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: write) }
attributes #1 = { alwaysinline convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: write) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }

!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 2, i32 0}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1}
!9 = !{!"none"}
!10 = !{!"int*"}
!11 = !{!""}
