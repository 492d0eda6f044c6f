; Fences: dropped, merged, exchanged for the orderings of accesses and the other way round (InstCombine, AtomicExpand).

@x = global i32 0
@y = global i32 0
@f = global i32 0
@g = global i32 0

!0 = !{!"amdgpu-synchronize-as", !"local"}
!1 = !{!"amdgpu-synchronize-as", !"global"}

; pair same_twice: of two adjacent equal fences one is deleted
; report: after the LangRef's rule of fences (InstCombine)
; verdict: sound
; why: both order the same.
define void @src.same_twice() {
  store i32 1, ptr @x, align 4
  fence release
  fence release
  store atomic i32 1, ptr @f monotonic, align 4
  ret void
}
define void @tgt.same_twice() {
  store i32 1, ptr @x, align 4
  fence release
  store atomic i32 1, ptr @f monotonic, align 4
  ret void
}

; pair weaker_first: an acq_rel fence is deleted before a seq_cst fence
; report: llvm/llvm-project#93939 (InstCombine: fences beside stronger ones)
; verdict: sound
; why: the seq_cst fence orders what the other one does.
define i32 @src.weaker_first() {
  %a = load atomic i32, ptr @f monotonic, align 4
  fence acq_rel
  fence seq_cst
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.weaker_first() {
  %a = load atomic i32, ptr @f monotonic, align 4
  fence seq_cst
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair narrower_kept: a fence of agent scope is deleted before a stronger one of workgroup scope
; report: llvm/llvm-project#93939 (the comparison of scopes that are the target's)
; verdict: unsound
; why: the fence that is left does not synchronize with another workgroup.
; context:
;   thread Q @ agent 0, workgroup 1 {
;     store 1, x
;     store atomic 1, f syncscope("agent") release
;   }
;   exists (P:return=0)
define i32 @src.narrower_kept() {
  %a = load atomic i32, ptr @f syncscope("agent") monotonic, align 4
  fence syncscope("agent") acq_rel
  fence syncscope("workgroup") seq_cst
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.narrower_kept() {
  %a = load atomic i32, ptr @f syncscope("agent") monotonic, align 4
  fence syncscope("workgroup") seq_cst
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair tagged_kept: a fence of all memory is deleted before one of LDS alone
; report: a finding of axmem in InstCombine of LLVM 22; the review of llvm/llvm-project#93939 asks for tests of it
; verdict: unsound
; why: the fence that is left does not order global memory.
; context:
;   thread Q @ agent 0, workgroup 1 {
;     r = load atomic f syncscope("agent") acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.tagged_kept() {
  store i32 1, ptr @x, align 4
  fence syncscope("agent") release
  fence syncscope("agent") release, !mmra !0
  store atomic i32 1, ptr @f syncscope("agent") monotonic, align 4
  ret void
}
define void @tgt.tagged_kept() {
  store i32 1, ptr @x, align 4
  fence syncscope("agent") release, !mmra !0
  store atomic i32 1, ptr @f syncscope("agent") monotonic, align 4
  ret void
}

; pair untagged_kept: a fence of LDS alone is deleted before one of all memory
; report: llvm/llvm-project#78572 (the tags of fences may be dropped)
; verdict: sound
; why: the fence that is left orders what both did.
define void @src.untagged_kept() {
  store i32 1, ptr @x, align 4
  fence syncscope("agent") release, !mmra !0
  fence syncscope("agent") release
  store atomic i32 1, ptr @f syncscope("agent") monotonic, align 4
  ret void
}
define void @tgt.untagged_kept() {
  store i32 1, ptr @x, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr @f syncscope("agent") monotonic, align 4
  ret void
}

; pair tags_dropped: a fence of global memory becomes one of all memory
; report: llvm/llvm-project#78569 (metadata may always be dropped)
; verdict: sound
; why: without the tag the fence orders more.
define void @src.tags_dropped() {
  store i32 1, ptr @x, align 4
  fence syncscope("agent") release, !mmra !1
  store atomic i32 1, ptr @f syncscope("agent") monotonic, align 4
  ret void
}
define void @tgt.tags_dropped() {
  store i32 1, ptr @x, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr @f syncscope("agent") monotonic, align 4
  ret void
}

; pair release_dropped: a release fence is deleted
; report: after the LangRef's rule of fences
; verdict: unsound
; why: the monotonic store after it no longer releases.
; context:
;   thread Q {
;     r = load atomic f acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.release_dropped() {
  store i32 1, ptr @x, align 4
  fence release
  store atomic i32 1, ptr @f monotonic, align 4
  ret void
}
define void @tgt.release_dropped() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f monotonic, align 4
  ret void
}

; pair release_as_fence: a release store becomes a release fence and a monotonic store
; report: after the LangRef's rule of fences (AtomicExpand: leading fences); found by axmem
; verdict: unsound
; why: the fence synchronizes, not the store, so that a later store to the flag that is not in the modification order is unordered with it.
; context:
;   thread Q {
;     r = load atomic f acquire
;     store atomic 6, f unordered
;   }
;   exists (Q:r=1 /\ f=1)
define void @src.release_as_fence() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}
define void @tgt.release_as_fence() {
  store i32 1, ptr @x, align 4
  fence release
  store atomic i32 1, ptr @f monotonic, align 4
  ret void
}

; pair release_behind_fence: a release fence is added before a release store
; report: after the LangRef's rule of fences
; verdict: sound
; why: what is added orders more.
define void @src.release_behind_fence() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}
define void @tgt.release_behind_fence() {
  store i32 1, ptr @x, align 4
  fence release
  store atomic i32 1, ptr @f release, align 4
  ret void
}

; pair fence_as_release: a release fence and a monotonic store become a release store, before another monotonic store
; report: after the LangRef's rule of fences
; verdict: unsound
; why: the fence also releases by the later store to another location.
; context:
;   thread Q {
;     r = load atomic g acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.fence_as_release() {
  store i32 1, ptr @x, align 4
  fence release
  store atomic i32 1, ptr @f monotonic, align 4
  store atomic i32 1, ptr @g monotonic, align 4
  ret void
}
define void @tgt.fence_as_release() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  store atomic i32 1, ptr @g monotonic, align 4
  ret void
}

; pair acquire_as_fence: an acquire load becomes a monotonic load and an acquire fence
; report: after the LangRef's rule of fences (AtomicExpand: trailing fences)
; verdict: sound
; why: the fence acquires what this load and earlier ones have read.
define i32 @src.acquire_as_fence() {
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.acquire_as_fence() {
  %a = load atomic i32, ptr @f monotonic, align 4
  fence acquire
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair fence_as_acquire: a monotonic load and an acquire fence become an acquire load
; report: after the LangRef's rule of fences
; verdict: unsound
; why: the fence also acquires what an earlier load of another location has read.
; context:
;   thread P {
;     q = load atomic g monotonic
; fragment
;   }
;   thread Q {
;     store 1, x
;     store atomic 1, g release
;   }
;   exists (P:q=1 /\ P:return=0)
define i32 @src.fence_as_acquire() {
  %a = load atomic i32, ptr @f monotonic, align 4
  fence acquire
  %b = load i32, ptr @x, align 4
  ret i32 %b
}
define i32 @tgt.fence_as_acquire() {
  %a = load atomic i32, ptr @f acquire, align 4
  %b = load i32, ptr @x, align 4
  ret i32 %b
}

; pair leading_and_trailing: an acq_rel atomicrmw becomes a monotonic one between a release and an acquire fence
; report: after the LangRef's rule of fences (AtomicExpand: fences around); found by axmem
; verdict: unsound
; why: as with a store: the write of the atomicrmw is no longer ordered before what follows an acquire that reads it.
; context:
;   thread Q {
;     r = load atomic f acquire
;     store atomic 6, f unordered
;   }
;   exists (Q:r=1 /\ f=1)
define i32 @src.leading_and_trailing() {
  store i32 1, ptr @y, align 4
  %a = atomicrmw xchg ptr @f, i32 1 acq_rel, align 4
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}
define i32 @tgt.leading_and_trailing() {
  store i32 1, ptr @y, align 4
  fence release
  %a = atomicrmw xchg ptr @f, i32 1 monotonic, align 4
  fence acquire
  %b = load i32, ptr @x, align 4
  %c = icmp ne i32 %a, 0
  %r = select i1 %c, i32 %b, i32 7
  ret i32 %r
}

; pair split_wrong_way: an acq_rel fence becomes a release fence and, behind it, an acquire fence
; report: after the LangRef's rule of fences
; verdict: unsound
; why: what the acquire fence takes in does not go out at the release fence before it.
; context:
;   thread Q {
;     store atomic 1, x release
;   }
;   thread P {
;     a = load atomic x monotonic
;     fragment
;     store atomic 1, y monotonic
;   }
;   thread S {
;     b = load atomic y acquire
;     c = load x
;   }
;   exists (P:a=1 /\ S:b=1 /\ S:c=undef)
define void @src.split_wrong_way() {
  fence acq_rel
  ret void
}
define void @tgt.split_wrong_way() {
  fence release
  fence acquire
  ret void
}

; pair idle_before_acquire: a monotonic load that nobody uses is deleted before an acquire fence
; report: llvm/llvm-project#161372 (idle atomic loads)
; verdict: unsound
; why: the load must see what another thread has read, and the fence synchronizes with whoever wrote it.
; context:
;   thread Q {
;     store atomic 1, x release
;   }
;   thread S {
;     q = load atomic x monotonic
;     store atomic 1, f release
;   }
;   thread P {
;     a = load atomic f acquire
;     fragment
;     b = load x
;   }
;   exists (S:q=1 /\ P:a=1 /\ P:b=undef)
define void @src.idle_before_acquire() {
  %idle = load atomic i32, ptr @x monotonic, align 4
  fence acquire
  ret void
}
define void @tgt.idle_before_acquire() {
  fence acquire
  ret void
}

; pair idle_alone: a monotonic load that nobody uses is deleted
; report: llvm/llvm-project#161372 (idle atomic loads)
; verdict: unsound
; why: an acquire fence of the caller synchronizes by the load.
; context:
;   thread Q {
;     store atomic 1, x release
;   }
;   thread S {
;     q = load atomic x monotonic
;     store atomic 1, f release
;   }
;   thread P {
;     a = load atomic f acquire
;     fragment
;     fence acquire
;     b = load x
;   }
;   exists (S:q=1 /\ P:a=1 /\ P:b=undef)
define void @src.idle_alone() {
  %idle = load atomic i32, ptr @x monotonic, align 4
  ret void
}
define void @tgt.idle_alone() {
  ret void
}

; pair seq_cst_overwritten: a seq_cst store is deleted before a seq_cst store to the same location
; report: after the C++ standard's strongly happens before
; verdict: unsound
; why: who synchronizes with the store that stays is strongly ordered behind the one that goes alone.
; context:
;   thread Q {
;     a = load atomic x acquire
;     b = load atomic y seq_cst
;   }
;   thread S {
;     store atomic 1, y seq_cst
;     c = load atomic x seq_cst
;   }
;   exists (Q:a=2 /\ Q:b=0 /\ S:c=0)
define void @src.seq_cst_overwritten() {
  store atomic i32 1, ptr @x seq_cst, align 4
  store atomic i32 2, ptr @x seq_cst, align 4
  ret void
}
define void @tgt.seq_cst_overwritten() {
  store atomic i32 2, ptr @x seq_cst, align 4
  ret void
}
