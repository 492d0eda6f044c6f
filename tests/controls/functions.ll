; Changes of functions that are known to be wrong, or that nobody can decide who does not know all numbers.
;
; None of them may be called sound: `unsound`, or not decided here. `why` says what the pass has overlooked.
; LLVM's attributes, flags, metadata and rules of undefined behaviour; what orders memory is in programs.py.

@x = external global i32, align 4
@y = external global i32, align 4
@z = external global [4 x i32], align 4
@handed = external global ptr, align 8
@local = internal global i32 5
declare i32 @gi()
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @h(i32)
declare ptr @hp(ptr)
declare void @esc(ptr)
declare void @g()
declare void @g2()
declare void @k(ptr)
declare void @llvm.assume(i1)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.trap()
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{i32 1}
!3 = distinct !{}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.parallel_accesses", !3}

; pair call_nosync: a call is said not to synchronize
; why: the callee may, and nobody says it does not
define void @src.call_nosync() {
  store i32 1, ptr @x
  call void @g()
  ret void
}
define void @tgt.call_nosync() {
  store i32 1, ptr @x
  call void @g() nosync
  ret void
}

; pair call_memory: a call is said to touch no memory
; why: the callee may
define void @src.call_memory() {
  call void @g()
  fence release
  ret void
}
define void @tgt.call_memory() {
  call void @g() memory(none)
  fence release
  ret void
}

; pair call_willreturn: a call is said to return
; why: the callee may wait for ever
define void @src.call_willreturn() {
  call void @g()
  ret void
}
define void @tgt.call_willreturn() {
  call void @g() willreturn
  ret void
}

; pair call_nounwind: a call is said not to unwind
; why: the callee may
define void @src.call_nounwind() {
  call void @g()
  ret void
}
define void @tgt.call_nounwind() {
  call void @g() nounwind
  ret void
}

; pair arg_noundef: an argument is said not to be undef
; why: the parameter may be
define i32 @src.arg_noundef(i32 %v) {
  %a = call i32 @h(i32 %v)
  ret i32 %a
}
define i32 @tgt.arg_noundef(i32 %v) {
  %a = call i32 @h(i32 noundef %v)
  ret i32 %a
}

; pair ret_range: a result is said to be in a range
; why: the callee may return another number
define i32 @src.ret_range(i32 %v) {
  %a = call i32 @h(i32 %v)
  ret i32 %a
}
define i32 @tgt.ret_range(i32 %v) {
  %a = call range(i32 0, 10) i32 @h(i32 %v)
  ret i32 %a
}

; pair ret_nonnull: a result is said not to be null
; why: the callee may return null
define ptr @src.ret_nonnull(ptr %v) {
  %a = call ptr @hp(ptr %v)
  ret ptr %a
}
define ptr @tgt.ret_nonnull(ptr %v) {
  %a = call nonnull ptr @hp(ptr %v)
  ret ptr %a
}

; pair arg_deref: an argument is said to be dereferenceable and aligned
; why: the parameter may be null
define void @src.arg_deref(ptr %v) {
  call void @k(ptr %v)
  ret void
}
define void @tgt.arg_deref(ptr %v) {
  call void @k(ptr align 16 dereferenceable(4) %v)
  ret void
}

; pair arg_nocapture: an argument is said not to be captured
; why: the callee may keep it
define void @src.arg_nocapture(ptr %v) {
  call void @k(ptr %v)
  ret void
}
define void @tgt.arg_nocapture(ptr %v) {
  call void @k(ptr captures(none) %v)
  ret void
}

; pair arg_deadonret: an argument is said to be dead after the call
; why: the caller of the function may load from it
define void @src.arg_deadonret(ptr %v) {
  call void @k(ptr %v)
  ret void
}
define void @tgt.arg_deadonret(ptr %v) {
  call void @k(ptr dead_on_return %v)
  ret void
}

; pair tail: a call that is given memory of the function becomes a tail call
; why: the callee may access it
define void @src.tail(i32 %v) {
  %m = alloca i32
  store volatile i32 %v, ptr %m
  call void @k(ptr %m)
  ret void
}
define void @tgt.tail(i32 %v) {
  %m = alloca i32
  store volatile i32 %v, ptr %m
  tail call void @k(ptr %m)
  ret void
}

; pair cc: a call gets another calling convention
; why: the callee has the old one, so that the call is undefined
define void @src.cc() {
  call void @g()
  ret void
}
define void @tgt.cc() {
  call fastcc void @g()
  ret void
}

