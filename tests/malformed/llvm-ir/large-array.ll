@a = global [1000 x i32] zeroinitializer, align 4

define void @f() {
  store i32 1, ptr @a, align 4
  ret void
}
