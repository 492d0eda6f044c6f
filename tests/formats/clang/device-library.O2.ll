; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - device-library.c
; axmem: kernel @k(@x)
target triple = "amdgcn-amd-amdhsa"

@x = hidden local_unnamed_addr addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef captures(none) %a) local_unnamed_addr #0 {
entry:
  %0 = load i32, ptr addrspace(1) %a, align 4, !tbaa !3, !amdgpu.noclobber !7
  %call = tail call i32 @outside(i32 noundef %0) #2
  store i32 %call, ptr addrspace(1) %a, align 4, !tbaa !3
  ret void
}

declare hidden i32 @outside(i32 noundef) local_unnamed_addr #1

attributes #0 = { convergent nounwind }
attributes #1 = { convergent }
attributes #2 = { convergent nounwind }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{}
