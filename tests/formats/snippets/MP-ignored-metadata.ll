; axmem: litmus MP-ignored-metadata "Metadata that a pass may drop has no effect: tbaa, noalias, a range of an address space."
  store i32 1, ptr %data, align 4, !tbaa !1, !noalias !3
  store atomic i32 1, ptr %flag syncscope("agent") release, align 4, !noalias.addrspace !4
---
  %f = load atomic i32, ptr %flag syncscope("agent") acquire, align 4, !tbaa !1
  %d = load i32, ptr %data, align 4, !noundef !3
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !3}
!3 = !{}
!4 = !{i32 5, i32 6}
; axmem: exists (P1:%f=1 /\ ~(P1:%d=1))
; axmem: expect llvm, amdgpu never
