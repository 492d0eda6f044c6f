; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - lock.cl
; axmem: kernel @k(@x, @o) workgroups 2
; axmem: bound 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden local_unnamed_addr addrspace(1) global i32 0, align 4
@o = hidden local_unnamed_addr addrspace(1) global [1 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 captures(none) %lock, ptr addrspace(1) noundef align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  br label %while.cond.i

while.cond.i:                                     ; preds = %while.cond.i, %entry
  %0 = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic, align 4
  %1 = extractvalue { i32, i1 } %0, 1
  br i1 %1, label %__clang_ocl_kern_imp_k.exit, label %while.cond.i

__clang_ocl_kern_imp_k.exit:                      ; preds = %while.cond.i
  %2 = load i32, ptr addrspace(1) %out, align 4, !tbaa !4
  %add.i = add nsw i32 %2, 1
  store i32 %add.i, ptr addrspace(1) %out, align 4, !tbaa !4
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef align 4 captures(none) %lock, ptr addrspace(1) noundef align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.cond, %entry
  %0 = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic, align 4
  %1 = extractvalue { i32, i1 } %0, 1
  br i1 %1, label %while.end, label %while.cond

while.end:                                        ; preds = %while.cond
  %2 = load i32, ptr addrspace(1) %out, align 4, !tbaa !4
  %add = add nsw i32 %2, 1
  store i32 %add, ptr addrspace(1) %out, align 4, !tbaa !4
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  ret void
}

attributes #0 = { nofree norecurse nounwind memory(argmem: readwrite) }
attributes #1 = { alwaysinline nofree norecurse nounwind memory(argmem: readwrite) }

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
