; axmem: litmus SB-fences "Seq_cst fences between monotonic accesses; more dashes and spaces separate as well."
  store atomic i32 1, ptr %x monotonic, align 4
  fence seq_cst
  %a = load atomic i32, ptr %y monotonic, align 4
   ------
  store atomic i32 1, ptr %y monotonic, align 4
  fence seq_cst
  %b = load atomic i32, ptr %x monotonic, align 4
; axmem: exists (P0:%a=0 /\ P1:%b=0)
; axmem: expect llvm, amdgpu never
