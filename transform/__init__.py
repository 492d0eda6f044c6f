"""Loop metadata, loops, and transformations of kernels, as LLVM's "Code Transformation Metadata" has them.

These rules of LLVM 22.1.8 stand neither in the document nor in release notes; they were measured loop by loop.

- An unroll by heuristics leaves the LoopID as it is; only one that count, `enable` or `full` asks for adds
  `unroll.disable`.
- A loop with a constant trip count that is no multiple of the factor keeps its tests between the copies, and loses
  all attributes but the `unroll.disable` that is added. One whose trip count is not known on entry, or whose test
  stands before its body, keeps its tests as well, and its attributes.
- `unroll.full` on a loop whose trip count is not constant forbids nothing: for x86-64 it may be unrolled at run time,
  by the CPU that its function names.
- Accesses are taken to be parallel if the loop promises it of every one of them; then pointers are not checked at run
  time.
- Unroll-and-jam is not done where an address is computed from a counter of fewer bits that might wrap: one that is
  extended with its sign needs `nsw` at its increment, a signed test, or a constant trip count.
- Passes leave an `optnone` function alone, and warn of nothing in it (`kernel K() optnone { … }` in a test). The
  document does not speak of it; `doc` follows LLVM's reference there.
- `unroll.runtime.disable` is renewed as the last attribute, unless the last begins with `unroll.disable`.
- A forced unroll-and-jam whose costs forbid it, or that leaves the loop to unrolling, has given the inner loop the
  followups for its remainder by then (docs/findings/jam-followup.md).
- A loop with fewer iterations than one round of its vector loop has keeps its LoopID, whatever followups say (a
  `scalar` loop). LLVM's remark is that it was vectorized, its warning that it was not.
- Where `vectorize.predicate.enable` asks for masks the vector loop has no epilogue, but for when a check fails; that
  one is as long as the loop was.
- `unroll.enable` without a count does not unroll what the vectorizer left, whose trip count is costly to compute, if
  it is not constant.
- `distribute.enable` needs its value: without one `loop-distribute` ends with a null pointer.
- Where one attribute stands twice, modes take the first, the vectorizer the last.
- Of a loop with several latches the last LoopID counts. If the header keeps a value along some of them, LLVM makes
  two loops of it.
- Of a loop with several exits the least constant trip count of one is taken for its trip count.
- Before what is left of unrolling at run time LLVM puts an assumption, which is a side effect to it: after that the
  trip count of the loop around is no longer known if nothing but `mustprogress` said that its counter does not wrap.
- A loop whose test stands before its body has one iteration more for LLVM than its body: a count that equals those of
  the body unrolls it in part.
- A loop that is left for one of several reasons may be left before its counter wraps: `nuw` and `nsw` say nothing of
  its trip count then.
- A loop that is unrolled in full, with its test before its body, leaves the loops in it once more, behind a branch
  that is never taken.
- `isvectorized` without a value does not keep a loop from being vectorized, only the warning.
"""
