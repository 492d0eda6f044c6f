; axmem: litmus 2+2W-seq_cst "The order of seq_cst stores is the order of what is written, in LDS, too."
; thread a @ workgroup 0, wavefront 0
  store atomic i32 1, ptr addrspace(3) %x seq_cst, align 4
  store atomic i32 2, ptr addrspace(3) %y seq_cst, align 4
; thread b @ workgroup 0, wavefront 1
  store atomic i32 1, ptr addrspace(3) %y seq_cst, align 4
  store atomic i32 2, ptr addrspace(3) %x seq_cst, align 4
; axmem: exists (@x=1 /\ @y=1)
; axmem: expect llvm, amdgpu never
