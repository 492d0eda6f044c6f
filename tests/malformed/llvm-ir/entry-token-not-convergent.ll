; axmem: kernel @f() lanes 2
declare token @llvm.experimental.convergence.entry()

define void @f() #0 {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  ret void
}

define void @g() #1 {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  ret void
}

attributes #0 = { nounwind }
attributes #1 = { nounwind convergent }
