; axmem: exists (x=1)
@x = global i32 0

define void @f() {
entry:
  br label %dome
  store i32 1, ptr @x
  br label %done
done:
  ret void
}
