; ModuleID = '<stdin>'
source_filename = "<stdin>"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define { i32, i32, i32 } @f0(ptr addrspace(1) %x) #0 {
  %1 = load i32, ptr addrspace(1) %x, align 4
  %r1 = load atomic i32, ptr addrspace(1) %x acquire, align 4
  %s0 = insertvalue { i32, i32, i32 } poison, i32 %1, 0
  %s1 = insertvalue { i32, i32, i32 } %s0, i32 %r1, 1
  %s2 = insertvalue { i32, i32, i32 } %s1, i32 %1, 2
  ret { i32, i32, i32 } %s2
}

define i32 @f1(ptr addrspace(1) %x) #0 {
  %r0 = atomicrmw nand ptr addrspace(1) %x, i32 1 monotonic, align 4
  ret i32 %r0
}

define i32 @f2(ptr addrspace(1) %x) #0 {
  %r0 = atomicrmw or ptr addrspace(1) %x, i32 0 monotonic, align 4
  ret i32 %r0
}

define void @f3() #0 {
  fence release, !mmra !0
  fence release, !mmra !1
  ret void
}

define void @f4(ptr addrspace(1) %x) #0 {
  store atomic i32 1, ptr addrspace(1) %x unordered, align 4, !mmra !0
  store atomic i32 2, ptr addrspace(1) %x unordered, align 4, !mmra !1
  ret void
}

define void @f5(ptr addrspace(1) %x) #0 {
  store i32 1, ptr addrspace(1) %x, align 4, !mmra !0
  store i32 1, ptr addrspace(1) %x, align 4, !mmra !1
  ret void
}

define i32 @f6(ptr addrspace(1) %x) #0 {
  %r0 = load i32, ptr addrspace(1) %x, align 4
  %r1 = load atomic i32, ptr addrspace(1) %x acquire, align 4
  ret i32 %r1
}

define void @f7(ptr addrspace(1) %x) #0 {
  store i32 1, ptr addrspace(1) %x, align 4
  store atomic i32 1, ptr addrspace(1) %x release, align 4
  ret void
}

attributes #0 = { "target-cpu"="gfx942" }

!axmem = !{!0, !1}

!0 = !{!"sync", !"a"}
!1 = !{!"sync", !"b"}
