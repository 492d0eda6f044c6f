; axmem: litmus Cmpxchg "One of two cmpxchgs of the same value succeeds; the pair is taken apart by extractvalue."
  %p = cmpxchg ptr %x, i32 0, i32 1 acq_rel acquire, align 4
  %a = extractvalue { i32, i1 } %p, 1
---
  %q = cmpxchg ptr %x, i32 0, i32 2 acq_rel acquire, align 4
  %b = extractvalue { i32, i1 } %q, 1
; axmem: exists (P0:%a=P1:%b)
; axmem: expect llvm, amdgpu never
