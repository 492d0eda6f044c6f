; axmem: litmus CoRR "Two monotonic loads of one location do not go back."
  store atomic i32 1, ptr %x monotonic, align 4
---
  %a = load atomic i32, ptr %x monotonic, align 4
  %b = load atomic i32, ptr %x monotonic, align 4
; axmem: exists (P1:%a=1 /\ P1:%b=0)
; axmem: expect llvm, amdgpu never
