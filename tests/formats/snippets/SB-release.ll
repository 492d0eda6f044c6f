; axmem: litmus SB-release "A release store may be overtaken by an acquire load."
  store atomic i32 1, ptr %x release, align 4
  %a = load atomic i32, ptr %y acquire, align 4
---
  store atomic i32 1, ptr %y release, align 4
  %b = load atomic i32, ptr %x acquire, align 4
; axmem: exists (P0:%a=0 /\ P1:%b=0)
; axmem: expect llvm, amdgpu sometimes
