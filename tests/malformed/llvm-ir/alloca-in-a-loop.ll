@x = global i32 0, align 4

define void @f() {
  br label %loop
loop:
  %a = alloca i32, align 4
  store atomic i32 1, ptr %a monotonic, align 4
  br label %loop
}
