@x = global float 0.0, align 4

define void @f() {
  %a = load float, ptr @x, align 4
  %p = fmul contract float %a, %a
  store float %p, ptr @x, align 4
  %b = load float, ptr @x, align 4
  %s = fadd contract float %b, 1.0
  store float %s, ptr @x, align 4
  ret void
}
