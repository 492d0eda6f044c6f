; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - global-variables.c
; axmem: kernel @k() workgroups 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k() local_unnamed_addr #0 {
entry:
  %0 = atomicrmw add ptr addrspace(1) @x, i32 1 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !7, !amdgpu.no.remote.memory !7
  %1 = load atomic i32, ptr addrspace(1) @x syncscope("agent") monotonic, align 4
  ret void
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{}
