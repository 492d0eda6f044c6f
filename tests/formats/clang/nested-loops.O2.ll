; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - nested-loops.cl
; axmem: kernel @k(@o, 2, 2)
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [4 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out, i32 noundef %n, i32 noundef %m) local_unnamed_addr #0 {
entry:
  %cmp.i3 = icmp sgt i32 %n, 0
  br i1 %cmp.i3, label %for.cond1.i.preheader.lr.ph, label %__clang_ocl_kern_imp_k.exit

for.cond1.i.preheader.lr.ph:                      ; preds = %entry
  %cmp2.i1 = icmp sgt i32 %m, 0
  br label %for.cond1.i.preheader

for.cond1.i.preheader:                            ; preds = %for.cond1.i.preheader.lr.ph, %for.cond.cleanup3.i
  %i.0.i4 = phi i32 [ 0, %for.cond1.i.preheader.lr.ph ], [ %inc7.i, %for.cond.cleanup3.i ]
  br i1 %cmp2.i1, label %for.body4.i.lr.ph, label %for.cond.cleanup3.i

for.body4.i.lr.ph:                                ; preds = %for.cond1.i.preheader
  %mul.i = shl nuw nsw i32 %i.0.i4, 1
  br label %for.body4.i

for.cond.cleanup3.i:                              ; preds = %for.body4.i, %for.cond1.i.preheader
  %inc7.i = add nuw nsw i32 %i.0.i4, 1
  %exitcond5.not = icmp eq i32 %inc7.i, %n
  br i1 %exitcond5.not, label %__clang_ocl_kern_imp_k.exit, label %for.cond1.i.preheader

for.body4.i:                                      ; preds = %for.body4.i.lr.ph, %for.body4.i
  %j.0.i2 = phi i32 [ 0, %for.body4.i.lr.ph ], [ %inc.i, %for.body4.i ]
  %add.i = add nuw nsw i32 %j.0.i2, %i.0.i4
  %add5.i = add nuw nsw i32 %j.0.i2, %mul.i
  %idxprom.i = zext nneg i32 %add5.i to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %add.i, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %inc.i = add nuw nsw i32 %j.0.i2, 1
  %exitcond.not = icmp eq i32 %inc.i, %m
  br i1 %exitcond.not, label %for.cond.cleanup3.i, label %for.body4.i

__clang_ocl_kern_imp_k.exit:                      ; preds = %for.cond.cleanup3.i, %entry
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out, i32 noundef %n, i32 noundef %m) local_unnamed_addr #1 {
entry:
  %cmp17 = icmp sgt i32 %n, 0
  br i1 %cmp17, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %cmp215 = icmp sgt i32 %m, 0
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.cond.cleanup3
  %i.018 = phi i32 [ 0, %for.cond1.preheader.lr.ph ], [ %inc7, %for.cond.cleanup3 ]
  br i1 %cmp215, label %for.body4.lr.ph, label %for.cond.cleanup3

for.body4.lr.ph:                                  ; preds = %for.cond1.preheader
  %mul = shl nuw nsw i32 %i.018, 1
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3, %entry
  ret void

for.cond.cleanup3:                                ; preds = %for.body4, %for.cond1.preheader
  %inc7 = add nuw nsw i32 %i.018, 1
  %exitcond19.not = icmp eq i32 %inc7, %n
  br i1 %exitcond19.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.body4.lr.ph, %for.body4
  %j.016 = phi i32 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %add = add nuw nsw i32 %j.016, %i.018
  %add5 = add nuw nsw i32 %j.016, %mul
  %idxprom = zext nneg i32 %add5 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %add, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %inc = add nuw nsw i32 %j.016, 1
  %exitcond.not = icmp eq i32 %inc, %m
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: write) }
attributes #1 = { alwaysinline nofree norecurse nosync nounwind memory(argmem: write) }

!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 2, i32 0}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 0, i32 0}
!9 = !{!"none", !"none", !"none"}
!10 = !{!"int*", !"int", !"int"}
!11 = !{!"", !"", !""}
