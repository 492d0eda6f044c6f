; axmem: litmus MP-branch "Labels, a branch and a phi: the data are read where the flag is set, and then they are new."
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag syncscope("agent") release, align 4
---
entry:
  %f = load atomic i32, ptr %flag syncscope("agent") acquire, align 4
  %c = icmp eq i32 %f, 1
  br i1 %c, label %set, label %done
set:
  %d = load i32, ptr %data
  br label %done
done:
  %r = phi i32 [ %d, %set ], [ 9, %entry ]
; axmem: exists (~(P1:%r=1) /\ ~(P1:%r=9))
; axmem: expect llvm, amdgpu never
