; axmem: litmus IRIW "Without seq_cst two readers may see two stores in different orders."
  store atomic i32 1, ptr %x release, align 4
---
  store atomic i32 1, ptr %y release, align 4
---
  %a = load atomic i32, ptr %x acquire, align 4
  %b = load atomic i32, ptr %y acquire, align 4
---
  %c = load atomic i32, ptr %y acquire, align 4
  %d = load atomic i32, ptr %x acquire, align 4
; axmem: exists (P2:%a=1 /\ P2:%b=0 /\ P3:%c=1 /\ P3:%d=0)
; axmem: expect llvm sometimes
