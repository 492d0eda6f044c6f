; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - copy.c
; axmem: kernel @k(@a, @b)
target triple = "amdgcn-amd-amdhsa"

%struct.pair = type { [4 x i32] }

@a = hidden local_unnamed_addr addrspace(1) global %struct.pair { [4 x i32] [i32 1, i32 2, i32 3, i32 4] }, align 4
@b = hidden local_unnamed_addr addrspace(1) global %struct.pair zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef readonly captures(none) %p, ptr addrspace(1) noundef writeonly captures(none) initializes((0, 16)) %q) local_unnamed_addr #0 {
entry:
  tail call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) noundef align 4 dereferenceable(16) %q, ptr addrspace(1) noundef align 4 dereferenceable(16) %p, i64 16, i1 false), !tbaa.struct !7
  ret void
}

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) noalias writeonly captures(none), ptr addrspace(1) noalias readonly captures(none), i64, i1 immarg) #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{i64 0, i64 16, !8}
!8 = !{!5, !5, i64 0}
