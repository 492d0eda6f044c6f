@p = global ptr null, align 8

define void @f() {
  store ptr @f, ptr @p, align 8
  ret void
}
