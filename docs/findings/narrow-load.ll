define i32 @narrow(ptr %x) {
  %near = load atomic i32, ptr %x syncscope("agent") monotonic, align 4
  %far = load atomic i32, ptr %x unordered, align 4
  ret i32 %far
}
