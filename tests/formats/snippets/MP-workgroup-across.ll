; axmem: litmus MP-workgroup-across "Atomics whose scopes do not reach each other race: the flag is read as undef."
; thread producer @ workgroup 0
  store atomic i32 1, ptr %flag syncscope("workgroup") release, align 4
; thread consumer @ workgroup 1
  %f = load atomic i32, ptr %flag syncscope("workgroup") acquire, align 4
; axmem: exists (consumer:%f=undef)
; axmem: expect llvm, amdgpu always
