@x = global i32 0, align 4

define void @f() {
  invoke void @f() to label %a unwind label %b
a:
  ret void
b:
  ret void
}
