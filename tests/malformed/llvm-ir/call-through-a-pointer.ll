@x = global i32 0, align 4

define void @f() {
  %p = load ptr, ptr @x
  call void %p()
  ret void
}
