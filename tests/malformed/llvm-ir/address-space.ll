@b = addrspace(7) global i32 0, align 4

define void @f() {
  store i32 1, ptr addrspace(7) @b, align 4
  ret void
}
