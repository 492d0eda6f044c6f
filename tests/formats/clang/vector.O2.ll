; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - vector.cl
; axmem: kernel @k(@v) lanes 2
target triple = "amdgcn-amd-amdhsa"

@v = hidden local_unnamed_addr addrspace(1) global [2 x <2 x i32>] [<2 x i32> <i32 1, i32 2>, <2 x i32> <i32 3, i32 4>], align 8

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 8 captures(none) %p) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %idxprom.i = zext nneg i32 %0 to i64
  %arrayidx.i = getelementptr inbounds nuw <2 x i32>, ptr addrspace(1) %p, i64 %idxprom.i
  %1 = load <2 x i32>, ptr addrspace(1) %arrayidx.i, align 8, !tbaa !13, !amdgpu.noclobber !14
  %2 = add <2 x i32> %1, splat (i32 1)
  %add.i = shufflevector <2 x i32> %2, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  store <2 x i32> %add.i, ptr addrspace(1) %arrayidx.i, align 8, !tbaa !13
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 8 captures(none) %p) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %idxprom = zext nneg i32 %0 to i64
  %arrayidx = getelementptr inbounds nuw <2 x i32>, ptr addrspace(1) %p, i64 %idxprom
  %1 = load <2 x i32>, ptr addrspace(1) %arrayidx, align 8, !tbaa !13
  %2 = add <2 x i32> %1, splat (i32 1)
  %add = shufflevector <2 x i32> %2, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  store <2 x i32> %add, ptr addrspace(1) %arrayidx, align 8, !tbaa !13
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) }
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
!8 = !{i32 1}
!9 = !{!"none"}
!10 = !{!"int2*"}
!11 = !{!"int __attribute__((ext_vector_type(2)))*"}
!12 = !{!""}
!13 = !{!6, !6, i64 0}
!14 = !{}
