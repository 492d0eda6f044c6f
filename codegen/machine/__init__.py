"""The abstract AMDGPU memory machine: this text defines it, and every form of it is written from this text.

What goes in: a machine program (`program.py`) and a placement of its waves (`placements.py`). What comes out: the
outcomes. Invariant: the machine over-approximates [AMDGPUUsage] and [SIMemoryLegalizer]; what these leave open is a
switch (`families.py`; `evidence.toml` has what documents say of each value). docs/verify.md is for users.

**Programs.** A program has a stream for each thread. Streams of one wave are its diverged lanes: their instructions
interleave in any order, and share one set of counters. The guard of an instruction says under which arms of choices it
executes. Its elements are itself, and each counter or bit of it; leaving one out gives a mutant. Cells that one access
covers together are one group. A group lies in one line, in global memory (private memory is global memory of one
stream) or in LDS; lines, channels and orders concern groups. Values are expressions over what loads return. An
instruction that uses a value waits for its load and for nothing else. Uninitialised memory holds `undef`; a choice that
depends on it makes the answer unknown. What several lanes of a stream do to one place in one instruction are so many
instructions; when the first of them is issued, hardware decides whose each is, in any order.

**Nodes.** A wave's vector accesses go through a path of nodes, its scalar loads through another (`families.toml`). A
node has a level: 0 compute unit, 1 workgroup, 2 shader array, cluster or XCD, 3 agent, 4 system. The bits of an access
spell its scope, one of these levels. A node below the scope passes the access on; the first one at or above it may
complete it. The root is the lowest L2, or memory, that all waves of the program share; everything ends there. A node
holds a line for each group: for each cell a value, and whether it is dirty. The root has all cells. L1, L0, GL1 and K$
are write-through, so their lines are clean; L2 below the root is write-back. A first-in first-out channel runs from a
node to its parent, for each child and each group. With `memory=nc` an L2 below the root may hold any group, with
`memory=fine` none (MTYPE UC, or CC, which writes through). The default is `fine` for families without an instruction
for L2, and on gfx90a for groups that several agents share and a system-scope operation accesses, since no bits take
that past L2.

**States.** A state is: for each stream the next instruction, the values that its loads returned, and its operations on
their way; for each node and group the line; for each channel its items; the contents of LDS, and each wave's queue to
it. One step is taken at a time.

1. *Issue.* A stream executes its next instruction, in program order; a guard that does not hold skips it.
   - A wait for counter c, n is possible if at most the last n of the operations that the wave has issued and that c
     counts are not complete. Where operations complete in no order (flat, scalar), at most n at all may be left.
   - Arriving at a barrier is always possible; going on is when all participants have arrived as often.
   - An access to LDS, a flat one to a group there included, enters the wave's queue.
   - A vector access, invalidate or writeback arrives at the first node at once, in the order in which all waves of the
     CU issue. Without `cu_order` it enters a channel of the wave's own to that node, one for each group. An invalidate
     or writeback is one marker for each group.
   - A scalar load arrives at K$. A scalar invalidate enters the wave's own channel to K$, so that a later scalar load
     may arrive before it unless a wait for their counter stands between them.
2. *Advance.* The first item of a channel arrives at the parent.
3. *LDS.* The first access of a queue is done in LDS, and complete.
4. *Refill.* A clean or absent line takes the value that the parent would give to a load (its line, or what the
   grandparent would give, then the parent takes it too), if every channel between them is empty for this group. Nobody
   has to ask: neighbours in the line do, and the cache may for any reason.
5. *Evict.* A clean line is dropped. A dirty one is written back: an item with its dirty cells enters the channel to the
   parent, and the line is clean.

**Arrival** at a node of level l that is not the root:

- A *load* of scope s: if l >= s and the line has all its cells, it returns them and is complete (a hit). If the line
  lacks some, it enters the channel to the parent. If l < s the line is dropped (`bypass=evict`; what is dirty in it is
  written back before), and it enters the channel.
- A *store*. At a write-through node cells that are present are updated, or the line is dropped (`l0_write`,
  `gl1_write`), and it enters the channel; it is complete if stores are acknowledged early (gfx1250) and l >= s. At L2
  with l >= s the cells are written and dirty, and it is complete; with l < s cells that are present are written and
  clean, and it enters the channel.
- A *read-modify-write*. At a write-through node the line is dropped, and it enters the channel. At L2 with l >= s it is
  done on the line, which is then dirty, and is complete; cells that the line lacks are filled before, for which the
  channel to the parent must be empty. With l < s a dirty line is written back, the line is dropped, and it enters the
  channel.
- An *invalidate* of levels low to high (exclusive) drops the clean cells of the line if low <= l < high. It enters the
  channel if a node further up, below the root, has such a level, else it is complete. A scalar one drops the clean
  cells at K$ and is complete. With `inv_async=off` one that is not scalar does this at all its nodes when it is issued.
  With `inv_inflight=lands` a line is not dropped if a load that may fill it (of any stream; of the invalidate's own one
  before it) was served, and its stream has not waited for it since with a count of 0: the value lands afterwards.
- A *writeback* to scope s: at L2 with l < s a dirty line is written back first. It enters the channel if l < s, else it
  is complete. With `wb_traverses=off` one that has no L2 with level < s on its way is complete when it is issued.
- *Written-back cells* are a store for which nobody waits, and whose scope is that of the parent.

At the root a load returns the cells, a store writes them, a read-modify-write does both as one; all are complete, and
so are markers.

**Complete** means that the operation's counters no longer count it (`families.toml`). An operation of markers is
complete when all of them are, a load when its value is there.

**Replay** (`xnack_replay=on`). `xcnt` counts accesses whose address may not be translated yet. A translation may take
until the operation is complete or a wait settles it. A wait for `xcnt` settles what was issued before it but as many as
it leaves, a wait for another counter as many of `xcnt` as of itself, and hardware waits where scalar and vector
accesses alternate ([SIInsertWaitcnts]). If a translation fails, what the wave issued after that access may be issued
again. So a store or read-modify-write in vector memory may be issued once more as long as some vector access of its
wave, issued before it and not settled, is not complete. Of read-modify-writes with no other access between them one
does not replay the next. A load that is issued again only reads again. Counters count both: the operation is complete
when both are.

**Ends.** All instructions are executed and all loads have returned; where final values are observed, channels and
queues are empty and no line is dirty. The outcome is the value of each observed expression.

**Left out**: `s_dcache_inv` on gfx1250, `s_dcache_inv_vol` and `s_dcache_wb`, which are refused; values that a cache
holds for a line as a whole; anything that a cache does by itself in time; the instruction cache, probes between L2s,
address translation beyond replays, GDS, images and ray tracing. A read-modify-write that the target makes in a loop of
cmpxchg is one update in the lowering. A barrier object of several workgroups exists in no hardware; it orders
execution.
"""
