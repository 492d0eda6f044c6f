; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x c -std=c17 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - volatile.c
; axmem: kernel @k(@x, @y) workgroups 2
target triple = "amdgcn-amd-amdhsa"

@x = hidden local_unnamed_addr addrspace(1) global i32 0, align 4
@y = hidden local_unnamed_addr addrspace(1) global i32 0, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %a, ptr addrspace(1) noundef %b) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %tobool.not = icmp eq i32 %0, 0
  br i1 %tobool.not, label %if.else, label %if.then

if.then:                                          ; preds = %entry
  store volatile i32 1, ptr addrspace(1) %a, align 4, !tbaa !3
  br label %if.end

if.else:                                          ; preds = %entry
  %1 = load volatile i32, ptr addrspace(1) %a, align 4, !tbaa !3
  %add = add nsw i32 %1, 2
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %add.sink = phi i32 [ %add, %if.else ], [ 1, %if.then ]
  store volatile i32 %add.sink, ptr addrspace(1) %b, align 4, !tbaa !3
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

attributes #0 = { nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
