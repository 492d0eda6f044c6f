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
