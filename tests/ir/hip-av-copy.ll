; A datum is stored and loaded by the intrinsics that make it available and visible at agent scope, and the flag in
; between is marked as one that does neither: the datum travels by itself, the flag only orders.
; axmem: thread @producer @ agent 0, workgroup 0
; axmem: thread @consumer @ agent 0, workgroup 1
; axmem: exists (@consumer:%0=1 /\ @consumer:%1=undef)
; axmem: expect amdgpu never
source_filename = "hip-av-copy.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@data = protected addrspace(1) externally_initialized global i32 0, align 4
@flag = protected addrspace(1) externally_initialized global i32 0, align 4

define protected amdgpu_kernel void @producer() local_unnamed_addr #0 {
entry:
  call void @llvm.amdgcn.av.store.b32.p1(ptr addrspace(1) @data, i32 1, metadata !5)
  store atomic i32 1, ptr addrspace(1) @flag syncscope("agent") release, align 4, !mmra !6
  ret void
}

define protected amdgpu_kernel void @consumer() local_unnamed_addr #0 {
entry:
  %0 = load atomic i32, ptr addrspace(1) @flag syncscope("agent") acquire, align 4, !mmra !6
  %1 = call i32 @llvm.amdgcn.av.load.b32.p1(ptr addrspace(1) @data, metadata !5)
  ret void
}

declare void @llvm.amdgcn.av.store.b32.p1(ptr addrspace(1), i32, metadata)
declare i32 @llvm.amdgcn.av.load.b32.p1(ptr addrspace(1), metadata)

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
!5 = !{!"agent"}
!6 = !{!"amdgcn-av", !"none"}
