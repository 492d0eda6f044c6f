"""Two programs in every context: contexts as open programs, and a game between two solvers about them."""
