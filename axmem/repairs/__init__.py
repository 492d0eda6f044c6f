"""Repairs: the cheapest annotations that forbid an outcome, and the weakest that keep what a test expects."""

DEFAULT_TARGET = "gfx942"
"""The target whose instructions are weighed unless another is named."""
LIMIT = 5
"""How many repairs are listed unless another number is asked for."""
EXHAUSTIVE_EDITS = 2
"""How many edits an exhaustive search tries at once unless another number is asked for."""
