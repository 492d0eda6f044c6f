; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - generic-pointer.c
; axmem: kernel @k(@x, @s, in {0, 1})
target triple = "amdgcn-amd-amdhsa"

@x = hidden local_unnamed_addr addrspace(1) global i32 4, align 4
@s = hidden local_unnamed_addr addrspace(3) global i32 undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly captures(none) %a, ptr addrspace(3) noundef writeonly captures(none) %b, i32 noundef %which) local_unnamed_addr #0 {
entry:
  %tobool.not = icmp eq i32 %which, 0
  %0 = addrspacecast ptr addrspace(1) %a to ptr
  %1 = addrspacecast ptr addrspace(3) %b to ptr
  %cond = select i1 %tobool.not, ptr %1, ptr %0
  store i32 7, ptr %cond, align 4, !tbaa !3, !noalias.addrspace !7
  store i32 8, ptr addrspace(1) %a, align 4, !tbaa !3
  ret void
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(write, inaccessiblemem: none, target_mem0: none, target_mem1: none) }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{i32 2, i32 3, i32 4, i32 10}
