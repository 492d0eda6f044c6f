"""Mutants of the program itself: whether the tests of a room notice what is changed in its central modules."""
