; The same without the barrier between the two waves: the load of the other wave's number races.
; axmem: kernel @reduce(@out) workgroups 1, wavefronts 2, lanes 1
; axmem: exists (out=undef)
; axmem: expect llvm, amdgpu always
source_filename = "hip-lds-reduction-without-barrier.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@out = protected addrspace(1) externally_initialized global i32 0, align 4
@_ZZ6reducePiE6shared = internal unnamed_addr addrspace(3) global [2 x i32] undef, align 16

define protected amdgpu_kernel void @reduce(ptr addrspace(1) nocapture noundef writeonly %out.coerce) local_unnamed_addr #0 {
entry:
  %0 = tail call noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  %add = add nuw nsw i32 %0, 1
  %arrayidx = getelementptr inbounds nuw [2 x i32], ptr addrspace(3) @_ZZ6reducePiE6shared, i32 0, i32 %0
  store i32 %add, ptr addrspace(3) %arrayidx, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %1 = load i32, ptr addrspace(3) @_ZZ6reducePiE6shared, align 16
  %2 = load i32, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @_ZZ6reducePiE6shared, i32 4), align 4
  %add8 = add nsw i32 %2, %1
  store i32 %add8, ptr addrspace(1) %out.coerce, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

declare noundef i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { mustprogress norecurse nounwind "amdgpu-flat-work-group-size"="1,1024" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx942" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress nocallback nofree nounwind willreturn }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"AMD clang version 19.0.0"}
!4 = !{}
