; Accesses under branches: speculated, merged, sunk (SimplifyCFG, InstCombine, LICM, branch folding).

@x = global i32 0
@y = global i32 0
@f = global i32 0
@g = global i32 0

; pair store_speculated: a store under a condition becomes a store of what is there or the new value
; report: llvm/llvm-project#65742 has the rule that no store may be added; LICM's promotion asks the same
; verdict: unsound
; why: where the condition is false, nothing was stored, and now a write of another thread is lost or raced with.
; arguments: %c = 0
; context:
;   thread Q {
;     store 2, p
;   }
;   exists (p=0)
define void @src.store_speculated(ptr %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %p, align 4
  br label %end
end:
  ret void
}
define void @tgt.store_speculated(ptr %p, i1 %c) {
  %o = load i32, ptr %p, align 4
  %v = select i1 %c, i32 1, i32 %o
  store i32 %v, ptr %p, align 4
  ret void
}

; pair store_speculated_after_store: a store under a condition right after a store to the same location is made with it
; report: after the LangRef's rule of happens-before (SimplifyCFG speculates stores after a store)
; verdict: sound
; why: there is a store already, and nothing comes between the two.
define void @src.store_speculated_after_store(ptr %p, i1 %c) {
  store i32 0, ptr %p, align 4
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %p, align 4
  br label %end
end:
  ret void
}
define void @tgt.store_speculated_after_store(ptr %p, i1 %c) {
  %v = select i1 %c, i32 1, i32 0
  store i32 %v, ptr %p, align 4
  ret void
}

; pair store_speculated_after_handover: the same where the thread has released and acquired in between
; report: after the LangRef's rule of happens-before
; verdict: unsound
; why: where the condition is false, another thread owns the location after the release.
; arguments: %c = 0
; context:
;   thread Q {
;     r = load atomic f acquire
;     store 2, x
;     store atomic 1, g release
;   }
;   exists (P:return=1 /\ Q:r=1 /\ x=0)
define i32 @src.store_speculated_after_handover(i1 %c) {
  store i32 0, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  %a = load atomic i32, ptr @g acquire, align 4
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr @x, align 4
  br label %end
end:
  ret i32 %a
}
define i32 @tgt.store_speculated_after_handover(i1 %c) {
  store i32 0, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  %a = load atomic i32, ptr @g acquire, align 4
  %v = select i1 %c, i32 1, i32 0
  store i32 %v, ptr @x, align 4
  ret i32 %a
}

; pair merged_as_plain: unordered stores of two branches become one plain store
; report: llvm/llvm-project#200327 (SimplifyCFG: mergeConditionalStores)
; verdict: unsound
; why: an unordered load sees one of the values that were written, in a race with a plain store undef.
; arguments: %c = 1
; context:
;   thread Q {
;     r = load atomic p unordered
;   }
;   exists (Q:r=7)
define void @src.merged_as_plain(ptr %p, i1 %c) {
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr %p unordered, align 4
  br label %end
else:
  store atomic i32 2, ptr %p unordered, align 4
  br label %end
end:
  ret void
}
define void @tgt.merged_as_plain(ptr %p, i1 %c) {
  %v = select i1 %c, i32 1, i32 2
  store i32 %v, ptr %p, align 4
  ret void
}

; pair merged_as_unordered: unordered stores of two branches become one unordered store
; report: llvm/llvm-project#200327 (as it is mended)
; verdict: sound
; why: on both branches the same is stored as before.
define void @src.merged_as_unordered(ptr %p, i1 %c) {
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr %p unordered, align 4
  br label %end
else:
  store atomic i32 2, ptr %p unordered, align 4
  br label %end
end:
  ret void
}
define void @tgt.merged_as_unordered(ptr %p, i1 %c) {
  %v = select i1 %c, i32 1, i32 2
  store atomic i32 %v, ptr %p unordered, align 4
  ret void
}

; pair merged_release: release stores of two branches become one
; report: after the LangRef's release ordering
; verdict: sound
; why: on both branches the same is stored with the same ordering.
define void @src.merged_release(i1 %c) {
  store i32 1, ptr @x, align 4
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr @f release, align 4
  br label %end
else:
  store atomic i32 2, ptr @f release, align 4
  br label %end
end:
  ret void
}
define void @tgt.merged_release(i1 %c) {
  store i32 1, ptr @x, align 4
  %v = select i1 %c, i32 1, i32 2
  store atomic i32 %v, ptr @f release, align 4
  ret void
}

; pair loads_merged_as_plain: an acquire load and a plain load of two branches become one plain load
; report: llvm/llvm-project#49483, #50777 (an atomic load of one branch becomes a plain one)
; verdict: unsound
; why: on one of the branches the load was atomic, and did acquire.
; arguments: %c = 1
; context:
;   thread Q {
;     store atomic 1, p release
;   }
;   exists (P:return=7)
define i32 @src.loads_merged_as_plain(ptr %p, i1 %c) {
  br i1 %c, label %then, label %else
then:
  %a = load atomic i32, ptr %p acquire, align 4
  br label %end
else:
  %b = load i32, ptr %p, align 4
  br label %end
end:
  %r = phi i32 [ %a, %then ], [ %b, %else ]
  ret i32 %r
}
define i32 @tgt.loads_merged_as_plain(ptr %p, i1 %c) {
  %r = load i32, ptr %p, align 4
  ret i32 %r
}

