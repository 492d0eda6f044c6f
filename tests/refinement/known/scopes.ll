; Scopes, address spaces, availability and tags (MMRA) on accesses.

@x = global i32 0
@y = global i32 0
@f = global i32 0
@l = addrspace(3) global i32 undef
@h = addrspace(1) global i32 0

!0 = !{!"foo", !"a"}
!1 = !{!"foo", !"b"}
!2 = !{!0, !1}
!3 = !{!"amdgcn-av", !"none"}
!4 = !{!"agent"}

declare void @llvm.amdgcn.av.store.b128.p1(ptr addrspace(1), <4 x i32>, metadata)

; pair widened: a release store of agent scope becomes one of system scope
; report: llvm/llvm-project#200324 (AtomicExpand loses the scope of stores)
; verdict: sound
; why: a wider scope includes all threads of the narrower one.
define void @src.widened() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  ret void
}
define void @tgt.widened() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}

; pair narrowed: a release store of agent scope becomes one of workgroup scope
; report: llvm/llvm-project#199892 (two stores that differ in scope alone are merged into one of them)
; verdict: unsound
; why: another workgroup no longer synchronizes with the store.
; context:
;   thread Q @ agent 0, workgroup 1 {
;     r = load atomic f syncscope("agent") acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.narrowed() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  ret void
}
define void @tgt.narrowed() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("workgroup") release, align 4
  ret void
}

; pair singlethread_widened: a store of the scope of one thread becomes one of system scope
; report: llvm/llvm-project#114580 (AArch64 lowers atomics of one thread as those of all)
; verdict: sound
; why: it orders more than was asked for.
define void @src.singlethread_widened() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("singlethread") release, align 4
  ret void
}
define void @tgt.singlethread_widened() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}

; pair singlethread_narrowed: a monotonic load of system scope becomes one of the scope of one thread
; report: after the LangRef's rule of scopes since llvm/llvm-project#189015 (scopes may make atomics race)
; verdict: unsound
; why: an atomic of the thread alone races with another thread's store.
; context:
;   thread Q {
;     store atomic 1, f monotonic
;   }
;   exists (P:return=5)
define i32 @src.singlethread_narrowed() {
  %a = load atomic i32, ptr @f monotonic, align 4
  ret i32 %a
}
define i32 @tgt.singlethread_narrowed() {
  %a = load atomic i32, ptr @f syncscope("singlethread") monotonic, align 4
  ret i32 %a
}

; pair merged_by_weaker: stores of two scopes in two branches become one of the narrower scope
; report: llvm/llvm-project#199892, #208300 (branch folding and the merge of scopes)
; verdict: unsound
; why: on one of the branches the scope is narrower than before.
; arguments: %c = 1
; context:
;   thread Q @ agent 0, workgroup 1 {
;     r = load atomic f syncscope("agent") acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.merged_by_weaker(i1 %c) {
  store i32 1, ptr @x, align 4
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  br label %end
else:
  store atomic i32 1, ptr @f syncscope("workgroup") release, align 4
  br label %end
end:
  ret void
}
define void @tgt.merged_by_weaker(i1 %c) {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("workgroup") release, align 4
  ret void
}

; pair merged_by_stronger: stores of two scopes in two branches become one of the wider scope
; report: llvm/llvm-project#208300 (the smallest scope that includes both)
; verdict: sound
; why: on both branches the scope is at least that of before.
define void @src.merged_by_stronger(i1 %c) {
  store i32 1, ptr @x, align 4
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  br label %end
else:
  store atomic i32 1, ptr @f syncscope("workgroup") release, align 4
  br label %end
end:
  ret void
}
define void @tgt.merged_by_stronger(i1 %c) {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  ret void
}

; pair one_address_space: a release store becomes one that orders its own address space alone
; report: llvm/llvm-project#208300 (agent-one-as and workgroup do not include each other)
; verdict: unsound
; why: the store to LDS before it is no longer ordered.
; context:
;   thread Q @ agent 0, workgroup 0 {
;     r = load atomic f syncscope("workgroup") acquire
;     s = load l
;   }
;   thread P @ agent 0, workgroup 0 {
; fragment
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.one_address_space() {
  store i32 1, ptr addrspace(3) @l, align 4
  store atomic i32 1, ptr @f syncscope("workgroup") release, align 4
  ret void
}
define void @tgt.one_address_space() {
  store i32 1, ptr addrspace(3) @l, align 4
  store atomic i32 1, ptr @f syncscope("workgroup-one-as") release, align 4
  ret void
}

; pair flat_to_lds: a generic pointer to LDS is accessed as one to LDS
; report: llvm/llvm-project#101922 (InferAddressSpaces, atomics)
; verdict: sound
; why: an access takes the rules of the memory that it reaches.
define i32 @src.flat_to_lds() {
  %p = addrspacecast ptr addrspace(3) @l to ptr
  store i32 1, ptr %p, align 4
  %a = atomicrmw add ptr %p, i32 1 syncscope("workgroup") acq_rel, align 4
  ret i32 %a
}
define i32 @tgt.flat_to_lds() {
  store i32 1, ptr addrspace(3) @l, align 4
  %a = atomicrmw add ptr addrspace(3) @l, i32 1 syncscope("workgroup") acq_rel, align 4
  ret i32 %a
}

; pair flat_ordering: where a generic pointer to global memory is accessed as one to global memory, the ordering is lost
; report: after the LangRef's orderings (Attributor, llvm/llvm-project#106927: address spaces of atomics)
; verdict: unsound
; why: the store no longer releases what is before it.
; context:
;   thread Q {
;     r = load atomic h acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.flat_ordering() {
  store i32 1, ptr @x, align 4
  %p = addrspacecast ptr addrspace(1) @h to ptr
  store atomic i32 1, ptr %p release, align 4
  ret void
}
define void @tgt.flat_ordering() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr addrspace(1) @h monotonic, align 4
  ret void
}

; pair tags_of_one_branch: stores with different tags in two branches become one with the tags of the first
; report: llvm/llvm-project#78569 (tags are combined where operations are merged)
; verdict: unsound
; why: a reader with the tags of the other branch no longer synchronizes.
; arguments: %c = 0
; context:
;   thread Q {
;     r = load atomic f acquire  # foo:b
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.tags_of_one_branch(i1 %c) {
  store i32 1, ptr @x, align 4
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr @f release, align 4, !mmra !0
  br label %end
else:
  store atomic i32 1, ptr @f release, align 4, !mmra !1
  br label %end
end:
  ret void
}
define void @tgt.tags_of_one_branch(i1 %c) {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4, !mmra !0
  ret void
}

; pair tags_of_both_branches: stores with different tags in two branches become one with the tags of both
; report: llvm/llvm-project#78569 (prefix by prefix, the union of the tags)
; verdict: sound
; why: what was compatible with one of them is compatible with the union.
define void @src.tags_of_both_branches(i1 %c) {
  store i32 1, ptr @x, align 4
  br i1 %c, label %then, label %else
then:
  store atomic i32 1, ptr @f release, align 4, !mmra !0
  br label %end
else:
  store atomic i32 1, ptr @f release, align 4, !mmra !1
  br label %end
end:
  ret void
}
define void @tgt.tags_of_both_branches(i1 %c) {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4, !mmra !2
  ret void
}

; pair tag_dropped: of two tags with one prefix one is dropped
; report: after the MMRA document's rule of compatibility
; verdict: unsound
; why: a reader with the other tag was compatible, and is no more.
; context:
;   thread Q {
;     r = load atomic f acquire  # foo:b
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.tag_dropped() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4, !mmra !2
  ret void
}
define void @tgt.tag_dropped() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4, !mmra !0
  ret void
}

; pair all_tags_dropped: all tags of an operation are dropped
; report: llvm/llvm-project#78569 (metadata may always be dropped)
; verdict: sound
; why: without tags an operation is compatible with every other.
define void @src.all_tags_dropped() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4, !mmra !0
  ret void
}
define void @tgt.all_tags_dropped() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}

