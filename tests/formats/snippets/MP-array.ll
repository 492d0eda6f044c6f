; axmem: litmus MP-array "Elements of an array through getelementptr: the flag stands beside the data."
@a = global [2 x i32] zeroinitializer
  store i32 1, ptr @a, align 4
  %q = getelementptr inbounds [2 x i32], ptr @a, i64 0, i64 1
  store atomic i32 1, ptr %q syncscope("agent") release, align 4
---
  %p = getelementptr inbounds i32, ptr @a, i64 1
  %f = load atomic i32, ptr %p syncscope("agent") acquire, align 4
  %d = load i32, ptr @a, align 4
; axmem: exists (P1:%f=1 /\ ~(P1:%d=1))
; axmem: expect llvm, amdgpu never
