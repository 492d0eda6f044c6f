; Stores that are overwritten, repeated, or store what is there: DSE and its neighbours.

@x = global i32 0
@y = global i32 0
@f = global i32 0
@g = global i32 0

; pair dead_over_release: a plain store is deleted that is overwritten after a release store
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: who acquires the flag and reads races with the second store, and has undef before.
define void @src.dead_over_release() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  store i32 2, ptr @x, align 4
  ret void
}
define void @tgt.dead_over_release() {
  store atomic i32 1, ptr @f release, align 4
  store i32 2, ptr @x, align 4
  ret void
}

; pair dead_over_acquire: a plain store is deleted that is overwritten after an acquire load
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: nothing releases the first store before the second one.
define i32 @src.dead_over_acquire() {
  store i32 1, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  store i32 2, ptr @x, align 4
  ret i32 %a
}
define i32 @tgt.dead_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  store i32 2, ptr @x, align 4
  ret i32 %a
}

; pair dead_over_release_acquire: a plain store is deleted that is overwritten after a release store and an acquire load
; report: llvm/llvm-project#97252 (a store deleted before a function that releases and then acquires)
; verdict: unsound
; why: another thread reads it in between: after it has acquired, and before it releases.
; context:
;   thread Q {
;     r = load atomic f acquire
;     s = load x
;     store atomic 1, g release
;   }
;   exists (P:return=1 /\ Q:r=1 /\ Q:s=0)
define i32 @src.dead_over_release_acquire() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  %a = load atomic i32, ptr @g acquire, align 4
  store i32 2, ptr @x, align 4
  ret i32 %a
}
define i32 @tgt.dead_over_release_acquire() {
  store atomic i32 1, ptr @f release, align 4
  %a = load atomic i32, ptr @g acquire, align 4
  store i32 2, ptr @x, align 4
  ret i32 %a
}

; pair dead_over_monotonic: a plain store is deleted that is overwritten after a monotonic store to another location
; report: llvm/llvm-project#158169 (DSE over monotonic accesses; taken back in #173135 for code that is no program of the LangRef)
; verdict: sound
; why: a monotonic store releases nothing.
define void @src.dead_over_monotonic() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f monotonic, align 4
  store i32 2, ptr @x, align 4
  ret void
}
define void @tgt.dead_over_monotonic() {
  store atomic i32 1, ptr @f monotonic, align 4
  store i32 2, ptr @x, align 4
  ret void
}

; pair dead_atomic: of two adjacent monotonic stores the first is deleted
; report: after the LangRef's monotonic modification order
; verdict: sound
; why: that nobody reads between the two was possible before.
define void @src.dead_atomic(ptr %p) {
  store atomic i32 1, ptr %p monotonic, align 4
  store atomic i32 2, ptr %p monotonic, align 4
  ret void
}
define void @tgt.dead_atomic(ptr %p) {
  store atomic i32 2, ptr %p monotonic, align 4
  ret void
}

; pair dead_release: a release store is deleted that a monotonic store of its thread overwrites
; report: llvm/llvm-project#77263 (release sequences no longer go on with stores of the same thread)
; verdict: sound
; why: who reads the second store synchronizes with nothing, before as after.
define void @src.dead_release(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  store atomic i32 2, ptr %p monotonic, align 4
  ret void
}
define void @tgt.dead_release(ptr %p) {
  store atomic i32 2, ptr %p monotonic, align 4
  ret void
}

; pair dead_seq_cst: a seq_cst store is deleted that a monotonic store overwrites
; report: after the LangRef's seq_cst order; llvm/llvm-project#189014 has both kinds of stores to one location
; verdict: unsound
; why: only the first store has a place in the seq_cst order, before the load.
; context:
;   thread Q {
;     store atomic 1, y seq_cst
;     r = load atomic x seq_cst
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.dead_seq_cst() {
  store atomic i32 1, ptr @x seq_cst, align 4
  store atomic i32 2, ptr @x monotonic, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.dead_seq_cst() {
  store atomic i32 2, ptr @x monotonic, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}

; pair dead_seq_cst_twice: of two adjacent seq_cst stores the first is deleted
; report: LLVM's guide of atomics has this change as one that is allowed
; verdict: unsound
; why: the first store strongly happens before what acquires the second ([Cpp20] intro.races); the second alone does not.
; context:
;   thread Q {
;     q = load atomic x acquire
;     r = load atomic y seq_cst
;   }
;   thread R {
;     store atomic 5, y seq_cst
;     s = load atomic x seq_cst
;   }
;   exists (Q:q=2 /\ Q:r=0 /\ R:s=0)
define i32 @src.dead_seq_cst_twice() {
  store atomic i32 1, ptr @x seq_cst, align 4
  store atomic i32 2, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.dead_seq_cst_twice() {
  store atomic i32 2, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}

; pair same_twice: of two plain stores of the same value one is deleted
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: both have the same value, and nothing stands between them.
define void @src.same_twice(ptr %p) {
  store i32 1, ptr %p, align 4
  store i32 1, ptr %p, align 4
  ret void
}
define void @tgt.same_twice(ptr %p) {
  store i32 1, ptr %p, align 4
  ret void
}

; pair stored_back: a plain store is deleted that stores what has just been loaded
; report: after the LangRef's rule of happens-before (DSE of stores without effect)
; verdict: sound
; why: a write that others make in between races with the store, and makes it undef what is read later.
define i32 @src.stored_back(ptr %p) {
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %p, align 4
  ret i32 %a
}
define i32 @tgt.stored_back(ptr %p) {
  %a = load i32, ptr %p, align 4
  ret i32 %a
}

; pair storing_back: a plain store of what has just been loaded is added
; report: llvm/llvm-project#65742 has the rule that no store may be added; AliveToolkit/alive2#183 asks for it
; verdict: unsound
; why: the store races with a write of another thread, which nothing raced with before.
; context:
;   thread Q {
;     store atomic 1, p monotonic
;     r = load atomic p monotonic
;   }
;   exists (Q:r=0)
define void @src.storing_back(ptr %p) {
  %a = load i32, ptr %p, align 4
  ret void
}
define void @tgt.storing_back(ptr %p) {
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %p, align 4
  ret void
}
