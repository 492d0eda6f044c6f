@x = global i32 0, align 4

define void @f() {
  %a = ptrtoint ptr @x to i64
  ret void
}
