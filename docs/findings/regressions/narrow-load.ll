; RUN: opt -S -O2 < %s | FileCheck %s --implicit-check-not='{{load atomic.*|ret i32.*}}'
;
; CHECK:       load atomic i32, ptr %x syncscope("agent") monotonic, align 4{{$}}
; CHECK:       load atomic i32, ptr %x unordered, align 4{{$}}
; CHECK:       ret i32 %far{{$}}
;
; A load of system scope takes the value of a load with a narrower scope.

define i32 @narrow(ptr %x) {
  %near = load atomic i32, ptr %x syncscope("agent") monotonic, align 4
  %far = load atomic i32, ptr %x unordered, align 4
  ret i32 %far
}
