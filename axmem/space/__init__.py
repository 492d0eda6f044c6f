"""Programs up to a bound, up to symmetry: what a bound covers, the programs in it, and their litmus tests."""