; pair tags_added: where one of two merged stores has tags, the other takes them
; report: llvm/llvm-project#78569 (a prefix that one of the operations lacks is dropped)
; verdict: unsound
; why: the store that had none is now incompatible with some.
; context:
;   thread Q {
;     r = load atomic f acquire  # foo:b
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.tags_added() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}
define void @tgt.tags_added() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f release, align 4, !mmra !0
  ret void
}

; pair unavailable: a release store no longer makes available what is before it
; report: after the AMDGPU memory model's availability operations (amdgcn-av:none)
; verdict: llvm sound, amdgpu unsound
; why: LLVM does not know the tag; under AMDGPU's model the release still orders, but the plain store is not available to others.
; context:
;   thread Q @ agent 0, workgroup 1 {
;     r = load atomic f syncscope("agent") acquire
;     s = load x
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.unavailable() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  ret void
}
define void @tgt.unavailable() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4, !mmra !3
  ret void
}

; pair available: a release store makes available what it did not before
; report: after the AMDGPU memory model's availability operations (metadata may be dropped)
; verdict: sound
; why: more is available than before.
define void @src.available() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4, !mmra !3
  ret void
}
define void @tgt.available() {
  store i32 1, ptr @x, align 4
  store atomic i32 1, ptr @f syncscope("agent") release, align 4
  ret void
}

; pair available_store_lost: a store that is available by itself becomes a plain one
; report: after the AMDGPU memory model's store-available operations
; verdict: llvm sound, amdgpu unsound
; why: the release makes nothing available, so that the store has to be available by itself.
; memory: p = <4 x i32> zeroinitializer
; context:
;   thread Q @ agent 0, workgroup 1 {
;     r = load atomic f syncscope("agent") acquire
;     v = load <4 x i32>, p
;     s = v[0]
;   }
;   exists (Q:r=1 /\ Q:s=0)
define void @src.available_store_lost(ptr addrspace(1) %p) {
  call void @llvm.amdgcn.av.store.b128.p1(ptr addrspace(1) %p, <4 x i32> splat (i32 1), metadata !4)
  store atomic i32 1, ptr @f syncscope("agent") release, align 4, !mmra !3
  ret void
}
define void @tgt.available_store_lost(ptr addrspace(1) %p) {
  store <4 x i32> splat (i32 1), ptr addrspace(1) %p, align 16
  store atomic i32 1, ptr @f syncscope("agent") release, align 4, !mmra !3
  ret void
}

