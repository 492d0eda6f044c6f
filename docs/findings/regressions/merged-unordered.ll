; RUN: opt -S -O2 < %s | FileCheck %s --implicit-check-not='{{store.*}}'
;
; CHECK:       store atomic i32 %spec.select, ptr %p unordered, align 4{{$}}
;
; Two conditional unordered stores become one store that is not atomic.

define void @set(ptr %p, i1 %a, i1 %b) {
entry:
  br i1 %a, label %first, label %next

first:
  store atomic i32 1, ptr %p unordered, align 4
  br label %next

next:
  br i1 %b, label %second, label %end

second:
  store atomic i32 2, ptr %p unordered, align 4
  br label %end

end:
  ret void
}
