"""Convergence and uniformity: control flow graphs, cycles, converged instances, tokens, uniform values."""
