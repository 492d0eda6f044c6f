"""Why an outcome is allowed or forbidden: witnesses, cores, broken links, in words and as pictures.

Explanations rest on executions and not on the solver. `encoder/witness.py` finds them with the same selectors, and
takes the first of all solutions in a fixed order. It finds the nearest execution by hitting sets: the rules to break
must share one with every core found so far; axmem tries the smallest such set, and a failure gives the next core.
Relation algebra then evaluates the model on the execution, and `axmem/explanations/proofs.py` gives each fact the
weight of its lightest derivation (shortest paths, recursion included). If a missing fact may be bought at a price,
such as a stronger ordering, the lightest derivation names what is missing. axmem tries each change before it names it
(`mending.py`): it annotates the events and evaluates the model again. If that does not give the fact, it searches for
a smallest set of changes; if the strongest annotations do not, nothing helps. The sentences come from the
definitions' remarks in the model's text (models.md, `words.py`), so no code knows a definition by its name. Tests try
the claims of sentences on the program (`tests/explanations/claims.py`).
"""
