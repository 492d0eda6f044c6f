; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - structure.cl
; axmem: kernel @k(@n)
target triple = "amdgcn-amd-amdhsa"

%struct.node = type { i32, i32, ptr addrspace(1) }

@m = hidden addrspace(1) global %struct.node { i32 2, i32 20, ptr addrspace(1) null }, align 8
@n = hidden local_unnamed_addr addrspace(1) global %struct.node { i32 1, i32 10, ptr addrspace(1) @m }, align 8

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 8 captures(none) initializes((4, 8)) %p) local_unnamed_addr #0 {
entry:
  %here.sroa.0.0.copyload.i = load i32, ptr addrspace(1) %p, align 8, !tbaa !4, !amdgpu.noclobber !12
  %here.sroa.4.0..sroa_idx.i = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 4
  %here.sroa.42.0..sroa_idx.i = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 8
  %here.sroa.42.0.copyload.i = load ptr addrspace(1), ptr addrspace(1) %here.sroa.42.0..sroa_idx.i, align 8, !tbaa !13, !amdgpu.noclobber !12
  %value.i = getelementptr inbounds nuw i8, ptr addrspace(1) %here.sroa.42.0.copyload.i, i64 4
  %0 = load i32, ptr addrspace(1) %value.i, align 4, !tbaa !16, !amdgpu.noclobber !12
  %add.i = add nsw i32 %0, %here.sroa.0.0.copyload.i
  store i32 %add.i, ptr addrspace(1) %here.sroa.4.0..sroa_idx.i, align 4, !tbaa !16
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 8 captures(none) initializes((4, 8)) %p) local_unnamed_addr #1 {
entry:
  %here.sroa.0.0.copyload = load i32, ptr addrspace(1) %p, align 8, !tbaa !4
  %here.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 4
  %here.sroa.42.0..sroa_idx = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 8
  %here.sroa.42.0.copyload = load ptr addrspace(1), ptr addrspace(1) %here.sroa.42.0..sroa_idx, align 8, !tbaa !13
  %value = getelementptr inbounds nuw i8, ptr addrspace(1) %here.sroa.42.0.copyload, i64 4
  %0 = load i32, ptr addrspace(1) %value, align 4, !tbaa !16
  %add = add nsw i32 %0, %here.sroa.0.0.copyload
  store i32 %add, ptr addrspace(1) %here.sroa.4.0..sroa_idx, align 4, !tbaa !16
  ret void
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }

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
!10 = !{!"struct node*"}
!11 = !{!""}
!12 = !{}
!13 = !{!14, !14, i64 0}
!14 = !{!"p1 _ZTS4node", !15, i64 0}
!15 = !{!"any pointer", !6, i64 0}
!16 = !{!17, !5, i64 4}
!17 = !{!"node", !5, i64 0, !5, i64 4, !14, i64 8}
