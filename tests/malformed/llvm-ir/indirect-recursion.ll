; axmem: thread @f
@x = global i32 0, align 4
define void @g() {
  call void @f()
  ret void
}

define void @f() {
  call void @g()
  ret void
}
