; axmem: litmus SB "Seq_cst accesses have one order."
  store atomic i32 1, ptr %x seq_cst, align 4
  %a = load atomic i32, ptr %y seq_cst, align 4
---
  store atomic i32 1, ptr %y seq_cst, align 4
  %b = load atomic i32, ptr %x seq_cst, align 4
; axmem: exists (P0:%a=0 /\ P1:%b=0)
; axmem: expect llvm, amdgpu never
