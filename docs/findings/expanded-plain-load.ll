define i32 @count(ptr addrspace(1) %x) {
  %old = atomicrmw nand ptr addrspace(1) %x, i32 5 syncscope("agent") monotonic, align 4
  ret i32 %old
}
