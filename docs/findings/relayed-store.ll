@x = protected addrspace(1) global i32 0
@y = protected addrspace(1) global i32 0
@z = protected addrspace(1) global i32 0

define void @first_wave() {
  store i32 1, ptr addrspace(1) @x, align 4
  store atomic i32 1, ptr addrspace(1) @y syncscope("workgroup") release, align 4
  ret void
}

define i32 @second_wave() {
  %seen = load atomic i32, ptr addrspace(1) @y syncscope("workgroup") acquire, align 4
  store atomic i32 1, ptr addrspace(1) @z syncscope("agent") release, align 4
  ret i32 %seen
}
