; Accesses that are split, merged, narrowed or widened (CodeGenPrepare, LoadStoreVectorizer, VectorCombine, GVN, AtomicExpand).

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)

; pair atomic_store_split: a monotonic store of 64 bits becomes two plain stores of 32 bits
; report: llvm/llvm-project#199592 (CodeGenPrepare: splitMergedValStore)
; verdict: unsound
; why: a load of 64 bits sees all of the store or nothing of it, and undef in a race with plain stores.
; memory: p = i64 0
; context:
;   thread Q {
;     r = load atomic i64 p monotonic
;   }
;   exists (Q:r=1)
define void @src.atomic_store_split(ptr %p) {
  store atomic i64 4294967297, ptr %p monotonic, align 8
  ret void
}
define void @tgt.atomic_store_split(ptr %p) {
  store i32 1, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}

; pair plain_store_split: a plain store of 64 bits becomes two of 32 bits
; report: llvm/llvm-project#199592 (what CodeGenPrepare may split)
; verdict: sound
; why: who sees one half alone races with the store, before as after.
; memory: p = i64 0
define void @src.plain_store_split(ptr %p) {
  store i64 4294967297, ptr %p, align 8
  ret void
}
define void @tgt.plain_store_split(ptr %p) {
  store i32 1, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}

; pair plain_stores_merged: two adjacent plain stores of 32 bits become one of 64 bits
; report: after the LangRef's rule of happens-before (LoadStoreVectorizer)
; verdict: sound
; why: nothing stands between the two.
; memory: p = i64 0
define void @src.plain_stores_merged(ptr %p) {
  store i32 1, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}
define void @tgt.plain_stores_merged(ptr %p) {
  store i64 4294967297, ptr %p, align 8
  ret void
}

; pair stores_merged_over_release: two plain stores become one at the place of the second, with a release store between
; report: llvm/llvm-project#208631 (LoadStoreVectorizer, chains of stores)
; verdict: unsound
; why: who acquires the flag no longer sees the first store.
; memory: p = i64 0
; context:
;   thread Q {
;     r = load atomic f acquire
;     s = load i32 p
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.stores_merged_over_release(ptr %p, ptr %f) {
  store i32 1, ptr %p, align 8
  store atomic i32 1, ptr %f release, align 4
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}
define void @tgt.stores_merged_over_release(ptr %p, ptr %f) {
  store atomic i32 1, ptr %f release, align 4
  store i64 4294967297, ptr %p, align 8
  ret void
}

; pair atomic_loads_merged: two monotonic loads of 32 bits become one of 64 bits
; report: llvm/llvm-project#189932, #190152 (proposed for AMDGPU; in IR it changes the accesses)
; verdict: unsound
; why: atomics of different bytes race with each other.
; memory: p = i64 0
; context:
;   thread Q {
;     store atomic i32 1, p monotonic
;   }
;   exists (P:return=512)
define i32 @src.atomic_loads_merged(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 8
  %q = getelementptr i8, ptr %p, i64 4
  %b = load atomic i32, ptr %q monotonic, align 4
  %h = shl i32 %a, 8
  %r = or i32 %h, %b
  ret i32 %r
}
define i32 @tgt.atomic_loads_merged(ptr %p) {
  %v = load atomic i64, ptr %p monotonic, align 8
  %a = trunc i64 %v to i32
  %w = lshr i64 %v, 32
  %b = trunc i64 %w to i32
  %h = shl i32 %a, 8
  %r = or i32 %h, %b
  ret i32 %r
}

; pair atomic_load_narrowed: of a monotonic load of 64 bits only the upper half is used, and loaded by a plain load
; report: llvm/llvm-project#200263 (VectorCombine: scalarizeLoad), #75626 (DAGCombiner drops the ordering)
; verdict: unsound
; why: a plain load of the half is undef where the atomic one saw a value.
; memory: p = i64 0
; context:
;   thread Q {
;     store atomic i64 4294967297, p monotonic
;   }
;   exists (P:return=7)
define i32 @src.atomic_load_narrowed(ptr %p) {
  %v = load atomic i64, ptr %p monotonic, align 8
  %w = lshr i64 %v, 32
  %b = trunc i64 %w to i32
  ret i32 %b
}
define i32 @tgt.atomic_load_narrowed(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  %b = load i32, ptr %q, align 4
  ret i32 %b
}

; pair plain_load_narrowed: of a plain load of 64 bits only the upper half is used, and loaded alone
; report: after the LangRef's rule that a load in a race is undef (DAGCombiner: reduceLoadWidth)
; verdict: sound
; why: what is not used need not be loaded.
; memory: p = i64 0
define i32 @src.plain_load_narrowed(ptr %p) {
  %v = load i64, ptr %p, align 8
  %w = lshr i64 %v, 32
  %b = trunc i64 %w to i32
  ret i32 %b
}
define i32 @tgt.plain_load_narrowed(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  %b = load i32, ptr %q, align 4
  ret i32 %b
}

; pair plain_load_widened: a plain load of one element becomes a load of two, of which one is used
; report: after the LangRef's rule that a load in a race is undef (VectorCombine widens loads of dereferenceable memory)
; verdict: sound
; why: a race on the other element makes that element undef alone.
; memory: p = <2 x i32> zeroinitializer
define i32 @src.plain_load_widened(ptr dereferenceable(8) %p) {
  %a = load i32, ptr %p, align 8
  ret i32 %a
}
define i32 @tgt.plain_load_widened(ptr dereferenceable(8) %p) {
  %v = load <2 x i32>, ptr %p, align 8
  %a = extractelement <2 x i32> %v, i64 0
  ret i32 %a
}

; pair plain_store_widened: a store of one half becomes a load of all, and a store of all with the other half as it was
; report: llvm/llvm-project#65742 (accesses to bit-fields that reach beyond them)
; verdict: unsound
; why: another thread's store to the other half is lost, or raced with.
; memory: p = <2 x i32> zeroinitializer
; context:
;   thread Q {
;     store i32 2, p + 4
;   }
;   exists (p[1]=0)
define void @src.plain_store_widened(ptr %p) {
  store i32 1, ptr %p, align 8
  ret void
}
define void @tgt.plain_store_widened(ptr %p) {
  %v = load <2 x i32>, ptr %p, align 8
  %w = insertelement <2 x i32> %v, i32 1, i64 0
  store <2 x i32> %w, ptr %p, align 8
  ret void
}

; pair atomic_copied: an unordered load and an unordered store become plain ones, as a memcpy makes them
; report: llvm/llvm-project#124535 (LoopIdiom: memcpy of atomics must be element-wise atomic)
; verdict: unsound
; why: a plain load races with the atomic store that the unordered one saw.
; context:
;   thread Q {
;     store atomic 1, p unordered
;   }
;   exists (q=7)
define void @src.atomic_copied(ptr %p, ptr %q) {
  %a = load atomic i32, ptr %p unordered, align 4
  store atomic i32 %a, ptr %q unordered, align 4
  ret void
}
define void @tgt.atomic_copied(ptr %p, ptr %q) {
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %q, align 4
  ret void
}

; pair atomic_as_memcpy: an unordered load and an unordered store become a memcpy
; report: llvm/llvm-project#124535 (LoopIdiom: memcpy of atomics must be element-wise atomic)
; verdict: unsound
; why: a memcpy is not atomic, and undef where the unordered load saw a value.
; context:
;   thread Q {
;     store atomic 1, p unordered
;   }
;   exists (q=7)
define void @src.atomic_as_memcpy(ptr %p, ptr %q) {
  %a = load atomic i32, ptr %p unordered, align 4
  store atomic i32 %a, ptr %q unordered, align 4
  ret void
}
define void @tgt.atomic_as_memcpy(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q, ptr align 4 %p, i64 4, i1 false)
  ret void
}
define void @closed.tgt.atomic_as_memcpy(ptr %p, ptr %q) {
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %q, align 4
  ret void
}

