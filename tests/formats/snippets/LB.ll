; axmem: litmus LB "Loads may be satisfied after the stores behind them, if nothing orders them."
  %a = load atomic i32, ptr %x monotonic, align 4
  store atomic i32 1, ptr %y monotonic, align 4
---
  %b = load atomic i32, ptr %y monotonic, align 4
  store atomic i32 1, ptr %x monotonic, align 4
; axmem: exists (P0:%a=1 /\ P1:%b=1)
; axmem: expect llvm, amdgpu sometimes
