define void @f() {
  %a = add i99999999999 1, 2
  ret void
}
