; Read-modify-writes that write what they have read, or whose result is not used (InstCombine, AtomicExpand, X86, AMDGPU).
; A read-modify-write reads the last write before its own: of two to one location, one sees the other.

@x = global i32 0
@y = global i32 0
@z = global i32 0

; pair idempotent_monotonic: a monotonic atomicrmw that changes nothing becomes a monotonic load
; report: llvm/llvm-project#56450 (InstCombine)
; verdict: unsound
; why: another read-modify-write of the location must read this one's write, and then synchronizes with the fence before it.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 1 acquire
;     s = load y
;   }
;   exists (P:return=0 /\ Q:r=0 /\ Q:s=0)
define i32 @src.idempotent_monotonic() {
  store i32 1, ptr @y, align 4
  fence release
  %a = atomicrmw or ptr @x, i32 0 monotonic, align 4
  ret i32 %a
}
define i32 @tgt.idempotent_monotonic() {
  store i32 1, ptr @y, align 4
  fence release
  %a = load atomic i32, ptr @x monotonic, align 4
  ret i32 %a
}

; pair idempotent_fenced: an acq_rel atomicrmw that changes nothing becomes a seq_cst fence and an acquire load
; report: llvm/llvm-project#101551 (lowerIdempotentRMWIntoFencedLoad, X86)
; verdict: unsound
; why: the fence orders, but a read-modify-write of another thread no longer reads from here.
; context:
;   thread Q {
;     r = atomicrmw xchg x, 1 acquire
;     s = load y
;   }
;   exists (P:return=0 /\ Q:r=0 /\ Q:s=0)
define i32 @src.idempotent_fenced() {
  store i32 1, ptr @y, align 4
  %a = atomicrmw or ptr @x, i32 0 acq_rel, align 4
  ret i32 %a
}
define i32 @tgt.idempotent_fenced() {
  store i32 1, ptr @y, align 4
  fence seq_cst
  %a = load atomic i32, ptr @x acquire, align 4
  ret i32 %a
}

; pair idempotent_agent: an acq_rel atomicrmw of agent scope that changes nothing becomes fences and a load of that scope
; report: llvm/llvm-project#218377 (AMDGPU)
; verdict: unsound
; why: as for system scope, if the other thread is in the same agent.
; context:
;   thread Q @ agent 0, workgroup 1 {
;     r = atomicrmw xchg x, 1 syncscope("agent") acquire
;     s = load y
;   }
;   exists (P:return=0 /\ Q:r=0 /\ Q:s=0)
define i32 @src.idempotent_agent() {
  store i32 1, ptr @y, align 4
  %a = atomicrmw add ptr @x, i32 0 syncscope("agent") acq_rel, align 4
  ret i32 %a
}
define i32 @tgt.idempotent_agent() {
  store i32 1, ptr @y, align 4
  fence syncscope("agent") release
  %a = load atomic i32, ptr @x syncscope("agent") acquire, align 4
  ret i32 %a
}

; pair idempotent_unused: a monotonic atomicrmw that changes nothing, and whose result is not used, is deleted
; report: llvm/llvm-project#101551 (lowerAtomicArith of X86, where the result is not used)
; verdict: unsound
; why: of this one and another thread's one reads from the other, so that the fences around them synchronize one way.
; context:
;   thread Q {
;     store 1, z
;     r = atomicrmw xchg x, 1 acq_rel
;     s = load y
;   }
;   exists (P:return=0 /\ Q:s=0)
define i32 @src.idempotent_unused() {
  store i32 1, ptr @y, align 4
  fence release
  %a = atomicrmw or ptr @x, i32 0 monotonic, align 4
  fence acquire
  %b = load i32, ptr @z, align 4
  ret i32 %b
}
define i32 @tgt.idempotent_unused() {
  store i32 1, ptr @y, align 4
  fence release
  fence acquire
  %b = load i32, ptr @z, align 4
  ret i32 %b
}

