@x = global i32 0, align 4

define void @f() {
  store atomic i32 1, ptr @x acquire, align 4
  ret void
}
