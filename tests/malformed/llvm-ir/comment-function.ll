; axmem: thread @producer @ agent 0, workgroup 0
@x = global i32 0, align 4

define void @produce() {
  store i32 1, ptr @x, align 4
  ret void
}
