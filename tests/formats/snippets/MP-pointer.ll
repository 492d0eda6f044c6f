; axmem: litmus MP-pointer "A pointer is published: the value acquired is an address, whose memory is initialised."
  store i32 1, ptr %node, align 4
  store atomic ptr %node, ptr %slot syncscope("agent") release, align 8
---
  %p = load atomic ptr, ptr %slot syncscope("agent") acquire, align 8
  %d = load i32, ptr %p, align 4
; axmem: init @other = 1
; axmem: init @slot = @other
---
  %o = load i32, ptr %other, align 4
; axmem: exists (~(P1:%d=1))
; axmem: expect llvm, amdgpu never