; pair atomic_as_atomic_memcpy: an unordered load and an unordered store become an element-wise unordered memcpy
; report: llvm/llvm-project#124535 (LoopIdiom: memcpy of atomics must be element-wise atomic)
; verdict: sound
; why: each element is loaded and stored by one unordered access.
define void @src.atomic_as_atomic_memcpy(ptr %p, ptr %q) {
  %a = load atomic i32, ptr %p unordered, align 4
  store atomic i32 %a, ptr %q unordered, align 4
  ret void
}
define void @tgt.atomic_as_atomic_memcpy(ptr %p, ptr %q) {
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %q, ptr align 4 %p, i64 4, i32 4)
  ret void
}
define void @closed.tgt.atomic_as_atomic_memcpy(ptr %p, ptr %q) {
  %a = load atomic i32, ptr %p unordered, align 4
  store atomic i32 %a, ptr %q unordered, align 4
  ret void
}

; pair plain_copied: a plain load and a plain store become unordered ones
; report: after the LangRef's unordered ordering
; verdict: sound
; why: an atomic access permits less than a plain one.
define void @src.plain_copied(ptr %p, ptr %q) {
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %q, align 4
  ret void
}
define void @tgt.plain_copied(ptr %p, ptr %q) {
  %a = load atomic i32, ptr %p unordered, align 4
  store atomic i32 %a, ptr %q unordered, align 4
  ret void
}

; pair monotonic_as_unordered: two monotonic loads of a location become unordered
; report: after the LangRef's monotonic modification order; llvm/llvm-project#85589 treats unordered accesses like plain ones
; verdict: unsound
; why: unordered loads need not see the writes of a location in one order.
; context:
;   thread Q {
;     store atomic 1, p monotonic
;   }
;   exists (P:return=256)
define i32 @src.monotonic_as_unordered(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  %h = shl i32 %a, 8
  %r = or i32 %h, %b
  ret i32 %r
}
define i32 @tgt.monotonic_as_unordered(ptr %p) {
  %a = load atomic i32, ptr %p unordered, align 4
  %b = load atomic i32, ptr %p unordered, align 4
  %h = shl i32 %a, 8
  %r = or i32 %h, %b
  ret i32 %r
}
