@x = global float 0.0, align 4

define void @f() {
  %c = atomicrmw fmaximumnum ptr @x, float 1.0 monotonic, align 4
  ret void
}
