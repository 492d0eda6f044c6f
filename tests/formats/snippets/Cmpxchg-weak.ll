; axmem: litmus Cmpxchg-weak "A weak one may fail though it reads what it expects."
  %p = cmpxchg weak ptr %x, i32 0, i32 1 monotonic monotonic, align 4
  %v = extractvalue { i32, i1 } %p, 0
  %s = extractvalue { i32, i1 } %p, 1
; axmem: exists (P0:%v=0 /\ P0:%s=0 /\ @x=0)
; axmem: expect llvm, amdgpu sometimes
