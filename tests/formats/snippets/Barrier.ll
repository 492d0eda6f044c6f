; axmem: litmus Barrier "The barrier of a workgroup between fences of its scope orders LDS."
; thread a @ workgroup 0, wavefront 0
  store i32 1, ptr addrspace(3) %lds
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
; thread b @ workgroup 0, wavefront 1
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %d = load i32, ptr addrspace(3) %lds
; axmem: forall (b:%d=1)
; axmem: expect llvm, amdgpu always