; pair convergent_dropped: a call is no longer convergent
; why: it may concern other lanes
define void @src.convergent_dropped() {
  call void @g() convergent
  ret void
}
define void @tgt.convergent_dropped() {
  call void @g()
  ret void
}

; pair nobuiltin_dropped: a call may be taken for that of a library
; why: it was said not to be one
define void @src.nobuiltin_dropped() {
  call void @g() nobuiltin
  ret void
}
define void @tgt.nobuiltin_dropped() {
  call void @g()
  ret void
}

; pair unreachable: what stands behind a call becomes unreachable
; why: the callee may return
define void @src.unreachable() {
  store atomic i32 1, ptr @x release, align 4
  call void @g()
  ret void
}
define void @tgt.unreachable() {
  store atomic i32 1, ptr @x release, align 4
  call void @g()
  unreachable
}

; pair noreturn: a call is said not to return
; why: it may
define void @src.noreturn() {
  store atomic i32 1, ptr @x release, align 4
  call void @g()
  ret void
}
define void @tgt.noreturn() {
  store atomic i32 1, ptr @x release, align 4
  call void @g() noreturn
  ret void
}

; pair asm_clobber: assembly no longer clobbers memory
; why: it may
define void @src.asm_clobber() {
  store i32 1, ptr @x
  call void asm sideeffect "nop", "~{memory}"()
  ret void
}
define void @tgt.asm_clobber() {
  store i32 1, ptr @x
  call void asm sideeffect "nop", ""()
  ret void
}

; pair asm_sideeffect: assembly no longer has effects
; why: it has
define void @src.asm_sideeffect() {
  store atomic i32 1, ptr @x release, align 4
  call void asm sideeffect "nop", ""()
  ret void
}
define void @tgt.asm_sideeffect() {
  store atomic i32 1, ptr @x release, align 4
  call void asm "nop", ""()
  ret void
}

; pair assume: an assumption is added
; why: the number may be another one
define void @src.assume(i32 %v) {
  store atomic i32 %v, ptr @x release, align 4
  ret void
}
define void @tgt.assume(i32 %v) {
  %c = icmp eq i32 %v, 81
  call void @llvm.assume(i1 %c)
  store atomic i32 %v, ptr @x release, align 4
  ret void
}

; pair assume_bundle: an assumption by a bundle is added
; why: the pointer may be aligned less
define void @src.assume_bundle(ptr %v) {
  store atomic i32 1, ptr %v release, align 4
  ret void
}
define void @tgt.assume_bundle(ptr %v) {
  call void @llvm.assume(i1 true) [ "align"(ptr %v, i64 64) ]
  store atomic i32 1, ptr %v release, align 4
  ret void
}

; pair trap: a trap is deleted
; why: the program would have ended there
define void @src.trap() {
  store atomic i32 1, ptr @x release, align 4
  call void @llvm.trap()
  ret void
}
define void @tgt.trap() {
  store atomic i32 1, ptr @x release, align 4
  ret void
}

; pair lifetime: a load moves behind the end of a lifetime
; why: memory that is dead holds nothing
define i32 @src.lifetime() {
  %m = alloca i32
  call void @llvm.lifetime.start.p0(ptr %m)
  store volatile i32 1, ptr %m
  %v = load volatile i32, ptr %m
  call void @llvm.lifetime.end.p0(ptr %m)
  ret i32 %v
}
define i32 @tgt.lifetime() {
  %m = alloca i32
  call void @llvm.lifetime.start.p0(ptr %m)
  store volatile i32 1, ptr %m
  call void @llvm.lifetime.end.p0(ptr %m)
  %v = load volatile i32, ptr %m
  ret i32 %v
}

; pair nsw_moved: a flag is added to one of two sums
; why: that sum may overflow
define i32 @src.nsw_moved(i32 %v, i32 %w) {
  %a = add nsw i32 %v, 1
  store atomic i32 %a, ptr @x monotonic, align 4
  %b = add i32 %w, 1
  ret i32 %b
}
define i32 @tgt.nsw_moved(i32 %v, i32 %w) {
  %a = add nsw i32 %v, 1
  store atomic i32 %a, ptr @x monotonic, align 4
  %b = add nsw i32 %w, 1
  ret i32 %b
}

