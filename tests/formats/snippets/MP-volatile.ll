; axmem: litmus MP-volatile "Volatile adds no order to monotonic accesses."
  store atomic volatile i32 1, ptr %data monotonic, align 4
  store atomic volatile i32 1, ptr %flag monotonic, align 4
---
  %f = load atomic volatile i32, ptr %flag monotonic, align 4
  %d = load atomic volatile i32, ptr %data monotonic, align 4
; axmem: exists (P1:%f=1 /\ P1:%d=0)
; axmem: expect llvm sometimes
