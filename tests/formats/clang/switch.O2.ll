; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - switch.cl
; axmem: kernel @k(@o, in {0, 1, 7})
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [1 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %out, i32 noundef %n) local_unnamed_addr #0 {
entry:
  switch i32 %n, label %sw.default.i [
    i32 0, label %__clang_ocl_kern_imp_k.exit
    i32 1, label %sw.bb3.i
    i32 2, label %entry.sw.bb3.i_crit_edge
  ]

entry.sw.bb3.i_crit_edge:                         ; preds = %entry
  %.pre = load i32, ptr addrspace(1) %out, align 4, !tbaa !4
  %0 = add nsw i32 %.pre, 1
  br label %__clang_ocl_kern_imp_k.exit

sw.bb3.i:                                         ; preds = %entry
  br label %__clang_ocl_kern_imp_k.exit

sw.default.i:                                     ; preds = %entry
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %entry.sw.bb3.i_crit_edge, %entry, %sw.bb3.i, %sw.default.i
  %.sink = phi i32 [ 30, %sw.default.i ], [ 10, %entry ], [ %0, %entry.sw.bb3.i_crit_edge ], [ 21, %sw.bb3.i ]
  store i32 %.sink, ptr addrspace(1) %out, align 4, !tbaa !4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %out, i32 noundef %n) local_unnamed_addr #1 {
entry:
  switch i32 %n, label %sw.default [
    i32 0, label %sw.epilog
    i32 1, label %sw.bb3
    i32 2, label %entry.sw.bb3_crit_edge
  ]

entry.sw.bb3_crit_edge:                           ; preds = %entry
  %.pre = load i32, ptr addrspace(1) %out, align 4, !tbaa !4
  %0 = add nsw i32 %.pre, 1
  br label %sw.epilog

sw.bb3:                                           ; preds = %entry
  br label %sw.epilog

sw.default:                                       ; preds = %entry
  br label %sw.epilog

sw.epilog:                                        ; preds = %entry.sw.bb3_crit_edge, %entry, %sw.default, %sw.bb3
  %.sink = phi i32 [ 30, %sw.default ], [ 10, %entry ], [ %0, %entry.sw.bb3_crit_edge ], [ 21, %sw.bb3 ]
  store i32 %.sink, ptr addrspace(1) %out, align 4, !tbaa !4
  ret void
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) }

!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 2, i32 0}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 0}
!9 = !{!"none", !"none"}
!10 = !{!"int*", !"int"}
!11 = !{!"", !""}
