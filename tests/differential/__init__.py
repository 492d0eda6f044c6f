"""Random litmus tests on which the solver and the brute-force engine are compared, and what shrinks a difference."""
