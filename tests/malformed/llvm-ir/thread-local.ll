@t = thread_local global i32 0, align 4

define void @f() {
  store i32 1, ptr @t, align 4
  ret void
}
