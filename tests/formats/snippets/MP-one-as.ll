; axmem: litmus MP-one-as "Accesses of one address space order what is in that of the flag."
; thread a @ workgroup 0, wavefront 0
  store i32 1, ptr addrspace(1) %data
  store atomic i32 1, ptr addrspace(1) %flag syncscope("workgroup-one-as") release, align 4
; thread b @ workgroup 0, wavefront 1
  %f = load atomic i32, ptr addrspace(1) %flag syncscope("workgroup-one-as") acquire, align 4
  %d = load i32, ptr addrspace(1) %data
; axmem: exists (b:%f=1 /\ ~(b:%d=1))
; axmem: expect amdgpu never
