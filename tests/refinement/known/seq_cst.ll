; The order of seq_cst operations: weakened ones, deleted ones, and the mappings that AtomicExpand and the backends make.

@x = global i32 0
@y = global i32 0
@z = global i32 0

; pair store_load: a seq_cst store and a seq_cst load of another location change places
; report: after the LangRef's seq_cst order; llvm/llvm-project#81978 and #65541 are cases in backends
; verdict: unsound
; why: with the mirror image beside it, one of the two loads sees the other's store.
; context:
;   thread Q {
;     store atomic 1, y seq_cst
;     r = load atomic x seq_cst
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.store_load() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.store_load() {
  %a = load atomic i32, ptr @y seq_cst, align 4
  store atomic i32 1, ptr @x seq_cst, align 4
  ret i32 %a
}

; pair rmw_load: a seq_cst load moves up over a seq_cst atomicrmw
; report: llvm/llvm-project#62652 (AArch64: 128-bit loads)
; verdict: unsound
; why: the same with a read-modify-write instead of the store.
; context:
;   thread Q {
;     store atomic 1, y seq_cst
;     r = load atomic x seq_cst
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.rmw_load() {
  %u = atomicrmw add ptr @x, i32 1 seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.rmw_load() {
  %a = load atomic i32, ptr @y seq_cst, align 4
  %u = atomicrmw add ptr @x, i32 1 seq_cst, align 4
  ret i32 %a
}

; pair monotonic_load: a monotonic load moves up over a seq_cst store
; report: llvm/llvm-project#177236 (reported of AArch64's STLR and LDR; no fault)
; verdict: sound
; why: a monotonic load has no place in the seq_cst order, and a store acquires nothing.
define i32 @src.monotonic_load() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y monotonic, align 4
  ret i32 %a
}
define i32 @tgt.monotonic_load() {
  %a = load atomic i32, ptr @y monotonic, align 4
  store atomic i32 1, ptr @x seq_cst, align 4
  ret i32 %a
}

; pair load_weakened: a seq_cst load becomes an acquire load
; report: after the LangRef's seq_cst order; llvm/llvm-project#65541 and #81978 are cases of loads without a fence before them
; verdict: unsound
; why: an acquire load has no place in the seq_cst order.
; context:
;   thread Q {
;     store atomic 1, y seq_cst
;     r = load atomic x seq_cst
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.load_weakened() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.load_weakened() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y acquire, align 4
  ret i32 %a
}

; pair store_weakened: a seq_cst store becomes a release store
; report: after the LangRef's seq_cst order
; verdict: unsound
; why: a release store has no place in the seq_cst order.
; context:
;   thread Q {
;     store atomic 1, y seq_cst
;     r = load atomic x seq_cst
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.store_weakened() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.store_weakened() {
  store atomic i32 1, ptr @x release, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}

; pair store_strengthened: a release store becomes a seq_cst store
; report: after the LangRef's orderings (each includes the guarantees of the weaker ones)
; verdict: sound
; why: a stronger ordering permits less.
define void @src.store_strengthened(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  ret void
}
define void @tgt.store_strengthened(ptr %p) {
  store atomic i32 1, ptr %p seq_cst, align 4
  ret void
}

; pair fence_weakened: a seq_cst fence becomes an acq_rel fence
; report: after the LangRef's rule of seq_cst fences since llvm/llvm-project#77263
; verdict: unsound
; why: an acq_rel fence does not order a store before a later load.
; context:
;   thread Q {
;     store atomic 1, y monotonic
;     fence seq_cst
;     r = load atomic x monotonic
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.fence_weakened() {
  store atomic i32 1, ptr @x monotonic, align 4
  fence seq_cst
  %a = load atomic i32, ptr @y monotonic, align 4
  ret i32 %a
}
define i32 @tgt.fence_weakened() {
  store atomic i32 1, ptr @x monotonic, align 4
  fence acq_rel
  %a = load atomic i32, ptr @y monotonic, align 4
  ret i32 %a
}

; pair trailing_fence: a seq_cst load becomes a monotonic load with a seq_cst fence after it
; report: llvm/llvm-project#65541 (code of two mappings in one program)
; verdict: unsound
; why: the fence after the load does not order it against the seq_cst store before it.
; context:
;   thread Q {
;     store atomic 1, y seq_cst
;     r = load atomic x seq_cst
;   }
;   exists (P:return=0 /\ Q:r=0)
define i32 @src.trailing_fence() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y seq_cst, align 4
  ret i32 %a
}
define i32 @tgt.trailing_fence() {
  store atomic i32 1, ptr @x seq_cst, align 4
  %a = load atomic i32, ptr @y monotonic, align 4
  fence seq_cst
  ret i32 %a
}

; pair unused_load: a seq_cst load whose value is not used is deleted
; report: llvm/llvm-project#161372 (unused atomic loads; there of monotonic ones)
; verdict: unsound
; why: the order forces what it reads, and then it acquires.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, z seq_cst
;     r = load atomic y seq_cst
;   }
;   exists (Q:r=0 /\ P:return=0)
define i32 @src.unused_load() {
  store atomic i32 1, ptr @y seq_cst, align 4
  %u = load atomic i32, ptr @z seq_cst, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.unused_load() {
  store atomic i32 1, ptr @y seq_cst, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}

; pair unused_unordered: an unordered load whose value is not used is deleted
; report: after the LangRef's unordered ordering
; verdict: sound
; why: a fence gives no ordering to an unordered load.
define void @src.unused_unordered(ptr %p) {
  %a = load atomic i32, ptr %p unordered, align 4
  ret void
}
define void @tgt.unused_unordered(ptr %p) {
  ret void
}
