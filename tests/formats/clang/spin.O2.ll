; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - spin.cl
; axmem: kernel @k(@x, @flag, @o) workgroups 2
; axmem: exists (o[1]=1)
target triple = "amdgcn-amd-amdhsa"

@x = hidden local_unnamed_addr addrspace(1) global i32 0, align 4
@flag = hidden local_unnamed_addr addrspace(1) global i32 0, align 4
@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %data, ptr addrspace(1) noundef align 4 captures(none) %f, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %cmp.i = icmp eq i32 %0, 0
  br i1 %cmp.i, label %if.then.i, label %while.cond.i

if.then.i:                                        ; preds = %entry
  store i32 1, ptr addrspace(1) %data, align 4, !tbaa !4
  store atomic i32 1, ptr addrspace(1) %f syncscope("agent") release, align 4
  br label %__clang_ocl_kern_imp_k.exit

while.cond.i:                                     ; preds = %entry, %while.cond.i
  %1 = load atomic i32, ptr addrspace(1) %f syncscope("agent") acquire, align 4
  %tobool.not.i = icmp eq i32 %1, 0
  br i1 %tobool.not.i, label %while.cond.i, label %while.end.i

while.end.i:                                      ; preds = %while.cond.i
  %2 = load i32, ptr addrspace(1) %data, align 4, !tbaa !4
  %arrayidx.i = getelementptr inbounds nuw i8, ptr addrspace(1) %out, i64 4
  store i32 %2, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  br label %__clang_ocl_kern_imp_k.exit

__clang_ocl_kern_imp_k.exit:                      ; preds = %if.then.i, %while.end.i
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %data, ptr addrspace(1) noundef align 4 captures(none) %f, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %while.cond

if.then:                                          ; preds = %entry
  store i32 1, ptr addrspace(1) %data, align 4, !tbaa !4
  store atomic i32 1, ptr addrspace(1) %f syncscope("agent") release, align 4
  br label %if.end

while.cond:                                       ; preds = %entry, %while.cond
  %1 = load atomic i32, ptr addrspace(1) %f syncscope("agent") acquire, align 4
  %tobool.not = icmp eq i32 %1, 0
  br i1 %tobool.not, label %while.cond, label %while.end

while.end:                                        ; preds = %while.cond
  %2 = load i32, ptr addrspace(1) %data, align 4, !tbaa !4
  %arrayidx = getelementptr inbounds nuw i8, ptr addrspace(1) %out, i64 4
  store i32 %2, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  br label %if.end

if.end:                                           ; preds = %while.end, %if.then
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #2

attributes #0 = { nofree norecurse nounwind memory(argmem: readwrite) }
attributes #1 = { alwaysinline nofree norecurse nounwind memory(argmem: readwrite) }
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
!8 = !{i32 1, i32 1, i32 1}
!9 = !{!"none", !"none", !"none"}
!10 = !{!"int*", !"int*", !"int*"}
!11 = !{!"", !"", !""}
