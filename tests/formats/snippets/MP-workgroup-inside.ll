; axmem: litmus MP-workgroup-inside "The scope of the workgroup is enough for two waves of one."
; thread producer @ workgroup 0, wavefront 0
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag syncscope("workgroup") release, align 4
; thread consumer @ workgroup 0, wavefront 1
  %f = load atomic i32, ptr %flag syncscope("workgroup") acquire, align 4
  %d = load i32, ptr %data
; axmem: exists (consumer:%f=1 /\ ~(consumer:%d=1))
; axmem: expect llvm, amdgpu never
