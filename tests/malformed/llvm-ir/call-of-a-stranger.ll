@x = global i32 0, align 4
declare i32 @pthread_mutex_lock(ptr)

define void @f() {
  %r = call i32 @pthread_mutex_lock(ptr @x)
  ret void
}
