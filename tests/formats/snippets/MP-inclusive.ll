; axmem: litmus MP-inclusive "The scopes of the two sides may differ, as long as each has the other side in it."
; thread producer @ agent 0, workgroup 0, wavefront 0
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag release, align 4
; thread consumer @ agent 0, workgroup 0, wavefront 1
  %f = load atomic i32, ptr %flag syncscope("workgroup") acquire, align 4
  %d = load i32, ptr %data
; axmem: exists (consumer:%f=1 /\ ~(consumer:%d=1))
; axmem: expect llvm, amdgpu never
