; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - counted-loop.cl
; axmem: kernel @k(@o, 3) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %out, i32 noundef %n) local_unnamed_addr #0 {
entry:
  %cmp.i1 = icmp sgt i32 %n, 0
  br i1 %cmp.i1, label %for.body.i, label %for.cond.cleanup.i

for.cond.cleanup.i:                               ; preds = %for.body.i, %entry
  %sum.0.i.lcssa = phi i32 [ 0, %entry ], [ %add.i, %for.body.i ]
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %cmp1.i = icmp eq i32 %0, 5
  br i1 %cmp1.i, label %if.then.i, label %__clang_ocl_kern_imp_k.exit

for.body.i:                                       ; preds = %entry, %for.body.i
  %i.0.i3 = phi i32 [ %inc.i, %for.body.i ], [ 0, %entry ]
  %sum.0.i2 = phi i32 [ %add.i, %for.body.i ], [ 0, %entry ]
  %idxprom.i = zext nneg i32 %i.0.i3 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  %1 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4, !amdgpu.noclobber !12
  %add.i = add nsw i32 %1, %sum.0.i2
  %inc.i = add nuw nsw i32 %i.0.i3, 1
  %exitcond.not = icmp eq i32 %inc.i, %n
  br i1 %exitcond.not, label %for.cond.cleanup.i, label %for.body.i

if.then.i:                                        ; preds = %for.cond.cleanup.i
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr addrspace(1) %out, i64 12
  store i32 %sum.0.i.lcssa, ptr addrspace(1) %arrayidx2.i, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %for.cond.cleanup.i, %if.then.i
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %out, i32 noundef %n) local_unnamed_addr #1 {
entry:
  %cmp7 = icmp sgt i32 %n, 0
  br i1 %cmp7, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %for.body, %entry
  %sum.0.lcssa = phi i32 [ 0, %entry ], [ %add, %for.body ]
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %cmp1 = icmp eq i32 %0, 5
  br i1 %cmp1, label %if.then, label %if.end

for.body:                                         ; preds = %entry, %for.body
  %i.09 = phi i32 [ %inc, %for.body ], [ 0, %entry ]
  %sum.08 = phi i32 [ %add, %for.body ], [ 0, %entry ]
  %idxprom = zext nneg i32 %i.09 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  %1 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %add = add nsw i32 %1, %sum.08
  %inc = add nuw nsw i32 %i.09, 1
  %exitcond.not = icmp eq i32 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

if.then:                                          ; preds = %for.cond.cleanup
  %arrayidx2 = getelementptr inbounds nuw i8, ptr addrspace(1) %out, i64 12
  store i32 %sum.0.lcssa, ptr addrspace(1) %arrayidx2, align 4, !tbaa !4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.cond.cleanup
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { alwaysinline nofree norecurse nosync nounwind memory(argmem: readwrite) }
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
!8 = !{i32 1, i32 0}
!9 = !{!"none", !"none"}
!10 = !{!"int*", !"int"}
!11 = !{!"", !""}
!12 = !{}
