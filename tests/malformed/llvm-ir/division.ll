@x = global <2 x i32> zeroinitializer, align 8

define void @f() {
  %a = load <2 x i32>, ptr @x, align 8
  %b = udiv <2 x i32> <i32 8, i32 9>, %a
  ret void
}
