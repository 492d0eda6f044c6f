; Loops: what LICM, AtomicExpand and jump threading do with accesses in loops that count, wait or try again.

@x = global i32 0
@f = global i32 0

; pair load_out_of_waiting: a plain load after a loop that waits is executed before the loop
; report: after the LangRef's rule of happens-before (jump threading over a spin loop)
; verdict: unsound
; why: the loop ends with an acquire, which the load is no longer after.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_out_of_waiting() {
entry:
  br label %loop
loop:
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  br i1 %c, label %end, label %loop
end:
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.load_out_of_waiting() {
entry:
  %b = load i32, ptr @x, align 4
  br label %loop
loop:
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  br i1 %c, label %end, label %loop
end:
  ret i32 %b
}

; pair load_out_of_loop: a plain load in a loop that acquires is executed once before it
; report: llvm/llvm-project#116987 (MachineLICM hoists loads over barriers)
; verdict: unsound
; why: the iteration after the acquire sees what it has ordered.
; context:
;   thread Q {
;     store 1, x
;     store atomic 1, f release
;   }
;   exists (P:return=0)
define i32 @src.load_out_of_loop() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %t = select i1 %c, i32 %b, i32 7
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret i32 %t
}
define i32 @tgt.load_out_of_loop() {
entry:
  %b = load i32, ptr @x, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %a = load atomic i32, ptr @f acquire, align 4
  %c = icmp ne i32 %a, 0
  %t = select i1 %c, i32 %b, i32 7
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret i32 %t
}

; pair load_out_of_releasing_loop: a plain load in a loop that releases is executed once before it
; report: llvm/llvm-project#210568 (LICM over release stores)
; verdict: sound
; why: a release lets nothing become visible.
define i32 @src.load_out_of_releasing_loop() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %b = load i32, ptr @x, align 4
  store atomic i32 %i, ptr @f release, align 4
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret i32 %b
}
define i32 @tgt.load_out_of_releasing_loop() {
entry:
  %b = load i32, ptr @x, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  store atomic i32 %i, ptr @f release, align 4
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret i32 %b
}

; pair store_out_of_releasing_loop: a plain store in a loop that releases is made once after it
; report: llvm/llvm-project#64188 (LICM promotes a store out of a loop whose callee releases)
; verdict: unsound
; why: who acquires in between no longer sees the store.
; context:
;   thread Q {
;     r = load atomic f acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.store_out_of_releasing_loop() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %n, %loop ]
  store i32 9, ptr @x, align 4
  store atomic i32 %i, ptr @f release, align 4
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret void
}
define void @tgt.store_out_of_releasing_loop() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %n, %loop ]
  store atomic i32 %i, ptr @f release, align 4
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  store i32 9, ptr @x, align 4
  ret void
}

; pair store_promoted: a plain store in a loop without synchronization is made once after it
; report: after the LangRef's rule of happens-before (LICM: promotion)
; verdict: sound
; why: the loop stores in any case, and nothing orders anything in between.
define void @src.store_promoted(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  store i32 %i, ptr %p, align 4
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret void
}
define void @tgt.store_promoted(ptr %p) {
  store i32 1, ptr %p, align 4
  ret void
}

; pair store_promoted_conditional: a plain store under a condition in a loop is made in any case after it
; report: llvm/llvm-project#218031 (LICM: what is promoted is stored in any case)
; verdict: unsound
; why: where no iteration stores, another thread's store is lost or raced with.
; arguments: %c = 0
; context:
;   thread Q {
;     store 2, p
;   }
;   exists (p=0)
define void @src.store_promoted_conditional(ptr %p, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %latch ]
  br i1 %c, label %then, label %latch
then:
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %n = add i32 %i, 1
  %k = icmp ult i32 %n, 2
  br i1 %k, label %loop, label %end
end:
  ret void
}
define void @tgt.store_promoted_conditional(ptr %p, i1 %c) {
  %o = load i32, ptr %p, align 4
  %v = select i1 %c, i32 1, i32 %o
  store i32 %v, ptr %p, align 4
  ret void
}

; pair rmw_as_loop: a monotonic addition becomes a loop of compare-exchanges after a monotonic load
; report: llvm/llvm-project#188361 (AtomicExpand, as it is mended)
; verdict: sound
; why: the compare-exchange that succeeds reads and writes as the addition did.
define i32 @src.rmw_as_loop(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret i32 %a
}
define i32 @tgt.rmw_as_loop(ptr %p) {
entry:
  %f = load atomic i32, ptr %p monotonic, align 4
  br label %loop
loop:
  %e = phi i32 [ %f, %entry ], [ %a, %loop ]
  %n = add i32 %e, 1
  %v = cmpxchg ptr %p, i32 %e, i32 %n monotonic monotonic, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %s = extractvalue { i32, i1 } %v, 1
  br i1 %s, label %end, label %loop
end:
  ret i32 %a
}

; pair rmw_as_loop_after_plain_load: a monotonic addition becomes a loop of compare-exchanges after a plain load
; report: llvm/llvm-project#188361 (AtomicExpand: the first load was plain)
; verdict: unsound
; why: in a race the load is undef, and an undef expected value may be found equal, and an undef one be stored.
; context:
;   thread Q {
;     store atomic 1, p monotonic
;   }
;   exists (p=5)
define i32 @src.rmw_as_loop_after_plain_load(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret i32 %a
}
define i32 @tgt.rmw_as_loop_after_plain_load(ptr %p) {
entry:
  %f = load i32, ptr %p, align 4
  br label %loop
loop:
  %e = phi i32 [ %f, %entry ], [ %a, %loop ]
  %n = add i32 %e, 1
  %v = cmpxchg ptr %p, i32 %e, i32 %n monotonic monotonic, align 4
  %a = extractvalue { i32, i1 } %v, 0
  %s = extractvalue { i32, i1 } %v, 1
  br i1 %s, label %end, label %loop
end:
  ret i32 %a
}
