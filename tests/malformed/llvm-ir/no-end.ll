define void @f() {
  store i32 1, ptr @x
