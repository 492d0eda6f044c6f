; axmem: litmus Sequence "A monotonic read-modify-write of another thread goes on with the release sequence."
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag release, align 4
---
  %m = atomicrmw add ptr %flag, i32 1 monotonic, align 4
---
  %f = load atomic i32, ptr %flag acquire, align 4
  %d = load i32, ptr %data
; axmem: exists (P2:%f=2 /\ ~(P2:%d=1))
; axmem: expect llvm, amdgpu never
