; axmem: litmus Cmpxchg-failure "One that fails has the second order, with which nothing is acquired."
  store atomic i32 1, ptr %data monotonic, align 4
  store atomic i32 1, ptr %x release, align 4
---
  %p = cmpxchg ptr %x, i32 0, i32 2 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %p, 1
  %d = load atomic i32, ptr %data monotonic, align 4
; axmem: exists (P1:%s=0 /\ P1:%d=0)
; axmem: expect llvm, amdgpu sometimes
