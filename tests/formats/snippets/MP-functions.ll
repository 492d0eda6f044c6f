; axmem: litmus MP-functions "Functions stand among the instructions, and their parameters are locations, too; each counts as a thread of the text."
define void @producer(ptr %data, ptr %flag) {
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag syncscope("agent") release, align 4
  ret void
}
  %f = load atomic i32, ptr %flag syncscope("agent") acquire, align 4
  %d = load i32, ptr %data
; axmem: exists (P1:%f=1 /\ ~(P1:%d=1))
; axmem: expect llvm, amdgpu never
