@x = global i32 0, align 4

define void @f(ptr byval(i32) %p) {
  %r = load i32, ptr %p, align 4
  ret void
}
