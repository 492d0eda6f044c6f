; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - last-block.cl
; axmem: kernel @k(@o, @x) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [3 x i32] zeroinitializer, align 4
@x = hidden local_unnamed_addr addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %out, ptr addrspace(1) noundef align 4 captures(none) %count) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %add.i = add i32 %0, 1
  %idxprom.i = zext i32 %0 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %add.i, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %1 = atomicrmw add ptr addrspace(1) %count, i32 1 syncscope("agent") acq_rel, align 4, !amdgpu.no.fine.grained.memory !12, !amdgpu.no.remote.memory !12
  %cmp.i = icmp eq i32 %1, 1
  br i1 %cmp.i, label %if.then.i, label %__clang_ocl_kern_imp_k.exit

if.then.i:                                        ; preds = %entry
  %arrayidx4.i = getelementptr inbounds nuw i8, ptr addrspace(1) %out, i64 8
  %2 = load <2 x i32>, ptr addrspace(1) %out, align 4, !tbaa !4
  %3 = extractelement <2 x i32> %2, i64 0
  %4 = extractelement <2 x i32> %2, i64 1
  %add3.i = add nsw i32 %4, %3
  store i32 %add3.i, ptr addrspace(1) %arrayidx4.i, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %entry, %if.then.i
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %out, ptr addrspace(1) noundef align 4 captures(none) %count) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %add = add i32 %0, 1
  %idxprom = zext i32 %0 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %add, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %1 = atomicrmw add ptr addrspace(1) %count, i32 1 syncscope("agent") acq_rel, align 4, !amdgpu.no.fine.grained.memory !12, !amdgpu.no.remote.memory !12
  %cmp = icmp eq i32 %1, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %arrayidx4 = getelementptr inbounds nuw i8, ptr addrspace(1) %out, i64 8
  %2 = load <2 x i32>, ptr addrspace(1) %out, align 4, !tbaa !4
  %3 = extractelement <2 x i32> %2, i64 0
  %4 = extractelement <2 x i32> %2, i64 1
  %add3 = add nsw i32 %4, %3
  store i32 %add3, ptr addrspace(1) %arrayidx4, align 4, !tbaa !4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #2

attributes #0 = { mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) }
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
!8 = !{i32 1, i32 1}
!9 = !{!"none", !"none"}
!10 = !{!"int*", !"int*"}
!11 = !{!"", !""}
!12 = !{}
