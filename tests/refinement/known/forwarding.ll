; A load takes what the thread has stored or loaded before: store-to-load forwarding and the elimination of loads
; (GVN, EarlyCSE, InstCombine). What may stand between the two is the question.

@x = global i32 0
@y = global i32 0
@f = global i32 0
@g = global i32 0

; pair store_over_acquire: a plain store is forwarded over an acquire load
; report: after the LangRef's rule of happens-before; llvm/llvm-project#208631 has the case of two loads, which differs
; verdict: sound
; why: nothing after the store releases it, so whatever another thread has written is not ordered after it, and the load may be undef before.
define i32 @src.store_over_acquire(ptr %p, ptr %q) {
  store i32 1, ptr %p, align 4
  %a = load atomic i32, ptr %q acquire, align 4
  %b = load i32, ptr %p, align 4
  ret i32 %b
}
define i32 @tgt.store_over_acquire(ptr %p, ptr %q) {
  store i32 1, ptr %p, align 4
  %a = load atomic i32, ptr %q acquire, align 4
  ret i32 1
}

; pair store_over_release_acquire: a plain store is forwarded over a release store and an acquire load
; report: after the LangRef's rule of happens-before; LLVM's own tests of DSE have the pair that no store may be moved over
; verdict: unsound
; why: another thread may write in between, ordered after the store and before the load.
; context:
;   thread Q {
;     r = load atomic g acquire
;     store 2, x
;     store atomic 1, f release
;   }
;   exists (Q:r=1 /\ P:return=1)
define i32 @src.store_over_release_acquire() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @g release, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.store_over_release_acquire() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @g release, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 1, i32 7
  ret i32 %r
}

; pair store_over_release: a plain store is forwarded over a release store
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: without an acquire nothing of another thread becomes visible in between.
define i32 @src.store_over_release() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.store_over_release() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret i32 1
}

; pair atomic_over_acquire: a monotonic store is forwarded over an acquire load
; report: after the LangRef's monotonic modification order and write-read coherence, as in llvm/llvm-project#217849
; verdict: unsound
; why: what the acquire has seen may be later in the modification order than the thread's own store.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 2 monotonic
;     store atomic 1, f release
;   }
;   exists (Q:r=1 /\ P:return=1)
define i32 @src.atomic_over_acquire() {
  store atomic i32 1, ptr @x monotonic, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load atomic i32, ptr @x monotonic, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.atomic_over_acquire() {
  store atomic i32 1, ptr @x monotonic, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 1, i32 7
  ret i32 %r
}

; pair atomic_adjacent: a monotonic store is forwarded to the next load
; report: after the LangRef's monotonic modification order
; verdict: sound
; why: a thread may always read what it has just written.
define i32 @src.atomic_adjacent(ptr %p) {
  store atomic i32 1, ptr %p monotonic, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  ret i32 %b
}
define i32 @tgt.atomic_adjacent(ptr %p) {
  store atomic i32 1, ptr %p monotonic, align 4
  ret i32 1
}

; pair atomic_over_seq_cst_fence: a monotonic store is forwarded over a seq_cst fence
; report: after the LangRef's rule of seq_cst fences since llvm/llvm-project#77263
; verdict: unsound
; why: another thread's fence may come before this one, and what it wrote before its fence after the own store.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 2 monotonic
;     fence seq_cst
;     s = load atomic y monotonic
;   }
;   exists (Q:r=1 /\ Q:s=0 /\ P:return=1)
define i32 @src.atomic_over_seq_cst_fence() {
  store atomic i32 1, ptr @y monotonic, align 4
  store atomic i32 1, ptr @x monotonic, align 4
  fence seq_cst
  %b = load atomic i32, ptr @x monotonic, align 4
  ret i32 %b
}
define i32 @tgt.atomic_over_seq_cst_fence() {
  store atomic i32 1, ptr @y monotonic, align 4
  store atomic i32 1, ptr @x monotonic, align 4
  fence seq_cst
  ret i32 1
}

; pair load_over_acquire: a plain load is forwarded to a second one over an acquire load
; report: llvm/llvm-project#208631 (two loads vectorized at the first one, with an acquire load between)
; verdict: unsound
; why: the second load sees what the acquire has ordered, the first one races with it.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_over_acquire() {
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.load_over_acquire() {
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %u, i32 7
  ret i32 %r
}

; pair load_over_acquire_fence: a plain load is forwarded to a second one over an acquire fence
; report: after the LangRef's rule of fences; GVN must treat a fence as a write of all memory
; verdict: unsound
; why: the fence makes a monotonic load before it acquire, so that the second load sees what the first one races with.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_over_acquire_fence() {
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f monotonic, align 4
  fence acquire
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.load_over_acquire_fence() {
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f monotonic, align 4
  fence acquire
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %u, i32 7
  ret i32 %r
}

; pair load_over_release_fence: a plain load is forwarded to a second one over a release fence
; report: after the LangRef's rule of fences
; verdict: sound
; why: a release orders what is before it, and lets nothing of another thread become visible.
define i32 @src.load_over_release_fence(ptr %p) {
  %u = load i32, ptr %p, align 4
  fence release
  %b = load i32, ptr %p, align 4
  ret i32 %b
}
define i32 @tgt.load_over_release_fence(ptr %p) {
  %u = load i32, ptr %p, align 4
  fence release
  ret i32 %u
}

; pair load_over_monotonic: a plain load is forwarded to a second one over a monotonic load of another location
; report: llvm/llvm-project#158169 (monotonic accesses are no writes of other memory)
; verdict: sound
; why: a monotonic load synchronizes with nothing.
define i32 @src.load_over_monotonic() {
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f monotonic, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.load_over_monotonic() {
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f monotonic, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %u, i32 7
  ret i32 %r
}

; pair atomic_load_twice: of two adjacent monotonic loads the second takes the value of the first
; report: after the LangRef's monotonic modification order
; verdict: sound
; why: nothing need come between the two.
define i32 @src.atomic_load_twice(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  %h = shl i32 %a, 8
  %r = or i32 %h, %b
  ret i32 %r
}
define i32 @tgt.atomic_load_twice(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %h = shl i32 %a, 8
  %r = or i32 %h, %a
  ret i32 %r
}

; pair atomic_load_again: a monotonic load whose value is used twice is executed twice
; report: after the LangRef's monotonic modification order; rematerialization of loads asks for it
; verdict: unsound
; why: another thread may write between the two.
; context:
;   thread Q {
;     store atomic 1, p monotonic
;   }
;   exists (P:return=1)
define i32 @src.atomic_load_again(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %r = xor i32 %a, %a
  ret i32 %r
}
define i32 @tgt.atomic_load_again(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  %r = xor i32 %a, %b
  ret i32 %r
}

; pair plain_load_again: a plain load whose value is used twice is executed twice
; report: after the LangRef's rule that a load in a race is undef
; verdict: sound
; why: where a write may come between the two, the first one is undef already.
define i32 @src.plain_load_again(ptr %p) {
  %a = load i32, ptr %p, align 4
  ret i32 %a
}
define i32 @tgt.plain_load_again(ptr %p) {
  %a = load i32, ptr %p, align 4
  %b = load i32, ptr %p, align 4
  ret i32 %b
}