; pair loads_merged_as_acquire: the same two loads become one acquire load
; report: after the LangRef's orderings
; verdict: sound
; why: a stronger load permits less.
define i32 @src.loads_merged_as_acquire(ptr %p, i1 %c) {
  br i1 %c, label %then, label %else
then:
  %a = load atomic i32, ptr %p acquire, align 4
  br label %end
else:
  %b = load i32, ptr %p, align 4
  br label %end
end:
  %r = phi i32 [ %a, %then ], [ %b, %else ]
  ret i32 %r
}
define i32 @tgt.loads_merged_as_acquire(ptr %p, i1 %c) {
  %r = load atomic i32, ptr %p acquire, align 4
  ret i32 %r
}

; pair load_speculated: a plain load under a condition is executed in any case
; report: after the LangRef's rule that a load in a race is undef; llvm/llvm-project#108854 has what else it needs
; verdict: sound
; why: the value is not used where the condition is false, the pointer is dereferenceable, and a race is no undefined behaviour.
define i32 @src.load_speculated(ptr dereferenceable(4) %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %a = load i32, ptr %p, align 4
  br label %end
end:
  %r = phi i32 [ %a, %then ], [ 0, %0 ]
  ret i32 %r
}
define i32 @tgt.load_speculated(ptr dereferenceable(4) %p, i1 %c) {
  %a = load i32, ptr %p, align 4
  %r = select i1 %c, i32 %a, i32 0
  ret i32 %r
}

; pair load_speculated_over_acquire: a plain load under a condition on an acquire load is executed before that load
; report: after the LangRef's rule of happens-before
; verdict: unsound
; why: the load is no longer after the acquire.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_speculated_over_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  br i1 %c, label %then, label %end
then:
  %b = load i32, ptr @x, align 4
  br label %end
end:
  %r = phi i32 [ %b, %then ], [ 7, %0 ]
  ret i32 %r
}
define i32 @tgt.load_speculated_over_acquire() {
  %b = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair select_of_load: a plain load under a condition on an acquire load is executed after it in any case
; report: after the LangRef's rule that a load in a race is undef
; verdict: sound
; why: where the value is used, the load is where it was.
define i32 @src.select_of_load() {
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  br i1 %c, label %then, label %end
then:
  %b = load i32, ptr @x, align 4
  br label %end
end:
  %r = phi i32 [ %b, %then ], [ 7, %0 ]
  ret i32 %r
}
define i32 @tgt.select_of_load() {
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair partially_redundant: a plain load that one branch has executed already is executed on the other one alone
; report: after the LangRef's rule of happens-before (GVN: PRE of loads)
; verdict: sound
; why: on the first branch nothing stands between the two loads.
define i32 @src.partially_redundant(ptr %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr @y, align 4
  br label %end
end:
  %b = load i32, ptr %p, align 4
  ret i32 %b
}
define i32 @tgt.partially_redundant(ptr %p, i1 %c) {
  br i1 %c, label %then, label %else
then:
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr @y, align 4
  br label %end
else:
  %b = load i32, ptr %p, align 4
  br label %end
end:
  %r = phi i32 [ %a, %then ], [ %b, %else ]
  ret i32 %r
}

; pair partially_redundant_acquire: the same where the first branch acquires after its load
; report: after the LangRef's rule of happens-before (GVN: PRE of loads)
; verdict: unsound
; why: on the first branch the second load sees what the acquire has ordered.
; arguments: %c = 1
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.partially_redundant_acquire(i1 %c) {
  br i1 %c, label %then, label %end
then:
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  br label %end
end:
  %k = phi i32 [ %a, %then ], [ 1, %0 ]
  %b = load i32, ptr @x, align 4
  %n = icmp ne i32 %k, 0
  %r = select i1 %n, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.partially_redundant_acquire(i1 %c) {
  br i1 %c, label %then, label %else
then:
  %u = load i32, ptr @x, align 4
  %a = load atomic i32, ptr @f acquire, align 4
  br label %end
else:
  %b = load i32, ptr @x, align 4
  br label %end
end:
  %k = phi i32 [ %a, %then ], [ 1, %else ]
  %m = phi i32 [ %u, %then ], [ %b, %else ]
  %n = icmp ne i32 %k, 0
  %r = select i1 %n, i32 %m, i32 7
  ret i32 %r
}

; pair condition_of_equal_arms: a branch whose two sides store the same is deleted with the load that it was on
; report: after the LangRef's monotonic ordering (no control dependency orders anything)
; verdict: sound
; why: LLVM's model gives no order by dependencies, so that nothing is lost with the load.
define void @src.condition_of_equal_arms() {
  %a = load atomic i32, ptr @x unordered, align 4
  %c = icmp ne i32 %a, 0
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr @y monotonic, align 4
  br label %end
else:
  store atomic i32 1, ptr @y monotonic, align 4
  br label %end
end:
  ret void
}
define void @tgt.condition_of_equal_arms() {
  store atomic i32 1, ptr @y monotonic, align 4
  ret void
}
