; axmem: litmus Counter "Read-modify-writes lose no update, of i32 and by `sub` of minus one."
  %a = atomicrmw add ptr %x, i32 1 monotonic, align 4
---
  %b = atomicrmw sub ptr %x, i32 -1 syncscope("agent") monotonic, align 4
; axmem: forall (@x=2)
; axmem: expect llvm, amdgpu always
