@x = global i32 0, align 4

define void @f() {
  call void asm sideeffect "mfence", "~{memory}"()
  ret void
}
