; axmem: litmus MP-branch-monotonic "A branch does not order the loads after it."
  store atomic i32 1, ptr %data monotonic, align 4
  fence release
  store atomic i32 1, ptr %flag monotonic, align 4
---
entry:
  %f = load atomic i32, ptr %flag monotonic, align 4
  %c = icmp eq i32 %f, 1
  br i1 %c, label %set, label %done
set:
  %d = load atomic i32, ptr %data monotonic, align 4
  br label %done
done:
  %r = phi i32 [ %d, %set ], [ 9, %entry ]
; axmem: exists (P1:%r=0)
; axmem: expect llvm, amdgpu sometimes
