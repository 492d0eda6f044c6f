; axmem: litmus LB-release "A release store stays behind the load, which reads nothing that comes after it."
  %a = load atomic i32, ptr %x acquire, align 4
  store atomic i32 1, ptr %y release, align 4
---
  %b = load atomic i32, ptr %y acquire, align 4
  store atomic i32 1, ptr %x release, align 4
; axmem: exists (P0:%a=1 /\ P1:%b=1)
; axmem: expect llvm, amdgpu never
