@x = global i32 0, align 4

define void @f() {
  call void @llvm.memcpy.p0.p0.i64(ptr @x, ptr @x, i64 4, i1 false)
  ret void
}
