; Workgroup scope inside one workgroup is enough.
; axmem: thread @producer(@data, @flag) @ agent 0, workgroup 0, wavefront 0
; axmem: thread @consumer(@data, @flag) @ agent 0, workgroup 0, wavefront 1
; axmem: exists (@consumer:%0=1 /\ ~(@consumer:%1=1))
; axmem: expect llvm, amdgpu never
source_filename = "hip-flag-passing-workgroup.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@data = protected addrspace(1) externally_initialized global i32 0, align 4
@flag = protected addrspace(1) externally_initialized global i32 0, align 4

; Function Attrs: mustprogress norecurse nounwind
define protected amdgpu_kernel void @producer(ptr addrspace(1) nocapture noundef writeonly %data.coerce, ptr addrspace(1) nocapture noundef writeonly %flag.coerce) local_unnamed_addr #0 {
entry:
  store i32 1, ptr addrspace(1) %data.coerce, align 4
  store atomic i32 1, ptr addrspace(1) %flag.coerce syncscope("workgroup") release, align 4
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define protected amdgpu_kernel void @consumer(ptr addrspace(1) nocapture noundef readonly %data.coerce, ptr addrspace(1) nocapture noundef readonly %flag.coerce) local_unnamed_addr #0 {
entry:
  %0 = load atomic i32, ptr addrspace(1) %flag.coerce syncscope("workgroup") acquire, align 4
  %1 = load i32, ptr addrspace(1) %data.coerce, align 4, !amdgpu.noclobber !4
  ret void
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
