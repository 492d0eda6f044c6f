@x = global i32 0, align 4

define void @f() {
  %a = load float, ptr @x, align 4
  %b = fadd float %a, 1.0
  store float %b, ptr @x, align 4
  ret void
}
