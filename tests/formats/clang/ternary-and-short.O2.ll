; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - ternary-and-short.cl
; axmem: kernel @k(@b, in {0, 1})
target triple = "amdgcn-amd-amdhsa"

@b = hidden local_unnamed_addr addrspace(1) global [2 x i8] c"\01\02", align 1

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 1 captures(none) %p, i32 noundef %n) local_unnamed_addr #0 {
entry:
  %tobool.not.i = icmp eq i32 %n, 0
  %cond.in.in.i.idx = zext i1 %tobool.not.i to i64
  %cond.in.in.i = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 %cond.in.in.i.idx
  %cond.in.i = load i8, ptr addrspace(1) %cond.in.in.i, align 1, !tbaa !12
  %cmp.i = icmp sgt i8 %cond.in.i, 1
  br i1 %cmp.i, label %land.lhs.true.i, label %cond.false11.i

land.lhs.true.i:                                  ; preds = %entry
  %sub.i = sub nsw i32 1, %n
  %idxprom.i = sext i32 %sub.i to i64
  %arrayidx6.i = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %idxprom.i
  %0 = load i8, ptr addrspace(1) %arrayidx6.i, align 1, !tbaa !12, !amdgpu.noclobber !13
  %tobool8.not.i = icmp eq i8 %0, 0
  br i1 %tobool8.not.i, label %cond.false11.i, label %__clang_ocl_kern_imp_k.exit

cond.false11.i:                                   ; preds = %land.lhs.true.i, %entry
  %sub13.i = sub i8 0, %cond.in.i
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %land.lhs.true.i, %cond.false11.i
  %cond15.i = phi i8 [ %sub13.i, %cond.false11.i ], [ %cond.in.i, %land.lhs.true.i ]
  %idxprom17.i = sext i32 %n to i64
  %arrayidx18.i = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %idxprom17.i
  store i8 %cond15.i, ptr addrspace(1) %arrayidx18.i, align 1, !tbaa !12
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 1 captures(none) %p, i32 noundef %n) local_unnamed_addr #1 {
entry:
  %tobool.not = icmp eq i32 %n, 0
  %cond.in.in.idx = zext i1 %tobool.not to i64
  %cond.in.in = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 %cond.in.in.idx
  %cond.in = load i8, ptr addrspace(1) %cond.in.in, align 1, !tbaa !12
  %cmp = icmp sgt i8 %cond.in, 1
  br i1 %cmp, label %land.lhs.true, label %cond.false11

land.lhs.true:                                    ; preds = %entry
  %sub = sub nsw i32 1, %n
  %idxprom = sext i32 %sub to i64
  %arrayidx6 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %idxprom
  %0 = load i8, ptr addrspace(1) %arrayidx6, align 1, !tbaa !12
  %tobool8.not = icmp eq i8 %0, 0
  br i1 %tobool8.not, label %cond.false11, label %cond.end14

cond.false11:                                     ; preds = %land.lhs.true, %entry
  %sub13 = sub i8 0, %cond.in
  br label %cond.end14

cond.end14:                                       ; preds = %land.lhs.true, %cond.false11
  %cond15 = phi i8 [ %sub13, %cond.false11 ], [ %cond.in, %land.lhs.true ]
  %idxprom17 = sext i32 %n to i64
  %arrayidx18 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %idxprom17
  store i8 %cond15, ptr addrspace(1) %arrayidx18, align 1, !tbaa !12
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
!10 = !{!"char*", !"int"}
!11 = !{!"", !""}
!12 = !{!6, !6, i64 0}
!13 = !{}
