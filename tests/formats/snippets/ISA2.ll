; axmem: litmus ISA2 "A monotonic load in the middle acquires nothing, so the third thread may read what is old."
  store atomic i32 1, ptr %x monotonic, align 4
  store atomic i32 1, ptr %y release, align 4
---
  %a = load atomic i32, ptr %y monotonic, align 4
  store atomic i32 1, ptr %z release, align 4
---
  %b = load atomic i32, ptr %z acquire, align 4
  %c = load atomic i32, ptr %x monotonic, align 4
; axmem: exists (P1:%a=1 /\ P2:%b=1 /\ P2:%c=0)
; axmem: expect llvm, amdgpu sometimes
