; RUN: opt -S -O2 < %s | FileCheck %s --implicit-check-not='{{(load|store) atomic}}'
;
; CHECK:       load atomic
; CHECK:       store atomic
; CHECK:       load atomic
; CHECK:       load atomic
;
; An atomic store of the value that was just read is deleted, though unordered reads have no coherence.

define { i32, i32 } @back(ptr %x, ptr noalias %y) {
  %v = load atomic i32, ptr %x monotonic, align 4
  store atomic i32 %v, ptr %x unordered, align 4
  %w = load atomic i32, ptr %y acquire, align 4
  %c = load atomic i32, ptr %x unordered, align 4
  %r = insertvalue { i32, i32 } poison, i32 %v, 0
  %s = insertvalue { i32, i32 } %r, i32 %c, 1
  ret { i32, i32 } %s
}
