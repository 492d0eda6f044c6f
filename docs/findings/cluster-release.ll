@x = protected addrspace(1) global i32 0
@y = protected addrspace(1) global i32 0

define void @writer() {
  store i32 1, ptr addrspace(1) @x, align 4
  store atomic i32 1, ptr addrspace(1) @y syncscope("cluster") release, align 4
  ret void
}

define i32 @reader(ptr addrspace(1) %flag) {
  %seen = load atomic i32, ptr addrspace(1) @y syncscope("cluster") acquire, align 4
  store i32 %seen, ptr addrspace(1) %flag, align 4
  %got = load i32, ptr addrspace(1) @x, align 4
  ret i32 %got
}
