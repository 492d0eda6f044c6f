; A module as a compiler leaves it: nothing says how its functions are launched, or what their parameters are.
define amdgpu_kernel void @scale(ptr addrspace(1) %data, ptr addrspace(8) %table, i32 %count) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %factor = call float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8) %table, i32 0, i32 0, i32 0)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %data, i32 %id
  %old = load float, ptr addrspace(1) %at, align 4
  %new = fmul fast float %old, %factor
  store float %new, ptr addrspace(1) %at, align 4
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end, !llvm.loop !0

end:
  ret void
}

define i32 @publish(ptr addrspace(1) inreg %flag, i32 inreg %value, i128 %wide) {
  %lane = call i32 asm "v_mov_b32 $0, 1", "=v"()
  %all = call i32 asm "s_mov_b32 $0, 1", "=s"()
  %low = trunc i128 %wide to i32
  store atomic i32 %value, ptr addrspace(1) %flag syncscope("agent") release, align 4
  %got = call i32 @elsewhere(i32 %all)
  ret i32 %got
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8), i32, i32, i32)
declare i32 @elsewhere(i32)
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 4}
