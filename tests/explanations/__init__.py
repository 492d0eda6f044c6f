"""Explanations: the tests of `axmem.explanations`."""
