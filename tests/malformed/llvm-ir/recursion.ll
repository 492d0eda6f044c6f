; axmem: thread @f
@x = global i32 0, align 4

define void @f() {
  call void @f()
  ret void
}
