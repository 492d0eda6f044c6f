; Decoupled look-back of a scan (Merrill and Garland): a tile publishes its aggregate and its status in one packet of 64
; bits with relaxed atomics at agent scope; the next tile waits until the status is there. Status and value are one
; access, so that no order is needed between them: the second tile's prefix is always the first one's sum.
; axmem: thread first = @tile(@packets, 0, 5) @ agent 0, workgroup 0
; axmem: thread second = @tile(@packets, 1, 6) @ agent 0, workgroup 1
; axmem: forall (second:return=11)
; axmem: expect llvm, amdgpu always
source_filename = "hip-decoupled-look-back.hip"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@packets = protected addrspace(1) externally_initialized global [2 x i64] zeroinitializer, align 8

define protected i32 @tile(ptr addrspace(1) noundef %packets, i32 noundef %index, i32 noundef %sum) local_unnamed_addr #0 {
entry:
  %conv = zext i32 %sum to i64
  %shl = shl i64 %conv, 32
  %or = or disjoint i64 %shl, 1
  %idxprom = zext i32 %index to i64
  %arrayidx = getelementptr inbounds nuw i64, ptr addrspace(1) %packets, i64 %idxprom
  store atomic i64 %or, ptr addrspace(1) %arrayidx syncscope("agent") monotonic, align 8
  %cmp = icmp eq i32 %index, 0
  br i1 %cmp, label %done, label %look

look:                                             ; preds = %look, %entry
  %sub = add i32 %index, -1
  %idxprom2 = zext i32 %sub to i64
  %arrayidx3 = getelementptr inbounds nuw i64, ptr addrspace(1) %packets, i64 %idxprom2
  %0 = load atomic i64, ptr addrspace(1) %arrayidx3 syncscope("agent") monotonic, align 8
  %1 = trunc i64 %0 to i32
  %cmp4 = icmp eq i32 %1, 0
  br i1 %cmp4, label %look, label %found, !llvm.loop !5

found:                                            ; preds = %look
  %2 = lshr i64 %0, 32
  %3 = trunc nuw i64 %2 to i32
  br label %done

done:                                             ; preds = %found, %entry
  %prefix = phi i32 [ 0, %entry ], [ %3, %found ]
  %total = add i32 %prefix, %sum
  ret i32 %total
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
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