; pair idempotent_canonical: adding zero becomes or with zero
; report: llvm/llvm-project#101551 (the canonical form that InstCombine makes)
; verdict: sound
; why: both read, and write what they have read.
define i32 @src.idempotent_canonical(ptr %p) {
  %a = atomicrmw add ptr %p, i32 0 acq_rel, align 4
  ret i32 %a
}
define i32 @tgt.idempotent_canonical(ptr %p) {
  %a = atomicrmw or ptr %p, i32 0 acq_rel, align 4
  ret i32 %a
}

; pair known_result: or with all ones becomes an exchange
; report: after the LangRef's atomicrmw (InstCombine)
; verdict: sound
; why: what is written does not depend on what is read.
define i32 @src.known_result(ptr %p) {
  %a = atomicrmw or ptr %p, i32 -1 acq_rel, align 4
  ret i32 %a
}
define i32 @tgt.known_result(ptr %p) {
  %a = atomicrmw xchg ptr %p, i32 -1 acq_rel, align 4
  ret i32 %a
}

; pair exchange_unused: a monotonic exchange whose result is not used becomes a store
; report: llvm/llvm-project#60418 (InstCombine), #68428 (AArch64: SWP to the zero register before an acquire fence)
; verdict: unsound
; why: the read of the exchange is what the acquire fence after it synchronizes by.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, y release
;   }
;   exists (y=2 /\ P:return=0)
define i32 @src.exchange_unused() {
  %u = atomicrmw xchg ptr @y, i32 2 monotonic, align 4
  fence acquire
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.exchange_unused() {
  store atomic i32 2, ptr @y monotonic, align 4
  fence acquire
  %b = load i32, ptr @x, align 4
  ret i32 %b
}

; pair store_as_exchange: a release store becomes an exchange whose result is not used
; report: llvm/llvm-project#200324 (AtomicExpand: stores by exchanges)
; verdict: sound
; why: an exchange is a store that reads as well, and goes on with release sequences.
define void @src.store_as_exchange(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  ret void
}
define void @tgt.store_as_exchange(ptr %p) {
  %u = atomicrmw xchg ptr %p, i32 1 release, align 4
  ret void
}

; pair two_added: two monotonic additions whose results are not used become one
; report: after the LangRef's atomicrmw; what AMDGPU's atomic optimizer does to the lanes of a wave
; verdict: sound
; why: that nothing comes between the two was possible before.
define void @src.two_added(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 monotonic, align 4
  %b = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret void
}
define void @tgt.two_added(ptr %p) {
  %a = atomicrmw add ptr %p, i32 2 monotonic, align 4
  ret void
}

; pair one_added_twice: an addition of two becomes two additions of one
; report: after the LangRef's atomicrmw
; verdict: unsound
; why: another thread sees the number between them.
; context:
;   thread Q {
;     r = load atomic p monotonic
;   }
;   exists (Q:r=1)
define void @src.one_added_twice(ptr %p) {
  %a = atomicrmw add ptr %p, i32 2 monotonic, align 4
  ret void
}
define void @tgt.one_added_twice(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 monotonic, align 4
  %b = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret void
}

; pair two_floats_added: two additions of floats whose results are not used become one
; report: llvm/llvm-project#223608 (AMDGPU's atomic optimizer: uniform fadd)
; verdict: sequential
; why: sums are rounded, and to add one twice is not to add two.
; memory: p = float 16777216.0
; context:
;   exists (p=float 16777218.0)
define void @src.two_floats_added(ptr %p) {
  %a = atomicrmw fadd ptr %p, float 1.0 monotonic, align 4
  %b = atomicrmw fadd ptr %p, float 1.0 monotonic, align 4
  ret void
}
define void @tgt.two_floats_added(ptr %p) {
  %a = atomicrmw fadd ptr %p, float 2.0 monotonic, align 4
  ret void
}

; pair as_load_and_store: a monotonic addition becomes a monotonic load and a monotonic store
; report: after the LangRef's atomicrmw
; verdict: unsound
; why: another thread's addition in between is lost.
; context:
;   thread Q {
;     r = atomicrmw add p, 2 monotonic
;   }
;   exists (p=1)
define void @src.as_load_and_store(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret void
}
define void @tgt.as_load_and_store(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %b = add i32 %a, 1
  store atomic i32 %b, ptr %p monotonic, align 4
  ret void
}
