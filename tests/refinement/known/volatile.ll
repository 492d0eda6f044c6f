; Volatile accesses: their number and their order may not change; other accesses may move over them.
; A pair without a context is unsound by that rule alone: no other thread can see what was changed.

@x = global i32 0
@y = global i32 0

; pair load_deleted: a volatile load whose value is not used is deleted
; report: after the LangRef's rule of volatile accesses
; verdict: unsound
; why: there is one volatile operation less.
define void @src.load_deleted(ptr %p) {
  %a = load volatile i32, ptr %p, align 4
  ret void
}
define void @tgt.load_deleted(ptr %p) {
  ret void
}

; pair store_deleted: a volatile store is deleted that another one overwrites
; report: llvm/llvm-project#199728 (DSE merges a volatile store into another one); LLVM's guide of atomics forbids it
; verdict: unsound
; why: there is one volatile operation less.
define void @src.store_deleted(ptr %p) {
  store volatile i32 1, ptr %p, align 4
  store volatile i32 2, ptr %p, align 4
  ret void
}
define void @tgt.store_deleted(ptr %p) {
  store volatile i32 2, ptr %p, align 4
  ret void
}

; pair rmw_deleted: a volatile atomicrmw that changes nothing becomes a load
; report: llvm/llvm-project#63692 (X86), #199587 and #193562 (AtomicExpand)
; verdict: unsound
; why: a volatile write is gone; and a read-modify-write of another thread no longer reads from here.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 1 acquire
;     s = load y
;   }
;   exists (P:return=0 /\ Q:r=0 /\ Q:s=0)
define i32 @src.rmw_deleted() {
  store i32 1, ptr @y, align 4
  fence release
  %a = atomicrmw volatile or ptr @x, i32 0 monotonic, align 4
  ret i32 %a
}
define i32 @tgt.rmw_deleted() {
  store i32 1, ptr @y, align 4
  fence release
  %a = load atomic volatile i32, ptr @x monotonic, align 4
  ret i32 %a
}

; pair rmws_folded: two volatile atomicrmw become one
; report: llvm/llvm-project#223927 (AMDGPU's atomic optimizer folds volatile atomics of a wave)
; verdict: unsound
; why: there is one volatile operation less.
define void @src.rmws_folded(ptr %p) {
  %a = atomicrmw volatile add ptr %p, i32 1 monotonic, align 4
  %b = atomicrmw volatile add ptr %p, i32 1 monotonic, align 4
  ret void
}
define void @tgt.rmws_folded(ptr %p) {
  %a = atomicrmw volatile add ptr %p, i32 2 monotonic, align 4
  ret void
}

; pair loads_swapped: two volatile loads change places
; report: after the LangRef's rule of volatile accesses
; verdict: unsound
; why: the order of volatile operations is another one.
define i32 @src.loads_swapped() {
  %a = load volatile i32, ptr @x, align 4
  %b = load volatile i32, ptr @y, align 4
  %r = sub i32 %a, %b
  ret i32 %r
}
define i32 @tgt.loads_swapped() {
  %b = load volatile i32, ptr @y, align 4
  %a = load volatile i32, ptr @x, align 4
  %r = sub i32 %a, %b
  ret i32 %r
}

; pair plain_over_volatile: a plain load moves up over a volatile load
; report: LLVM's guide of atomics has this change as one that is allowed
; verdict: sound
; why: a volatile load orders nothing but volatile operations.
define i32 @src.plain_over_volatile() {
  %a = load volatile i32, ptr @y, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.plain_over_volatile() {
  %b = load i32, ptr @x, align 4
  %a = load volatile i32, ptr @y, align 4
  ret i32 %b
}

; pair load_sunk: a volatile load is executed only where its value is used
; report: llvm/llvm-project#219814 (X86: cmov conversion)
; verdict: unsound
; why: on the other branch there is one volatile operation less.
define i32 @src.load_sunk(ptr %p, i1 %c) {
  %a = load volatile i32, ptr %p, align 4
  %r = select i1 %c, i32 %a, i32 0
  ret i32 %r
}
define i32 @tgt.load_sunk(ptr %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %a = load volatile i32, ptr %p, align 4
  br label %end
end:
  %r = phi i32 [ %a, %then ], [ 0, %0 ]
  ret i32 %r
}

; pair atomicity_lost: an atomic volatile load becomes a volatile one
; report: llvm/llvm-project#24111 (SROA)
; verdict: unsound
; why: a volatile access is not atomic, and in a race undef.
; context:
;   thread Q {
;     store atomic 1, p monotonic
;   }
;   exists (P:return=7)
define i32 @src.atomicity_lost(ptr %p) {
  %a = load atomic volatile i32, ptr %p seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.atomicity_lost(ptr %p) {
  %a = load volatile i32, ptr %p, align 4
  ret i32 %a
}
