; axmem: litmus MP-vector "Lanes of a vector are passed together; an undeclared pointer has the type of its accesses."
  store <2 x i32> <i32 1, i32 2>, ptr %data, align 8
  store atomic i32 1, ptr %flag syncscope("agent") release, align 4
---
  %f = load atomic i32, ptr %flag syncscope("agent") acquire, align 4
  %v = load <2 x i32>, ptr %data, align 8
  %e = extractelement <2 x i32> %v, i64 1
; axmem: exists (P1:%f=1 /\ ~(P1:%e=2))
; axmem: expect llvm, amdgpu never
