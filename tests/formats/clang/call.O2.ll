; clang-22 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -S -emit-llvm -fno-ident -fno-discard-value-names -o - call.cl
; axmem: kernel @k(@o) lanes 2
target triple = "amdgcn-amd-amdhsa"

@o = hidden local_unnamed_addr addrspace(1) global [2 x i32] zeroinitializer, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #0 {
entry:
  %b.i = alloca i32, align 4, addrspace(5)
  call void @llvm.lifetime.start.p5(ptr addrspace(5) %b.i) #5
  store i32 1, ptr addrspace(5) %b.i, align 4, !tbaa !4
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %b.ascast.i = addrspacecast ptr addrspace(5) %b.i to ptr
  %call.i = call fastcc i32 @twice(i32 noundef %0, ptr noundef %b.ascast.i) #5
  %1 = load i32, ptr addrspace(5) %b.i, align 4, !tbaa !4
  %add.i = add nsw i32 %1, %call.i
  %idxprom.i = zext nneg i32 %0 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom.i
  store i32 %add.i, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  call void @llvm.lifetime.end.p5(ptr addrspace(5) %b.i) #5
  ret void
}

define protected void @__clang_ocl_kern_imp_k(ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #1 {
entry:
  %b = alloca i32, align 4, addrspace(5)
  call void @llvm.lifetime.start.p5(ptr addrspace(5) %b) #5
  store i32 1, ptr addrspace(5) %b, align 4, !tbaa !4
  %0 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %b.ascast = addrspacecast ptr addrspace(5) %b to ptr
  %call = call fastcc i32 @twice(i32 noundef %0, ptr noundef %b.ascast) #5
  %1 = load i32, ptr addrspace(5) %b, align 4, !tbaa !4
  %add = add nsw i32 %1, %call
  %idxprom = zext nneg i32 %0 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %idxprom
  store i32 %add, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  call void @llvm.lifetime.end.p5(ptr addrspace(5) %b) #5
  ret void
}

declare void @llvm.lifetime.start.p5(ptr addrspace(5) captures(none)) #2

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #3

define internal fastcc range(i32 0, 2047) i32 @twice(i32 noundef range(i32 0, 1024) %a, ptr noundef captures(none) %b) unnamed_addr #4 {
entry:
  %0 = load i32, ptr %b, align 4, !tbaa !4
  %add = add nsw i32 %0, %a
  store i32 %add, ptr %b, align 4, !tbaa !4
  %mul = shl nuw nsw i32 %a, 1
  ret i32 %mul
}

declare void @llvm.lifetime.end.p5(ptr addrspace(5) captures(none)) #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) }
attributes #1 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { nounwind }

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
