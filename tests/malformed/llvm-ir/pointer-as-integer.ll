@x = global i32 0, align 4

define void @f() {
  %a = ptrtoint ptr @x to i64
  %b = add i64 %a, 4
  ret void
}
