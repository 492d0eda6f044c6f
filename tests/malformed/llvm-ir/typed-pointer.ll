@x = global i32 0, align 4

define void @f() {
  store i32 1, i32* @x, align 4
  ret void
}
