; Accesses that move over an access or a fence: what may go into a critical section, and what may leave it.

@x = global i32 0
@y = global i32 0
@f = global i32 0

; pair load_up_over_acquire: a plain load moves up over an acquire load
; report: llvm/llvm-project#208631 (LoadStoreVectorizer, chains of loads)
; verdict: unsound
; why: the load races with what the acquire orders before it.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_up_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.load_up_over_acquire() {
  %b = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair load_down_over_acquire: a plain load moves down over an acquire load
; report: llvm/llvm-project#60131 (reported of a load between two seq_cst loads)
; verdict: sound
; why: moved behind the acquire, the load sees more, and never what did not race with it before.
define i32 @src.load_down_over_acquire() {
  %b = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.load_down_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair store_down_over_release: a plain store moves down over a release store
; report: llvm/llvm-project#64188 (LICM sinks a store below a call that releases), #208631 (LoadStoreVectorizer, chains of stores)
; verdict: unsound
; why: who acquires the flag no longer sees the store.
; context:
;   thread Q {
;     r = load atomic f acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.store_down_over_release() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}
define void @tgt.store_down_over_release() {
  store atomic i32 1, ptr @f release, align 4
  store i32 1, ptr @x, align 4
  ret void
}

; pair store_up_over_release: a plain store moves up over a release store
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: who acquires the flag raced with the store before, and sees it afterwards.
define void @src.store_up_over_release() {
  store atomic i32 1, ptr @f release, align 4
  store i32 1, ptr @x, align 4
  ret void
}
define void @tgt.store_up_over_release() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}

; pair load_down_over_release: a plain load moves down over a release store
; report: llvm/llvm-project#210631 (Sink moves a call that reads below a release store)
; verdict: unsound
; why: who acquires the flag may write, and then races with the load.
; context:
;   thread Q {
;     r = load atomic f acquire
;     store 2, x
;   }
;   exists (Q:r=1 /\ P:return=2)
define i32 @src.load_down_over_release() {
  %b = load i32, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret i32 %b
}
define i32 @tgt.load_down_over_release() {
  store atomic i32 1, ptr @f release, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}

; pair load_up_over_release: a plain load moves up over a release store
; report: llvm/llvm-project#210568 (LICM hoists a load over a release store)
; verdict: sound
; why: a release says nothing about what is after it.
define i32 @src.load_up_over_release() {
  store atomic i32 1, ptr @f release, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.load_up_over_release() {
  %b = load i32, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret i32 %b
}

; pair store_up_over_acquire: a plain store moves up over an acquire load
; report: after the LangRef's rule of happens-before
; verdict: unsound
; why: a load that the acquire orders before the store races with it.
; context:
;   thread Q {
;     r = load x
;     store atomic 1, f release
;   }
;   exists (P:return=1 /\ Q:r=1)
define i32 @src.store_up_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  store i32 1, ptr @x, align 4
  ret i32 %a
}
define i32 @tgt.store_up_over_acquire() {
  store i32 1, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  ret i32 %a
}

; pair store_down_over_acquire: a plain store moves down over an acquire load
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: nothing between the two places releases the store.
define i32 @src.store_down_over_acquire() {
  store i32 1, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  ret i32 %a
}
define i32 @tgt.store_down_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  store i32 1, ptr @x, align 4
  ret i32 %a
}

; pair plain_stores: two plain stores to different locations change places
; report: after the LangRef's rule of happens-before
; verdict: sound
; why: happens-before goes on from both or from none.
define void @src.plain_stores() {
  store i32 1, ptr @x, align 4
  store i32 1, ptr @y, align 4
  ret void
}
define void @tgt.plain_stores() {
  store i32 1, ptr @y, align 4
  store i32 1, ptr @x, align 4
  ret void
}

; pair plain_stores_aliasing: two plain stores to pointers of which nothing is known change places
; report: after the LangRef's rule of happens-before
; verdict: unsound
; why: the pointers may be equal, and then the last store is another one.
; arguments: %q = @p
; context:
;   exists (p=1)
define void @src.plain_stores_aliasing(ptr %p, ptr %q) {
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  ret void
}
define void @tgt.plain_stores_aliasing(ptr %p, ptr %q) {
  store i32 2, ptr %q, align 4
  store i32 1, ptr %p, align 4
  ret void
}

; pair monotonic_load_store: a monotonic load and a monotonic store to another location change places
; report: after the LangRef's monotonic ordering (load buffering is allowed)
; verdict: sound
; why: monotonic accesses of different locations are not ordered for others.
define i32 @src.monotonic_load_store() {
  %a = load atomic i32, ptr @x monotonic, align 4
  store atomic i32 1, ptr @y monotonic, align 4
  ret i32 %a
}
define i32 @tgt.monotonic_load_store() {
  store atomic i32 1, ptr @y monotonic, align 4
  %a = load atomic i32, ptr @x monotonic, align 4
  ret i32 %a
}

; pair monotonic_store_up_over_acquire: a monotonic store moves up over an acquire load
; report: after the LangRef's rule of write-write coherence
; verdict: unsound
; why: what is ordered before the acquire is before the store in the modification order.
; context:
;   thread Q {
;     store atomic 2, y monotonic
;     store atomic 1, f release
;   }
;   exists (P:return=1 /\ y=2)
define i32 @src.monotonic_store_up_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  store atomic i32 1, ptr @y monotonic, align 4
  ret i32 %a
}
define i32 @tgt.monotonic_store_up_over_acquire() {
  store atomic i32 1, ptr @y monotonic, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  ret i32 %a
}

; pair load_up_over_failing_cmpxchg: a plain load moves up over a cmpxchg whose failure ordering alone acquires
; report: llvm/llvm-project#220516 (memory effects from the success ordering), #208631 (the same in alias analysis)
; verdict: unsound
; why: a cmpxchg that fails acquires here, and orders the load after it.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_up_over_failing_cmpxchg() {
  %v = cmpxchg ptr @f, i32 5, i32 6 monotonic acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.load_up_over_failing_cmpxchg() {
  %b = load i32, ptr @x, align 4
  %v = cmpxchg ptr @f, i32 5, i32 6 monotonic acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
