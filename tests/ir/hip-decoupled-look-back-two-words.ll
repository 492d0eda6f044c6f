; The same with status and value in two words, and relaxed atomics for both: the status may be seen before the value,
; which then still is the 0 of the beginning.
; axmem: thread first = @publish() @ agent 0, workgroup 0
; axmem: thread second = @look() @ agent 0, workgroup 1
; axmem: exists (second:return=0)
; axmem: expect llvm, amdgpu sometimes
; axmem: outcomes amdgpu {
; axmem:   second:return=0
; axmem:   second:return=5
; axmem: }
source_filename = "hip-decoupled-look-back-two-words.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@value = protected addrspace(1) externally_initialized global i32 0, align 4
@status = protected addrspace(1) externally_initialized global i32 0, align 4

define protected void @publish() local_unnamed_addr #0 {
entry:
  store atomic i32 5, ptr addrspace(1) @value syncscope("agent") monotonic, align 4
  store atomic i32 1, ptr addrspace(1) @status syncscope("agent") monotonic, align 4
  ret void
}

define protected i32 @look() local_unnamed_addr #0 {
entry:
  br label %wait

wait:                                             ; preds = %wait, %entry
  %0 = load atomic i32, ptr addrspacecast (ptr addrspace(1) @status to ptr) syncscope("agent") monotonic, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %wait, label %done

done:                                             ; preds = %wait
  %1 = load atomic i32, ptr addrspacecast (ptr addrspace(1) @value to ptr) syncscope("agent") monotonic, align 4
  ret i32 %1
}

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
