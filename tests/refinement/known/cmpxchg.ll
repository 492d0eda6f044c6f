; Compare-exchanges: weak and strong ones, their two orderings, and what is known of their results.

@x = global i32 0
@y = global i32 0
@f = global i32 0

; pair weak_to_strong: a weak cmpxchg becomes a strong one
; report: llvm/llvm-project#203033 (LowerBufferFatPointers)
; verdict: sound
; why: a weak one may fail although the values are equal, but need not.
define i1 @src.weak_to_strong(ptr %p) {
  %v = cmpxchg weak ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}
define i1 @tgt.weak_to_strong(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}

; pair strong_to_weak: a strong cmpxchg becomes a weak one that is not repeated
; report: llvm/llvm-project#138129 (compare_exchange_weak where the strong one is meant)
; verdict: unsound
; why: it may fail although the values are equal.
; context:
;   exists (P:return=0)
define i1 @src.strong_to_weak(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}
define i1 @tgt.strong_to_weak(ptr %p) {
  %v = cmpxchg weak ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}

; pair flag_of_strong: whether a strong cmpxchg has read the expected value is its flag
; report: after the LangRef's cmpxchg (InstCombine)
; verdict: sound
; why: a strong one succeeds if and only if the values are equal.
define i1 @src.flag_of_strong(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %s = icmp eq i32 %a, 0
  ret i1 %s
}
define i1 @tgt.flag_of_strong(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}

; pair flag_of_weak: whether a weak cmpxchg has read the expected value is its flag
; report: after the LangRef's cmpxchg
; verdict: unsound
; why: it may read the expected value and fail.
; context:
;   exists (P:return=0)
define i1 @src.flag_of_weak(ptr %p) {
  %v = cmpxchg weak ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %s = icmp eq i32 %a, 0
  ret i1 %s
}
define i1 @tgt.flag_of_weak(ptr %p) {
  %v = cmpxchg weak ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}

; pair failure_weakened: the failure ordering acquire becomes monotonic
; report: llvm/llvm-project#199000 (SPIR-V: the register of the failure ordering is reused)
; verdict: unsound
; why: a cmpxchg that fails no longer synchronizes.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.failure_weakened() {
  %v = cmpxchg ptr @f, i32 5, i32 6 acquire acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.failure_weakened() {
  %v = cmpxchg ptr @f, i32 5, i32 6 acquire monotonic, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair failure_strengthened: the success ordering becomes as strong as the failure ordering
; report: llvm/llvm-project#220516 (the merged ordering)
; verdict: sound
; why: a stronger ordering permits less.
define i32 @src.failure_strengthened() {
  %v = cmpxchg ptr @f, i32 5, i32 6 monotonic acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.failure_strengthened() {
  %v = cmpxchg ptr @f, i32 5, i32 6 acquire acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair release_on_failure: a release read-modify-write that changes nothing becomes a cmpxchg that fails where it would change nothing
; report: after the LangRef's cmpxchg (a failed one is a load)
; verdict: unsound
; why: a failed cmpxchg writes nothing that could be read, and releases nothing.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 1 acquire
;     s = load y
;   }
;   exists (P:return=0 /\ Q:r=0 /\ Q:s=0)
define i32 @src.release_on_failure() {
  store i32 1, ptr @y, align 4
  %a = atomicrmw umax ptr @x, i32 0 acq_rel, align 4
  ret i32 %a
}
define i32 @tgt.release_on_failure() {
  store i32 1, ptr @y, align 4
  %v = cmpxchg ptr @x, i32 9, i32 9 acq_rel acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  ret i32 %a
}

; pair same_value: a cmpxchg that exchanges a value for itself becomes a load
; report: after the LangRef's cmpxchg, as llvm/llvm-project#56450 is of atomicrmw
; verdict: unsound
; why: where it succeeds, it writes.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 1 acquire
;     s = load y
;   }
;   exists (P:return=0 /\ Q:r=0 /\ Q:s=0)
define i32 @src.same_value() {
  store i32 1, ptr @y, align 4
  %v = cmpxchg ptr @x, i32 0, i32 0 acq_rel acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  ret i32 %a
}
define i32 @tgt.same_value() {
  store i32 1, ptr @y, align 4
  %a = load atomic i32, ptr @x acquire, align 4
  ret i32 %a
}

; pair load_as_cmpxchg: an acquire load becomes a cmpxchg of zero for zero
; report: llvm/llvm-project#199310 (AtomicExpand: loads by cmpxchg); found by axmem
; verdict: unsound
; why: where it succeeds it writes, if only what was there, and a plain load of another thread races with the write.
; context:
;   thread Q {
;     r = load p
;   }
;   exists (Q:r=7)
define i32 @src.load_as_cmpxchg(ptr %p) {
  %a = load atomic i32, ptr %p acquire, align 4
  ret i32 %a
}
define i32 @tgt.load_as_cmpxchg(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 0 acquire acquire, align 4
  %a = extractvalue { i32, i1 } %v, 0
  ret i32 %a
}

; pair as_load_and_branch: a cmpxchg becomes a load, a comparison and a store
; report: after the LangRef's cmpxchg
; verdict: unsound
; why: two threads may both succeed.
; context:
;   thread Q {
;     r = cmpxchg p, 0, 2 monotonic
;   }
;   exists (P:return=1 /\ Q:r[1]=1)
define i1 @src.as_load_and_branch(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic, align 4
  %s = extractvalue { i32, i1 } %v, 1
  ret i1 %s
}
define i1 @tgt.as_load_and_branch(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %s = icmp eq i32 %a, 0
  br i1 %s, label %then, label %end
then:
  store atomic i32 1, ptr %p monotonic, align 4
  br label %end
end:
  ret i1 %s
}
