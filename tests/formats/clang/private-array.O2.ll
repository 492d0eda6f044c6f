; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - private-array.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [4 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %1 = add nuw nsw i32 %0, 1
  %2 = extractelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %1
  %add4.i = add nuw nsw i32 %2, 10
  %idxprom5.i = zext nneg i32 %0 to i64
  %3 = insertelement <4 x i32> <i32 poison, i32 poison, i32 poison, i32 4>, i32 %add4.i, i32 %0
  %4 = extractelement <4 x i32> %3, i64 3
  %add10.i = add nuw nsw i32 %4, %add4.i
  %arrayidx12.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom5.i
  store i32 %add10.i, ptr addrspace(1) %arrayidx12.i, align 4, !tbaa !4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %1 = add nuw nsw i32 %0, 1
  %2 = extractelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %1
  %add4 = add nuw nsw i32 %2, 10
  %idxprom5 = zext nneg i32 %0 to i64
  %3 = insertelement <4 x i32> <i32 poison, i32 poison, i32 poison, i32 4>, i32 %add4, i32 %0
  %4 = extractelement <4 x i32> %3, i64 3
  %add10 = add nuw nsw i32 %4, %add4
  %arrayidx12 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom5
  store i32 %add10, ptr addrspace(1) %arrayidx12, align 4, !tbaa !4
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) }
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
!10 = !{!"int*"}
!11 = !{!""}
