; axmem: litmus WRC "What happens before goes on through a thread between, by a workgroup's scope and the agent's."
; thread a @ agent 0, workgroup 0, wavefront 0
  store i32 1, ptr %data
  store atomic i32 1, ptr %f syncscope("workgroup") release, align 4
; thread b @ agent 0, workgroup 0, wavefront 1
  %m = load atomic i32, ptr %f syncscope("workgroup") acquire, align 4
  store atomic i32 %m, ptr %g syncscope("agent") release, align 4
; thread c @ agent 0, workgroup 1
  %n = load atomic i32, ptr %g syncscope("agent") acquire, align 4
  %d = load i32, ptr %data
; axmem: exists (c:%n=1 /\ ~(c:%d=1))
; axmem: expect llvm, amdgpu never
