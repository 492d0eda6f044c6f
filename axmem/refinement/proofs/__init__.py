"""Proofs without a bound: files of lemmas, what they are about, and the check that they prove it.

**The language.** There is one sort, the events of an execution, final reads included; nothing says how many there
are. Sets are predicates of one place, relations of two, and cat's operators are written out: `r ; s` is "some event
z, r(x, z) and s(z, y)". Primitives, closures and recursive definitions are uninterpreted. Each step becomes texts of
SMT-LIB that are unsatisfiable only if the step follows from what it supposes. Z3 answers, and cvc5 if it is installed
(`pip install "axmem[provers]"`); a step is proved if one of them says so and none says the contrary. Limits count
steps of the provers, so answers do not depend on the machine. A step may suppose:

- *facts* of the primitives (`model/facts.py`): program order is transitive and lies in threads, scope instances are
  nested equivalences, rf relates one write to a read, and so on. Each is cat text. Tests raise a flag wherever one
  fails, in both engines, on the corpus and in all candidate executions of random programs;
- *axioms* of the model, since only consistent executions matter;
- *lemmas* that were proved before; one that was not is reported and not used;
- *laws* of least fixpoints: `r+` contains r and is transitive; a recursive definition is what its body makes of it
  (written out once, on request); `through(…)` is a chain with a link.

**Induction.** `r+ <= S` follows from `r <= S` and `(r+ & S) ; r <= S`, or the mirror image; likewise for `s ; r+`.
For `let rec v1 = b1 and v2 = b2`: `v1 <= S1, v2 <= S2` follows if each body lies in its S with `vi & Si` in place of
`vi`. The body is monotone (the elaborator refuses others) and has a least fixpoint, which its intersection with the S
contains; nothing else is used of it being least. Executions need not be finite.

**A property** of executions is denied by an axiom added to the model's text. It is proved if the contrary follows:
for `~empty R as denied`, that R is empty.

**A change** of programs, or two models, concern two executions: E after the change, consistent, and E′ before it,
which follows E. In a file of lemmas `hb` is that of E and `hb'` that of E′. `axmem/refinement/proofs/changes.py` says
what a change does to the primitives: deleting tags makes `tag-compat' <= tag-compat`, widening a scope `agent' <=
agent | system`, swapping neighbours of incompatible tags `po' & tag-compat <= po`, and so on. All other primitives
are the same in both, and `rf' <= rf`. Tests compare this with programs that the rule makes. To be proved are:

1. every axiom of the model before the change, of E′;
2. `undef'`: what is undef in E is undef in E′;
3. `existence`: fewer reads-from pairs leave no fewer reads undef in the model before the change. This is read off its
   text: every operator of cat is monotone, except difference in what it takes away.

Provers prove 1 and 2 for every E′ with `rf' <= rf`. *They suffice by this argument.* For a set D of the reads that
are defined in E, let E′(D) be the execution before the change with the events and coherence of E. In it the reads of
D read what they read in E, and all others are undef. By 3 the map from D to the reads of E that no undef rule names
in E′(D) is monotone, so it has a fixed point (Knaster and Tarski). There a read is undef if and only if a rule names
it: one of D by choice, one that is defined in E and not in D by the fixed point, and one that is undef in E by 2. By
1 E′(D) is consistent. Its outcome is that of E with undef in more places, and undef is above every value. It is an
execution of the program: values that depend on a read that is now undef are undef. Where such a value decides a
branch, or is an address, the behaviour before the change is undefined, which permits everything, or the branch may go
as in E. None of this depends on the size of E.

Auxiliary lemmas on closures (`r'+` lies in `r+`) need no statement: they are found where a step needs them, and
proved by induction; for `through`, which is monotone, that these lie in one another.
"""
