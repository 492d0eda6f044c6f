@x = global i32 0, align 4

define void @f() {
  store i32 1, ptr @x, align 4
}
