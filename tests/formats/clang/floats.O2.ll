; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - floats.cl
; axmem: kernel @k(@h, @o) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@h = hidden local_unnamed_addr addrspace(1) global float 1.500000e+00, align 4
@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %sum, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = atomicrmw fadd ptr addrspace(1) %sum, float 5.000000e-01 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !12, !amdgpu.no.remote.memory !12
  %add.i = fadd float %0, 1.000000e+00
  %cmp.i = fcmp ogt float %add.i, 2.750000e+00
  %conv.i = zext i1 %cmp.i to i32
  %1 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom.i = zext i32 %1 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %conv.i, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %sum, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = atomicrmw fadd ptr addrspace(1) %sum, float 5.000000e-01 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !12, !amdgpu.no.remote.memory !12
  %add = fadd float %0, 1.000000e+00
  %cmp = fcmp ogt float %add, 2.750000e+00
  %conv = zext i1 %cmp to i32
  %1 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom = zext i32 %1 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %conv, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #2

attributes #0 = { mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) }
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
!8 = !{i32 1, i32 1}
!9 = !{!"none", !"none"}
!10 = !{!"float*", !"int*"}
!11 = !{!"", !""}
!12 = !{}
