"""Whole families of programs in one query: the attributes of operations are literals, and so is everything else."""
