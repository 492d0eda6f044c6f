; axmem: litmus Barrier-global-fences "Fences that are for global memory alone do not order LDS: what is read races."
; thread a @ workgroup 0, wavefront 0
  store i32 1, ptr addrspace(3) %lds
  fence syncscope("workgroup") release, !mmra !0
  call void @llvm.amdgcn.s.barrier()
; thread b @ workgroup 0, wavefront 1
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire, !mmra !0
  %d = load i32, ptr addrspace(3) %lds
!0 = !{!"amdgpu-synchronize-as", !"global"}
; axmem: exists (b:%d=undef)
; axmem: expect llvm, amdgpu always
