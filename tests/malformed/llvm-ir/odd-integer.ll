@x = global i32 0, align 4

define void @f() {
  %a = load i33, ptr @x, align 4
  ret void
}
