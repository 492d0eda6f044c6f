; axmem: litmus LB-data "No value comes out of thin air, through arithmetic and a select neither."
  %a = load atomic i32, ptr %x monotonic, align 4
  %s = add i32 %a, 0
  store atomic i32 %s, ptr %y monotonic, align 4
---
  %b = load atomic i32, ptr %y monotonic, align 4
  %c = icmp ne i32 %b, 0
  %t = select i1 %c, i32 %b, i32 0
  store atomic i32 %t, ptr %x monotonic, align 4
; axmem: exists (~(P0:%a=0) \/ ~(P1:%b=0))
; axmem: expect llvm, amdgpu never
