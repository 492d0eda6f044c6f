@x = global float 0.0, align 4

define void @f() #0 {
  %a = load float, ptr @x, align 4
  %b = fadd float %a, 1.0
  store float %b, ptr @x, align 4
  ret void
}
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
