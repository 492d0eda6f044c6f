; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - fences.cl
; axmem: kernel @k(@x, @y, @o) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden local_unnamed_addr addrspace(1) global i32 0, align 4
@y = hidden local_unnamed_addr addrspace(1) global i32 0, align 4
@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %a, ptr addrspace(1) noundef align 4 captures(none) %b, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %tobool.not.i = icmp eq i32 %0, 0
  %cond.i = select i1 %tobool.not.i, ptr addrspace(1) %b, ptr addrspace(1) %a
  store atomic i32 1, ptr addrspace(1) %cond.i monotonic, align 4
  fence seq_cst
  %cond5.i = select i1 %tobool.not.i, ptr addrspace(1) %a, ptr addrspace(1) %b
  %1 = load atomic i32, ptr addrspace(1) %cond5.i monotonic, align 4
  %idxprom.i = sext i32 %0 to i64
  %arrayidx.i = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %1, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %a, ptr addrspace(1) noundef align 4 captures(none) %b, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %tobool.not = icmp eq i32 %0, 0
  %cond = select i1 %tobool.not, ptr addrspace(1) %b, ptr addrspace(1) %a
  store atomic i32 1, ptr addrspace(1) %cond monotonic, align 4
  fence seq_cst
  %cond5 = select i1 %tobool.not, ptr addrspace(1) %a, ptr addrspace(1) %b
  %1 = load atomic i32, ptr addrspace(1) %cond5 monotonic, align 4
  %idxprom = sext i32 %0 to i64
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %1, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #2

attributes #0 = { mustprogress nofree norecurse nounwind willreturn }
attributes #1 = { alwaysinline mustprogress nofree norecurse nounwind willreturn }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 2, i32 0}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 1, i32 1}
!9 = !{!"none", !"none", !"none"}
!10 = !{!"int*", !"int*", !"int*"}
!11 = !{!"", !"", !""}
