@x = global float 0.0, align 4
@b = external global bfloat, align 2
@v = global <2 x half> zeroinitializer, align 4

define void @f() {
  %a = atomicrmw fadd ptr @x, float 1.0 syncscope("agent") monotonic, align 4, !amdgpu.ignore.denormal.mode !0
  %e = load bfloat, ptr @b, align 2
  %b = atomicrmw fadd ptr @b, bfloat %e monotonic, align 2
  %d = atomicrmw fmin ptr @x, float 1.0 monotonic, align 4, !amdgpu.no.remote.memory !0
  ret void
}
!0 = !{}
