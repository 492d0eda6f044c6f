; axmem: exists (@f:%q=1)
@x = global i32 0, align 4

define void @f() {
  %r = load i32, ptr @x, align 4
  ret void
}
