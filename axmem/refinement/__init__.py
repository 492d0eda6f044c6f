"""Whether a change is sound: one program against another, a model against another, a rule in every context.

The searches of `refine` count seconds of a processor (`time.process_time`), so that a machine with load answers as
one without. The SAT solver is stopped by conflicts, after each few of which the processor's time is looked at. Z3
counts the clock: `bounded/query.py` asks it again, for as long by the clock as the rest took until then, because a
question that begins anew at short intervals comes to no end. Lemmas, steps of proofs and the simplification of a
counterexample have numbers of steps instead (Z3's `rlimit`): what they find changes the answer's form or the next
question, and has to be the same each time. Single tests are stopped by the clock (`Deadline`), which is what
`--timeout` says of `run`; those that `refine --closed` and the contexts tried before the search ask count a
processor's seconds too, and ask Z3 again.
"""

EVENTS, THREADS, LOCATIONS = 5, 3, 2
"""The bound of a search for a difference, unless another is asked for."""
