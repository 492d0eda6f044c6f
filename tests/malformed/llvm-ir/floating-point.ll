@x = global float 0.0, align 4
@d = external global fp128, align 16

define void @f() {
  %a = load float, ptr @x, align 4
  %b = fadd reassoc float %a, 1.0
  %c = fdiv float %a, %b, !fpmath !0
  %d = frem float %a, %b
  %e = load fp128, ptr @d, align 16
  %f = fmul fp128 %e, %e
  %g = fcmp true float %a, %b
  %h = select nsz i1 true, float %a, float %b
  %i = call float @llvm.sqrt.f32(float %a)
  store float %b, ptr @x, align 4
  ret void
}
!0 = !{float 2.5}
