; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - reduction.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [1 x i32] zeroinitializer, align 4
@k.part = internal unnamed_addr addrspace(3) global [2 x i32] undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %add.i = add nuw nsw i32 %0, 1
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(3) @k.part, i32 %0
  store i32 %add.i, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %cond = icmp eq i32 %0, 0
  br i1 %cond, label %if.then.i, label %__clang_ocl_kern_imp_k.exit

if.then.i:                                        ; preds = %entry
  %1 = load i32, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @k.part, i32 4), align 4, !tbaa !4
  %2 = load i32, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %add6.i = add nsw i32 %2, %1
  store i32 %add6.i, ptr addrspace(3) %arrayidx.i, align 4, !tbaa !4
  %3 = load i32, ptr addrspace(3) @k.part, align 4, !tbaa !4
  store i32 %3, ptr addrspace(1) %out, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %entry, %if.then.i
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %add = add nuw nsw i32 %0, 1
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(3) @k.part, i32 %0
  store i32 %add, ptr addrspace(3) %arrayidx, align 4, !tbaa !4
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %cond = icmp eq i32 %0, 0
  br i1 %cond, label %if.then, label %if.end10

if.then:                                          ; preds = %entry
  %1 = load i32, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @k.part, i32 4), align 4, !tbaa !4
  %2 = load i32, ptr addrspace(3) %arrayidx, align 4, !tbaa !4
  %add6 = add nsw i32 %2, %1
  store i32 %add6, ptr addrspace(3) %arrayidx, align 4, !tbaa !4
  %3 = load i32, ptr addrspace(3) @k.part, align 4, !tbaa !4
  store i32 %3, ptr addrspace(1) %out, align 4, !tbaa !4
  br label %if.end10

if.end10:                                         ; preds = %entry, %if.then
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

declare void @llvm.amdgcn.s.barrier() #3

attributes #0 = { convergent mustprogress nofree norecurse nounwind willreturn }
attributes #1 = { alwaysinline convergent mustprogress nofree norecurse nounwind willreturn }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }

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
!10 = !{!"int*"}
!11 = !{!""}
