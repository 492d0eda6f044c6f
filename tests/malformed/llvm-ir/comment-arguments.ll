; axmem: thread @f(@x, 1)
@x = global i32 0, align 4

define void @f(ptr %p) {
  store i32 1, ptr %p, align 4
  ret void
}
