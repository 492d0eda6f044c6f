"""Convergence and uniformity: the tests of `axmem.convergence`."""