; pair nsw_swapped: a flag moves from one sum to another
; why: that sum may overflow
define i32 @src.nsw_swapped(i32 %v, i32 %w) {
  %a = add nsw i32 %v, 1
  store atomic i32 %a, ptr @x monotonic, align 4
  %b = add i32 %w, 1
  ret i32 %b
}
define i32 @tgt.nsw_swapped(i32 %v, i32 %w) {
  %a = add i32 %v, 1
  store atomic i32 %a, ptr @x monotonic, align 4
  %b = add nsw i32 %w, 1
  ret i32 %b
}

; pair trunc_zext: a number is no longer cut to its low byte
; why: it may have others
define i32 @src.trunc_zext() {
  %v = load atomic i32, ptr @x monotonic, align 4
  %t = trunc i32 %v to i8
  %z = zext i8 %t to i32
  ret i32 %z
}
define i32 @tgt.trunc_zext() {
  %v = load atomic i32, ptr @x monotonic, align 4
  ret i32 %v
}

; pair trunc_sext: a number is no longer cut to its low byte, signed
; why: it may have others
define i32 @src.trunc_sext(i32 %v) {
  fence acquire
  %t = trunc i32 %v to i8
  %z = sext i8 %t to i32
  ret i32 %z
}
define i32 @tgt.trunc_sext(i32 %v) {
  fence acquire
  ret i32 %v
}

; pair icmp_gone: a comparison becomes true
; why: memory may hold a greater number
define i1 @src.icmp_gone() {
  %v = load atomic i32, ptr @x monotonic, align 4
  %t = icmp ult i32 %v, 100
  ret i1 %t
}
define i1 @tgt.icmp_gone() {
  %v = load atomic i32, ptr @x monotonic, align 4
  ret i1 true
}

; pair icmp_slt: a sign is no longer looked at
; why: the number may be negative
define i1 @src.icmp_slt(i32 %v) {
  fence acquire
  %t = icmp sgt i32 %v, -1
  ret i1 %t
}
define i1 @tgt.icmp_slt(i32 %v) {
  fence acquire
  ret i1 true
}

; pair icmp_two: two parameters are taken to differ
; why: they may be equal
define i1 @src.icmp_two(i32 %v, i32 %w) {
  fence acquire
  %t = icmp eq i32 %v, %w
  ret i1 %t
}
define i1 @tgt.icmp_two(i32 %v, i32 %w) {
  fence acquire
  ret i1 false
}

; pair icmp_ult_two: a parameter is taken to be less than another
; why: it may be greater
define i1 @src.icmp_ult_two(i32 %v, i32 %w) {
  fence acquire
  %t = icmp ult i32 %v, %w
  ret i1 %t
}
define i1 @tgt.icmp_ult_two(i32 %v, i32 %w) {
  fence acquire
  ret i1 true
}

; pair sub_and: arithmetic becomes a number that it is for one parameter
; why: it is another one for others
define i32 @src.sub_and(i32 %v) {
  fence acquire
  %t = sub i32 %v, 81
  %s = mul i32 %t, 3
  ret i32 %s
}
define i32 @tgt.sub_and(i32 %v) {
  fence acquire
  ret i32 0
}

; pair select_gone: a choice becomes one of its arms
; why: the condition may be false
define i32 @src.select_gone(i32 %v) {
  fence acquire
  %c = icmp ult i32 %v, 200
  %s = select i1 %c, i32 %v, i32 7
  ret i32 %s
}
define i32 @tgt.select_gone(i32 %v) {
  fence acquire
  ret i32 %v
}

; pair inbounds: an address is said to be in bounds
; why: it may be outside, and is only returned
define ptr @src.inbounds(ptr %p) {
  fence acquire
  %q = getelementptr i8, ptr %p, i64 100
  ret ptr %q
}
define ptr @tgt.inbounds(ptr %p) {
  fence acquire
  %q = getelementptr inbounds i8, ptr %p, i64 100
  ret ptr %q
}

; pair disjoint: bits are said to be disjoint
; why: they may not be
define i32 @src.disjoint(i32 %v) {
  fence acquire
  %q = or i32 %v, 2
  ret i32 %q
}
define i32 @tgt.disjoint(i32 %v) {
  fence acquire
  %q = or disjoint i32 %v, 2
  ret i32 %q
}

