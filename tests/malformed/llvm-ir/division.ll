@x = global i32 0, align 4

define void @f() {
  %a = load i32, ptr @x, align 4
  %b = udiv i32 %a, 3
  ret void
}
