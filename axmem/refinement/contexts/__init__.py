"""Two programs in every context: contexts as open programs, and a game between two solvers about them.

A context's *shape* is the number of operations before and after each thread of the program, and in each further
thread. The kind, location, value, ordering, scope and tags of every operation are open, and the place of further
threads. An operation may be nothing only if something is not known of smaller contexts, or if a thread without
operations may come to a barrier. An operation writes any number, of which a narrower access sees a part: each is a
word of literals. So are parameters of functions, and each byte of memory that anybody may have written before a
function begins; a litmus test begins as it says. If the programs synchronize, or access memory by addresses that they
load, contexts have one more location, `other`. Loads, stores, exchanges and fences in a row are enough, because
everything that a context reads is compared: however it would branch, compute or end a compare-exchange is then that
of the execution.

- Around functions with branches and loops, and kernels of one lane, operations stand before the entry and behind
  every end. Kernels of several lanes have contexts beside them only.
- If a thread reaches barriers without a condition, a further thread of its workgroup may meet it there: it reaches
  the barrier as often, anywhere between its operations, and barriers do not count as operations. Reaching it more or
  less often is undefined behaviour. Nobody meets kernels, barriers under several names or in several workgroups, and
  DMA operations that a barrier completes; the answer says so first.
- With what a function accesses behind a `noalias` parameter nobody else may conflict while it runs, byte by byte. An
  execution before the change is undefined if an operation beside the function does, and happens neither before what
  stands before the function nor after what stands behind it. It permits every outcome in which operations of the
  context read the same, but for the conflicting read itself where its thread does nothing more: contexts may branch
  on what they read, and call the function or not.
- Contexts access the LDS that the programs access, from its workgroup. They have one-as scopes if the programs have
  memory in several address spaces, tags that name one, or one-as scopes. Beside LDS a fence of such a scope names one
  address space: one that names none is as good as two.

Two solvers decide a shape. One proposes a context and an execution of the program after. The other searches for an
execution of the program before in the same context that shows the same, with undef for any value. What it finds
becomes a *strategy*: each read takes what a read after takes (or what is last in memory, or a fixed write), each
write that only the program before has stands next to one that both have, a read-modify-write behind what it reads,
branches go as they went. The strategy turns every execution after, in every context, into one before. Where that is
consistent and shows the same, the execution after is answered and never proposed again, so a few strategies answer
millions of contexts. What a read returns undef may be one number in each use, so undef is read two ways: at least
what it can be after, at most before. Arithmetic that a SAT solver does not know to be the same (`a*n = n*a`) is one
question to Z3 for each pair of values. If nothing is left to propose, the change is sound in all contexts of the
shape. If the program before has no answer, the context is simplified, and both engines for single tests must confirm
that the second of the two resulting tests has a new outcome.

One question covers all shapes of a size if contexts have one operation, if the programs are straight lines that do
not synchronize, or if they have several threads: where each operation stands is then open, too. For other programs
this takes longer than one question for each shape.

Pairs of one file that differ in orderings and scopes alone share one circuit in which these are open. If nothing is
left to propose, the solver names the orderings and scopes on which that rests. A later pair that has them is sound
without a search.

A context's operations (`operations.py`) are literals; among the events of a program (`slots.py`) they are events
under choices whose arms are literals (kind, location). Its orderings, scopes, tags and places are *openings* of
primitives (`encoder/openings.py`). Values are words of the circuit (`encoder/words.py`, `valued.py`): bits, which of
them are undef, poison. What is open of them are free literals (`numbers.py`), and what models ask of values are
literals over these (`admitted.py`). Outcomes of single tests are enumerated instead, and a value there is one-hot. If
you fix all of them, you get the outcomes of the resulting test (`tests/refinement/test_everywhere.py`). Two solvers
play a game for each shape. An execution before the change in which somebody writes what is behind a `noalias` pointer
meanwhile has undefined behaviour (`unshared.py`), and answers whatever reads the same in the context. An execution
that follows from another by a strategy (`encoder/opened.py`, `Follower`) asserts nothing, since an assertion that an
execution cannot meet would lose that execution and make `sound` wrong. A read that is like one after returns its
word, and the fact that its source may be that is part of what is asked (`ValuedFollower`). Which reads are undef is
computed in two steps, from what the reads would take and then without what undef reads take. A follower is consistent
only if both agree, its order of writes is total, and accesses of several cells are ordered alike in all of them.
Where an operation stands may be open too (`standing.py`): it is walked as a thread of its own, and program order and
the relations of one thread are openings. The orderings and scopes of the programs may also be open
(`annotations.py`). All events that one operation of the text makes then share their literals, before and after the
change if they correspond and are annotated alike. One game (`kept.py`) decides all pairs that differ in these alone:
it assumes the annotations of the pair, and the solver names those on which a refutation rests.

Half of the time makes circuits, half answers them. A question of two operations has 20,000 to 100,000 variables, and
ends after some hundred or thousand conflicts. So it pays to have fewer gates, and little to have another solver.

- **Axioms of who follows** are literals, since nothing may be asserted of an execution that follows another. Whether
  a relation has a cycle takes an elimination (`Circuit.cyclic`), with fewer gates than a closure.
- **Clauses are joined** (`encoder/joined.py`). A literal of a gate that stands in one clause has no definition: what
  it implies stands in that clause.
- **Shapes.** One question for all shapes of a size saves circuits, and costs conflicts. It is asked of one operation,
  of straight lines that do not synchronize, and of several threads. Of one thread that synchronizes, or forks, each
  shape of more operations is a question.
- **Loops that try again** (`events/retries.py`) have two iterations. All failed iterations but the last only read and
  order, and less order breaks no axiom and leaves no fewer reads undef: a test reads this off the texts of the
  models. The exception is the axiom that atomics do not tear, so locations that are accessed by pieces have no such
  loops.
- **Iterations that change nothing** (`events/stutters.py`) are left out of whole programs for races, and for verdicts:
  a failed exchange that writes what was there, a look at a word that is not there yet, a count that is taken back and
  that nobody notices (`events/taken_back.py`). That holds if all that is done to what is updated is atomic and of one
  scope.
- **An explanation** looks at what is compared alone.
"""
