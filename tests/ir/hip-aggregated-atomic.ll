; An aggregated atomic: the first lane of a wave adds the number of its lanes at once. Two waves of two lanes: 4.
; axmem: kernel @count(@total) workgroups 1, wavefronts 2, lanes 2
; axmem: forall (total=4)
; axmem: expect llvm, amdgpu always
source_filename = "hip-aggregated-atomic.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@total = protected addrspace(1) externally_initialized global i32 0, align 4

define protected amdgpu_kernel void @count(ptr addrspace(1) noundef %total.coerce) local_unnamed_addr #0 {
entry:
  %0 = tail call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %1 = tail call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %0)
  %cmp = icmp eq i32 %1, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %2 = atomicrmw add ptr addrspace(1) %total.coerce, i32 2 syncscope("agent-one-as") monotonic, align 4, !noalias.addrspace !5, !amdgpu.no.remote.memory !4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)

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
!5 = !{i32 5, i32 6}
