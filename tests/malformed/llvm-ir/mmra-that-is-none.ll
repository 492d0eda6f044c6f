@x = global i32 0

define void @f() {
  store atomic i32 1, ptr @x monotonic, align 4, !mmra !1
  store atomic i32 2, ptr @x monotonic, align 4, !mmra !3
  store atomic i32 3, ptr @x monotonic, align 4, !mmra !4
  %a = add i32 1, 2, !mmra !2
  fence acquire, !mmra !5
  ret void
}

!1 = !{!1, !2}
!2 = !{!"foo", !"bar"}
!3 = !{!3}
!4 = !{!4, !{!4}}
!5 = !{!6, !2}
!6 = !{!2}
