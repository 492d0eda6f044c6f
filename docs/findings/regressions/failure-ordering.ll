; RUN: opt -S -O2 < %s | FileCheck %s --implicit-check-not='{{load|cmpxchg}}'
;
; CHECK:       cmpxchg
; CHECK:       load
; CHECK:       load
; CHECK:       cmpxchg
; CHECK:       load
;
; Accesses are moved over a compare-exchange that acquires only if it fails.

define i32 @first(ptr align 4 dereferenceable(8) %message) {
entry:
  %flag = getelementptr inbounds i8, ptr %message, i64 4
  br label %poll

poll:
  %pair = cmpxchg ptr %flag, i32 0, i32 0 monotonic acquire, align 4
  %empty = extractvalue { i32, i1 } %pair, 1
  br i1 %empty, label %poll, label %read

read:
  %data = load i32, ptr %message, align 4
  %ready = icmp sgt i32 %data, 0
  br i1 %ready, label %done, label %poll

done:
  ret i32 %data
}

define { i32, i32, i32 } @twice(ptr %message) {
  %flag = getelementptr inbounds i8, ptr %message, i64 4
  %early = load atomic i32, ptr %message unordered, align 4
  %pair = cmpxchg ptr %flag, i32 0, i32 0 monotonic acquire, align 4
  %seen = extractvalue { i32, i1 } %pair, 0
  %late = load atomic i32, ptr %message unordered, align 4
  %r = insertvalue { i32, i32, i32 } poison, i32 %early, 0
  %s = insertvalue { i32, i32, i32 } %r, i32 %seen, 1
  %t = insertvalue { i32, i32, i32 } %s, i32 %late, 2
  ret { i32, i32, i32 } %t
}
