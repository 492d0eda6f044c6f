; axmem: litmus MP-nonav "Numbered metadata: a release that makes nothing available orders, and on amdgpu shows nothing."
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag syncscope("agent") release, align 4, !mmra !0
---
  %f = load atomic i32, ptr %flag syncscope("agent") acquire, align 4
  %d = load i32, ptr %data
!0 = !{!"amdgcn-av", !"none"}
; axmem: exists (P1:%f=1 /\ P1:%d=undef)
; axmem: expect llvm never
; axmem: expect amdgpu sometimes
