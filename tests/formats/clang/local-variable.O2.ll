; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - local-variable.cl
; axmem: kernel @k(@o) workgroups 2, lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] zeroinitializer, align 4
@k.s = internal unnamed_addr addrspace(3) global i32 undef, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %cmp.i = icmp eq i32 %0, 0
  br i1 %cmp.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %entry
  %1 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %add.i = add i32 %1, 1
  store i32 %add.i, ptr addrspace(3) @k.s, align 4, !tbaa !4
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %entry
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %cmp1.i = icmp eq i32 %0, 1
  br i1 %cmp1.i, label %if.then2.i, label %__clang_ocl_kern_imp_k.exit

if.then2.i:                                       ; preds = %if.end.i
  %2 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom.i = zext i32 %2 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  %3 = load i32, ptr addrspace(3) @k.s, align 4, !tbaa !4
  store i32 %3, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %if.end.i, %if.then2.i
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %1 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %add = add i32 %1, 1
  store i32 %add, ptr addrspace(3) @k.s, align 4, !tbaa !4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %cmp1 = icmp eq i32 %0, 1
  br i1 %cmp1, label %if.then2, label %if.end3

if.then2:                                         ; preds = %if.end
  %2 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %idxprom = zext i32 %2 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  %3 = load i32, ptr addrspace(3) @k.s, align 4, !tbaa !4
  store i32 %3, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  br label %if.end3

if.end3:                                          ; preds = %if.then2, %if.end
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #2

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
