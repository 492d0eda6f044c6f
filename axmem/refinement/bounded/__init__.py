"""All programs of a bound as one encoding, and the searches over it.

One circuit represents all programs of a bound. The attributes of operations are variables, primitives are literals
over them. The bound names each primitive that no program of the bound can have; a primitive without a meaning is
refused. *Telling apart* (`axmem diff`, `contexts/families.py`) is the game of contexts with two models and no
program: the whole program is the context. *Inclusion* (`axmem refine`, `axmem prove --bounded`) follows an execution
of one program or model by one of the other, and proves what follows term by term. Of two models that is a strategy
tried first, since it takes a quarter of the game's time where it succeeds; the game decides what is left. Rules, and
properties of executions, have inclusion alone. There primitives are literals of `vocabulary.py`, and the code for
single tests (`TermBounds`, `Literals`) encodes the model's terms. The engine for single tests judges every program
that is found, and `axmem check` must have nothing to say about it (`printed.py`). Tests compare the two searches over
one bound (`tests/refinement/bounded/test_searches.py`).
"""
