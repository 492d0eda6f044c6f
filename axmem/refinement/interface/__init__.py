"""What contexts see of a row of operations, and whether a change of the row is sound by it, whatever their size.

Changes of threads without loops are proved row by row, under `llvm` and without provers. Let E be a consistent
execution of the row after the change in some context, and E′ one of the row before it, with the same reads-from and
coherence on what both have. The argument has four parts, and what it does not speak of is refused.

**What is carried.** Happens-before is a path of program order and synchronizes-with. Where it passes through the row
it comes in behind a read: at the read if that acquires, or at the first acquire fence behind it. It goes out before a
write: at the write if that releases, or at the last release fence before it. The read may stand before the row, the
write behind it. The facts say which operations, and which writes, lie behind each way in, and which lie before each
way out, at each level of scopes at which two threads may meet. Where they are all among those of the row after, each
path of E′ is one of E, but for pairs of the row itself. Of these pairs axioms see three kinds: accesses to one cell
of which one writes or both are monotonic; monotonic accesses on either side of a seq_cst fence; two seq_cst
operations. Contexts have no tags: operations of the row have none, and so join what incompatible tags keep apart.

**The order of seq_cst.** A cycle has an edge of coherence. At a fence it is joined by happens-before on that side, so
what comes into a fence need not come in strictly before it: `eco ; hb ; [SCf]` goes from the access before. That
drops a step of the cycle, and so needs that scopes and tags of its ends are inclusive; contexts in which seq_cst
operations have some are excluded then, by name, and such programs are refused. An access must keep what comes in or
goes out at *another* operation, and it does, since its own role is the same. So a seq_cst access may not go: who
synchronizes with the one that stands for it is not strongly behind it. But nothing synchronizes with a load of its
own thread's store. It has the steps of that store if this is seq_cst, too, and no such operation stands between;
behind an unordered store, of which coherence does not speak, it has those of program order alone.

**Operations of the row before alone** are added to E′. A plain or unordered load that nobody uses takes what it may
see. A load takes what an earlier load or store of the row gives it if nothing comes in between; of a plain or
unordered store, if no release and then acquire stand between. One of the modification order stands, in the facts,
beside the one whose value it takes. Behind a plain store it comes before a modification only if the store happens
before that; so does each fence before the load, or it would stand between, and where a cycle goes on from the
modification by happens-before to its next edge of coherence, it may go there from the fence. An idle load may also
take what the next read of its cell takes, and stand beside that. If that is seq_cst, nothing may come in at the idle
one, or it would be strongly ordered there. A store is put right before the one that overwrites it; a plain one that a
reader sees in between is read with a race. If a plain store overwrites an unordered one, no release and then acquire
between, whoever reads the cell beside them has a race. One of the modification order does not go so: behind another
unordered store nobody sees the plain one, and only the one that went says which modifications came before. A seq_cst
fence needs another beside it. Operations of the row after alone, loads and fences, are left out.

**Branches.** Each path of a function is a row under conditions. Where E goes along a path after the change, E′ goes
along one before it whose conditions hold of the same reads: each such path wants a proof, in which the reads that
branches rest on correspond alike; that E′ goes along no other is seen of the conditions, or asked of a solver. A
`cmpxchg` is a fork too: a read-modify-write where it succeeds, a load of its failure ordering where it fails; none
may go or come, and it must end before as it does after. A branch on undef after the change must be one before it.

**Values** are expressions over what is read, and those before are put in terms of what is read after. If they are not
the same expression, a solver is asked (`interface/obligations.py`, and Z3 of the numbers alone): a read is any bits,
of which some are undef, or poison, and the value before must be able to be what the one after is. Or both are the
same number of the same parts, of which the one after uses each once: an undef part may be another number in each use.

**Addresses that are computed** may lead anywhere. Such an access is ordered with each other one as if both were of
one cell. It stands for another only at an address that is the same value. Contexts whose pointers lead to a part of
what is accessed are excluded by name. One that only the row after has needs one before at the same address. Where
both rows are one, but for how they compute, nothing rests on who accesses what.

**Memory of its own** that plain accesses of the thread alone access is no part of a row: a load of it is what was
stored last. No axiom sees it but by program order.

**The fixed point.** Every axiom follows from less happens-before, and fewer facts leave no fewer reads undef. This is
read off each text (`axmem/refinement/interface/proving.py`), given that `groundless` is empty, as it is without
dependencies of contexts, and `left-over`, as it is where accesses do not overlap in part. An access that is less
atomic in E′ has no modification order there; what it had in E coherence gives. The argument of Knaster and Tarski of
`axmem/refinement/proofs/` then gives E′, in which a read is undef if and only if a rule says so.
"""
