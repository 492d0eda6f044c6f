; axmem: litmus MP "Undeclared pointers are locations, --- begins a thread; what is acquired is seen."
  store i32 1, ptr %data, align 4
  store atomic i32 1, ptr %flag syncscope("agent") release, align 4
---
  %f = load atomic i32, ptr %flag syncscope("agent") acquire, align 4
  %d = load i32, ptr %data, align 4
; axmem: exists (P1:%f=1 /\ ~(P1:%d=1))
; axmem: expect llvm, amdgpu never