; pair nneg: a number is said not to be negative
; why: it may be
define i32 @src.nneg(i8 %v) {
  fence acquire
  %q = zext i8 %v to i32
  ret i32 %q
}
define i32 @tgt.nneg(i8 %v) {
  fence acquire
  %q = zext nneg i8 %v to i32
  ret i32 %q
}

; pair samesign: numbers are said to have one sign
; why: they may have two
define i1 @src.samesign(i32 %v, i32 %w) {
  fence acquire
  %q = icmp ult i32 %v, %w
  ret i1 %q
}
define i1 @tgt.samesign(i32 %v, i32 %w) {
  fence acquire
  %q = icmp samesign ult i32 %v, %w
  ret i1 %q
}

; pair exact: a shift is said to lose nothing
; why: it may
define i32 @src.exact(i32 %v) {
  fence acquire
  %q = lshr i32 %v, 3
  ret i32 %q
}
define i32 @tgt.exact(i32 %v) {
  fence acquire
  %q = lshr exact i32 %v, 3
  ret i32 %q
}

; pair trunc_nuw: a truncation is said to lose nothing
; why: it may
define i8 @src.trunc_nuw(i32 %v) {
  fence acquire
  %q = trunc i32 %v to i8
  ret i8 %q
}
define i8 @tgt.trunc_nuw(i32 %v) {
  fence acquire
  %q = trunc nuw i32 %v to i8
  ret i8 %q
}

; pair nnan_moved: a sum is said to be no NaN
; why: it may be
define float @src.nnan_moved(float %v, float %w) {
  %a = fadd nnan float %v, %w
  store atomic float %a, ptr @x monotonic, align 4
  %b = fadd float %w, %w
  ret float %b
}
define float @tgt.nnan_moved(float %v, float %w) {
  %a = fadd nnan float %v, %w
  store atomic float %a, ptr @x monotonic, align 4
  %b = fadd nnan float %w, %w
  ret float %b
}

; pair poison_for_undef: undef becomes poison
; why: poison is less defined than undef
define i32 @src.poison_for_undef() {
  fence acquire
  ret i32 undef
}
define i32 @tgt.poison_for_undef() {
  fence acquire
  ret i32 poison
}

; pair racy_nsw: a sum that may overflow is added to what a race makes undef
; why: undef is some number, and poison none
define i32 @src.racy_nsw() {
  %v = load i32, ptr @x, align 4
  fence acquire
  ret i32 %v
}
define i32 @tgt.racy_nsw() {
  %v = load i32, ptr @x, align 4
  fence acquire
  %w = add nsw i32 %v, 0
  ret i32 %w
}

; pair branch_poison: a branch on a parameter is added
; why: of undef it is undefined behaviour
define i32 @src.branch_poison(i1 %c) {
  store atomic i32 0, ptr @x release, align 4
  ret i32 0
}
define i32 @tgt.branch_poison(i1 %c) {
  br i1 %c, label %a, label %b
a:
  store atomic i32 0, ptr @x release, align 4
  ret i32 0
b:
  store atomic i32 0, ptr @x release, align 4
  ret i32 0
}

; pair select_to_branch: a select becomes a branch
; why: of undef that is undefined behaviour
define i32 @src.select_to_branch(i1 %c, i32 %a, i32 %b) {
  fence acquire
  %s = select i1 %c, i32 %a, i32 %b
  ret i32 %s
}
define i32 @tgt.select_to_branch(i1 %c, i32 %a, i32 %b) {
  fence acquire
  br i1 %c, label %t, label %e
t:
  ret i32 %a
e:
  ret i32 %b
}

; pair freeze_dropped: a freeze of what a race makes undef goes
; why: each use of undef may be another number
define i32 @src.freeze_dropped() {
  %v = load i32, ptr @x, align 4
  fence acquire
  %f = freeze i32 %v
  %d = sub i32 %f, %f
  ret i32 %d
}
define i32 @tgt.freeze_dropped() {
  %v = load i32, ptr @x, align 4
  fence acquire
  %d = sub i32 %v, %v
  ret i32 %d
}

; pair undef_shift: the width of a shift is masked, and the shift used otherwise
; why: nobody knows without arithmetic
define i32 @src.undef_shift(i32 %n) {
  fence acquire
  %d = shl i32 1, %n
  ret i32 %d
}
define i32 @tgt.undef_shift(i32 %n) {
  fence acquire
  %m = and i32 %n, 31
  %d = shl i32 1, %m
  %e = add i32 %d, 0
  ret i32 %d
}

