; axmem: litmus CoRR-unordered "Unordered accesses have no order even of one location."
  store atomic i32 1, ptr %x unordered, align 4
---
  %a = load atomic i32, ptr %x unordered, align 4
  %b = load atomic i32, ptr %x unordered, align 4
; axmem: exists (P1:%a=1 /\ P1:%b=0)
; axmem: expect llvm sometimes
