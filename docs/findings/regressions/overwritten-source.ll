; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1250 < %s | FileCheck %s --implicit-check-not='{{^[[:space:]]+(global_load|global_store|s_wait_xcnt|v_mov_b64)}}'
;
; CHECK:       v_mov_b64_e32 v[2:3], 7{{$}}
; CHECK:       global_store_b64 v0, v[2:3], s[0:1] scale_offset{{$}}
; CHECK:       global_load_b64 v[0:1], v0, s[0:1] scale_offset scope:SCOPE_DEV{{$}}
; CHECK:       s_wait_xcnt 0x1{{$}}
; CHECK:       v_mov_b64_e32 v[2:3], 9{{$}}
; CHECK:       s_wait_xcnt 0x0{{$}}
; CHECK:       global_store_b64 v4, v[2:3], s[0:1] scope:SCOPE_DEV{{$}}
; CHECK:       global_store_b64 v4, v[0:1], s[2:3]{{$}}
;
; `s_wait_xcnt` before the data of a store is overwritten is dropped if a load in between overwrites its address.

@x = protected addrspace(1) global [32 x i64] zeroinitializer
@out = protected addrspace(1) global [2 x i64] zeroinitializer
declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @overwritten() {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i64, ptr addrspace(1) @x, i32 %lane
  store i64 7, ptr addrspace(1) %at, align 8
  %read = load atomic i64, ptr addrspace(1) %at syncscope("agent") monotonic, align 8
  store atomic i64 9, ptr addrspace(1) @out syncscope("agent") monotonic, align 8
  %next = getelementptr i64, ptr addrspace(1) @out, i32 1
  store i64 %read, ptr addrspace(1) %next, align 8
  ret void
}
