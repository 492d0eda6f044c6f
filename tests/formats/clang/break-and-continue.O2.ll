; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - break-and-continue.cl
; axmem: kernel @k(@o, 4)
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [4 x i32] [i32 0, i32 1, i32 5, i32 7], align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %out, i32 noundef %n) local_unnamed_addr #0 {
entry:
  %cmp.i1 = icmp sgt i32 %n, 0
  br i1 %cmp.i1, label %for.body.i, label %__clang_ocl_kern_imp_k.exit

for.body.i:                                       ; preds = %entry, %for.inc.i
  %i.0.i2 = phi i32 [ %inc.i, %for.inc.i ], [ 0, %entry ]
  %idxprom.i = zext nneg i32 %i.0.i2 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4, !amdgpu.noclobber !12
  %cmp4.i = icmp sgt i32 %0, 4
  br i1 %cmp4.i, label %__clang_ocl_kern_imp_k.exit, label %for.inc.i

for.inc.i:                                        ; preds = %for.body.i
  %inc.i = add nuw nsw i32 %i.0.i2, 1
  %exitcond.not = icmp eq i32 %inc.i, %n
  br i1 %exitcond.not, label %__clang_ocl_kern_imp_k.exit, label %for.body.i

__clang_ocl_kern_imp_k.exit:                      ; preds = %for.body.i, %for.inc.i, %entry
  %found.0.i = phi i32 [ -1, %entry ], [ %i.0.i2, %for.body.i ], [ -1, %for.inc.i ]
  store i32 %found.0.i, ptr addrspace(1) %out, align 4, !tbaa !4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %out, i32 noundef %n) local_unnamed_addr #1 {
entry:
  %cmp14 = icmp sgt i32 %n, 0
  br i1 %cmp14, label %for.body, label %cleanup

for.body:                                         ; preds = %entry, %for.inc
  %i.015 = phi i32 [ %inc, %for.inc ], [ 0, %entry ]
  %idxprom = zext nneg i32 %i.015 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %cmp4 = icmp sgt i32 %0, 4
  br i1 %cmp4, label %cleanup, label %for.inc

for.inc:                                          ; preds = %for.body
  %inc = add nuw nsw i32 %i.015, 1
  %exitcond.not = icmp eq i32 %inc, %n
  br i1 %exitcond.not, label %cleanup, label %for.body

cleanup:                                          ; preds = %for.inc, %for.body, %entry
  %found.0 = phi i32 [ -1, %entry ], [ -1, %for.inc ], [ %i.015, %for.body ]
  store i32 %found.0, ptr addrspace(1) %out, align 4, !tbaa !4
  ret void
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { alwaysinline nofree norecurse nosync nounwind memory(argmem: readwrite) }

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
!12 = !{}
