; axmem: litmus MP-monotonic "Monotonic accesses of two locations have no order."
  store atomic i32 1, ptr %data monotonic, align 4
  store atomic i32 1, ptr %flag monotonic, align 4
---
  %f = load atomic i32, ptr %flag monotonic, align 4
  %d = load atomic i32, ptr %data monotonic, align 4
; axmem: exists (P1:%f=1 /\ P1:%d=0)
; axmem: expect llvm, amdgpu sometimes
