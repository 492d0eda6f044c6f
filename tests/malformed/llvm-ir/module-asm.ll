module asm "nop"
define void @f() {
  ret void
}
