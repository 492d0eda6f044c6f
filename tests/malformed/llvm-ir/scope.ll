@x = global i32 0, align 4

define void @f() {
  fence syncscope("workgrup") release
  ret void
}
