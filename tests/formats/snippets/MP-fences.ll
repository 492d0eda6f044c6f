; axmem: litmus MP-fences "A release fence before the store, an acquire fence after the load, both of the agent."
  store i32 1, ptr %data
  fence syncscope("agent") release
  store atomic i32 1, ptr %flag syncscope("agent") monotonic, align 4
---
  %f = load atomic i32, ptr %flag syncscope("agent") monotonic, align 4
  fence syncscope("agent") acquire
  %d = load i32, ptr %data
; axmem: exists (P1:%f=1 /\ ~(P1:%d=1))
; axmem: expect llvm, amdgpu never
