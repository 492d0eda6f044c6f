; axmem: litmus MP-one-as-across "Accesses of one address space do not order LDS by a flag in global memory."
; thread a @ workgroup 0, wavefront 0
  store i32 1, ptr addrspace(3) %data
  store atomic i32 1, ptr addrspace(1) %flag syncscope("workgroup-one-as") release, align 4
; thread b @ workgroup 0, wavefront 1
  %f = load atomic i32, ptr addrspace(1) %flag syncscope("workgroup-one-as") acquire, align 4
  %d = load i32, ptr addrspace(3) %data
; axmem: exists (b:%f=1 /\ b:%d=undef)
; axmem: expect amdgpu sometimes
