; axmem: litmus 2+2W "Each thread's first store is the last one of its location."
  store atomic i32 1, ptr %x monotonic, align 4
  store atomic i32 2, ptr %y monotonic, align 4
---
  store atomic i32 1, ptr %y monotonic, align 4
  store atomic i32 2, ptr %x monotonic, align 4
; axmem: exists (@x=1 /\ @y=1)
; axmem: expect llvm, amdgpu sometimes
