; The last workgroup to arrive adds up what all have stored (CUDA's threadFenceReduction): a fence, an atomic
; increment, a fence. The increments are read-modify-writes, so that the second reads from the first, whose release
; fence then synchronizes with the acquire fence of the second: it finds both numbers.
; axmem: thread A = @partial(@part, 0, 1) @ agent 0, workgroup 0
; axmem: thread B = @partial(@part, 1, 2) @ agent 0, workgroup 1
; axmem: forall (sum=3)
; axmem: expect llvm, amdgpu always
source_filename = "hip-last-block.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@part = protected addrspace(1) externally_initialized global [2 x i32] zeroinitializer, align 4
@count = protected addrspace(1) externally_initialized global i32 0, align 4
@sum = protected addrspace(1) externally_initialized global i32 0, align 4

define protected void @partial(ptr addrspace(1) noundef %part, i32 noundef %block, i32 noundef %value) local_unnamed_addr #0 {
entry:
  %idxprom = zext i32 %block to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %part, i64 %idxprom
  store i32 %value, ptr addrspace(1) %arrayidx, align 4
  fence syncscope("agent") release
  %0 = atomicrmw uinc_wrap ptr addrspace(1) @count, i32 1 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !4
  fence syncscope("agent") acquire
  %cmp = icmp eq i32 %0, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %1 = load <2 x i32>, ptr addrspace(1) %part, align 4
  %2 = extractelement <2 x i32> %1, i64 0
  %3 = extractelement <2 x i32> %1, i64 1
  %add = add nsw i32 %2, %3
  store i32 %add, ptr addrspace(1) @sum, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
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
