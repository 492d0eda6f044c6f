@x = global float 0.0, align 4
@b = external global fp128, align 16
@v = global <2 x half> zeroinitializer, align 4

define void @f() {
  %a = atomicrmw fadd ptr @x, float 1.0 syncscope("agent") monotonic, align 4, !amdgpu.ignore.denormal.mode !0
  %e = load fp128, ptr @b, align 16
  %b = atomicrmw fadd ptr @b, fp128 %e monotonic, align 16
  %d = atomicrmw fmin ptr @x, float 1.0 monotonic, align 4, !amdgpu.no.remote.memory !0
  ret void
}
!0 = !{}