; pair overlap_part: a store is forwarded over one that may meet it in part
; why: one pointer may be 4 bytes behind the other
define i32 @src.overlap_part(ptr %p, ptr %q) {
  fence acquire
  store i32 1, ptr %p, align 4
  %q1 = getelementptr i8, ptr %q, i64 4
  store i32 2, ptr %q1, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.overlap_part(ptr %p, ptr %q) {
  fence acquire
  store i32 1, ptr %p, align 4
  %q1 = getelementptr i8, ptr %q, i64 4
  store i32 2, ptr %q1, align 4
  ret i32 1
}

; pair many: a store is forwarded over stores through three other pointers
; why: each may be the same
define i32 @src.many(ptr %p, ptr %q, ptr %r, ptr %s) {
  fence acquire
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  store i32 3, ptr %r, align 4
  store i32 4, ptr %s, align 4
  %v = load i32, ptr %r, align 4
  ret i32 %v
}
define i32 @tgt.many(ptr %p, ptr %q, ptr %r, ptr %s) {
  fence acquire
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  store i32 3, ptr %r, align 4
  store i32 4, ptr %s, align 4
  ret i32 3
}

; pair index: a store is forwarded over one at an index
; why: the index may be 0
define i32 @src.index(i64 %i) {
  fence acquire
  %a = getelementptr i32, ptr @z, i64 %i
  store i32 1, ptr @z, align 4
  store i32 2, ptr %a, align 4
  %v = load i32, ptr @z, align 4
  ret i32 %v
}
define i32 @tgt.index(i64 %i) {
  fence acquire
  %a = getelementptr i32, ptr @z, i64 %i
  store i32 1, ptr @z, align 4
  store i32 2, ptr %a, align 4
  ret i32 1
}

; pair index2: stores at two indices swap
; why: the indices may be equal
define void @src.index2(i64 %i, i64 %j) {
  fence acquire
  %a = getelementptr i32, ptr @z, i64 %i
  %b = getelementptr i32, ptr @z, i64 %j
  store i32 1, ptr %a, align 4
  store i32 2, ptr %b, align 4
  ret void
}
define void @tgt.index2(i64 %i, i64 %j) {
  fence acquire
  %a = getelementptr i32, ptr @z, i64 %i
  %b = getelementptr i32, ptr @z, i64 %j
  store i32 2, ptr %b, align 4
  store i32 1, ptr %a, align 4
  ret void
}

; pair spec_load: a load is speculated
; why: the pointer may be null
define i32 @src.spec_load(ptr %p, i1 %c) {
  fence acquire
  br i1 %c, label %t, label %e
t:
  %v = load i32, ptr %p, align 4
  ret i32 %v
e:
  ret i32 0
}
define i32 @tgt.spec_load(ptr %p, i1 %c) {
  fence acquire
  %v = load i32, ptr %p, align 4
  br i1 %c, label %t, label %e
t:
  ret i32 %v
e:
  ret i32 0
}

; pair added_load: a load is added
; why: the pointer may be null
define i32 @src.added_load(ptr %p) {
  fence acquire
  ret i32 0
}
define i32 @tgt.added_load(ptr %p) {
  fence acquire
  %v = load i32, ptr %p, align 4
  ret i32 0
}

; pair spec_wider: a load gets wider
; why: there may be no more bytes, or others may write them
define i32 @src.spec_wider(ptr %p) {
  fence acquire
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.spec_wider(ptr %p) {
  fence acquire
  %v = load i64, ptr %p, align 4
  %w = trunc i64 %v to i32
  ret i32 %w
}

; pair infinite_added: a loop without an end is added
; why: the function returned before
define void @src.infinite_added() {
  store atomic i32 1, ptr @x release, align 4
  ret void
}
define void @tgt.infinite_added() {
  store atomic i32 1, ptr @x release, align 4
  br label %l
l:
  br label %l
}

; pair infinite_added2: a loop that loads for ever is added
; why: the function returned before
define void @src.infinite_added2() {
  store atomic i32 1, ptr @x release, align 4
  ret void
}
define void @tgt.infinite_added2() {
  store atomic i32 1, ptr @x release, align 4
  br label %l
l:
  %v = load atomic i32, ptr @y acquire, align 4
  br label %l
}

; pair mustprogress_loop: a loop is said to make progress
; why: it may wait for ever
define void @src.mustprogress_loop() {
  store atomic i32 1, ptr @x release, align 4
  br label %l
l:
  %v = load atomic i32, ptr @x acquire, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %e
e:
  ret void
}
define void @tgt.mustprogress_loop() {
  store atomic i32 1, ptr @x release, align 4
  br label %l
l:
  %v = load atomic i32, ptr @x acquire, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %e, !llvm.loop !0
e:
  ret void
}

; pair to_global: a generic pointer is taken for global
; why: it may be local
define i32 @src.to_global(ptr %p) {
  fence acquire
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.to_global(ptr %p) {
  fence acquire
  %q = addrspacecast ptr %p to ptr addrspace(1)
  %v = load i32, ptr addrspace(1) %q, align 4
  ret i32 %v
}

; pair to_local: a generic pointer is taken for local
; why: it may be global
define i32 @src.to_local(ptr %p) {
  fence acquire
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.to_local(ptr %p) {
  fence acquire
  %q = addrspacecast ptr %p to ptr addrspace(3)
  %v = load i32, ptr addrspace(3) %q, align 4
  ret i32 %v
}

; pair cas_equal: a compare-exchange is taken to fail
; why: its numbers may be equal
define i32 @src.cas_equal(i32 %a, i32 %b) {
  store atomic i32 %a, ptr @x monotonic, align 4
  %r = cmpxchg ptr @x, i32 %b, i32 7 monotonic monotonic, align 4
  %o = extractvalue { i32, i1 } %r, 1
  %z = zext i1 %o to i32
  %e = icmp eq i32 %a, %b
  %s = select i1 %e, i32 %z, i32 5
  ret i32 %s
}
define i32 @tgt.cas_equal(i32 %a, i32 %b) {
  store atomic i32 %a, ptr @x monotonic, align 4
  %r = cmpxchg ptr @x, i32 %b, i32 7 monotonic monotonic, align 4
  ret i32 5
}

; pair volatile_order: two volatile loads swap
; why: a pass keeps their order
define i32 @src.volatile_order() {
  %v = load volatile i32, ptr @x, align 4
  %w = load volatile i32, ptr @y, align 4
  %d = sub i32 %v, %w
  ret i32 %d
}
define i32 @tgt.volatile_order() {
  %w = load volatile i32, ptr @y, align 4
  %v = load volatile i32, ptr @x, align 4
  %d = sub i32 %v, %w
  ret i32 %d
}

; pair volatile_dropped: a load is no longer volatile
; why: a pass keeps volatile accesses
define i32 @src.volatile_dropped() {
  %v = load volatile i32, ptr @x, align 4
  ret i32 %v
}
define i32 @tgt.volatile_dropped() {
  %v = load i32, ptr @x, align 4
  ret i32 %v
}

; pair volatile_added: a store becomes volatile
; why: a pass adds no volatile accesses
define void @src.volatile_added() {
  store i32 1, ptr @x, align 4
  ret void
}
define void @tgt.volatile_added() {
  store volatile i32 1, ptr @x, align 4
  ret void
}

; pair volatile_split: a volatile store is split
; why: a pass keeps volatile accesses
define void @src.volatile_split() {
  store volatile i32 1, ptr @x, align 4
  ret void
}
define void @tgt.volatile_split() {
  store volatile i16 1, ptr @x, align 4
  %q = getelementptr i8, ptr @x, i64 2
  store volatile i16 0, ptr %q, align 2
  ret void
}

; pair glob_alias: a store is forwarded over one through a pointer
; why: the pointer may be the variable's address
define i32 @src.glob_alias(ptr %p) {
  fence acquire
  store i32 1, ptr @x, align 4
  store i32 2, ptr %p, align 4
  %v = load i32, ptr @x, align 4
  ret i32 %v
}
define i32 @tgt.glob_alias(ptr %p) {
  fence acquire
  store i32 1, ptr @x, align 4
  store i32 2, ptr %p, align 4
  ret i32 1
}

; pair loaded_alias: a store is forwarded over one through a pointer that is loaded
; why: it may be the same
define i32 @src.loaded_alias(ptr %p, ptr %r) {
  %q = load ptr, ptr %r, align 8
  fence acquire
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.loaded_alias(ptr %p, ptr %r) {
  %q = load ptr, ptr %r, align 8
  fence acquire
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  ret i32 1
}

; pair ret_alias: a store is forwarded over one through a pointer that a callee returns
; why: it may be the same
define i32 @src.ret_alias(ptr %p) {
  %q = call ptr @hp(ptr %p)
  fence acquire
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.ret_alias(ptr %p) {
  %q = call ptr @hp(ptr %p)
  fence acquire
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  ret i32 1
}

; pair null_test: a test for null goes
; why: the pointer may be null
define i32 @src.null_test(ptr %p) {
  fence acquire
  %c = icmp eq ptr %p, null
  br i1 %c, label %n, label %o
n:
  ret i32 0
o:
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
define i32 @tgt.null_test(ptr %p) {
  fence acquire
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; pair ptr_eq: two pointers are taken to differ
; why: they may be the same
define i1 @src.ptr_eq(ptr %p, ptr %q) {
  fence acquire
  %c = icmp eq ptr %p, %q
  ret i1 %c
}
define i1 @tgt.ptr_eq(ptr %p, ptr %q) {
  fence acquire
  ret i1 false
}

; pair ptr_ult: one of two pointers is taken to be the lower
; why: it may be the higher
define i1 @src.ptr_ult(ptr %p, ptr %q) {
  fence acquire
  %c = icmp ult ptr %p, %q
  ret i1 %c
}
define i1 @tgt.ptr_ult(ptr %p, ptr %q) {
  fence acquire
  ret i1 true
}

; pair spec_loaded: a load through a pointer that is loaded is speculated
; why: the pointer may be null
define i32 @src.spec_loaded(ptr %p, i1 %c) {
  %q = load ptr, ptr %p, align 8
  br i1 %c, label %n, label %o
n:
  ret i32 0
o:
  %v = load atomic i32, ptr %q monotonic, align 4
  ret i32 %v
}
define i32 @tgt.spec_loaded(ptr %p, i1 %c) {
  %q = load ptr, ptr %p, align 8
  %v = load atomic i32, ptr %q monotonic, align 4
  br i1 %c, label %n, label %o
n:
  ret i32 0
o:
  ret i32 %v
}

; pair vol_call: a volatile load moves up over a call
; why: the callee may have effects of its own
define i32 @src.vol_call() {
  call void @g()
  %v = load volatile i32, ptr @x, align 4
  ret i32 %v
}
define i32 @tgt.vol_call() {
  %v = load volatile i32, ptr @x, align 4
  call void @g()
  ret i32 %v
}

; pair load_call: an atomic load moves up over a call
; why: the callee may store
define i32 @src.load_call() {
  call void @g()
  %v = load atomic i32, ptr @x unordered, align 4
  ret i32 %v
}
define i32 @tgt.load_call() {
  %v = load atomic i32, ptr @x unordered, align 4
  call void @g()
  ret i32 %v
}

; pair store_call: a store moves up over a call
; why: the callee may load
define void @src.store_call() {
  call void @g()
  store i32 1, ptr @x
  ret void
}
define void @tgt.store_call() {
  store i32 1, ptr @x
  call void @g()
  ret void
}

; pair store_up_call: a volatile store moves up over a call without memory
; why: the callee may never return
define void @src.store_up_call() {
  call void @g() nosync memory(none)
  store volatile i32 1, ptr @x, align 4
  ret void
}
define void @tgt.store_up_call() {
  store volatile i32 1, ptr @x, align 4
  call void @g() nosync memory(none)
  ret void
}

; pair call_twice: a call is executed twice
; why: the callee may count
define void @src.call_twice() {
  call void @g()
  ret void
}
define void @tgt.call_twice() {
  call void @g()
  call void @g()
  ret void
}

; pair div_spec: a division is speculated
; why: the divisor may be 0
define i32 @src.div_spec(i32 %n, i1 %c) {
  fence acquire
  br i1 %c, label %t, label %e
t:
  %d = udiv i32 8, %n
  ret i32 %d
e:
  ret i32 0
}
define i32 @tgt.div_spec(i32 %n, i1 %c) {
  fence acquire
  %d = udiv i32 8, %n
  br i1 %c, label %t, label %e
t:
  ret i32 %d
e:
  ret i32 0
}

; pair dead_store_wider: a store gets wider
; why: there may be other memory behind
define void @src.dead_store_wider(ptr %p) {
  store i32 1, ptr %p, align 4
  store atomic i32 2, ptr @x release, align 4
  ret void
}
define void @tgt.dead_store_wider(ptr %p) {
  store i64 1, ptr %p, align 4
  store atomic i32 2, ptr @x release, align 4
  ret void
}

; pair store_readonly: what was loaded is stored back
; why: others may have stored in between
define void @src.store_readonly(ptr %p) {
  %v = load i32, ptr %p, align 4
  store atomic i32 2, ptr @x release, align 4
  ret void
}
define void @tgt.store_readonly(ptr %p) {
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %p, align 4
  store atomic i32 2, ptr @x release, align 4
  ret void
}

; pair xchg_noop: a load becomes an update
; why: memory may be constant, and others' updates may be lost
define void @src.xchg_noop(ptr %p) {
  %v = load atomic i32, ptr %p monotonic, align 4
  ret void
}
define void @tgt.xchg_noop(ptr %p) {
  %v = atomicrmw or ptr %p, i32 0 monotonic, align 4
  ret void
}

; pair two_numbers: a product becomes the number that it is for one parameter
; why: it is another one for others
define i32 @src.two_numbers(i32 %v) {
  fence acquire
  %m = mul i32 %v, %v
  ret i32 %m
}
define i32 @tgt.two_numbers(i32 %v) {
  fence acquire
  ret i32 6561
}

; pair loopmd: the iterations of a loop are said to be parallel
; why: they store to one location
define void @src.loopmd() {
  br label %l
l:
  %i = phi i32 [0, %0], [%j, %l]
  %j = add i32 %i, 1
  store i32 %i, ptr @x, align 4
  %c = icmp ult i32 %j, 2
  br i1 %c, label %l, label %e
e:
  store atomic i32 1, ptr @y release, align 4
  ret void
}
define void @tgt.loopmd() {
  br label %l
l:
  %i = phi i32 [0, %0], [%j, %l]
  %j = add i32 %i, 1
  store i32 %i, ptr @x, align 4, !llvm.access.group !3
  %c = icmp ult i32 %j, 2
  br i1 %c, label %l, label %e, !llvm.loop !4
e:
  store atomic i32 1, ptr @y release, align 4
  ret void
}

; pair swap_calls: two calls swap
; why: both may have effects
define void @src.swap_calls() {
  call void @g()
  call void @g2()
  ret void
}
define void @tgt.swap_calls() {
  call void @g2()
  call void @g()
  ret void
}

; pair umin_gone: a least number of two becomes the first
; why: the first may be the greater
define i32 @src.umin_gone() {
  %a = load atomic i32, ptr @x acquire, align 4
  %b = call i32 @llvm.umin.i32(i32 %a, i32 100)
  ret i32 %b
}
define i32 @tgt.umin_gone() {
  %a = load atomic i32, ptr @x acquire, align 4
  ret i32 %a
}

; pair given_away: an alloca is read again whose value is known
; why: its address stands in memory, where others find it
define i32 @tgt.given_away() {
  %a = alloca i32
  store i32 1, ptr %a
  store atomic ptr %a, ptr @handed release, align 8
  fence seq_cst
  %r = load atomic i32, ptr %a acquire, align 4
  ret i32 %r
}
define i32 @src.given_away() {
  %a = alloca i32
  store i32 1, ptr %a
  store atomic ptr %a, ptr @handed release, align 8
  fence seq_cst
  ret i32 1
}

; pair written_elsewhere: an internal variable is taken for what it begins with
; why: another function of the module writes it
define void @writes() {
  store i32 6, ptr @local
  ret void
}
define i32 @src.written_elsewhere() {
  %r = load atomic i32, ptr @local acquire, align 4
  ret i32 %r
}
define i32 @tgt.written_elsewhere() {
  ret i32 5
}

; pair truth_of_a_byte: the lowest bit of a byte becomes a truth value
; why: a byte that is 2 is neither true nor false
define i1 @src.truth_of_a_byte() {
  %a = load i8, ptr @x
  %b = trunc i8 %a to i1
  ret i1 %b
}
define i1 @tgt.truth_of_a_byte() {
  %b = load i1, ptr @x
  ret i1 %b
}

; pair keeps_nothing: a function that acquires is said not to synchronize
; why: it does
define i32 @src.keeps_nothing() {
  %a = load atomic i32, ptr @x acquire, align 4
  ret i32 %a
}
define i32 @tgt.keeps_nothing() nosync {
  %a = load atomic i32, ptr @x acquire, align 4
  ret i32 %a
}
