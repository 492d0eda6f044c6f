; axmem: litmus MP-global "Pointers of address space 1, of different widths, beside a global of the text's own."
@flag = addrspace(1) global i64 5
  store i16 7, ptr addrspace(1) %data, align 2
  store atomic i64 -1, ptr addrspace(1) @flag syncscope("agent") release, align 8
---
  %f = load atomic i64, ptr addrspace(1) @flag syncscope("agent") acquire, align 8
  %d = load i16, ptr addrspace(1) %data, align 2
; axmem: exists (P1:%f=-1 /\ ~(P1:%d=7) \/ ~(P1:%f=5) /\ ~(P1:%f=-1))
; axmem: expect llvm, amdgpu never
