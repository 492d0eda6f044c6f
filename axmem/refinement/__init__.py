"""Whether a change is sound: one program against another, a model against another, a rule in every context."""

EVENTS, THREADS, LOCATIONS = 5, 3, 2
"""The bound of a search for a difference, unless another is asked for."""
