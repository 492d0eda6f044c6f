; RUN: opt -S -O2 < %s | sed -n '/^define.*@unordered/,/^}/p; /^!.*sync/p' | grep -oE 'store.*|^!.*' | sed -E 's/!mmra ![0-9]+/!mmra/; s/^![0-9]+/!/' | FileCheck %s --implicit-check-not='{{store.*|^!.*}}'
;
; CHECK:       store atomic i32 2, ptr %p unordered, align 4, !mmra{{$}}
; CHECK:       store atomic i32 1, ptr %f release, align 4, !mmra{{$}}
; CHECK:       ! = !{!"sync", !"a"}{{$}}
; CHECK:       ! = !{!"sync", !"b"}{{$}}
; CHECK:       ! = !{!0, !1}{{$}}
;
; Of two stores with different `!mmra` one is left with its own tags, not with the union.

define void @plain(ptr noalias %p, ptr noalias %f) {
  store i32 1, ptr %p, align 4, !mmra !0
  store i32 1, ptr %p, align 4, !mmra !1
  store atomic i32 1, ptr %f release, align 4, !mmra !1
  ret void
}

define i32 @between(ptr noalias %p, ptr noalias %f) {
  store i32 1, ptr %p, align 4, !mmra !0
  %v = load i32, ptr %p, align 4, !mmra !0
  store i32 1, ptr %p, align 4, !mmra !1
  store atomic i32 1, ptr %f release, align 4, !mmra !1
  ret i32 %v
}

define void @unordered(ptr noalias %p, ptr noalias %f) {
  store atomic i32 1, ptr %p unordered, align 4, !mmra !0
  store atomic i32 2, ptr %p unordered, align 4, !mmra !1
  store atomic i32 1, ptr %f release, align 4, !mmra !0
  ret void
}

!0 = !{!"sync", !"a"}
!1 = !{!"sync", !"b"}
